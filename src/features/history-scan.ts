/** Shared by tools that search the history: window and limits of a scan, and its coverage in an answer. */
import * as z from "zod";
import type { LastLook } from "../history/digest/cover-window.ts";
import { iso } from "../history/digest/run.ts";
import type { ErrorFacts, StopFacts } from "../history/scan/stop-facts.ts";
import type { TraceWindow } from "../history/store/trace-window.ts";
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
  .describe("Longest time to read, in milliseconds; then the answer says how to go on");

/** @throws ObserverError for a wrong window, an unknown workflow, `CONFIGURATION_ERROR`, or an `N8N_…` code */
export async function windowOf(
  input: NamedWorkflow & Partial<DateWindow>,
  { n8n, clock }: ToolContext,
): Promise<TraceWindow> {
  const { startedAfter = null, startedBefore = null } = toDateWindow(input.startedAfter, input.startedBefore);
  return { workflowId: (await findWorkflowId(n8n(), clock, input)) ?? null, startedAfter, startedBefore };
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

/** Why a scan stopped early, in an answer that reports a result nonetheless. */
export const toScanError = ({ code, message, details }: ErrorFacts) => ({
  code,
  message,
  solution: details.solution,
});

/** Of what `traceInKnown` answers: n8n was not asked. */
const isOfStorage = ({ code }: ErrorFacts): boolean => code === "TOOL_EXECUTION_FAILED";

export const stoppedByError = (error: ErrorFacts): string => (isOfStorage(error) ? "storage" : "n8n");

export function whyItStopped(error: ErrorFacts): string {
  if (isOfStorage(error)) return "The storage of this server is full, so n8n was not asked";
  return error.code === "RATE_LIMITED"
    ? "The scan stopped early, because n8n has too many requests right now (RATE_LIMITED)"
    : `n8n failed before the scan ended (${error.code})`;
}

/** Where n8n was not looked at for this answer, it may lack the newest executions. Empty where it was. */
export function lastLookSentence({
  lastLook,
  stop,
}: {
  readonly lastLook: LastLook;
  readonly stop: StopFacts;
}): string {
  if (lastLook === null) return "";
  const known = lastLook.at === null ? "before" : `at ${iso(lastLook.at)}`;
  const why = stop.reason === "n8n" ? "n8n could not be asked" : "what is new was not read in time";
  return ` This is what was known ${known}: ${why}; call again.`;
}
