/**
 * Facts: Loop Over Items (`splitInBatches`) continues when items from its second output come back to it; if nothing leads
 * back, or no items come back in some turn, it ends there, and its first output sends nothing. Merge by position makes as
 * many items as its shorter input has. n8n shows both as a success; both may be intended.
 */
import { memberOf } from "../../../json/members.ts";
import type { NodeRun, WorkflowNode } from "../../../n8n/schemas.ts";
import { orderOf } from "../../node-runs.ts";
import {
  type ExecutionView,
  inputsOf,
  isErrorOutput,
  leadTo,
  parameterOf,
  pathBack,
  sentInAll,
} from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { LOOP, mergesIn } from "../node-kinds.ts";
import { ofNodes } from "../rule.ts";

const MERGE = "n8n-nodes-base.merge";

export const leftOverItems = ofNodes((view, name, node) => {
  if (!view.hasConnections) return null;
  if (node.type === LOOP) return leftByLoop(view, name);
  return node.type === MERGE ? shorterInput(view, name, node) : null;
});

function leftByLoop(view: ExecutionView, node: string): Fact | null {
  const [done = [], loop = []] = view.targetsOf(node);
  const runs = view.runsOf(node);
  const [first] = runs;
  if (first === undefined) return null;
  const given = view.inputOf(first).length;
  const skipped = done.find((target) => !view.runs.has(target.node))?.node ?? null;
  const sent = sentInAll(view, node, 1).length;
  if (sent === 0 || sent >= given) return null;
  const fact = { node, done: sent, given, skipped, confidence: "likely" } as const;
  if (!leadTo(view, node, loop))
    return runs.length > 1 || loop.length === 0 ? null : { kind: "dropped.loop", ...fact };
  // No items came back from a turn: some items, and the nodes after the loop, were never processed.
  const isEnded = view.execution.status === "success" && view.hasAllRuns(node);
  if (!isEnded || sentInAll(view, node).length > 0 || isGivenAgain(runs)) return null;
  const ends = [...view.runs].map(([name, own]) => ({ name, at: orderOf(own.at(-1)) }));
  const end = ends.toSorted((a, b) => b.at - a.at)[0]?.name ?? node;
  const turn = {
    kind: "dropped.turn",
    ...fact,
    turn: runs.length,
    after: end === node ? null : end,
  } as const;
  // If the last turn continued outside the loop, that may be intended, unless a node had failed.
  const isLeft = !leadTo(view, node, view.targetsOf(end).flat()) && !followsError(view, end);
  return isLeft ? { ...turn, confidence: "observed" } : turn;
}

/** Whether a node ran last because a node before it continued through its error output. */
function followsError(view: ExecutionView, name: string): boolean {
  const run = view.runsOf(name).at(-1);
  const way = run === undefined ? [] : pathBack(view, run);
  const turn = way.findIndex((step) => view.typeOf(step.name) === LOOP);
  return way
    .slice(0, Math.max(0, turn))
    .some(({ name: node, output }) =>
      isErrorOutput(view.nodes.get(node), output, view.targetsOf(node).length),
    );
}

/** Whether items came from outside the loop again, which restarts it. */
const isGivenAgain = (runs: readonly NodeRun[]): boolean => {
  const entry = runs[0]?.source[0]?.previousNode;
  return runs.slice(1).some(({ source }) => source[0]?.previousNode === entry);
};

/** n8n passes on what comes to an input that a Merge does not have, and the Merge ignores it. */
export const beyondInputs = ofNodes((view, name, { type, parameters }, [run]) => {
  const inputs = Number(memberOf(parameters, "numberInputs") ?? 2);
  if (type !== MERGE || run === undefined || Number.isNaN(inputs)) return null;
  const counts = inputsOf(view, run).map(({ length }) => length);
  const at = counts.findIndex((count, input) => input >= inputs && count > 0);
  const [from, count] = [run.source[at]?.previousNode, counts[at]];
  if (from === undefined || count === undefined) return null;
  return { kind: "dropped.input", node: name, from, input: at, inputs, count, confidence: "likely" };
});

/** Whether a Merge puts the items of its inputs together by their position. */
export const joinsByPosition = (node: WorkflowNode): boolean =>
  mergesIn(node, /^(?:combine|merge)ByPosition$/);

function shorterInput(view: ExecutionView, name: string, node: WorkflowNode): Fact | null {
  const keepsAll = parameterOf(node, "options", "includeUnpaired") === true;
  if (!joinsByPosition(node) || keepsAll) return null;
  const run = view.runsOf(name)[0];
  if (run === undefined || run.source.length < 2) return null;
  const given = inputsOf(view, run).map(({ length }) => length);
  const fewest = Math.min(...given);
  return fewest === 0 || given.every((count) => count === fewest)
    ? null
    : { kind: "dropped.unpaired", node: name, given, confidence: "observed" };
}
