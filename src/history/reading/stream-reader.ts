/** Turns executions into readings while they stream in. */
import { toExecutionFacts } from "../../executions/execution-facts.ts";
import { timeoutOf } from "../../n8n/back-off.ts";
import {
  type ExecutionReader,
  ExecutionWalk,
  type PayloadPlace,
  type WalkedExecution,
} from "../../n8n/execution-walk.ts";
import { CustomData, IdCollector } from "../payload/id-collector.ts";
import { MAX_EXECUTION_BYTES, PayloadItem } from "../payload/payload-items.ts";
import type { ExecutionSearch } from "../payload/payload-search.ts";
import { hasEnded, toTracedExecution } from "../store/traced-execution.ts";
import { TermReading } from "../terms/term-reading.ts";
import type { ReadingEvents, ReadOptions } from "./reading.ts";

/** Receives each searchable item before its execution is reported as read. */
export type SeeItem = (item: PayloadItem, place: PayloadPlace) => void;

/** Inspects one execution as it streams in. */
interface Collectors {
  readonly ids: IdCollector;
  readonly customData: CustomData;
  readonly search: ExecutionSearch | null;
  readonly terms: TermReading;
}

export class StreamReader implements ExecutionReader {
  readonly seen: string[] = [];
  /** Executions without a readable id. */
  withoutId = 0;
  readonly walk: ExecutionWalk;
  /** The byte count at the end of the last execution. */
  #endOfLast = 0;
  /** Epoch ms when the last execution ended, or when the page was requested. */
  #lastEndedAt: number;
  readonly #options: ReadOptions;
  readonly #events: ReadingEvents;
  readonly #onItem: SeeItem | undefined;
  #collectors: Collectors;
  /** The bytes that were still allowed when the current container began. */
  #room = { search: 0, terms: 0 };
  /** Work to be done after the current chunk. */
  #deferred: (() => void | Promise<void>)[] = [];

  /** @param answer of n8n: a list, or one execution */
  constructor(answer: "list" | "one", options: ReadOptions, events: ReadingEvents, onItem?: SeeItem) {
    this.walk = new ExecutionWalk(answer, this);
    this.#options = options;
    this.#events = events;
    this.#onItem = onItem;
    this.#lastEndedAt = options.clock.now();
    this.#collectors = this.#begin();
  }

  /** Time since the last execution arrived, in milliseconds. */
  get waitedMs(): number {
    return this.#options.clock.now() - this.#lastEndedAt;
  }

  #begin(): Collectors {
    const { paths, search, terms } = this.#options;
    return {
      ids: new IdCollector(paths),
      customData: new CustomData(),
      search: search?.begin() ?? null,
      terms: new TermReading(terms),
    };
  }

  wantsKey(key: string): boolean {
    return this.#options.paths.endWith(key);
  }

  value(value: string | number, place: PayloadPlace): void {
    // A service's answer may hold an id of its own.
    if (!isErrorText(place) || place.path.at(-1) === "message") this.#collectors.ids.see(value, place);
    this.#collectors.customData.see(value, place);
    if (!isErrorText(place)) return;
    const item = PayloadItem.ofMessage(String(value), place.path, this.#options.redactLarge);
    this.#search(item, () => place);
    this.#defer(this.#collectors.terms.see(item));
  }

  roomForContainer(): number {
    const { search, terms } = this.#collectors;
    this.#room = { search: search?.room ?? 0, terms: terms.room };
    return Math.max(this.#room.search, this.#room.terms);
  }

  container(bytes: Uint8Array | null, placeOf: () => PayloadPlace): void {
    const item = bytes === null ? null : PayloadItem.ofJson(bytes, placeOf().path, this.#options.redactLarge);
    const within = (room: number): PayloadItem | null =>
      item !== null && item.byteLength <= room ? item : null;
    this.#search(within(this.#room.search), placeOf);
    this.#defer(this.#collectors.terms.see(within(this.#room.terms)));
  }

  onSkipped(): void {
    this.#collectors.ids.missPart();
  }

  execution(walked: WalkedExecution): void {
    this.#options.countExecution?.();
    this.seen.push(walked.item.id);
    this.#lastEndedAt = this.#options.clock.now();
    const { ids, customData, search, terms } = this.#collectors;
    const isUnsearchable = this.walk.byteLength - this.#endOfLast > MAX_EXECUTION_BYTES;
    this.#endOfLast = this.walk.byteLength;
    this.#defer(customData.work(this.#options.redactLarge, ids));
    this.#defer(() => {
      const seen = ids.result();
      const { isPartial } = seen;
      const { item, isWithheld, isTooLarge, savesProgress } = walked;
      const { status } = item;
      const context = { status, hasEnded: hasEnded(item), isWithheld, isTooLarge, isPartial };
      this.#events.read({
        execution: toTracedExecution(walked),
        ids: seen,
        searched: search?.result() ?? null,
        isWithheld,
        isTooLarge,
        savesProgress,
        facts: toExecutionFacts(walked.outcome, context, this.#options.digest),
        // Without a filter it would be read again, which would show nothing more.
        termFilter: isTooLarge ? null : terms.filter(isUnsearchable),
      });
    });
    this.#collectors = this.#begin();
  }

  unreadable(id: string | null, reason: string): void {
    if (id === null) this.withoutId += 1;
    else this.seen.push(id);
    this.#defer(() => this.#events.unreadable(id, reason));
    this.#collectors = this.#begin();
  }

  /** Does the pending work in order, yielding to other tasks in between. Called after each chunk and at the end. */
  async runDeferred(): Promise<void> {
    const { search, clock, thread } = this.#options;
    for (const next of this.#deferred.splice(0)) {
      await next();
      if (search?.takePause() === true) await (thread?.giveWay() ?? clock.sleep(0));
    }
  }

  #search(item: PayloadItem | null, placeOf: () => PayloadPlace): void {
    this.#defer(this.#collectors.search?.see(item, placeOf));
    const onItem = this.#onItem;
    if (item === null || onItem === undefined) return;
    const place = placeOf();
    this.#defer(() => onItem(item, place));
  }

  #defer(step: (() => void | Promise<void>) | null | undefined): void {
    if (step !== null && step !== undefined) this.#deferred.push(step);
  }
}

/** It has a run but no item; item values have both, custom data has no run. */
const isErrorText = ({ run, item }: PayloadPlace): boolean => run !== null && item === null;

/** Streams into the reader, and does the pending work even if the stream ends early. */
export async function streamInto(
  reader: StreamReader,
  { clock, deadline }: ReadOptions,
  stream: (limits: { timeoutMs: number; afterPiece: () => Promise<void> }) => Promise<void>,
): Promise<void> {
  try {
    await stream({
      timeoutMs: timeoutOf(clock, deadline),
      afterPiece: async () => await reader.runDeferred(),
    });
  } finally {
    await reader.runDeferred();
  }
}
