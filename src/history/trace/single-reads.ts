/**
 * Reads single executions: the one requested by its id, and those that belong to a request but were not read by a scan
 * or had not ended. No read begins once time is up or n8n has failed at several. Unreadable ones are reported.
 */
import { isMetByAll } from "../../n8n/back-off.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { isNotFound, ObserverError } from "../../platform/errors.ts";
import { readOne } from "../reading/read-executions.ts";
import type { ReadOptions } from "../reading/reading.ts";
import { toMemorable } from "../reading/to-memorable.ts";
import type { SkippedExecution } from "../scan/scan-options.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { KnownFamily } from "../store/known-requests.ts";
import type { MemorableExecution } from "../store/memorable-execution.ts";
import { hasEnded, type TracedExecution } from "../store/traced-execution.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import { isStillGone, settledLinks } from "./missing-links.ts";

const MAX_READS = 100;
const CONCURRENT_READS = 2;
/** After this many failures, the cause is not a single execution. */
const MAX_FAILURES = 3;
const GONE = "n8n does not have it: it was deleted, or never saved";

export interface SingleReadOptions extends ReadOptions {
  readonly store: ExecutionStore;
  readonly known: VisibleHistory;
}

export interface RequestedExecution {
  readonly execution: TracedExecution;
  /** n8n has deleted it; this is what was stored. */
  readonly isGone: boolean;
}

/** Null if n8n has no such execution and nothing of it is stored. @throws ObserverError an `N8N_…` code */
export async function readRequestedExecution(
  id: string,
  options: SingleReadOptions,
): Promise<RequestedExecution | null> {
  const { store, known, clock } = options;
  let reading: SingleReading;
  try {
    // Without data first, so that a hidden execution takes as long as a missing one.
    if (!known.isWhole && !known.view.has((await options.client.readExecutionItem(id)).workflowId))
      return null;
    reading = await readSingle(id, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    store.rows.markDeleted([id]);
    const [execution] = known.executions.withIds([id]);
    return execution === undefined ? null : { execution, isGone: true };
  }
  const [first] = reading.read;
  if (first === undefined) {
    const why = reading.problems.join();
    throw new ObserverError("N8N_BAD_RESPONSE", `Execution ${id} could not be read: ${why}.`, {
      solution: "Ask for another execution of the request, or for its request id.",
    });
  }
  store.rows.remember(reading.read, clock.now());
  return { execution: first.execution, isGone: false };
}

export function executionNotFound(id: string): ObserverError {
  return new ObserverError("EXECUTION_NOT_FOUND", `There is no execution ${id}.`, {
    field: "requestId",
    solution:
      "It was deleted or pruned by n8n, never saved, or never existed; or the key may not see its project. get_workflow_executions lists the ones that exist.",
  });
}

interface SingleReading {
  readonly read: readonly MemorableExecution[];
  readonly problems: readonly string[];
}

/** @param wanted an id that gets a row before all others @throws ObserverError */
async function readSingle(id: string, options: ReadOptions, wanted?: string | null): Promise<SingleReading> {
  const read: MemorableExecution[] = [];
  const problems: string[] = [];
  await readOne(id, options, {
    read: (reading) => read.push(toMemorable(reading, options.digest, wanted)),
    unreadable: (_id, reason) => problems.push(reason),
    vanished: () => {},
  });
  return { read, problems };
}

export interface FollowOptions extends SingleReadOptions {
  readonly family: KnownFamily;
  /** Returns the family after more was read. */
  readonly familyNow: () => KnownFamily;
  /** An id that gets a row before all others. */
  readonly wanted?: string | null;
  /** Why they are read, for the reasons in `skipped`. */
  readonly because?: string;
  /** Called for each execution that n8n has deleted. */
  readonly onGone?: (id: string) => void;
  /** Ids of executions that are known to be unchanged. */
  readonly current: ReadonlySet<string>;
  /** @see isStillGone */
  readonly isFurtherLook: boolean;
}

export interface FollowedFamily extends KnownFamily {
  readonly skipped: readonly SkippedExecution[];
}

export const followLinks = async (options: FollowOptions): Promise<FollowedFamily> =>
  await new LinkReader(options).follow();

class LinkReader {
  readonly #options: FollowOptions;
  readonly #skipped: SkippedExecution[] = [];
  /** Ids that were read, or need not be. */
  readonly #tried = new Set<string>();
  #reads = 0;
  #failures = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async follow(): Promise<FollowedFamily> {
    const { familyNow } = this.#options;
    for (let { family } = this.#options; ; family = familyNow()) {
      this.#skipMissing(family);
      const open = this.#openIds(family);
      const why = open.length === 0 ? null : this.#stopReason();
      if (why !== null) this.#skipped.push({ executionId: null, reason: why });
      if (open.length === 0 || why !== null) return { ...family, skipped: this.#skipped };
      await this.#readAll(open);
    }
  }

  #skipMissing({ missing, executions }: KnownFamily): void {
    if (missing.length === 0) return;
    const { store, clock, isFurtherLook } = this.#options;
    const now = clock.now();
    const settled = settledLinks(executions);
    for (const id of missing) {
      const asked = { askedAt: store.goneTimes.askedAt(id), settledAt: settled.get(id), now, isFurtherLook };
      if (this.#tried.has(id) || !isStillGone(asked)) continue;
      this.#tried.add(id);
      this.#skip(id, GONE);
    }
  }

  #openIds({ missing, executions }: KnownFamily): string[] {
    const { current } = this.#options;
    const stale = executions.filter((execution) => !hasEnded(execution) && !current.has(execution.id));
    return [...missing, ...stale.map(({ id }) => id)].filter((id) => !this.#tried.has(id));
  }

  #stopReason(): string | null {
    const { clock, deadline } = this.#options;
    if (this.#reads >= MAX_READS) return `more than ${MAX_READS} linked executions were left to read`;
    if (this.#failures >= MAX_FAILURES)
      return "n8n failed to return several linked executions: the others were not read";
    return clock.now() >= deadline ? "time ran out before all linked executions were read" : null;
  }

  /** Reads two at a time until a limit is reached, and stores what was read. */
  async #readAll(open: readonly string[]): Promise<void> {
    const { store, clock } = this.#options;
    const read = await mapConcurrently(this.#toTry(open), CONCURRENT_READS, async (id) => this.#read(id));
    store.rows.remember(read.flat(), clock.now());
  }

  *#toTry(open: readonly string[]): Generator<string> {
    for (const id of open) {
      if (this.#stopReason() !== null) return;
      this.#tried.add(id);
      this.#reads += 1;
      yield id;
    }
  }

  async #read(id: string): Promise<readonly MemorableExecution[]> {
    const { store, clock } = this.#options;
    const askedAt = clock.now();
    try {
      const { read, problems } = await readSingle(id, this.#options, this.#options.wanted);
      for (const problem of problems) this.#skip(id, problem);
      return read;
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      if (isNotFound(error)) {
        store.rows.markDeleted([id]);
        store.goneTimes.note(id, askedAt);
        this.#options.onGone?.(id);
        this.#skip(id, GONE);
      } else {
        this.#failures += isMetByAll(error) ? MAX_FAILURES : 1;
        this.#skip(id, `reading it failed with ${error.code}`);
      }
      return [];
    }
  }

  #skip(executionId: string, reason: string): void {
    const { because = "it is linked" } = this.#options;
    this.#skipped.push({ executionId, reason: `${because}, but ${reason}` });
  }
}
