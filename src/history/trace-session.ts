/**
 * One per user and n8n: what that user's traces have learnt of that n8n's history, and where each of them stands, so that a
 * second trace reads only what is new and a `traceId` goes on where the last call stopped, from another client
 * too. No payload. Survives eviction; bounded; expires by alarm.
 *
 * Another user's object is another object: there is no way from one to what someone else has seen.
 */
import { DurableObject } from "cloudflare:workers";
import { ObjectCalls } from "../platform/object-calls.ts";
import { AFTER_SCAN_CALL_MS } from "../platform/time-limits.ts";
import { partsOf } from "./checkpoint-parts.ts";
import { type Checkpoint, ExecutionMemory, type MemoryWindow } from "./execution-memory.ts";
import type { IdRange } from "./gaps.ts";
import type { TraceMemory } from "./trace-memory.ts";
import { allScopesOfTrace, traceState } from "./trace-state.ts";
import { TraceStates } from "./trace-states.ts";

/** Executions that are kept between two looks at how many there are. */
const CHECK_ROOM_EVERY = 1_000;

export class TraceSession extends DurableObject<Env> {
  readonly #memory: ExecutionMemory;
  readonly #states: TraceStates;
  /** An object that has just woken looks at once. */
  #keptSinceCheck = CHECK_ROOM_EVERY;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#memory = new ExecutionMemory(ctx.storage.sql);
    this.#states = new TraceStates(ctx.storage.sql);
  }

  /** Traces of another n8n, or under other settings, are gone with what was learnt there. */
  #open(identity: string): ExecutionMemory {
    if (this.#memory.open(identity)) this.#states.clear();
    return this.#memory;
  }

  async known(identity: string, scopes: readonly string[], window: MemoryWindow) {
    return this.#open(identity).known(scopes, window);
  }

  async unknownOf(identity: string, items: Parameters<ExecutionMemory["unknownOf"]>[0]) {
    return this.#open(identity).unknownOf(items);
  }

  async gapsIn(identity: string, range: IdRange) {
    return this.#open(identity).gapsIn(range);
  }

  async matchesOf(identity: string, digest: string, window: MemoryWindow) {
    return this.#open(identity).matchesOf(digest, window);
  }

  async correlationsOf(identity: string, executionIds: readonly string[]) {
    return this.#open(identity).correlationsOf(executionIds);
  }

  async coverage(identity: string, window: MemoryWindow, downTo: string) {
    return this.#open(identity).coverage(window, downTo);
  }

  async executions(identity: string, ids: readonly string[]) {
    return this.#open(identity).executions(ids);
  }

  async family(identity: string, matchIds: readonly string[]) {
    return this.#open(identity).family(matchIds);
  }

  async request(identity: string, digest: string, window: MemoryWindow) {
    return this.#open(identity).request(digest, window);
  }

  /** All or nothing: storage writes of one call are one transaction. */
  async keep(identity: string, checkpoint: Checkpoint): Promise<void> {
    const now = Date.now();
    this.#open(identity).keep(checkpoint, now);
    // Room is made once the trace has answered: what it reads of old history is the first to go.
    await this.#wakeBy(this.#isOverfull(checkpoint) ? now + AFTER_SCAN_CALL_MS : this.#nextExpiry());
  }

  /** Looked at now and then only: it walks over all rows. */
  #isOverfull({ executions }: Checkpoint): boolean {
    this.#keptSinceCheck += executions.length;
    if (this.#keptSinceCheck < CHECK_ROOM_EVERY) return false;
    this.#keptSinceCheck = 0;
    return this.#memory.isOverfull;
  }

  /** The state of a trace as JSON text, or null when there is none or it has expired. */
  async loadTrace(identity: string, traceId: string): Promise<string | null> {
    this.#open(identity);
    return this.#states.load(traceId, Date.now());
  }

  /** Keeps a trace's state, and its life begins anew. */
  async saveTrace(identity: string, traceId: string, state: string): Promise<void> {
    this.#open(identity);
    const now = Date.now();
    this.#drop(this.#states.save(traceId, state, now));
    await this.#wakeBy(this.#nextExpiry());
  }

  /** Forgets what has expired, and wakes again for what has not. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#drop(this.#states.prune(now));
    this.#memory.prune(now);
    const next = this.#nextExpiry();
    if (next !== null) await this.ctx.storage.setAlarm(next);
  }

  #drop(traceIds: readonly string[]): void {
    this.#memory.dropScopes(traceIds.flatMap(allScopesOfTrace));
  }

  #nextExpiry(): number | null {
    const times = [this.#states.nextExpiry(), this.#memory.nextExpiry()].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** @param time epoch ms; null when nothing is kept */
  async #wakeBy(time: number | null): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    if (time !== null && (alarm === null || alarm > time)) await this.ctx.storage.setAlarm(time);
  }
}

/**
 * The calling user's memory of one n8n.
 * @param name of the object that keeps it: no other user's, and no other n8n's
 * @param identity of the n8n and the settings that the memory is of: what was learnt under another is forgotten
 * @param placement where the object is made, if it is not there yet
 */
export function traceMemoryOf(
  namespace: DurableObjectNamespace<TraceSession>,
  name: string,
  identity: string,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): TraceMemory {
  const session = new ObjectCalls("TraceSession", () => namespace.getByName(name, placement));
  return {
    known: async (...args) =>
      await session.repeatable(async (object) => await object.known(identity, ...args)),
    // Who is told that n8n has another history is told so once: then the old one is forgotten.
    unknownOf: async (items) => await session.once(async (object) => await object.unknownOf(identity, items)),
    gapsIn: async (range) => await session.repeatable(async (object) => await object.gapsIn(identity, range)),
    matchesOf: async (...args) =>
      await session.repeatable(async (object) => await object.matchesOf(identity, ...args)),
    correlationsOf: async (ids) =>
      await session.repeatable(async (object) => await object.correlationsOf(identity, ids)),
    coverage: async (...args) =>
      await session.repeatable(async (object) => await object.coverage(identity, ...args)),
    executions: async (ids) =>
      await session.repeatable(async (object) => await object.executions(identity, ids)),
    family: async (ids) => await session.repeatable(async (object) => await object.family(identity, ids)),
    request: async (...args) =>
      await session.repeatable(async (object) => await object.request(identity, ...args)),
    async keep(checkpoint) {
      for (const part of partsOf(checkpoint))
        await session.repeatable(async (object) => await object.keep(identity, part));
    },
    async loadTrace(traceId) {
      const text = await session.repeatable(async (object) => await object.loadTrace(identity, traceId));
      if (text === null) return null;
      const parsed = traceState.safeParse(JSON.parse(text));
      return parsed.success ? parsed.data : null;
    },
    async saveTrace(traceId, state) {
      const text = JSON.stringify(state);
      await session.repeatable(async (object) => await object.saveTrace(identity, traceId, text));
    },
  };
}
