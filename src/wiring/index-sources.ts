/** What the history index needs to read its n8n: clients on behalf of a caller, digests, paths, terms and redaction. */
import type { RedactLarge } from "../history/payload/payload-items.ts";
import type { CountedCosts, Payer } from "../history/report/index-costs.ts";
import { createCorrelationDigest, createTermKey } from "../history/request-ids/correlation-digest.ts";
import { FRESH_MS } from "../history/scan/shared-scan.ts";
import type { ScanSources } from "../history/scan/shared-scans.ts";
import { TermMaker } from "../history/terms/execution-terms.ts";
import { TermHasher } from "../history/terms/term-hasher.ts";
import { createRequestRedactor, serializeRules } from "../mcp/request-redactor.ts";
import { learnStatuses } from "../n8n/capabilities/learn.ts";
import { KnownCapabilities, RecalledCapabilities } from "../n8n/capabilities/store.ts";
import type { N8nClient } from "../n8n/client.ts";
import { BACKGROUND_USER, EVERYBODY } from "../n8n/limiter/slot-schedule.ts";
import type { ExecutionStatus } from "../n8n/schemas.ts";
import { systemClock } from "../platform/clock.ts";
import { SharedReading } from "../platform/shared-reading.ts";
import { type N8nInstance, ownSecrets, readInstances, readRedactionSettings } from "../settings/index.ts";
import { comparableIdsOf } from "./comparable-ids.ts";
import { historyIndexName, instanceOfIndex } from "./history-index-name.ts";
import { capabilityStoreOf, createClient } from "./n8n-access.ts";

/** The n8n instance of an index, and how its executions are read. */
export interface Served {
  readonly instance: N8nInstance;
  readonly reading: Pick<ScanSources, "digest" | "paths" | "redactLarge" | "terms">;
}

/** @param name of the index. @returns undefined if the settings no longer lead to it */
export function servedBy(settings: object, name: string): Served | undefined {
  const instance = readInstances(settings).get(instanceOfIndex(name));
  if (instance === undefined || historyIndexName(settings, instance) !== name) return undefined;
  const redactor = createRequestRedactor(ownSecrets(settings), () => readRedactionSettings(settings));
  const pause = async (): Promise<void> => await systemClock.sleep(0);
  const digest = createCorrelationDigest(instance.apiKey, "the history index");
  const redactLarge: RedactLarge = async (value) => await redactor.unnumbered(value, pause);
  const terms = {
    // The key is of this index alone.
    maker: new TermMaker(new TermHasher(createTermKey(instance.apiKey, name))),
    rulesDigest: digest(serializeRules(ownSecrets(settings), () => readRedactionSettings(settings))),
  };
  return { instance, reading: { digest, paths: comparableIdsOf(settings), redactLarge, terms } };
}

export class IndexSources {
  readonly #env: Env;
  readonly #costs: () => CountedCosts;
  #recalled: RecalledCapabilities | null = null;
  /** Callers share a request in flight if it is as recent as a scan that they would share. */
  readonly #statuses = new SharedReading<ExecutionStatus[]>({ sharedMs: FRESH_MS, isKept: false });

  /** @param costs counts requests, executions and bytes */
  constructor(env: Env, costs: () => CountedCosts) {
    this.#env = env;
    this.#costs = costs;
  }

  /** @param userId may be `EVERYBODY` or `BACKGROUND_USER` @throws ObserverError `CONFIGURATION_ERROR` */
  of({ instance, reading }: Served, userId: string, countBytes: (bytes: number) => void): ScanSources {
    const isForNobody = userId === BACKGROUND_USER;
    const payer: Payer = isForNobody ? "background" : "people";
    const counters = this.#costs().countersOf(payer, systemClock.now());
    const { countRequest, countExecution } = counters;
    const countAllBytes = (bytes: number): void => {
      counters.countBytes(bytes);
      countBytes(bytes);
    };
    const requester = { userId, countBytes: countAllBytes, countRequest };
    const clientOf = (isForAll: boolean): N8nClient =>
      createClient(this.#env, { ...requester, isForAll }, instance);
    // Callers must not share the background's requests, which have the lowest priority.
    const clientOfAll = isForNobody ? undefined : clientOf(true);
    return {
      ...reading,
      client: clientOf(userId === EVERYBODY),
      clientOfAll,
      capabilities: this.capabilitiesOf(instance, clientOfAll),
      countExecution,
      clock: systemClock,
    };
  }

  /**
   * @param instance always the same, for the lifetime of the index
   * @param clientOfAll for requests that callers share, which continue when one has gone; none are shared without it
   */
  capabilitiesOf(instance: N8nInstance, clientOfAll?: N8nClient): KnownCapabilities {
    this.#recalled ??= new RecalledCapabilities(capabilityStoreOf(this.#env, instance), systemClock);
    if (clientOfAll === undefined) return new KnownCapabilities(this.#recalled);
    const ask: typeof learnStatuses = async (_own, options) =>
      await this.#statuses.get(systemClock.now(), async () => await learnStatuses(clientOfAll, options));
    return new KnownCapabilities(this.#recalled, ask);
  }
}
