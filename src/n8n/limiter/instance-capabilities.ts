/**
 * What is known of what this n8n can do, kept where all its users are: in the object of the budget. Where that cannot
 * be asked, nothing is known, and each call learns for itself.
 */
import { describeBug } from "../../platform/errors.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { NOTHING_KNOWN } from "../capabilities/capabilities.ts";
import type { CapabilityStore } from "../capabilities/store.ts";
import type { N8nBudget } from "./n8n-budget.ts";

type Log = (line: Readonly<Record<string, unknown>>) => void;

/**
 * @param instance the name of the n8n
 * @param address where it is: what another address answers says nothing of this one
 */
export function createCapabilityStore(
  namespace: DurableObjectNamespace<N8nBudget>,
  instance: string,
  address: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): CapabilityStore {
  const budget = new ObjectCalls("N8nBudget", () => namespace.getByName(instance, placement));
  const failed = (error: unknown): void => log({ event: "capabilities-failed", ...describeBug(error) });
  return {
    async recall() {
      try {
        return await budget.repeatable(async (object) => await object.capabilities(address));
      } catch (error) {
        failed(error);
        return NOTHING_KNOWN;
      }
    },
    async learn(learnt) {
      try {
        await budget.repeatable(async (object) => await object.learnCapabilities(address, learnt));
      } catch (error) {
        failed(error);
      }
    },
  };
}
