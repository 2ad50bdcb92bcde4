/**
 * A night of an index beside a living n8n: sync steps when they are due, now and then two at once, users who ask, and an
 * object that is restarted in the middle of its work.
 */
import type { BackgroundSettings } from "../../../src/history/background-sync.ts";
import { InstanceHistory } from "../../../src/history/instance-history.ts";
import type { TraceQuery } from "../../../src/history/trace/history-trace.ts";
import type { Fetch } from "../../../src/n8n/requests.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import { clientOf, type FakeExecution, type FakeN8n } from "../../support/fake-n8n.ts";
import { createLocalSql } from "../../support/local-history.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { Faults, KINDS, LONGEST_FAULT_MS } from "./faults.ts";
import { HOUR_MS, LivingN8n, MINUTE_MS, SECOND_MS } from "./living-n8n.ts";
import { claimedButUnknown } from "./naive-reading.ts";

export interface NightPlan {
  readonly seed: number;
  readonly hours: number;
  readonly maxExecutions: number;
  readonly dates: FakeN8n["dates"];
  readonly hasOpaqueCursors: boolean;
}

/** Counts of what happened. */
export interface Tally {
  steps: number;
  failedSteps: number;
  restarts: number;
  asked: number;
  found: number;
  unanswered: number;
  /** How often the claims of the index were compared with n8n. */
  checks: number;
  pruned: number;
}

/** The object was ended, and nothing of its work goes on. */
class Ended extends Error {}

export class Night {
  readonly sql = createLocalSql();
  readonly n8n: LivingN8n;
  readonly faults: Faults;
  readonly traces: TestTraces;
  readonly tally: Tally = {
    steps: 0,
    failedSteps: 0,
    restarts: 0,
    asked: 0,
    found: 0,
    unanswered: 0,
    checks: 0,
    pruned: 0,
  };
  readonly #plan: NightPlan;
  readonly #settings: BackgroundSettings;
  #instance: InstanceHistory;
  /** State of the current object. */
  #life = { isOver: false };
  /** How many requests the object may still make; null for no limit. */
  #requestsLeft: number | null = null;
  /** Epoch in which n8n was restored, until the index has noticed. */
  #restoredIn: number | null = null;

  constructor(plan: NightPlan) {
    this.#plan = plan;
    this.#settings = { intervalMs: MINUTE_MS, days: 30, maxExecutions: plan.maxExecutions };
    this.#instance = new InstanceHistory(this.sql);
    const instance = (): InstanceHistory => this.#instance;
    this.traces = createTestTraces({
      sql: this.sql,
      get instance() {
        return instance();
      },
    });
    this.n8n = new LivingN8n(plan.seed, this.traces.clock, (plan.hours * HOUR_MS) / 3);
    this.faults = new Faults(this.n8n);
    Object.assign(this.n8n.fake, { dates: plan.dates, hasOpaqueCursors: plan.hasOpaqueCursors });
    this.n8n.fake.intercept = async (url) => {
      const answer = await this.faults.answer(url);
      this.n8n.catchUp();
      return answer;
    };
    this.#beginLife();
  }

  get store() {
    return this.#instance.store;
  }

  async live(): Promise<void> {
    const { clock, random } = this.n8n;
    const began = clock.time;
    const end = began + this.#plan.hours * HOUR_MS;
    const events = this.#events(began);
    let stepAt = began;
    let askAt = began + 5 * MINUTE_MS;
    while (clock.time < end) {
      clock.time = Math.max(clock.time, Math.min(stepAt, askAt));
      this.n8n.catchUp();
      while (events[0] !== undefined && events[0].at <= clock.time) events.shift()?.happen();
      this.faults.maybeBegin(Math.min(LONGEST_FAULT_MS, (this.#plan.hours * HOUR_MS) / 20));
      const isStepDue = stepAt <= clock.time || this.n8n.chance(0.1);
      const isAskDue = askAt <= clock.time;
      const asking = isAskDue ? this.#askTogether() : null;
      if (isStepDue) stepAt = clock.time + (await this.#alarm());
      await asking;
      if (isAskDue) askAt = clock.time + random.below(12 * MINUTE_MS);
      this.#checkClaims();
    }
  }

  /** Stops all events and faults, and steps until the index is up to date. */
  async settle(): Promise<void> {
    const { clock } = this.n8n;
    this.n8n.catchUp();
    // An n8n that is down comes back; nothing else happens.
    this.n8n.isDown = false;
    this.n8n.isFrozen = true;
    this.faults.end();
    this.#requestsLeft = null;
    for (let calm = 0, steps = 0; calm < 3; steps += 1) {
      if (steps > 100) throw new Error("The index does not settle.");
      const { nextMs, failure } = await this.#instance.step(this.#sources(), this.#settings);
      calm = failure === null && nextMs >= MINUTE_MS ? calm + 1 : 0;
      clock.time += nextMs;
      // The last step may leave pages in flight.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Lists all that n8n has. */
  async listAll(): Promise<void> {
    const asked = { requestId: "never", deep: true };
    let answer = await this.traces.ask(this.n8n.fake, asked);
    for (let calls = 0; !answer.coverage.complete; calls += 1) {
      // Without hand-made cursors a call reads hardly more than a hundred, one by one.
      if (calls > 40) throw new Error(`The trace does not finish: ${JSON.stringify(answer.coverage)}`);
      answer = await this.traces.ask(this.n8n.fake, { traceId: answer.traceId });
    }
  }

  /** Scheduled events, placed by their share of the night. */
  #events(began: number): { at: number; happen: () => void }[] {
    const { hours } = this.#plan;
    const nightMs = hours * HOUR_MS;
    let backup = this.n8n.backUp();
    const events: [share: number, happen: () => void][] = [
      [0.25, () => this.n8n.goDown(nightMs / 10)],
      ...[0.48, 0.52, 0.56, 0.59].map((share): [number, () => void] => [share, () => this.n8n.hurry()]),
      [
        0.5,
        () => {
          backup = this.n8n.backUp();
        },
      ],
      [
        0.57,
        () => {
          this.n8n.restore(backup);
          this.#restoredIn = this.store.listed.epoch;
        },
      ],
      ...KINDS.map((kind, index): [number, () => void] => [
        0.65 + index * 0.04,
        () => this.faults.begin(kind, nightMs / 30),
      ]),
    ];
    return events
      .map(([share, happen]) => ({ at: began + share * nightMs, happen }))
      .toSorted((one, other) => one.at - other.at);
  }

  /** @returns milliseconds until the next one */
  async #alarm(): Promise<number> {
    if (this.n8n.chance(0.06)) this.#requestsLeft = this.n8n.random.below(6);
    const alarms = this.n8n.chance(0.1) ? [this.#step(), this.#step()] : [this.#step()];
    const pauses = await Promise.all(alarms);
    this.#requestsLeft = null;
    if (this.#life.isOver) this.#beginLife();
    return Math.min(...pauses);
  }

  async #step(): Promise<number> {
    const life = this.#life;
    this.tally.steps += 1;
    try {
      const before = this.store.counts.all;
      const { nextMs, failure } = await this.#instance.step(this.#sources(), this.#settings);
      if (this.store.counts.all < before) this.tally.pruned += 1;
      if (failure !== null) this.tally.failedSteps += 1;
      return nextMs;
    } catch (error) {
      if (!life.isOver) throw error;
      // The platform runs an alarm again that was cut off.
      return 2 * SECOND_MS;
    }
  }

  #sources() {
    const life = this.#life;
    const { fetch } = this.n8n.fake;
    const fetchWhileAlive: Fetch = async (url, init) => {
      if (this.#requestsLeft !== null) {
        this.#requestsLeft -= 1;
        if (this.#requestsLeft < 0) life.isOver = true;
      }
      if (life.isOver) throw new Ended();
      const answer = await fetch(url, init);
      if (life.isOver) throw new Ended();
      return answer;
    };
    const client = clientOf({ fetch: fetchWhileAlive });
    return { ...this.traces.sourcesOf(this.n8n.fake), client };
  }

  /** Restarts the object with what was stored. */
  #beginLife(): void {
    const life = { isOver: false };
    this.#life = life;
    this.tally.restarts += 1;
    const sql: Sql = {
      databaseSize: 0,
      exec: (query, ...bindings) => {
        if (life.isOver) throw new Ended();
        return this.sql.exec(query, ...bindings);
      },
    };
    this.#instance = new InstanceHistory(sql);
  }

  /** Up to three traces at the same moment, or begun while others are in progress. */
  async #askTogether(): Promise<void> {
    const { random } = this.n8n;
    const asks = Array.from({ length: 1 + random.below(3) }, async (_one, place) => {
      for (let turns = place * random.below(30); turns > 0; turns -= 1) await null;
      await this.#ask();
    });
    await Promise.all(asks);
  }

  /** Traces the request of some execution, or one that never existed. */
  async #ask(): Promise<void> {
    const life = this.#life;
    const { random } = this.n8n;
    const before = this.n8n.clock.time;
    const target = this.n8n.executions.length === 0 ? undefined : random.pick(this.n8n.executions);
    const requestId = target === undefined || this.n8n.chance(0.2) ? "never" : requestIdOf(target);
    const window = target !== undefined && this.n8n.chance(0.2) ? windowAround(target) : WINDOW;
    const deep = this.n8n.chance(0.1);
    const limit = this.n8n.chance(0.2) ? 60 : 2_000;
    this.tally.asked += 1;
    const answer = await this.traces
      .ask({ ...this.n8n.fake, client: this.#sources().client }, { requestId, window, deep, limit })
      .catch((error: unknown) => {
        if (!(error instanceof ObserverError) && !life.isOver) throw error;
        return null;
      });
    if (answer === null) {
      this.tally.unanswered += 1;
      return;
    }
    if (answer.found) this.tally.found += 1;
    if (requestId === "never" && answer.found) throw new Error("Found a request that never existed.");
    const isSame = target !== undefined && (this.n8n.changedAt.get(target.id) ?? 0) < before;
    const isThere = isSame && this.n8n.has(target.id) && requestId !== "never";
    const ids = answer.executions.map(({ id }) => id);
    if (isThere && answer.coverage.complete && !ids.includes(target.id))
      throw new Error(
        `The trace missed ${JSON.stringify({ target, asked: { requestId, window, deep, limit }, ids, coverage: answer.coverage })}`,
      );
  }

  /** Every claim of the index must be true at any time. */
  #checkClaims(): void {
    if (this.#restoredIn === this.store.listed.epoch) return;
    this.tally.checks += 1;
    const unknown = claimedButUnknown(this.n8n.executions, this.sql);
    if (unknown.length > 0) throw new Error(`Claimed but not known: ${JSON.stringify(unknown.slice(0, 5))}`);
  }
}

const requestIdOf = ({ data }: FakeExecution): string =>
  /"requestId":"([^"]+)"/.exec(JSON.stringify(data))?.[1] ?? "never";

function windowAround({ startedAt, workflowId }: FakeExecution): TraceQuery["window"] {
  const time = Date.parse(startedAt ?? "");
  if (Number.isNaN(time)) return { ...WINDOW, workflowId: String(workflowId) };
  return {
    workflowId: null,
    startedAfter: new Date(time - 10 * MINUTE_MS).toISOString(),
    startedBefore: new Date(time + 10 * MINUTE_MS).toISOString(),
  };
}
