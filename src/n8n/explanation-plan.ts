/**
 * What is read of an execution to explain it: all that a comparison reads of it (`shapes-plan.ts`), and besides how
 * the nodes are connected, the workflow's settings, n8n's hints, and of errors what says why. Bounded as that is.
 */
import type { Part, ReadBounds, Selection } from "../json/bounded-reader.ts";
import { AGENT_RUN, ITEMS_LENGTH, OUTLINE, type Path, RUN_DATA_DEPTH } from "./read-plans.ts";
import { shapes, shapesOfList } from "./shapes-plan.ts";

/** Connections of so many nodes, and targets of so many of each. */
const CONNECTIONS: Part = { from: 0, to: 500, maxMembers: 5_000, maxStringBytes: 300 };
const HINTS: Part = { from: 0, to: 5, maxMembers: 10, maxStringBytes: 300 };
/** n8n keeps one for each try, and one for each level of what threw. */
const MESSAGES: Part = { from: 0, to: 5, maxStringBytes: 1_000 };
/** An item in the middle may be the one that fails. */
const FIRST_ITEMS: Part = { from: 0, to: 25 };
/** The node that runs, or would have run next, stands first. */
const NEXT_NODES: Part = { from: 0, to: 3 };

/** For one execution. It counts what it lets through: made anew for each reading. */
export function explanation(): ReadBounds {
  const compared = shapes();
  const select = (path: Path): Selection =>
    selectMore(path) ?? selectCall(path) ?? compared.select?.(path) ?? "count";
  return { ...compared, select };
}

/** The same with every run counted, as `OUTLINE` does: for a summary that says why, too. */
export function explainedOutline(): ReadBounds {
  const explained = explanation();
  const select = (path: Path): Selection =>
    isRunOfNode(path) ? (OUTLINE.select?.(path) ?? "keep") : (explained.select?.(path) ?? "count");
  return { ...explained, maxArrayItems: OUTLINE.maxArrayItems, select };
}

/** The nodes that ran, the runs of one, or one run. */
const isRunOfNode = (path: Path): boolean =>
  path[2] === "runData" && path.length >= RUN_DATA_DEPTH && path.length <= RUN_DATA_DEPTH + 2;

/** For a list of so many executions, each within the bounds of one. Made anew for each reading. */
export function explanationOfList(executions: number): ReadBounds {
  const compared = shapesOfList(executions);
  const select = (path: Path): Selection => {
    const own = path[0] === "data" && path.length > 2 ? path.slice(2) : [];
    return selectMore(own) ?? selectCall(own) ?? compared.select?.(path) ?? "count";
  };
  return { ...compared, select };
}

function selectMore(path: Path): Selection | undefined {
  const [top, part, third] = path;
  if (top === "workflowData") return part === "connections" || part === "settings" ? CONNECTIONS : undefined;
  if (top !== "data") return undefined;
  if (part === "executionData") return selectNextNodes(path);
  if (part !== "resultData") return undefined;
  if (third === "error") return selectError(path, 3);
  if (third !== "runData") return undefined;
  const partOfRun = path[RUN_DATA_DEPTH + 2];
  if (partOfRun === "hints") return HINTS;
  if (partOfRun === "error") return selectError(path, RUN_DATA_DEPTH + 3);
  const isFirstRun = path[RUN_DATA_DEPTH + 1] === 0;
  const isOutput = path.length === ITEMS_LENGTH && partOfRun === "data";
  return isOutput && isFirstRun ? FIRST_ITEMS : undefined;
}

/** What models and tools were given and gave, as far as it says how an agent got on. */
function selectCall(path: Path): Selection | undefined {
  if (path[0] !== "data" || path[2] !== "runData") return undefined;
  const [part, connectionType] = path.slice(RUN_DATA_DEPTH + 2);
  const isCall =
    part === "inputOverride" || part === "metadata" || part === "error" || isOfAgents(connectionType);
  const selected = isCall ? AGENT_RUN.select?.(path) : undefined;
  return selected === "count" ? undefined : selected;
}

const isOfAgents = (connectionType: string | number | undefined): boolean =>
  typeof connectionType === "string" && connectionType.startsWith("ai_");

/** @param depth length of the error's own path */
function selectError(path: Path, depth: number): Selection | undefined {
  const part = path[depth];
  if (part === "messages") return MESSAGES;
  if (part === "extra" || part === "cause") return path.length === depth + 1 ? "keep" : "count";
  const isRequest = part === "context" && path[depth + 1] === "request";
  return isRequest ? (path.length === depth + 2 ? "keep" : "count") : undefined;
}

function selectNextNodes(path: Path): Selection {
  if (path.length === 2) return "keep";
  if (path[2] !== "nodeExecutionStack") return "count";
  if (path.length === 3) return NEXT_NODES;
  return path.length === 4 || (path[4] === "node" && path.length === 5) ? "keep" : "count";
}
