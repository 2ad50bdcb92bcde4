/**
 * What is known of what this n8n can do, kept where all its users are: in the object of the limiter. Where that cannot
 * be asked, nothing is known, and each call learns for itself.
 */
import { describeBug } from "../../platform/errors.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { NOTHING_KNOWN } from "../capabilities/capabilities.ts";
import type { CapabilityStore } from "../capabilities/store.ts";
import type { N8nLimiter } from "./n8n-limiter.ts";

type Log = (line: Readonly<Record<string, unknown>>) => void;

/**
 * @param instance the name of the n8n
 * @param address where it is: what another address answers says nothing of this one
 */
export function createCapabilityStore(
  namespace: DurableObjectNamespace<N8nLimiter>,
  instance: string,
  address: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): CapabilityStore {
  const limiter = new ObjectCalls("N8nLimiter", () => namespace.getByName(instance, placement));
  const failed = (error: unknown): void => log({ event: "capabilities-failed", ...describeBug(error) });
  return {
    async recall() {
      try {
        return await limiter.repeatable(async (object) => await object.capabilities(address));
      } catch (error) {
        failed(error);
        return NOTHING_KNOWN;
      }
    },
    async learn(learnt) {
      try {
        await limiter.repeatable(async (object) => await object.learnCapabilities(address, learnt));
      } catch (error) {
        failed(error);
      }
    },
  };
}
