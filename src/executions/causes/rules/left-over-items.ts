/**
 * Facts: Loop Over Items (`splitInBatches`) goes on when what its second output leads to comes back to it; where nothing leads
 * back, or what leads back gets no items in some turn, it ends there, and its first output sends nothing. Merge by position makes as many items as its shorter input has. n8n calls both a
 * success; they may be meant so.
 */
import type { NodeRun, WorkflowNode } from "../../../n8n/schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { dataOutputs } from "../../node-runs.ts";
import { type ExecutionView, parameterOf } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";

const LOOP = "n8n-nodes-base.splitInBatches";
const MERGE = "n8n-nodes-base.merge";
const MAX_STEPS = 500;

export const leftOverItems: Rule = (view) => {
  if (view.isWithheld || !view.hasConnections) return [];
  return [...view.runs.keys()].flatMap((name) => {
    const node = view.nodes.get(name);
    if (node?.type === LOOP) return [...brokenLoop(view, name), ...loopLeftEarly(view, name)];
    return node?.type === MERGE ? shorterInput(view, name, node) : [];
  });
};

function brokenLoop(view: ExecutionView, name: string): Finding[] {
  const [done = [], loop = []] = view.targetsOf(name);
  const runs = view.runs.get(name) ?? [];
  const [run] = runs;
  if (
    run === undefined ||
    runs.length > 1 ||
    loop.length === 0 ||
    leadsBack(
      view,
      name,
      loop.map(({ node }) => node),
    )
  )
    return [];
  const given = view.inputOf(run).length;
  const [, sent] = dataOutputs(run.data);
  if (sent === undefined || sent.length === 0 || sent.length >= given) return [];
  const [after] = done.filter(({ node }) => !view.runs.has(node));
  const skipped = after === undefined ? "" : `, and ${quoted(after.node)} did not run`;
  return [
    observed(
      name,
      `Nothing leads from the loop of ${quoted(name)} back to it: it did its first ${counted(sent.length, "item")} of ${given} and no more${skipped}.`,
    ),
  ];
}

/** A turn from which nothing came back: neither all items were done, nor what comes after the loop. */
function loopLeftEarly(view: ExecutionView, name: string): Finding[] {
  const [done = [], loop = []] = view.targetsOf(name);
  const runs = view.runs.get(name) ?? [];
  const first = runs[0];
  const isEnded = view.execution.status === "success" && view.hasAllRuns(name);
  if (
    first === undefined ||
    !isEnded ||
    !leadsBack(
      view,
      name,
      loop.map(({ node }) => node),
    )
  )
    return [];
  if (runs.some((run) => (dataOutputs(run.data)[0]?.length ?? 0) > 0)) return [];
  const given = view.inputOf(first).length;
  const sent = runs.reduce((sum, run) => sum + (dataOutputs(run.data)[1]?.length ?? 0), 0);
  if (sent === 0 || sent >= given || givenAgain(view, runs)) return [];
  const last = [...view.runs].map(([node, own]) => ({ node, at: own.at(-1)?.executionIndex ?? -1 }));
  const end = last.toSorted((a, b) => b.at - a.at)[0];
  const where = end === undefined || end.node === name ? "" : ` after ${quoted(end.node)}`;
  const [after] = done.filter(({ node }) => !view.runs.has(node));
  const skipped = after === undefined ? "" : `, and ${quoted(after.node)} did not run`;
  return [
    observed(
      name,
      `The loop of ${quoted(name)} ended after ${sent} of ${counted(given, "item")}: in turn ${runs.length} nothing came back to it${where}${skipped}.`,
    ),
  ];
}

/** Items that came anew, and not from a turn: it counts from the first again. */
const givenAgain = (view: ExecutionView, runs: readonly NodeRun[]): boolean => {
  const [entry] = runs[0]?.source ?? [];
  const isEntry = ({ source }: NodeRun): boolean => source[0]?.previousNode === entry?.previousNode;
  return view.hasConnections && runs.slice(1).some(isEntry);
};

function leadsBack({ targetsOf }: ExecutionView, name: string, from: readonly string[]): boolean {
  const seen = new Set<string>();
  const open = [...from];
  for (let node = open.pop(); node !== undefined && seen.size < MAX_STEPS; node = open.pop()) {
    if (node === name) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(
      ...targetsOf(node)
        .flat()
        .map((target) => target.node),
    );
  }
  return false;
}

function shorterInput(view: ExecutionView, name: string, node: WorkflowNode): Finding[] {
  const isByPosition =
    parameterOf(node, "combineBy") === "combineByPosition" ||
    parameterOf(node, "combinationMode") === "mergeByPosition";
  const keepsAll = parameterOf(node, "options", "includeUnpaired") === true;
  if (!isByPosition || keepsAll) return [];
  const run = view.runs.get(name)?.[0];
  if (run === undefined || run.source.length < 2) return [];
  const counts = run.source.map((source) => view.inputOf({ ...run, source: [source] }).length);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  if (fewest === 0 || fewest === most) return [];
  return [
    observed(
      name,
      `${quoted(name)} puts items together by their position: of ${counts.join(" and ")} it made ${fewest}, and left ${counted(most - fewest, "item")} out.`,
    ),
  ];
}

const observed = (node: string, sentence: string): Finding => ({
  cause: "dropped",
  node,
  sentence,
  confidence: "observed",
});
