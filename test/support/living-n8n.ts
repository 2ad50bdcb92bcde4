/**
 * An n8n that changes by itself between two requests: executions begin, end, wait, wake up and are deleted,
 * n8n stores ends late or fails to return executions, and requests fail. For tests that compare answers with a naive
 * reading of everything.
 */
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { TraceAnswer } from "../../src/features/trace-request/trace.ts";
import type { TraceQuery } from "../../src/history/trace/history-trace.ts";
import { NOTHING_KNOWN } from "../../src/n8n/capabilities/capabilities.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  jsonAnswer,
  N8N_1_100,
  N8N_1_123,
  webhookData,
} from "./fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "./local-capabilities.ts";
import { createTestTraces, type TestTraces, WINDOW } from "./test-traces.ts";

/** They have the form of an identifier, so anyone may ask for them. */
export const REQUEST_IDS = ["req-0", "req-1", "req-2", "req-3"];
export const WORKFLOWS = ["w1", "w2"];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 2);

/** The longest delay with which n8n stores an end, as large data takes time. */
const MOST_LATE_MS = 20_000;
/** The longest delay between an execution's id and its row, as large data takes time. */
const MOST_OPEN_MS = 8_000;
/** The highest number of later ids that start before a queued execution. */
const MOST_OVERTAKEN = 80;

type Random = () => number;

/** Numbers from 0 to 1, determined by the seed (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An n8n that goes on by itself. */
export class LivingN8n {
  readonly n8n: FakeN8n = createFakeN8n([]);
  readonly traces: TestTraces;
  /** Ids of the executions that n8n has deleted. */
  readonly deleted = new Map<string, Set<string>>();
  /** Execution id → workflow id, of every execution that ever existed. */
  readonly workflowOf = new Map<string, string>();
  /** True while the n8n changes between two requests. */
  #isBusy = false;
  readonly #random: Random;
  /** Separate numbers for requests, so that their count changes nothing else. */
  readonly #randomOfRequests: Random;
  readonly #skewMs: number;
  readonly #aheadMs: number;
  readonly #gaps: number;
  readonly #queues: boolean;
  /** Id → since when it runs, epoch ms by n8n's clock. */
  readonly #runsSince = new Map<string, number>();
  /** Executions that have an id but no row yet, with the time at which the row appears, epoch ms. */
  #open: { readonly one: FakeExecution; readonly until: number }[] = [];
  #lastId = 0;

  constructor({ seed, skewMs, aheadMs, gaps, ways }: KindOfN8n) {
    this.#queues = ways === "queues";
    this.#random = randomFrom(seed);
    this.#randomOfRequests = randomFrom(seed + 1);
    this.#skewMs = skewMs;
    this.#aheadMs = aheadMs;
    this.#gaps = gaps;
    const isOld = typeof ways === "object";
    const capabilities = isOld ? NOTHING_KNOWN : { ...N8N_2, queues: this.#queues || null };
    this.traces = createTestTraces(undefined, createLocalCapabilities(capabilities));
    this.n8n.old = isOld ? ways : null;
    this.n8n.intercept = (url) => this.#happen(url);
  }

  /** False for an n8n 1.x with an empty list, which may hold waiting executions under unknown ids. */
  get canBeReadToTheEnd(): boolean {
    const isListed = ({ status }: FakeExecution): boolean => status !== "running" && status !== "waiting";
    return this.n8n.old === null || this.n8n.executions.some(isListed);
  }

  /** True if an n8n that lists whatever it has was mistaken for one that queues. */
  get isMistakenForQueueing(): boolean {
    return !this.#queues && this.traces.capabilities.known.queues === true;
  }

  /** Without a filter by date, reading stops by start times, which a clock that is ahead puts out of order. */
  canBeAskedFor({ startedAfter, startedBefore }: TraceQuery["window"]): boolean {
    const isDated = startedAfter !== null || startedBefore !== null;
    return !isDated || this.#aheadMs === 0 || (this.n8n.dates === "filtered" && this.n8n.old === null);
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error("There is nothing to pick from.");
    return value;
  }

  grow(count: number): void {
    for (let added = 0; added < count; added += 1) this.#begin(this.#random() < 0.9);
  }

  /** The time by the clock of some worker. */
  #now(): string {
    const ahead = this.#aheadMs > 0 && this.#random() < 0.2 ? this.#aheadMs : 0;
    return new Date(this.traces.clock.time + this.#skewMs + ahead).toISOString();
  }

  /** Workers take queued executions nearly in order. */
  #takeOld(): void {
    for (const one of this.n8n.executions.filter(({ id }) => this.#lastId - Number(id) > MOST_OVERTAKEN))
      if (one.isQueued === true) {
        this.#noteRun(one.id, "running");
        this.#change(one, { status: "running", startedAt: this.#now(), isQueued: false });
      }
  }

  #begin(isEnded: boolean): void {
    this.#takeOld();
    this.traces.clock.time += Math.floor(this.#random() * 400);
    const isGap = this.#random() * 100 < this.#gaps;
    // Unlisted executions are not searched beyond many unused ids (docs/trace.md, docs/versions.md).
    const most = this.#queues || this.n8n.old !== null ? 1 : 40;
    this.#lastId += 1 + (isGap ? 1 + Math.floor(this.#random() * most) : 0);
    const status = isEnded ? "success" : this.pick(["running", "waiting", "new"]);
    this.#noteRun(String(this.#lastId), status);
    const requestId = this.pick([...REQUEST_IDS, "none", "none", "none"]);
    const workflowId = this.pick(WORKFLOWS);
    this.workflowOf.set(String(this.#lastId), workflowId);
    const one = fakeExecution(this.#lastId, requestId, {
      workflowId,
      status,
      startedAt: status === "new" ? null : this.#now(),
      isQueued: this.#queues && status === "new",
      stoppedAt: status === "success" || status === "waiting" ? this.#now() : null,
    });
    // Where single ids are not requested, late rows are not searched.
    const isLate = (this.#queues || this.n8n.old !== null) && this.#random() < 0.05;
    const openMs = isLate ? this.#random() * MOST_OPEN_MS : 0;
    this.#open.push({ one, until: this.traces.clock.time + openMs });
    this.#commit();
  }

  #commit(until = this.traces.clock.time): void {
    const isDone = ({ until: end }: { readonly until: number }): boolean => end <= until;
    // An execution runs and ends only once it has a row.
    const times = ({ startedAt, stoppedAt }: FakeExecution) => ({
      startedAt: startedAt === null ? null : this.#now(),
      stoppedAt: stoppedAt === null ? null : this.#now(),
    });
    this.n8n.executions.push(...this.#open.filter(isDone).map(({ one }) => ({ ...one, ...times(one) })));
    this.#open = this.#open.filter((each) => !isDone(each));
  }

  #noteRun(id: string, status: string): void {
    if (status === "running") this.#runsSince.set(id, Date.parse(this.#now()));
    else this.#runsSince.delete(id);
  }

  /** The end of an execution that is stored now, which may have been some time ago. */
  #stoppedAt({ id }: FakeExecution): string {
    const now = Date.parse(this.#now());
    const since = Math.min(now, Math.max(this.#runsSince.get(id) ?? now, now - MOST_LATE_MS));
    const late = this.#random() < 0.3 ? Math.floor(this.#random() * (now - since)) : 0;
    return new Date(now - late).toISOString();
  }

  #change(one: FakeExecution, facts: Record<string, unknown>): void {
    this.n8n.executions = this.n8n.executions.map((other) => (other === one ? { ...one, ...facts } : other));
  }

  /** Changes one unfinished execution. No two changes happen in one millisecond, as in n8n. */
  goOn(): void {
    this.traces.clock.time += 1;
    this.#commit();
    const open = this.n8n.executions.filter(({ status }) => status !== "success");
    if (open.length === 0) return;
    const one = this.pick(open);
    const status = this.pick(["running", "waiting", "success", "success"]);
    this.#change(one, {
      status,
      startedAt: one.startedAt ?? this.#now(),
      isQueued: false,
      stoppedAt: status === "running" ? (one.stoppedAt ?? null) : this.#stoppedAt(one),
      data: webhookData({ body: { requestId: this.pick(REQUEST_IDS) } }),
    });
    this.#noteRun(one.id, status);
  }

  /** Makes n8n fail to return some consecutive executions. */
  break(count: number): void {
    const from = Math.floor(this.#random() * this.n8n.executions.length);
    for (const { id } of this.n8n.executions.slice(from, from + count)) this.n8n.broken.add(id);
  }

  /** Makes n8n return all executions again, a day later, so that each may be read again. */
  mend(): void {
    this.#commit(Number.POSITIVE_INFINITY);
    if (this.n8n.broken.size > 0) this.traces.clock.time += DAY_MS;
    this.n8n.broken.clear();
  }

  delete(): void {
    if (this.n8n.executions.length === 0) return;
    const gone = this.pick(this.n8n.executions);
    this.n8n.executions = this.n8n.executions.filter((one) => one !== gone);
    this.deleted.set(gone.id, new Set());
  }

  async #happen(url: URL): Promise<Response | undefined> {
    // Answers arrive in any order.
    for (let turns = Math.floor(this.#randomOfRequests() * 3); turns > 0; turns -= 1) await setImmediate();
    this.traces.clock.time += 1 + Math.floor(this.#randomOfRequests() * 300);
    this.#commit();
    if (!this.#isBusy) return undefined;
    const chance = this.#random();
    if (chance < 0.1) this.grow(1 + Math.floor(this.#random() * 3));
    else if (chance < 0.3) this.goOn();
    else if (chance < 0.35) this.delete();
    else if (chance < 0.4) return failure(500);
    else if (chance < 0.44 && url.searchParams.has("includeData"))
      return jsonAnswer('{"data":[{"id":"1","da');
    else if (chance < 0.45) return failure(401);
    return undefined;
  }

  async ask(args: Partial<TraceQuery>): Promise<TraceAnswer | null> {
    try {
      return await this.traces.ask(this.n8n, args);
    } catch (error) {
      if (error instanceof ObserverError) return null;
      throw error;
    }
  }

  /** False if a trace has expired. */
  async canGoOn(traceId: string): Promise<boolean> {
    try {
      await this.traces.ask(this.n8n, { traceId, limit: 5 });
      return true;
    } catch (error) {
      if (error instanceof ObserverError && error.code === "TRACE_NOT_FOUND") return false;
      throw error;
    }
  }

  /** @param isBusy whether the n8n changes between two requests meanwhile */
  async whileBusy(isBusy: boolean, ask: () => Promise<unknown>): Promise<void> {
    this.#isBusy = isBusy;
    await ask();
    this.#isBusy = false;
  }

  /** Lets days pass, after which the index drops its oldest executions. */
  pass(days: number): void {
    this.traces.clock.time += days * DAY_MS;
    this.#commit();
    this.traces.history.instance.store.makeRoom(1 + Math.floor(this.#random() * 200));
  }

  /** Continues a trace until its whole window was read. */
  async askToTheEnd(args: Partial<TraceQuery>): Promise<TraceAnswer> {
    let answer = await this.traces.ask(this.n8n, args);
    for (let calls = 0; !answer.coverage.complete; calls += 1) {
      if (calls > 60) throw new Error(`It never comes to an end: ${JSON.stringify(answer.coverage)}`);
      answer = await this.traces.ask(this.n8n, { traceId: answer.traceId, limit: args.limit ?? 2_000 });
    }
    return answer;
  }
}

/** A window over everything, one workflow, or some time. */
export const window = fc.oneof(
  { weight: 3, arbitrary: fc.constant(WINDOW) },
  fc.constantFrom(...WORKFLOWS).map((workflowId) => ({ ...WINDOW, workflowId })),
  fc
    .tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 60_000 }))
    .map(([from, length]) => ({
      workflowId: null,
      startedAfter: new Date(START + from).toISOString(),
      startedBefore: new Date(START + from + length).toISOString(),
    })),
);

export const holds = (one: FakeExecution, requestId: string): boolean =>
  JSON.stringify(one.data).includes(`"${requestId}"`);

export function isInWindow(
  one: FakeExecution,
  { workflowId, startedAfter, startedBefore }: TraceQuery["window"],
): boolean {
  const { startedAt } = one;
  if (workflowId !== null && one.workflowId !== workflowId) return false;
  if (startedAt === null || startedAt === undefined) return startedAfter === null && startedBefore === null;
  return startedAt >= (startedAfter ?? "") && startedAt <= (startedBefore ?? "9");
}

/** Changes to an n8n while there are no requests. */
export const happening = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("grow" as const), count: fc.integer({ min: 1, max: 160 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("go on" as const) }) },
  fc.record({ kind: fc.constant("delete" as const) }),
  fc.record({ kind: fc.constant("break" as const), count: fc.constantFrom(1, 2, 25) }),
  fc.record({ kind: fc.constant("pass" as const), days: fc.integer({ min: 0, max: 5 }) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

export function happen(living: LivingN8n, one: Happening): void {
  if (one.kind === "grow") living.grow(one.count);
  else if (one.kind === "go on") living.goOn();
  else if (one.kind === "delete") living.delete();
  else if (one.kind === "break") living.break(one.count);
  else living.pass(one.days);
}

/** The kinds of n8n. */
export const kindOfN8n = fc.record({
  seed: fc.integer(),
  skewMs: fc.constantFrom(0, -5 * HOUR_MS, 7 * HOUR_MS),
  /** By how much the clock of one worker is ahead of the others. */
  aheadMs: fc.constantFrom(0, 0, 65_000, HOUR_MS),
  dates: fc.constantFrom("filtered" as const, "ignored" as const, "refused" as const),
  hasOpaqueCursors: fc.boolean(),
  /** How many of 100 ids belong to executions that are not kept. */
  gaps: fc.constantFrom(0, 2, 30),
  /** The ways of an unknown n8n 1.x, or whether a current one queues, so that new executions are unlisted. */
  ways: fc.constantFrom("queues" as const, "lists all" as const, N8N_1_123, N8N_1_100),
});
type KindOfN8n = typeof kindOfN8n extends fc.Arbitrary<infer Value> ? Value : never;

export function createLivingN8n(kind: KindOfN8n): LivingN8n {
  const living = new LivingN8n(kind);
  living.n8n.dates = kind.dates;
  living.n8n.hasOpaqueCursors = kind.hasOpaqueCursors;
  return living;
}
