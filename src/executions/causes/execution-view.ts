/** An execution as the rules see it: nodes, runs, connections, and where it failed. Pure. */
import { memberOf, partOf } from "../../json/members.ts";
import { isReadObject, Omitted, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData, NodeError, NodeRun, WorkflowNode } from "../../n8n/schemas.ts";
import { closureOf } from "../../platform/closure.ts";
import { isObject } from "../../platform/is-object.ts";
import { sumOf } from "../../platform/sum-of.ts";
import { type AgentFinding, type AgentRun, agentRunsOf, findingsOf } from "../agent-run/agent-run.ts";
import { allTargetsOf, type Target, targetsOf } from "../connections.ts";
import { failedPlaceOf } from "../failed-place.ts";
import { hasFailed, isFailedStatus, nodesByName, outputsOf, runsByNode } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import type { Fact } from "./fact.ts";

export interface FailedNode {
  readonly name: string;
  readonly node: WorkflowNode | undefined;
  /** The run that failed; undefined if n8n kept none. */
  readonly run: NodeRun | undefined;
  readonly runIndex: number;
}

export interface SentItem {
  readonly from: string;
  readonly run: number;
  readonly output: number;
  readonly index: number;
  readonly json: ReadValue;
  /** The item's own `error`, next to `json`: only n8n writes there. */
  readonly error: ReadValue | undefined;
  /** Its files by name, with only their kind and size. */
  readonly files: ReadValue | undefined;
  /** The index of the input item that n8n pairs it with; null if there is none, or several. */
  readonly paired: number | null;
}

export interface SentItems {
  readonly items: readonly SentItem[];
  /** Includes the items that were not read. */
  readonly length: number;
}

export const NOTHING: SentItems = { items: [], length: 0 };

export interface ExplainContext {
  /** For a sub-workflow that could not be called: the result of looking it up. */
  readonly calledWorkflow?: "missing" | "unpublished";
  /** The failed sub-workflow execution and the failures below it, each explained; the deepest is last. */
  readonly failedBelow?: readonly ExplainedBelow[];
  /** Executions that it called, with or without waiting for them, as far as they were read. */
  readonly called?: readonly Called[];
  /** The last successes that the same trigger started, newest first. */
  readonly successes?: readonly ExecutionView[];
  readonly caller?: ExecutionView;
  /** The execution that it is the retry of. */
  readonly retried?: ExecutionView;
  /** Executions that n8n links to it. */
  readonly relatives?: readonly Relative[];
}

/** An execution that led to another one, or resulted from it. `again`: another delivery of the same request. */
export interface Relative {
  readonly role: "sub_workflow" | "error_handler" | "retry" | "again" | "caller";
  readonly id: string;
  /** Its id if the name is not known. */
  readonly workflowName: string;
  readonly status: string;
  /** Whether it began after the one that is explained. */
  readonly isLater: boolean;
  /** Why it failed, if it was read. */
  readonly fact?: Fact;
}

export interface ExplainedBelow {
  readonly executionId: string;
  readonly workflowName: string | null;
  readonly fact: Fact;
}

export interface Called {
  /** The node that called it. */
  readonly nodeName: string;
  readonly view: ExecutionView;
  /** The root cause that an explanation of this execution would report. */
  readonly fact: Fact;
}

export interface ExecutionView extends Required<Pick<ExplainContext, "successes" | "called" | "relatives">> {
  readonly execution: ExecutionWithData;
  readonly nodes: ReadonlyMap<string, WorkflowNode>;
  readonly runs: ReadonlyMap<string, readonly NodeRun[]>;
  readonly error: NodeError | undefined;
  readonly failed: FailedNode | null;
  /** Problems of its agents, most informative first. */
  readonly agents: readonly AgentFinding[];
  readonly agentRuns: readonly AgentRun[];
  readonly context: ExplainContext;
  readonly isWithheld: boolean;
  /** False if connections were not read; then none can be called missing. */
  readonly hasConnections: boolean;
  targetsOf(name: string): readonly (readonly Target[])[];
  /** Whether all runs of a node were read; for long loops only the first ones are. */
  hasAllRuns(name: string): boolean;
  /** Whether the node is a sub-node of another (a model, a tool, …). False if connections were not read. */
  isSubNode(name: string): boolean;
  /** The type of a node; empty if it is not known. */
  typeOf(name: string): string;
  runsOf(name: string): readonly NodeRun[];
  inputOf(run: NodeRun): SentItems;
  /** What a node sent in a run, by default in its first one, by one of its `main` outputs. */
  sentBy(name: string, run?: number, output?: number): SentItems;
}

export function viewOf(execution: ExecutionWithData, context: ExplainContext = {}): ExecutionView {
  const { successes = [], called = [], relatives = [] } = context;
  const nodes = nodesByName(execution);
  const runs = runsByNode(execution);
  const runsOf = (name: string): readonly NodeRun[] => runs.get(name) ?? [];
  const sentBy = (name: string, run = 0, output = 0): SentItems =>
    sentIn(runsOf(name)[run], { from: name, run, output });
  const place = isFailedStatus(execution.status) ? failedPlaceOf(execution) : undefined;
  const agentRuns = agentRunsOf(execution);
  return {
    execution,
    nodes,
    runs,
    agents: findingsOf(agentRuns),
    agentRuns,
    context,
    successes,
    called,
    relatives,
    isWithheld: isWithheldByN8n(execution),
    error: place === undefined ? execution.data?.resultData?.error : place.error,
    failed:
      place === undefined || place.nodeName === null ? null : failedNode(place.nodeName, { nodes, runs }),
    hasConnections: isObject(execution.workflowData?.connections),
    targetsOf: (name) => targetsOf(execution, name, "main"),
    hasAllRuns: (name) => hasAllRuns(execution, name),
    isSubNode: (name) => allTargetsOf(execution, name).some(({ type }) => type.startsWith("ai_")),
    typeOf: (name) => nodes.get(name)?.type ?? "",
    runsOf,
    sentBy,
    inputOf: (run) =>
      joined(
        run.source.map((source) =>
          source === null
            ? NOTHING
            : sentBy(source.previousNode, source.previousNodeRun, source.previousNodeOutput),
        ),
      ),
  };
}

function failedNode(name: string, { nodes, runs }: Pick<ExecutionView, "nodes" | "runs">): FailedNode {
  const own = runs.get(name) ?? [];
  const index = own.findLastIndex(hasFailed);
  return { name, node: nodes.get(name), run: own[index], runIndex: Math.max(0, index) };
}

function hasAllRuns({ data }: ExecutionWithData, name: string): boolean {
  const runs = data?.resultData?.runData?.[name];
  return Array.isArray(runs) && !runs.some((run) => run instanceof Omitted);
}

function sentIn(run: NodeRun | undefined, place: Pick<SentItem, "from" | "run" | "output">): SentItems {
  const sent = outputsOf(run?.data).get("main")?.[place.output];
  if (sent === undefined) return NOTHING;
  const items = sent.items.flatMap((item, index): SentItem[] => {
    if (!isReadObject(item) || item.json === undefined) return [];
    const { json, error, binary: files, pairedItem } = item;
    return [{ ...place, index, json, error, files, paired: pairedIn(pairedItem) }];
  });
  return { items, length: sent.length };
}

function pairedIn(pairs: ReadValue | undefined): number | null {
  const pair = Array.isArray(pairs) && pairs.length === 1 ? pairs[0] : pairs;
  const isOfInput = isReadObject(pair) && (pair.input ?? 0) === 0 && pair.sourceOverwrite === undefined;
  const index = isOfInput ? pair.item : pair;
  return typeof index === "number" ? index : null;
}

export const joined = (all: readonly SentItems[]): SentItems => ({
  items: all.flatMap(({ items }) => items),
  length: sumOf(all, ({ length }) => length),
});

/** What a node sent in all of its runs, by one output. */
export const sentInAll = (view: ExecutionView, name: string, output?: number): SentItems =>
  joined(view.runsOf(name).map((_run, index) => view.sentBy(name, index, output)));

/** Whether these targets lead to the node, directly or not. */
export const leadTo = (view: ExecutionView, name: string, targets: readonly Target[] = []): boolean =>
  closureOf(
    targets.map(({ node }) => node),
    (next) => nextOf(view, next),
  ).has(name);

/** The direct successors of a node, over all its outputs. */
export const nextOf = (view: ExecutionView, name: string): string[] =>
  view.targetsOf(name).flatMap((targets) => targets.map(({ node }) => node));

/** Looks up the direct predecessors of a node among these nodes. */
export function previousIn(view: ExecutionView, names: Iterable<string>): (name: string) => string[] {
  const links = [...names].flatMap((from) => nextOf(view, from).map((to) => ({ from, to })));
  const byTarget = Map.groupBy(links, ({ to }) => to);
  return (name) => (byTarget.get(name) ?? []).map(({ from }) => from);
}

/** The nodes that began after a node, in that order. */
export function ranAfter({ runs }: ExecutionView, name: string): string[] {
  const names = [...runs.keys()];
  return names.includes(name) ? names.slice(names.indexOf(name) + 1) : [];
}

export const inputsOf = (view: ExecutionView, run: NodeRun): SentItems[] =>
  run.source.map((source) => view.inputOf({ ...run, source: [source] }));

export interface Step {
  readonly name: string;
  readonly run: number;
  readonly output: number;
}

/** The runs back to the trigger along first inputs, nearest first. */
export function pathBack(view: ExecutionView, from: NodeRun): Step[] {
  const way: Step[] = [];
  let source = from.source[0];
  while (source != null && way.length < MAX_STEPS) {
    const { previousNode: name, previousNodeRun: run = 0, previousNodeOutput: output = 0 } = source;
    way.push({ name, run, output });
    source = view.runs.get(name)?.[run]?.source[0];
  }
  return way;
}

const MAX_STEPS = 200;

/** The workflow's own time zone; null where n8n's applies. */
export function zoneOf({ execution }: ExecutionView): string | null {
  const zone = partOf(execution.workflowData?.settings, "timezone");
  return typeof zone === "string" && ZONE.test(zone) && zone !== "DEFAULT" ? zone : null;
}

const ZONE = /^[A-Za-z_]{1,40}(?:\/[A-Za-z0-9_+-]{1,40}){0,2}$/;

/** A parameter by its path, as set: expressions are not evaluated. */
export const parameterOf = (node: WorkflowNode | undefined, ...path: readonly string[]) =>
  memberOf(node?.parameters, ...path);

/** Whether a node goes on by this output when it fails: the last of several. */
export const isErrorOutput = (node: WorkflowNode | undefined, output: number, outputs: number): boolean =>
  errorRouteOf(node) === "error output" && output > 0 && output === outputs - 1;

export function errorRouteOf(node: WorkflowNode | undefined): "regular" | "error output" | null {
  const onError = node?.onError;
  if (onError === "continueErrorOutput") return "error output";
  const isLegacy = node?.continueOnFail === true && onError === undefined;
  return onError === "continueRegularOutput" || isLegacy ? "regular" : null;
}
