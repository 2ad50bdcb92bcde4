/**
 * Checks whether requests can be traced in this n8n: whether its newest executions carry request ids, and whether
 * executions are saved. A failure of either does not make the instance unready.
 */
import { outputsOf, runsByNode } from "../../executions/node-runs.ts";
import { formatKeptPath, type RequestIdPaths } from "../../history/request-ids/request-id-paths.ts";
import { isReadObject, Omitted, type ReadValue } from "../../json/omitted.ts";
import type { PathSegment } from "../../json/path-text.ts";
import { FIRST_ITEMS } from "../../n8n/read-plans.ts";
import type { ExecutionListItem, ExecutionWithData } from "../../n8n/schemas.ts";
import type { UnsavedWorkflows } from "../../n8n/unsaved-workflows.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { counted } from "../../platform/counted.ts";
import { displayName } from "../../platform/display-name.ts";
import { attempt, type Check, pass, unanswered, warning } from "./check-line.ts";

const LISTED = 20;
/** How many of the listed executions are read: each may be large. */
const READ = 3;
const READ_TIMEOUT_MS = 5_000;
const MAX_DEPTH = 12;
const MAX_NAMES = 5;

export interface SampledRequestId {
  /** Below an item's `json`, or in the custom data. */
  readonly path: readonly PathSegment[];
  readonly value: string;
  readonly executionId: string;
}

/** Requests enter through these modes; other executions, such as an error workflow's, receive their data from n8n. */
const ENTERED_BY = new Set(["webhook", "trigger"]);

/** Prefers executions through which a request entered, and takes the newest of each workflow before a second one. */
function chooseExecutions(executions: readonly ExecutionListItem[]): readonly ExecutionListItem[] {
  const entered = executions.filter(({ mode }) => ENTERED_BY.has(mode));
  const byWorkflow = Map.groupBy(entered, ({ workflowId }) => workflowId);
  const newestOfEach = [...byWorkflow.values()].flatMap((own) => own.slice(0, 1));
  return [...new Set([...newestOfEach, ...entered, ...executions])].slice(0, READ);
}

/**
 * Reads a few of the newest executions.
 * @returns how many were read, and the first request id of each that has one, newest first
 * @throws ObserverError
 */
export async function sampleRequestIds(client: VisibleN8n, paths: RequestIdPaths) {
  const { executions } = await client.listExecutions({ limit: LISTED }, { timeoutMs: READ_TIMEOUT_MS });
  const chosen = chooseExecutions(executions);
  const seen: SampledRequestId[] = [];
  for (const { id } of chosen) {
    const execution = await client.readExecution(id, FIRST_ITEMS, { timeoutMs: READ_TIMEOUT_MS });
    const [first] = requestIdsIn(execution, paths);
    if (first !== undefined) seen.push({ ...first, executionId: id });
  }
  return { read: chosen.length, seen };
}

type Found = Omit<SampledRequestId, "executionId">;

function requestIdsIn(execution: ExecutionWithData, paths: RequestIdPaths): Found[] {
  const found: Found[] = [];
  collect({ customData: { ...execution.customData } }, [], paths, found);
  const outputs = [...runsByNode(execution).values()]
    .flat()
    .flatMap(({ data }) => outputsOf(data).get("main") ?? []);
  for (const { items } of outputs) {
    const [item] = items;
    if (isReadObject(item)) collect(item.json ?? null, [], paths, found);
  }
  return found;
}

function collect(value: ReadValue, path: readonly PathSegment[], paths: RequestIdPaths, found: Found[]) {
  if (typeof value === "string" || typeof value === "number") {
    if (value !== "" && paths.matches(path)) found.push({ path, value: String(value) });
    return;
  }
  if (typeof value !== "object" || value === null || value instanceof Omitted || path.length > MAX_DEPTH)
    return;
  const members: [PathSegment, ReadValue][] = Array.isArray(value)
    ? value.map((one, index) => [index, one])
    : Object.entries(value);
  for (const [key, member] of members) collect(member, [...path, key], paths, found);
}

/** Earlier checks already report problems with n8n and the settings. */
const UNKNOWN = unanswered("Check again once the other checks pass.");

/** @throws ObserverError `RATE_LIMITED` */
export async function checkRequestIds(client: VisibleN8n, paths: () => RequestIdPaths): Promise<Check> {
  const body = async () => {
    const known = paths();
    const { read, seen } = await sampleRequestIds(client, known);
    if (read === 0) return pass("There are no executions yet, or none that can be seen here.");
    const executions = counted(read, "execution");
    const places = new Set(seen.map(({ path }) => known.withoutPayload(formatKeptPath(path))));
    if (seen.length > 0)
      return pass(
        `${seen.length} of the ${executions} that were read carry a request id, at ${[...places].join(", ")}.`,
      );
    return warning(
      `None of the ${executions} that were read carries a request id in a known place.`,
      "Set REQUEST_ID_PATHS to the path of the id in your payloads, or let callers send the header x-request-id. With n8n:data, a trace finds any other value too, but has to read more executions.",
    );
  };
  return await attempt("requests carry ids", body, () => UNKNOWN);
}

/** @throws ObserverError `RATE_LIMITED` */
export async function checkSaved(read: () => Promise<UnsavedWorkflows | null>): Promise<Check> {
  return await attempt("executions are saved", async () => {
    const unsaved = await read();
    if (unsaved === null) return UNKNOWN;
    const { named, sawAll } = unsaved;
    const which = sawAll ? "No published workflow" : "None of the published workflows that were read";
    if (named.length === 0) return pass(`${which} has saving of executions turned off.`);
    const names = named.slice(0, MAX_NAMES).map(({ workflowName }) => displayName(workflowName));
    const more = named.length > MAX_NAMES ? ", …" : "";
    return warning(
      `n8n does not save, or does not show, all executions of ${names.join(", ")}${more}.`,
      "Executions that n8n does not save, and runs of workflows on engine v2, cannot be found. In the workflow's settings, set Save failed production executions and Save successful production executions to Save.",
    );
  });
}
