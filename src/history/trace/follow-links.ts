/**
 * Reads the executions that belong to a request and that no scan has read, and reads again those that had not
 * ended. No read begins once time is up or n8n fails at several. What cannot be read is told.
 */

import { isMetByAll } from "../../n8n/back-off.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { type Reading, type ReadOptions, readOne } from "../reading/read-executions.ts";
import { toMemorable } from "../reading/to-memorable.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import type { SkippedExecution } from "../scan/scan-options.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { KnownFamily } from "../store/known-requests.ts";
import type { MemorableExecution } from "../store/memorable-execution.ts";
import { hasEnded } from "../store/traced-execution.ts";

/** A bound on what one call asks of n8n by single ids. */
const MAX_READS = 100;
const CONCURRENT_READS = 2;
/** What n8n fails at more often than that is no matter of single executions. */
const MAX_FAILURES = 3;

export interface FollowOptions extends ReadOptions {
  readonly store: ExecutionStore;
  readonly digest: CorrelationDigest;
  /** Executions that hold the request id. */
  readonly matchIds: readonly string[];
  /** What is known of their family. */
  readonly family: KnownFamily;
  /** The id that has a row before all others. */
  readonly wanted?: string | null;
  /** Why they are read, where they are not linked. */
  readonly because?: string;
  /** Ids of executions that are known to be as they are remembered. */
  readonly current: ReadonlySet<string>;
}

export interface FollowedFamily extends KnownFamily {
  readonly skipped: readonly SkippedExecution[];
}

export async function followLinks(options: FollowOptions): Promise<FollowedFamily> {
  return await new LinkReader(options).follow();
}

function openIds(family: KnownFamily, current: ReadonlySet<string>): string[] {
  const stale = family.executions.filter((execution) => !hasEnded(execution) && !current.has(execution.id));
  return [...family.missing, ...stale.map(({ id }) => id)];
}

class LinkReader {
  readonly #options: FollowOptions;
  readonly #skipped: SkippedExecution[] = [];
  readonly #tried = new Set<string>();
  #failures = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async follow(): Promise<FollowedFamily> {
    const { store, matchIds, current } = this.#options;
    for (let { family } = this.#options; ; family = store.family(matchIds)) {
      const open = openIds(family, current).filter((id) => !this.#tried.has(id));
      const why = open.length === 0 ? null : this.#stopReason();
      if (why !== null) this.#skipped.push({ executionId: null, reason: why });
      if (open.length === 0 || why !== null) return { ...family, skipped: this.#skipped };
      await this.#readAll(open);
    }
  }

  #stopReason(): string | null {
    const { clock, deadline } = this.#options;
    if (this.#tried.size >= MAX_READS) return `more than ${MAX_READS} linked executions were left to read`;
    if (this.#failures >= MAX_FAILURES)
      return "n8n failed at several linked executions: the others were not read";
    return clock.now() >= deadline ? "time ran out before all linked executions were read" : null;
  }

  /** Two at a time, as long as nothing speaks against another. What was read is kept. */
  async #readAll(open: readonly string[]): Promise<void> {
    const { store, digest, clock, wanted } = this.#options;
    const read: MemorableExecution[] = [];
    await mapConcurrently(this.#toTry(open), CONCURRENT_READS, async (id) => {
      await this.#readLinked(id, (reading) => read.push(toMemorable(reading, digest, wanted)));
    });
    store.remember(read, clock.now());
  }

  *#toTry(open: readonly string[]): Generator<string> {
    for (const id of open) {
      if (this.#stopReason() !== null) return;
      this.#tried.add(id);
      yield id;
    }
  }

  async #readLinked(id: string, keep: (reading: Reading) => void): Promise<void> {
    const { because = "it is linked" } = this.#options;
    const skip = (reason: string): void =>
      void this.#skipped.push({ executionId: id, reason: `${because}, but ${reason}` });
    try {
      await readOne(id, this.#options, {
        read: keep,
        unreadable: (_id, reason) => skip(reason),
        vanished: () => {},
      });
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      const isGone = error.code === "EXECUTION_NOT_FOUND";
      if (!isGone) this.#failures += isMetByAll(error) ? MAX_FAILURES : 1;
      skip(isGone ? "was deleted" : `reading it failed with ${error.code}`);
    }
  }
}
