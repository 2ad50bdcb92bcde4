/**
 * An n8n that keeps each of its states, so that a test knows what could be read at any time: a plain list of
 * executions, each with its versions.
 */
import { createFakeN8n, type FakeN8n, failure, jsonAnswer } from "../../support/fake-n8n.ts";
import { FAULTS, hasEnded, type Made, toN8n } from "./made-executions.ts";

export const WORKFLOWS = ["wfAlpha", "wfBeta", "wfGamma", "wfDelta"] as const;
/** A workflow with two tags, two with one of them each; the fourth workflow no longer exists in n8n. */
export const TAGS: Readonly<Record<string, readonly string[]>> = {
  ...{ wfAlpha: ["money", "city"], wfBeta: ["city"], wfGamma: ["money"] },
};
const MINUTE_MS = 60_000;
/** At most so many executions with higher ids start before one that waits in the queue. */
const MOST_OVERTAKEN = 20;

/** The state from `tick` on; null once n8n has deleted the execution. */
export interface Version {
  readonly tick: number;
  /** By the observer's clock, epoch ms. */
  readonly at: number;
  readonly made: Made | null;
}

export type Event =
  | { readonly kind: "begin"; readonly count: number; readonly chance: number; readonly paceMs: number }
  | { readonly kind: "go on"; readonly at: number; readonly status: Made["status"] }
  | { readonly kind: "retry"; readonly at: number; readonly isSuccess: boolean }
  | { readonly kind: "call"; readonly at: number; readonly failsCaller: boolean }
  | { readonly kind: "delete"; readonly at: number; readonly count: number }
  | { readonly kind: "rename"; readonly at: number }
  | { readonly kind: "pass"; readonly ms: number };

/** Pseudo-random numbers from 0 to below `most` (mulberry32). */
export function chances(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * most);
  };
}

const MODES = ["webhook", "webhook", "webhook", "trigger", "manual", "evaluation", "integrated"];
const STATUSES = [
  ...["success", "success", "success", "success", "error", "error", "error", "crashed", "canceled"],
  ...["running", "waiting"],
];
const DURATIONS = [0, 1, 500, 500, 2_000, 90_000];

export class ToldN8n {
  readonly fake: FakeN8n = createFakeN8n([]);
  readonly versions = new Map<number, Version[]>();
  readonly clock: { time: number };
  readonly #skewMs: number;
  readonly #names = new Map<string, number>();
  readonly #mendedBy = new Map<number, number>();
  tick = 0;
  #lastId = 0;

  constructor(clock: { time: number }, skewMs: number) {
    this.clock = clock;
    this.#skewMs = skewMs;
  }

  /** All executions that n8n has. */
  get all(): Made[] {
    return [...this.versions.values()].flatMap((all) => all.at(-1)?.made ?? []);
  }

  happen(event: Event): void {
    if (event.kind === "begin") this.#begin(event);
    else if (event.kind === "pass") this.clock.time += event.ms;
    else if (event.kind === "rename") this.#names.set(WORKFLOWS[event.at % WORKFLOWS.length] ?? "", event.at);
    else if (event.kind === "delete") this.#delete(event);
    else if (event.kind === "go on") this.#goOn(event);
    else if (event.kind === "retry") this.#retry(event);
    else this.#call(event);
    this.fake.executions = this.all.flatMap((made) => this.#sent.get(made.id) ?? []);
  }

  readonly #sent = new Map<number, FakeN8n["executions"][number]>();

  get #now(): number {
    return this.clock.time + this.#skewMs;
  }

  #put(made: Made): void {
    this.tick += 1;
    this.versions.set(made.id, [
      ...(this.versions.get(made.id) ?? []),
      { tick: this.tick, at: this.clock.time, made },
    ]);
    this.#send(made);
  }

  #send(made: Made): void {
    const mendedBy = this.#mendedBy.get(made.id);
    const of = (id: number): string | undefined => this.versions.get(id)?.[0]?.made?.workflowId;
    this.#sent.set(made.id, {
      ...toN8n(made, of),
      retrySuccessId: mendedBy === undefined ? null : String(mendedBy),
    });
  }

  #new(facts: Partial<Made>): Made {
    this.#lastId += 1;
    const workflowId = facts.workflowId ?? "";
    return {
      ...{ id: this.#lastId, workflowId, mode: "webhook", status: "success" },
      name: `${workflowId} ${this.#names.get(workflowId) ?? 0}`,
      ...{ startedAt: this.#now, stoppedAt: null, fault: null, isByHand: false },
      ...{ retryOf: null, parentId: null, childId: null, items: 1, isCaught: false },
      ...facts,
    };
  }

  #begin({ count, chance, paceMs }: Event & { kind: "begin" }): void {
    const below = chances(chance);
    for (let added = 0; added < count; added += 1) {
      this.clock.time += below(paceMs);
      const status = STATUSES[below(STATUSES.length)] ?? "";
      const isQueued = this.queues && below(8) === 0;
      const made = this.#new({
        workflowId: WORKFLOWS[below(WORKFLOWS.length)] ?? "",
        mode: MODES[below(MODES.length)] ?? "",
        items: below(3),
        isCaught: below(6) === 0,
        ...(isQueued ? { status: "new", startedAt: null } : {}),
      });
      this.#put(isQueued ? made : this.#as(made, status, below));
      this.#takeOld();
    }
  }

  /** Only an n8n in queue mode has executions that have not started below ids that have. */
  queues = false;

  #takeOld(): void {
    for (const made of this.all)
      if (made.status === "new" && this.#lastId - made.id > MOST_OVERTAKEN)
        this.#put({ ...made, status: "running", startedAt: this.#now });
  }

  #as(made: Made, status: string, below: (most: number) => number): Made {
    const fails = status === "error" || (status === "crashed" && below(2) === 0);
    const startedAt = made.startedAt ?? this.#now;
    if (status !== "running") this.clock.time += DURATIONS[below(DURATIONS.length)] ?? 0;
    return {
      ...made,
      status,
      startedAt,
      stoppedAt: status === "running" ? null : this.#now,
      fault: fails ? below(FAULTS.length) : null,
      isByHand: below(2) === 0,
    };
  }

  #goOn({ at, status }: Event & { kind: "go on" }): void {
    this.clock.time += 1;
    const open = this.all.filter((made) => !hasEnded(made));
    const made = open[at % Math.max(1, open.length)];
    if (made !== undefined) this.#put(this.#as(made, status, chances(at)));
  }

  /** Retries a failure that has no successful retry yet. */
  #retry({ at, isSuccess }: Event & { kind: "retry" }): void {
    this.clock.time += 1_000;
    const failed = this.all.filter(
      ({ id, fault, retryOf }) => fault !== null && retryOf === null && !this.#mendedBy.has(id),
    );
    const one = failed[at % Math.max(1, failed.length)];
    if (one === undefined) return;
    const { workflowId } = one;
    const made = this.#new({
      ...{ workflowId, mode: "retry", retryOf: one.id, status: isSuccess ? "success" : "error" },
      ...{ stoppedAt: this.#now + 10, fault: isSuccess ? null : one.fault },
    });
    if (isSuccess) {
      this.#mendedBy.set(one.id, made.id);
      this.#send(one);
    }
    this.#put(made);
  }

  /** A workflow calls another one, and fails with it. */
  #call({ at, failsCaller }: Event & { kind: "call" }): void {
    const below = chances(at);
    const pick = (): string => WORKFLOWS[below(WORKFLOWS.length)] ?? "";
    const fault = below(FAULTS.length);
    const status = "error";
    this.clock.time += below(MINUTE_MS);
    const caller = this.#new({ workflowId: pick() });
    this.clock.time += below(2_000);
    const called = this.#new({ workflowId: pick(), mode: "integrated", parentId: caller.id });
    const stoppedAt = this.#now + 5;
    this.#put({ ...caller, status: "running" });
    this.#put({ ...called, status, fault, stoppedAt });
    this.#put({
      ...caller,
      stoppedAt: stoppedAt + 5,
      ...(failsCaller ? { status, fault, childId: called.id } : {}),
    });
  }

  /** Deletes a single execution, or the oldest ones, as n8n's pruning does. */
  #delete({ at, count }: Event & { kind: "delete" }): void {
    const all = this.all;
    const gone = count === 1 ? [all[at % Math.max(1, all.length)]] : all.slice(0, count);
    for (const made of gone)
      if (made !== undefined) {
        this.tick += 1;
        this.versions.get(made.id)?.push({ tick: this.tick, at: this.clock.time, made: null });
      }
  }
}

/** n8n's answers about its workflows. */
export function answerWorkflows(url: URL): Response | undefined {
  const [, id] = /\/workflows(?:\/([^/]+))?$/.exec(url.pathname) ?? [null, null];
  if (id === null) return undefined;
  const toWorkflow = (one: string) => ({
    ...{ id: one, name: `${one} now`, active: true, isArchived: one === "wfGamma" },
    ...{ createdAt: "2025-01-01T00:00:00.000Z", updatedAt: "2025-01-01T00:00:00.000Z", versionId: "v1" },
    ...{ nodes: [], connections: {}, settings: {} },
    tags: (TAGS[one] ?? []).map((name) => ({ id: name, name })),
  });
  if (id === undefined) return jsonAnswer({ data: Object.keys(TAGS).map(toWorkflow), nextCursor: null });
  return id in TAGS ? jsonAnswer(toWorkflow(id)) : failure(404);
}
