/**
 * The agents of an execution, each with what it called; a run of an agent, of a chain, or of whatever else called a
 * model or a tool. A nested agent is a call of another. Pure.
 */
import type { ExecutionWithData, NodeRun } from "../../n8n/schemas.ts";
import { nodesByName, outputsOf, runsByNode } from "../node-runs.ts";
import { type CallerRole, isAlwaysTold, roleOf } from "./call-kinds.ts";
import { type Call, callsOf, isPrepared, keyOf, orderOf, type RunPlace } from "./calls.ts";

export interface AgentCalls extends RunPlace {
  readonly role: CallerRole;
  readonly nodeType: string | undefined;
  /** Undefined while it runs, and where the execution ended before it did. */
  readonly nodeRun: NodeRun | undefined;
  /** The agent that called it; null for one of the workflow itself. */
  readonly parent: RunPlace | null;
  /** 0 for one of the workflow itself. */
  readonly depth: number;
  /** Its own, in order. */
  readonly calls: readonly Call[];
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** From its first call to the end of its last: an agent 3 keeps its last pass alone. */
  readonly durationMs: number;
}

/** Roots in the order in which they began, each followed by what it called. */
export function agentsOf(execution: ExecutionWithData): AgentCalls[] {
  const calls = callsOf(execution);
  const byCaller = new Map<string, Call[]>();
  for (const call of calls) {
    const key = keyOf(call.caller);
    byCaller.set(key, [...(byCaller.get(key) ?? []), call]);
  }
  const tree = new AgentTree(execution, calls, byCaller);
  return tree.roots().flatMap((root) => tree.withNested(root, null, 0));
}

/** Deeper no one nests them; a circle would be without an end. */
const MAX_DEPTH = 20;

class AgentTree {
  readonly #runs: ReadonlyMap<string, readonly NodeRun[]>;
  readonly #types: ReadonlyMap<string, string>;
  readonly #byCaller: ReadonlyMap<string, readonly Call[]>;
  readonly #called: ReadonlySet<string>;

  constructor(
    execution: ExecutionWithData,
    calls: readonly Call[],
    byCaller: ReadonlyMap<string, readonly Call[]>,
  ) {
    this.#runs = runsByNode(execution);
    this.#types = new Map([...nodesByName(execution)].map(([name, { type }]) => [name, type]));
    this.#byCaller = byCaller;
    this.#called = new Set(calls.map(keyOf));
  }

  /** Whoever called something and was not called; agents also when they called nothing. */
  roots(): RunPlace[] {
    const callers = [...this.#byCaller.values()].flatMap(([call]) =>
      call === undefined ? [] : [call.caller],
    );
    const quiet = [...this.#runs].flatMap(([nodeName, runs]) =>
      isAlwaysTold(this.#types.get(nodeName))
        ? runs.flatMap((nodeRun, run) => (isPrepared(nodeRun) ? [] : [{ nodeName, run }]))
        : [],
    );
    const places = new Map([...callers, ...quiet].map((place) => [keyOf(place), place]));
    const roots = [...places.values()].filter((place) => !this.#called.has(keyOf(place)));
    return roots.sort((a, b) => this.#orderOf(a) - this.#orderOf(b));
  }

  withNested(place: RunPlace, parent: RunPlace | null, depth: number): AgentCalls[] {
    const calls = [...(this.#byCaller.get(keyOf(place)) ?? [])].sort(
      (a, b) => this.#orderOf(a) - this.#orderOf(b),
    );
    const nodeType = this.#types.get(place.nodeName);
    const nodeRun = this.#runs.get(place.nodeName)?.[place.run];
    const own: AgentCalls = {
      ...place,
      role: roleOf(nodeType),
      nodeType,
      nodeRun,
      parent,
      depth,
      calls,
      ...this.#spanOf(place),
    };
    const nested = depth >= MAX_DEPTH ? [] : calls.filter((call) => this.#isAgent(call));
    return [own, ...nested.flatMap((call) => this.withNested(call, place, depth + 1))];
  }

  #isAgent(call: Call): boolean {
    return this.#byCaller.has(keyOf(call)) || (call.kind === "tool" && isAlwaysTold(call.nodeType));
  }

  /** Of an agent 3 n8n keeps the last pass: it began before what it called. */
  #orderOf(place: RunPlace, depth = 0): number {
    const run = this.#runs.get(place.nodeName)?.[place.run];
    const own = run === undefined ? Number.POSITIVE_INFINITY : orderOf(run);
    const calls = depth >= MAX_DEPTH ? [] : (this.#byCaller.get(keyOf(place)) ?? []);
    return Math.min(own, ...calls.map((call) => this.#orderOf(call, depth + 1) - 0.5));
  }

  #spanOf(place: RunPlace): Pick<AgentCalls, "startedAt" | "durationMs"> {
    const runs = this.#runsBelow(place, 0).filter(({ startTime }) => startTime > 0);
    const startedAt = runs.reduce((least, run) => Math.min(least, run.startTime), Number.POSITIVE_INFINITY);
    const end = runs.reduce((most, run) => Math.max(most, run.startTime + run.executionTime), 0);
    return runs.length === 0 ? { startedAt: 0, durationMs: 0 } : { startedAt, durationMs: end - startedAt };
  }

  #runsBelow(place: RunPlace, depth: number): NodeRun[] {
    const own = this.#runs.get(place.nodeName)?.[place.run];
    const calls = depth >= MAX_DEPTH ? [] : (this.#byCaller.get(keyOf(place)) ?? []);
    return [
      ...(own === undefined ? [] : [own]),
      ...calls.flatMap((call) => this.#runsBelow(call, depth + 1)),
    ];
  }
}

/** How many items a run sent at `main`; of one that was given as many, as many as it was asked. */
export function itemsSent(run: NodeRun | undefined): number {
  return (outputsOf(run?.data).get("main") ?? []).reduce((sum, { length }) => sum + length, 0);
}
