/**
 * The agents of an execution, each with its calls. An agent here is a run of an agent, a chain, or any other node that
 * called a model or a tool. A nested agent is a call of another. Pure.
 */
import type { ExecutionWithData, NodeRun } from "../../n8n/schemas.ts";
import { sumOf } from "../../platform/sum-of.ts";
import { nodesByName, orderOf, outputsOf, runsByNode } from "../node-runs.ts";
import { type CallerRole, isAlwaysReported, roleOf } from "./call-kinds.ts";
import { type Call, callsOf, isPrepared, keyOf, type RunPlace } from "./calls.ts";

export interface AgentCalls extends RunPlace {
  readonly role: CallerRole;
  /** Undefined while it runs, and if the execution ended before it did. */
  readonly nodeRun: NodeRun | undefined;
  /** The agent that called it; null for an agent on the workflow's main line. */
  readonly parent: RunPlace | null;
  readonly depth: number;
  readonly calls: readonly Call[];
  /** From its first call to the end of its last, since n8n keeps only the last pass of a version 3 agent. */
  readonly durationMs: number;
}

/** No real workflow nests deeper; crafted data could overflow the stack. */
const MAX_DEPTH = 20;

/** Roots in the order in which they began, each followed by what it called. */
export function agentsOf(execution: ExecutionWithData): AgentCalls[] {
  const runs = runsByNode(execution);
  const nodes = nodesByName(execution);
  const all = callsOf(execution);
  const byCaller = Map.groupBy(all, ({ caller }) => keyOf(caller));
  const callsBy = (place: RunPlace): readonly Call[] => byCaller.get(keyOf(place)) ?? [];

  const runsBelow = (place: RunPlace, depth = 0): NodeRun[] => {
    const calls = depth >= MAX_DEPTH ? [] : callsBy(place);
    const below = calls.flatMap((call) => runsBelow(call, depth + 1));
    const own = runs.get(place.nodeName)?.[place.run];
    return own === undefined ? below : [own, ...below];
  };
  /** n8n keeps only the last pass of a version 3 agent, which therefore began before the runs that it called. */
  const beginOf = (place: RunPlace): number => least(runsBelow(place).map(orderOf));
  const inOrder = <Place extends RunPlace>(places: readonly Place[]): Place[] => {
    const begins = new Map(places.map((place) => [place, beginOf(place)]));
    return places.toSorted((a, b) => (begins.get(a) ?? 0) - (begins.get(b) ?? 0));
  };

  const withNested = (place: RunPlace, parent: RunPlace | null, depth: number): AgentCalls[] => {
    const calls = inOrder(callsBy(place));
    const { nodeName, run } = place;
    const role = roleOf(nodes.get(nodeName)?.type);
    const nodeRun = runs.get(nodeName)?.[run];
    const own = {
      nodeName,
      run,
      role,
      nodeRun,
      parent,
      depth,
      calls,
      durationMs: durationOf(runsBelow(place)),
    };
    const nested = calls.filter(
      (call) => callsBy(call).length > 0 || (call.kind === "tool" && isAlwaysReported(call.nodeType)),
    );
    const below = depth >= MAX_DEPTH ? [] : nested.flatMap((call) => withNested(call, place, depth + 1));
    return [own, ...below];
  };

  // Callers that were not called themselves, and agents even if they called nothing.
  const quiet = [...runs].flatMap(([nodeName, own]) =>
    isAlwaysReported(nodes.get(nodeName)?.type)
      ? own.flatMap((nodeRun, run) => (isPrepared(nodeRun) ? [] : [{ nodeName, run }]))
      : [],
  );
  const places = new Map(
    [...all.map(({ caller }) => caller), ...quiet].map((place) => [keyOf(place), place]),
  );
  for (const call of all) places.delete(keyOf(call));
  return inOrder([...places.values()]).flatMap((root) => withNested(root, null, 0));
}

/** Used instead of `Math.min(...)`, since there may be more numbers than a call takes arguments. */
const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);

function durationOf(runs: readonly NodeRun[]): number {
  const timed = runs.filter(({ startTime }) => startTime > 0);
  if (timed.length === 0) return 0;
  const end = -least(timed.map(({ startTime, executionTime }) => -startTime - executionTime));
  return end - least(timed.map(({ startTime }) => startTime));
}

export const itemsSent = (run: NodeRun | undefined): number =>
  sumOf(outputsOf(run?.data).get("main") ?? [], ({ length }) => length);
