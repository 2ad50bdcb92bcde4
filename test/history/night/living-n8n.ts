/**
 * An n8n that lives by a fake clock: webhooks come at changing rates, executions queue, run, wait, fail, are retried and
 * end, n8n prunes, users delete, n8n goes down and is restored from a backup. Due events happen before each answer. The
 * same seed gives the same life, as long as the same requests come.
 */
import { hasEnded } from "../../../src/history/store/traced-execution.ts";
import { createRandom, type Random } from "../../redaction/corpus/random.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  webhookData,
} from "../../support/fake-n8n.ts";
import type { TestClock } from "../../support/test-traces.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** Longest pauses between two webhooks in milliseconds, one for each level of load. */
const PAUSES_MS = [2, 10, 20, 30, 60, 600].map((seconds) => 2 * seconds * SECOND_MS);
/** Executions that run at the same time; the others queue. */
const MAX_AT_ONCE = 12;
const FOR_EVER = "3000-01-01T00:00:00.000Z";
/** A workflow whose successes n8n does not save. */
const UNSAVED = "w4";

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

interface Backup {
  readonly executions: ReadonlyMap<string, FakeExecution>;
  readonly lastId: number;
}

const iso = (time: number): string => new Date(time).toISOString();

export class LivingN8n {
  readonly fake: FakeN8n = createFakeN8n([]);
  readonly random: Random;
  readonly clock: TestClock;
  /** No event happens any more. */
  isFrozen = false;
  isDown = false;
  /** How long n8n keeps ended executions, in milliseconds. */
  readonly #keptMs: number;
  #executions = new Map<string, FakeExecution>();
  /** Time of each execution's last change, epoch ms. */
  readonly changedAt = new Map<string, number>();
  /** Ended executions that n8n no longer has, by id. */
  readonly gone = new Map<string, FakeExecution[]>();
  /** Coming events, latest first. */
  #events: Event[] = [];
  /** Counts the restores. */
  #life = 0;
  #lastId = 0;
  #lastRequest = 0;
  #pauseMs = 0;

  constructor(seed: number, clock: TestClock, keptMs: number) {
    this.random = createRandom(seed);
    this.clock = clock;
    this.#keptMs = keptMs;
    this.#later(0, () => this.#nextMood());
    this.#later(0, () => this.#nextWebhook());
    this.#each(15 * MINUTE_MS, () => this.#prune());
    this.#each(10 * MINUTE_MS, () => this.#deleteSome());
  }

  get executions(): FakeExecution[] {
    return [...this.#executions.values()];
  }

  has(id: string): boolean {
    return this.#executions.has(id);
  }

  /** True with this probability. */
  chance(share: number): boolean {
    return this.random.below(10_000) < share * 10_000;
  }

  /** Runs all events that are due. */
  catchUp(): void {
    const { time } = this.clock;
    for (let next = this.#events.at(-1); next !== undefined && next.at <= time; next = this.#events.at(-1)) {
      this.#events.pop();
      // Events run at their own time, and so does what follows from them.
      this.clock.time = next.at;
      if (!this.isFrozen) next.happen();
    }
    this.clock.time = time;
    this.fake.executions = this.executions;
  }

  /** Sets the highest load for a while. */
  hurry(): void {
    this.#pauseMs = Math.min(...PAUSES_MS);
  }

  /** Stops n8n in the middle of its work, for this long. */
  goDown(milliseconds: number): void {
    this.isDown = true;
    this.#later(milliseconds, () => {
      this.isDown = false;
      this.#crashUnended();
    });
  }

  backUp(): Backup {
    return { executions: new Map(this.#executions), lastId: this.#lastId };
  }

  /** Undoes everything since the backup; its ids are given away again. */
  restore({ executions, lastId }: Backup): void {
    this.#life += 1;
    for (const one of this.executions) if (executions.get(one.id) !== one) this.#bury(one);
    this.#executions = new Map(executions);
    for (const id of executions.keys()) this.changedAt.set(id, this.clock.time);
    this.#lastId = lastId;
    this.#crashUnended();
  }

  #at(time: number, happen: () => void): void {
    let low = 0;
    for (let high = this.#events.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.at ?? 0) > time) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, { at: time, happen });
  }

  #later(milliseconds: number, happen: () => void): void {
    this.#at(this.clock.time + milliseconds, happen);
  }

  #each(milliseconds: number, happen: () => void): void {
    this.#later(milliseconds, () => {
      happen();
      this.#each(milliseconds, happen);
    });
  }

  /** Does nothing if n8n is down then, or was restored meanwhile. */
  #laterIn(id: string, milliseconds: number, go: (one: FakeExecution) => void): void {
    const life = this.#life;
    this.#later(milliseconds, () => {
      const one = this.#executions.get(id);
      if (life === this.#life && !this.isDown && one !== undefined) go(one);
    });
  }

  #nextMood(): void {
    this.#pauseMs = this.random.pick(PAUSES_MS);
    this.#later((2 + this.random.below(20)) * MINUTE_MS, () => this.#nextMood());
  }

  #nextWebhook(): void {
    if (!this.isDown) this.#begin({ workflowId: this.random.pick(["w1", "w1", "w2", "w3", UNSAVED]) });
    this.#later(1 + this.random.below(this.#pauseMs), () => this.#nextWebhook());
  }

  #put(one: FakeExecution): void {
    this.#executions.set(one.id, one);
    this.changedAt.set(one.id, this.clock.time);
  }

  #change(id: string, facts: Record<string, unknown>): void {
    const one = this.#executions.get(id);
    if (one !== undefined) this.#put({ ...one, ...facts });
  }

  #remove(id: string): void {
    const one = this.#executions.get(id);
    if (one !== undefined) this.#bury(one);
    this.#executions.delete(id);
    this.changedAt.set(id, this.clock.time);
  }

  #bury(one: FakeExecution): void {
    if (hasEnded({ status: String(one.status) }))
      this.gone.set(one.id, [...(this.gone.get(one.id) ?? []), one]);
  }

  #newRequestId(): string {
    this.#lastRequest += this.chance(0.9) ? 1 : 0;
    return `q-${this.#lastRequest}`;
  }

  #begin(facts: Record<string, unknown>, parent?: FakeExecution): void {
    this.#lastId += this.chance(0.95) ? 1 : 1 + this.random.below(4);
    const data = webhookData({ body: { requestId: this.#newRequestId() } });
    const link = { executionId: parent?.id, workflowId: parent?.workflowId };
    const isFull = this.executions.filter(({ status }) => status === "running").length >= MAX_AT_ONCE;
    const one = fakeExecution(this.#lastId, "", {
      ...facts,
      status: "new",
      startedAt: null,
      stoppedAt: null,
      data: parent === undefined ? data : { ...Object(data), parentExecution: link },
    });
    this.#put(one);
    if (!isFull) this.#run(one);
  }

  #run({ id, startedAt }: FakeExecution): void {
    const started = startedAt ?? iso(this.clock.time);
    this.#change(id, { status: "running", startedAt: started, stoppedAt: null, waitTill: null });
    this.#laterIn(id, this.#duration(), (one) => this.#stop(one));
  }

  #duration(): number {
    const most = this.chance(0.8) ? 2 * SECOND_MS : this.chance(0.7) ? MINUTE_MS : 40 * MINUTE_MS;
    return 20 + this.random.below(most);
  }

  #stop(one: FakeExecution): void {
    if (one.status !== "running") return;
    if (this.chance(0.08)) this.#fallAsleep(one);
    else this.#end(one, this.chance(0.1) ? "error" : this.chance(0.02) ? "canceled" : "success");
    const next = this.executions.find(({ status }) => status === "new");
    if (next !== undefined) this.#run(next);
  }

  #fallAsleep({ id }: FakeExecution): void {
    const stoppedAt = iso(this.clock.time);
    const isForEver = this.chance(0.2);
    const waitTill = isForEver ? FOR_EVER : iso(this.clock.time + this.random.below(90 * MINUTE_MS));
    this.#change(id, { status: "waiting", stoppedAt, waitTill });
    this.#sleepOn(id);
  }

  /** Resumes it later, perhaps with another request id. */
  #sleepOn(id: string): void {
    this.#laterIn(id, 10 + this.random.below(90 * MINUTE_MS), (one) => {
      if (one.status !== "waiting") return;
      if (this.chance(0.5)) {
        const again = { body: { requestId: `${this.#newRequestId()}-woken` } };
        this.#change(id, { data: { ...Object(one.data), ...Object(webhookData(again)) } });
      }
      this.#run(one);
    });
  }

  #end(one: FakeExecution, status: string): void {
    const { id, workflowId, retryOf } = one;
    const stoppedAt = iso(this.clock.time);
    this.#change(id, { status, stoppedAt, ...(status === "error" ? { data: failedData(one) } : {}) });
    if (status === "success" && typeof retryOf === "string") this.#change(retryOf, { retrySuccessId: id });
    if (status === "success" && workflowId === UNSAVED) this.#remove(id);
    if (status !== "error") return;
    if (workflowId === "w1") this.#begin({ workflowId: "w-errors", mode: "error" }, one);
    if (this.chance(0.3))
      this.#laterIn(id, this.random.below(20 * MINUTE_MS), () =>
        this.#begin({ workflowId, mode: "retry", retryOf: id }),
      );
  }

  #crashUnended(): void {
    const stoppedAt = iso(this.clock.time);
    for (const { id, status, startedAt } of this.executions)
      if (status === "running" || status === "new")
        this.#change(id, { status: "crashed", startedAt: startedAt ?? stoppedAt, stoppedAt });
      else if (status === "waiting") this.#sleepOn(id);
  }

  #prune(): void {
    if (this.isDown) return;
    const oldest = iso(this.clock.time - this.#keptMs);
    for (const { id, status, stoppedAt } of this.executions)
      if (hasEnded({ status: String(status) }) && String(stoppedAt) < oldest) this.#remove(id);
  }

  #deleteSome(): void {
    if (this.isDown) return;
    const { executions } = this;
    for (let left = this.random.below(4); left > 0 && executions.length > 0; left -= 1)
      this.#remove(this.random.pick(executions).id);
  }
}

function failedData({ data }: FakeExecution): unknown {
  const error = { name: "TypeError", message: "It failed." };
  const { resultData, ...others } = Object(data);
  return { ...others, resultData: { ...resultData, error, lastNodeExecuted: "Webhook" } };
}
