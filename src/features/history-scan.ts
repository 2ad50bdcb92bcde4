/** Shared by tools that search the history: window and limits of a scan, and its coverage in an answer. */
import * as z from "zod";
import type { HistoryFailures } from "../history/digest/failure-query.ts";
import { iso } from "../history/digest/run.ts";
import type { StopFacts } from "../history/scan/stop-facts.ts";
import { counted } from "../platform/counted.ts";
import { TIME_BUDGET_MS } from "../platform/time-limits.ts";
import { findWorkflowId, type NamedWorkflow } from "./find-workflow.ts";
import {
  type DateWindow,
  startedWithin,
  toDateWindow,
  wholeNumber,
  workflowId,
  workflowName,
} from "./params.ts";
import type { ToolContext } from "./tool-context.ts";

/** More than a call can read in a minute, so that time is the effective limit. */
export const MAX_SCAN = 50_000;

export const windowArguments = {
  workflowId: workflowId.optional(),
  workflowName: workflowName.optional(),
  ...startedWithin,
};

export const scanLimit = wholeNumber(1, MAX_SCAN)
  .default(MAX_SCAN)
  .describe("Most executions to read in this call");

export const timeBudgetMs = wholeNumber(TIME_BUDGET_MS.least, TIME_BUDGET_MS.most)
  .default(TIME_BUDGET_MS.usual)
  .describe("Longest time to read, in milliseconds; then the answer says how to continue");

/** @throws ObserverError for a wrong window, an unknown workflow, `CONFIGURATION_ERROR`, or an `N8N_…` code */
export async function windowOf(input: NamedWorkflow & Partial<DateWindow>, context: ToolContext) {
  const { startedAfter = null, startedBefore = null } = toDateWindow(input.startedAfter, input.startedBefore);
  return { workflowId: (await findWorkflowId(input, context)) ?? null, startedAfter, startedBefore };
}

export const coverage = z.looseObject({
  scannedExecutions: z.number(),
  readNow: z.number(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  gaps: z.number().nullable(),
  oldestId: z.string().nullable(),
  complete: z.boolean(),
  stoppedBy: z.string(),
  skipped: z.array(z.looseObject({ executionId: z.string().nullable(), reason: z.string() })),
});

/** The failure that stopped a scan early, in an answer that reports a result nonetheless. */
export function toScanError(stop: StopFacts) {
  if (!("error" in stop)) return undefined;
  const { code, message, details } = stop.error;
  return { code, message, solution: details.solution };
}

/** Empty when nothing failed. */
export function whyItStopped(stop: StopFacts): string {
  if (!("error" in stop)) return "";
  if (stop.reason === "storage")
    return "The storage of this server is full, so nothing was requested from n8n";
  return stop.error.code === "RATE_LIMITED"
    ? "The scan stopped early, because n8n has too many requests right now (RATE_LIMITED)"
    : `n8n failed before the scan ended (${stop.error.code})`;
}

/** How n8n keeps a number that was written otherwise, or is above 2^53; empty for other texts. */
export function storedNumberSentence(text: string): string {
  const kept = /^-?(?:0|[1-9]\d{0,299})(?:\.\d+)?$/.test(text) ? String(Number(text)) : text;
  return kept === text ? "" : ` As a JSON number, n8n keeps it as ${kept}.`;
}

/** What a caller does about a window that was not read to its start. */
export const howToReadOn = (stop: StopFacts): string =>
  stop.reason === "removed"
    ? "the history index has no room for anything older; a shorter window can be read whole"
    : "the rest was not read in time; call again to continue";

export const editorRunsSentence = (runs: number): string =>
  runs === 0 ? "" : ` ${counted(runs, "run")} from the editor ${runs === 1 ? "is" : "are"} not counted.`;

type ScanCompleteness = Pick<HistoryFailures, "knownAsOf" | "isOutdated" | "lacksUnknown" | "stop">;

/** Why counts may be too low: n8n, or a part of it, was not read for this answer. Empty when all was read. */
export function knownAsOfSentence({ knownAsOf, isOutdated, lacksUnknown, stop }: ScanCompleteness): string {
  const missing = [
    isOutdated ? " Some executions were not looked at again and count as they were before: call again." : "",
    lacksUnknown ? " Executions in a form that this server does not know are not counted." : "",
  ].join("");
  if (knownAsOf === null) return missing;
  const known = knownAsOf.at === null ? "before" : `at ${iso(knownAsOf.at)}`;
  const why = "error" in stop ? "n8n could not be asked" : "new executions were not read in time";
  return `${missing} This is what was known ${known}: ${why}; call again.`;
}
