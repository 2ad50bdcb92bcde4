/**
 * Which parts of an execution are read, for each purpose. The paths are those of n8n's public API:
 * `data.resultData.runData.<node>[run].data.<connection type>[output][item]`.
 */
import type { ReadBounds, Selection } from "../json/bounded-reader.ts";

export type Path = readonly (string | number)[];

/** More nodes, runs and outputs than any workflow that a person could have drawn. */
export const MAX_VALUES = 200_000;
const MAX_RUNS = 2_000;
const MAX_SHORT_STRING_BYTES = 2_000;

const isBelow = (path: Path, ...prefix: readonly string[]): boolean =>
  prefix.every((part, index) => path[index] === part);

/** Position in the path of the node's name below `runData`, or of its run, and so on. */
export const RUN_DATA_DEPTH = 3;

function isRunData(path: Path): boolean {
  return isBelow(path, "data", "resultData", "runData");
}

/** The parts of `data` that are read; the others are bulky, secret, or both. */
const READ_PARTS_OF_DATA = new Set<string | number | undefined>([
  "resultData",
  "parentExecution",
  "executionData",
  "redactionInfo",
]);

function isNeverRead(path: Path): boolean {
  const [top, second] = path;
  if (top === "workflowData") return path.length === 2 && second !== "nodes";
  if (top === "data") return path.length === 2 && !READ_PARTS_OF_DATA.has(second);
  return false;
}

/**
 * What a running execution was given: unless n8n saves progress, its `runData` is empty until it ends, and
 * its input stands only in `data.executionData.nodeExecutionStack[n].data`.
 */
function isPendingInput(path: Path): boolean {
  return isBelow(path, "data", "executionData");
}

/** Path length of an array of items: `nodeExecutionStack[n].data.<connection type>[output]`. */
const PENDING_ITEMS_LENGTH = 7;

function selectPendingInput(path: Path, selectItems: (path: Path) => Selection): Selection {
  if (path.length === 2) return "keep";
  if (path[2] !== "nodeExecutionStack") return "count";
  if (path.length <= 4) return "keep";
  if (path[4] === "node") return path.length === 5 ? "keep" : "count";
  if (path[4] !== "data") return "count";
  return path.length < PENDING_ITEMS_LENGTH ? "keep" : selectItems(path);
}

/** A node of the workflow is read as name and type; parameters only where they are wanted. */
function isNodeDetail(path: Path): boolean {
  return path[0] === "workflowData" && path[1] === "nodes" && path.length > 3;
}

/** Not the place in the editor. */
const SETTINGS_OF_NODES = new Set<string | number | undefined>(["parameters", "credentials"]);

/** What a node is set to. */
export function isNodeSetting(path: Path): boolean {
  return isNodeDetail(path) && SETTINGS_OF_NODES.has(path[3]);
}

/** What hangs on an error and says where and of what kind it is; of each only what stands in it at once. */
const PARTS_OF_ERRORS = new Set<string | number | undefined>(["node", "context", "failure"]);

/** The parts of one run that say what happened: all but items, and what hangs on errors. */
function selectRun(path: Path, selectItems: (path: Path) => Selection): Selection {
  const depth = path.length - RUN_DATA_DEPTH;
  // node, run
  if (depth <= 2) return "keep";
  const part = path[RUN_DATA_DEPTH + 2];
  if (part === "data" || part === "inputOverride") return depth <= 4 ? "keep" : selectItems(path);
  if (part === "source" || part === "metadata") return "keep";
  if (part === "error")
    return depth === 3 || PARTS_OF_ERRORS.has(path[RUN_DATA_DEPTH + 3]) ? keepShallow(depth, 4) : "count";
  return "count";
}

function keepShallow(depth: number, deepest: number): Selection {
  return depth <= deepest ? "keep" : "count";
}

/** No answer of ours needs more text than this from one execution. */
const MAX_KEPT_BYTES = 6 * 1024 * 1024;

function plan(select: (path: Path) => Selection, maxStringBytes: number): ReadBounds {
  return {
    maxStringBytes,
    maxKeptBytes: MAX_KEPT_BYTES,
    maxArrayItems: MAX_RUNS,
    maxDepth: 64,
    maxValues: MAX_VALUES,
    select,
  };
}

export function selectFrame(path: Path, selectItems: (path: Path) => Selection): Selection {
  if (isNeverRead(path) || isNodeDetail(path)) return "count";
  if (isRunData(path)) return selectRun(path, selectItems);
  if (isPendingInput(path)) return selectPendingInput(path, selectItems);
  // The error of the whole execution carries the failing node with its parameters.
  if (isBelow(path, "data", "resultData", "error")) return keepShallow(path.length, 4);
  if (isBelow(path, "data", "resultData", "redactedError")) return keepShallow(path.length, 3);
  if (isBelow(path, "data", "resultData") && path.length > 2) return "count";
  return "keep";
}

/** What happened in each node run, and how many items there were; no item. */
export const OUTLINE: ReadBounds = plan((path) => selectFrame(path, () => "count"), MAX_SHORT_STRING_BYTES);

/** Path length of an array of items: `runData.<node>[run].data.<connection type>[output]`. */
export const ITEMS_LENGTH = RUN_DATA_DEPTH + 5;

/** One output of one run of a node. */
export interface OutputPlace {
  readonly nodeName: string;
  readonly run: number;
  readonly output: number;
}

/** Items `from` up to, not including, `to`. */
export interface ItemRange {
  readonly from: number;
  readonly to: number;
}

/** The items that `rangeOf` names for each output; the outline of all others. */
export function itemsOfNodes(
  rangeOf: (place: OutputPlace) => ItemRange | undefined,
  maxStringBytes: number,
): ReadBounds {
  const selectItems = (path: Path): Selection => {
    // Of what has yet to run, the first item is enough: it is the payload.
    if (isPendingInput(path)) return path.length === PENDING_ITEMS_LENGTH ? { from: 0, to: 1 } : "keep";
    if (path.length !== ITEMS_LENGTH) return "keep";
    const [nodeName, run] = path.slice(RUN_DATA_DEPTH);
    return rangeOf({ nodeName: String(nodeName), run: Number(run), output: Number(path.at(-1)) }) ?? "count";
  };
  const select = (path: Path): Selection => {
    const isParameters = path[0] === "workflowData" && path[1] === "nodes" && path[3] === "parameters";
    return isParameters ? "keep" : selectFrame(path, selectItems);
  };
  return plan(select, maxStringBytes);
}

/** Enough for an answer that is JSON in a text. */
const MAX_ANSWER_STRING_BYTES = 8_000;
/** Nobody needs more of a list to know its form. */
const MAX_ANSWER_MEMBERS = 20;
/** Levels below an item's `json` at which an answer's form shows. */
const MAX_ANSWER_DEPTH = 6;

/** Parts of an answer, or of a tool call, in which its form, an error code or wrong fields are reported. */
const FORM_PARTS = new Set<string | number>([
  ...["data", "meta", "error", "errors", "details", "issues", "fields", "missing", "path", "arguments"],
]);

/** Of the items of an output the first; of it only what shows its form, however large the rest is. */
function selectForm(path: Path): Selection {
  if (isPendingInput(path) || path[RUN_DATA_DEPTH + 2] === "inputOverride") return "count";
  if (path.length === ITEMS_LENGTH) return { from: 0, to: 1 };
  if (path.length === ITEMS_LENGTH + 1) return "keep";
  const [, ...below] = path.slice(ITEMS_LENGTH + 2);
  const isForm = below.every((part) => typeof part === "number" || FORM_PARTS.has(part));
  if (path[ITEMS_LENGTH + 1] !== "json" || !isForm || below.length >= MAX_ANSWER_DEPTH) return "count";
  return { from: 0, to: MAX_ANSWER_MEMBERS };
}

/** What each output of each run looks like: the form of its first item, and how many there were. With a trigger's inputs. */
export const FORMS: ReadBounds = plan((path) => {
  const isParameters = path[0] === "workflowData" && path[1] === "nodes" && path[3] === "parameters";
  if (isParameters) return path.length === 4 || path[4] === "workflowInputs" ? "keep" : "count";
  return selectFrame(path, selectForm);
}, MAX_ANSWER_STRING_BYTES);

/** Enough to see what a tool was asked for and what it answered. */
const MAX_CALL_STRING_BYTES = 2_000;
const MAX_CALL_MEMBERS = 20;
/** Levels below an item's `json` at which what a tool was given or answered shows. */
const MAX_CALL_DEPTH = 8;

/** What a model or a memory was given, and a model's settings: prompts whole, again and again, and secrets. */
const BULK_OF_CALLS = new Set<string | number | undefined>([
  "messages",
  "options",
  "values",
  "input",
  "output",
]);

/** Of a call's items the first, and of it all that is no prompt. */
function selectCallItem(path: Path): Selection {
  if (isPendingInput(path)) return "count";
  if (path.length === ITEMS_LENGTH) return { from: 0, to: 1 };
  if (path.length === ITEMS_LENGTH + 1) return "keep";
  const connectionType = path[RUN_DATA_DEPTH + 3];
  const [part, ...below] = path.slice(ITEMS_LENGTH + 1);
  if (part !== "json" || below.length >= MAX_CALL_DEPTH) return "count";
  if (below.length === 0) return "keep";
  // Only what an agent answered, and that stands in the item at once.
  if (connectionType === "main") return "count";
  if (connectionType === "ai_tool") return { from: 0, to: MAX_CALL_MEMBERS };
  return BULK_OF_CALLS.has(below[0]) || below[0] === "chatHistory"
    ? "count"
    : { from: 0, to: MAX_CALL_MEMBERS };
}

/** What of a run says how an agent got on, besides its items. */
function selectAgentRun(path: Path): Selection {
  const part = path[RUN_DATA_DEPTH + 2];
  const depth = path.length - RUN_DATA_DEPTH;
  if (part === "metadata") {
    const isOfPasses = path[RUN_DATA_DEPTH + 3] === "subNodeExecutionData";
    return isOfPasses && depth > 4 && path[RUN_DATA_DEPTH + 4] !== "metadata"
      ? "count"
      : keepShallow(depth, 5);
  }
  if (part === "error" && depth <= 4) return "keep";
  return selectRun(path, selectCallItem);
}

/** What bounds an agent, and the names of what its tools take: of each list and object so much, and no prompt whole. */
const PARAMETERS_OF_AGENTS: Selection = { from: 0, to: 50, maxMembers: 50 };

/** The nodes with what bounds them, how they hang together, and the workflow's time limit. */
function selectAgentWorkflow(path: Path): Selection {
  const [, part, , member] = path;
  if (part === "settings") return keepShallow(path.length, 2);
  if (part === "connections") return keepShallow(path.length, 6);
  if (part !== "nodes") return path.length < 2 ? "keep" : "count";
  if (path.length <= 3) return "keep";
  return member === "parameters" ? PARAMETERS_OF_AGENTS : "count";
}

/** How agents, and whatever else asks models and tools, got on: their calls, without a prompt. */
export const AGENT_RUN: ReadBounds = plan((path) => {
  if (path[0] === "workflowData") return selectAgentWorkflow(path);
  if (path[0] === "customData") return "count";
  if (isRunData(path)) return selectAgentRun(path);
  return selectFrame(path, () => "count");
}, MAX_CALL_STRING_BYTES);
