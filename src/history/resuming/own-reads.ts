/**
 * The executions that a deep trace or a search has read itself, over several calls. Rows contain no payload, so it has
 * to read executions that the index knows. Pure.
 *
 * Promises: an execution counts as read only while it is unchanged since this search read it.
 */

import * as z from "zod";
import { keepLast } from "../../platform/bounded-collections.ts";
import { isNewer, lowerOf } from "../../platform/id-order.ts";
import { idFrom } from "../store/gaps.ts";
import type { Scope } from "../store/known-stretches.ts";
import { isInside, type Stretch, union } from "../store/stretches.ts";
import { MAX_UNFINISHED } from "../store/tables.ts";
import { mayContinue, type TracedExecution } from "../store/traced-execution.ts";

const stretch = z.object({ high: z.string(), low: z.string(), isBottom: z.boolean() });
const readStretch = stretch.extend({
  /** ISO 8601, by n8n's clock: executions that had ended by then count as read. */
  before: z.string().default(""),
});
export type ReadStretch = z.infer<typeof readStretch>;

export const ownReadingState = z.object({
  /** Not listed again, because nothing can have been missed in them. */
  settled: z.array(stretch),
  /** Their executions are not read again, except for `unread`. No two share an id. */
  read: z.array(readStretch),
  /** Executions that n8n failed to return; they are requested again in addition. */
  unread: z.array(z.string()).default([]),
  /** Executions that had not ended when they were read: their end has to be read, whatever stretch they are in. */
  unfinished: z.array(z.string()).default([]),
  /** Executions that were read but are in no stretch yet, or ended too late for it, with their last change. */
  single: z.array(z.tuple([z.string(), z.string()])).default([]),
  /** Executions that were read before they began: until then, their contents do not change. */
  queued: z.array(z.string()).default([]),
  /** Ids that had no execution when those around them were read, and may have got one since. */
  toCome: z.array(z.string()).default([]),
  /** Executions that contain what is searched for: the index may delete their rows, to make room. */
  held: z.array(z.string()).default([]),
  epoch: z.number(),
  scope: z.enum(["listed", "hidden"]),
  /** Digest of the view that was used: executions that it hides were skipped. */
  view: z.string().default(""),
});
export type OwnReadingState = z.infer<typeof ownReadingState>;

const NOTHING_READ: Omit<OwnReadingState, "epoch" | "scope" | "view"> = {
  settled: [],
  read: [],
  unread: [],
  unfinished: [],
  single: [],
  queued: [],
  toCome: [],
  held: [],
};

export const NEW_OWN_READING: OwnReadingState = {
  ...NOTHING_READ,
  epoch: 0,
  scope: "listed",
  view: "",
};

/** With more unread executions than this, the search starts over. */
const MAX_UNREAD = 1_000;
/** The same for matches. */
const MAX_MATCHES = 1_000;
/** Beyond this, the ones read first are read again. */
const MAX_SINGLE = 2_000;
/** Twice as many as a look handles. */
const MAX_UNFINISHED_NOTED = 2 * MAX_UNFINISHED;
const MAX_UPCOMING = 2_000;
/** Beyond this, the ones read first are dropped, and read again. */
const MAX_QUEUED = 10_000;

type Times = Pick<TracedExecution, "id" | "startedAt" | "stoppedAt">;

/** An execution that was waiting when it was read continues with other data, but with the same times. */
const asRunning = (changed: string): string => `running since ${changed}`;

/** ISO 8601; null if it may not have begun. */
const lastChange = ({ startedAt, stoppedAt }: Times): string | null => stoppedAt ?? startedAt;

export class OwnReads {
  #stretches: OwnReadingState;
  #ids: ReturnType<typeof idsIn>;
  /** Too much was noted in this call to claim what the call reads. */
  #hasTooMany = false;

  /** @param state from an earlier call @param view digest of what the caller may see now */
  constructor(state: OwnReadingState, view: string) {
    this.#stretches = state;
    this.#ids = idsIn(state);
    if (state.view !== view) this.#forget({ view });
  }

  /** To be stored until the next call. */
  get state(): OwnReadingState {
    const { unread, unfinished, single, queued, toCome, held: matches } = this.#ids;
    return {
      ...this.#stretches,
      unread: [...unread],
      unfinished: [...unfinished],
      single: [...single],
      queued: [...queued],
      toCome: [...toCome],
      held: [...matches],
    };
  }

  get epoch(): number {
    return this.#stretches.epoch;
  }

  #forget(facts: Partial<OwnReadingState>): void {
    this.#stretches = { ...this.#stretches, ...NOTHING_READ, ...facts };
    this.#ids = idsIn(NOTHING_READ);
  }

  /** Drops what was read of another history, or under another scope. */
  selectHistory(epoch: number, scope: Scope): Pick<OwnReadingState, "settled" | "read"> {
    if (this.#stretches.epoch !== epoch || this.#stretches.scope !== scope) this.#forget({ epoch, scope });
    return this.#stretches;
  }

  /** Also true for one that is requested in addition. @param read stretches that earlier calls read */
  hasRead(item: Times, read: readonly ReadStretch[]): boolean {
    const { id } = item;
    const changed = lastChange(item);
    // It has not begun: until its status changes, its contents stay the same.
    if (changed === null) return this.#ids.queued.has(id);
    if (this.#ids.unread.has(id) || this.#ids.single.get(id) === changed) return true;
    if (this.#ids.unfinished.has(id) || this.#ids.toCome.has(id)) return false;
    return read.some((one) => isInside(id, one) && changed <= one.before);
  }

  /** True if its data is unchanged, provided that n8n stores none while it runs. */
  hasReadRunning(item: Times): boolean {
    const changed = lastChange(item);
    if (changed === null || this.#ids.unread.has(item.id)) return false;
    return this.#ids.single.get(item.id) === asRunning(changed);
  }

  get unread(): ReadonlySet<string> {
    return this.#ids.unread;
  }

  get unfinished(): ReadonlySet<string> {
    return this.#ids.unfinished;
  }

  noteRead(item: Times & Pick<TracedExecution, "status">): void {
    const { id } = item;
    this.forgetExecution(id);
    if (mayContinue(item)) keepLast(this.#ids.unfinished.add(id), MAX_UNFINISHED_NOTED);
    if (item.status === "new") keepLast(this.#ids.queued.add(id), MAX_QUEUED);
    const changed = lastChange(item);
    if (changed === null) return;
    keepLast(this.#ids.single.set(id, item.status === "running" ? asRunning(changed) : changed), MAX_SINGLE);
  }

  /** Unfinished executions of the index: if other scans read their end, this search has not read it yet. */
  noteUnfinished(ids: readonly string[]): void {
    for (const id of ids) keepLast(this.#ids.unfinished.add(id), MAX_UNFINISHED_NOTED);
  }

  /** Call this before the executions around these ids are read. */
  noteUpcoming(ids: readonly string[]): void {
    for (const id of ids) keepLast(this.#ids.toCome.add(id), MAX_UPCOMING);
  }

  forgetExecution(id: string): void {
    this.#ids.toCome.delete(id);
    this.#ids.unread.delete(id);
    this.#ids.unfinished.delete(id);
    this.#ids.single.delete(id);
    this.#ids.queued.delete(id);
  }

  noteUnread(id: string): void {
    // Moves it to the end: the order is that of the last request.
    this.#ids.unread.delete(id);
    this.#ids.unread.add(id);
    this.#ids.single.delete(id);
    if (this.#ids.unread.size > MAX_UNREAD) this.#restartWithTooMany();
  }

  get queued(): readonly string[] {
    return [...this.#ids.queued];
  }

  hasReadQueued(id: string): boolean {
    return this.#ids.queued.has(id);
  }

  noteMatch(id: string): void {
    this.#ids.held.add(id);
    if (this.#ids.held.size > MAX_MATCHES) this.#restartWithTooMany();
  }

  #restartWithTooMany(): void {
    this.#forget({});
    this.#hasTooMany = true;
  }

  get held(): readonly string[] {
    return [...this.#ids.held];
  }

  /** n8n has deleted it, and nothing of it is stored any more. */
  forgetMatch(id: string): void {
    this.#ids.held.delete(id);
  }

  claimSettled(claimed: Stretch): void {
    if (this.#hasTooMany) return;
    this.#stretches = { ...this.#stretches, settled: joined(this.#stretches.settled, claimed) };
  }

  /** Records that everything in the stretch was read in this call, or is unchanged since an earlier one. */
  claimRead(claimed: ReadStretch): void {
    if (this.#hasTooMany) return;
    const { read } = this.#stretches;
    const ofThisCall = read.filter((one) => one.before === claimed.before && touches(one, claimed));
    const now = { ...union([claimed, ...ofThisCall]), before: claimed.before };
    const below = read
      .filter(({ low }) => isNewer(now.low, low))
      .map((one) => ({ ...one, high: lowerOf(one.high, idFrom(now.low, -1)) }));
    this.#stretches = { ...this.#stretches, read: [now, ...below] };
    for (const [id, changed] of this.#ids.single)
      if (!this.#ids.unfinished.has(id) && isInside(id, now) && changed <= now.before)
        this.#ids.single.delete(id);
  }
}

type Ids = "unread" | "unfinished" | "single" | "queued" | "toCome" | "held";

const idsIn = (state: Pick<OwnReadingState, Ids>) => ({
  unread: new Set(state.unread),
  unfinished: new Set(state.unfinished),
  single: new Map(state.single),
  queued: new Set(state.queued),
  toCome: new Set(state.toCome),
  held: new Set(state.held),
});

const touches = (one: Stretch, other: Stretch): boolean =>
  !isNewer(other.low, one.high) && !isNewer(one.low, other.high);

function joined(stretches: readonly Stretch[], claimed: Stretch): Stretch[] {
  const touching = stretches.filter((one) => touches(one, claimed));
  return [...stretches.filter((one) => !touches(one, claimed)), union([claimed, ...touching])];
}
