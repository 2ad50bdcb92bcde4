/** Parameters and output shapes that several tools share. Descriptions say where to get the value. */
import * as z from "zod";
import type { Guidance } from "../mcp/define-tool.ts";
import { EXECUTION_STATUSES } from "../n8n/schemas.ts";
import { ObserverError } from "../platform/errors.ts";
import { TIME_BUDGET_MS } from "../platform/time-limits.ts";

/** As many as fit into an answer: what is cut from a page there does not come with the next cursor. */
const MAX_PAGE = 100;

export const executionId = z
  .string()
  .regex(/^[1-9]\d{0,18}$/, "must be an execution id: digits only")
  .describe("Execution id: digits, from trace_request or get_workflow_executions");

export const workflowId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a workflow id: letters, digits, _ and -")
  .describe("Workflow id, from list_workflows");

export const workflowName = z
  .string()
  .min(1, "must not be empty")
  .max(256, "must be at most 256 characters")
  .describe("Workflow name instead of the id; must fit exactly one workflow");

// As a check, not as a pattern: that would cost every model its tokens.
export const projectId = z
  .string()
  .refine((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id), "must be a project id: letters, digits, _ and -")
  .describe("From get_workflow");

export const nodeName = z
  .string()
  .min(1, "must not be empty")
  .max(256, "must be at most 256 characters")
  .describe("Node name, from availableNodes of get_execution");

/** n8n takes a cursor of another list for none and begins anew without a word; this refuses it. */
const cursorWith = (member: string): z.ZodString =>
  z
    .string()
    .max(1_000, "must be a nextCursor of an earlier answer")
    .refine((value) => isCursor(value, member), "must be a nextCursor of an earlier answer of this tool")
    .describe("nextCursor of the last answer, to go on");

export const executionCursor = cursorWith("lastId");
export const workflowCursor = cursorWith("offset");

export const pageLimit = (fallback: number): z.ZodDefault<z.ZodNumber> =>
  z
    .number()
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(MAX_PAGE, `must be at most ${MAX_PAGE}`)
    .default(fallback)
    .describe(`How many`);

/** The same page, as long as it fits: nextCursor would pass over what did not. */
export function smallerPage(tool: string, input: Readonly<Record<string, unknown>>, fits: number): Guidance {
  return {
    message: "The same page, as far as it fits. Go on with its nextCursor, not with this one.",
    example: `${tool}(${JSON.stringify({ ...input, limit: Math.max(1, fits) })})`,
  };
}

export const status = z.enum(EXECUTION_STATUSES);

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** An ISO 8601 date or time; without a zone it is UTC. */
export const isoDate = z
  .string()
  .refine(
    (value) => ISO_DATE.test(value) && !Number.isNaN(Date.parse(inUtc(value))),
    "must be an ISO 8601 date",
  )
  .describe("ISO 8601, for example 2026-11-20T08:00:00Z");

function inUtc(value: string): string {
  return /T/.test(value) && !/(Z|[+-]\d{2}:?\d{2})$/.test(value) ? `${value}Z` : value;
}

/** n8n's cursors are base64 of a small JSON object. */
function isCursor(value: string, member: string): boolean {
  try {
    const decoded: unknown = JSON.parse(atob(value));
    return typeof decoded === "object" && decoded !== null && Object.hasOwn(decoded, member);
  } catch {
    // Not base64, or not JSON.
    return false;
  }
}

export interface DateWindow {
  readonly startedAfter: string | undefined;
  readonly startedBefore: string | undefined;
}

/** Both ends as full ISO 8601 in UTC. @throws ObserverError when they are reversed */
export function toDateWindow(after: string | undefined, before: string | undefined): DateWindow {
  const normalize = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : new Date(inUtc(value)).toISOString();
  const window = { startedAfter: normalize(after), startedBefore: normalize(before) };
  if (
    window.startedAfter !== undefined &&
    window.startedBefore !== undefined &&
    window.startedAfter > window.startedBefore
  ) {
    throw new ObserverError("VALIDATION_ERROR", "startedAfter is later than startedBefore.", {
      field: "startedAfter",
      expected: "a time before startedBefore",
      solution: "Exchange the two, and call again.",
    });
  }
  return window;
}

/** What an answer about one execution says of it, whatever else it says. */
export const executionFacts = {
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  status: z.string(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  duration: z.number().nullable(),
};

export const guidance = z.looseObject({ message: z.string(), example: z.string() });

export const failure = z.looseObject({
  nodeName: z.string().nullable(),
  message: z.string(),
  name: z.string().optional(),
  httpCode: z.string().optional(),
  hasOwnText: z.boolean().optional(),
});

/** Time bounds a call, not a number: so much no call reads in a minute. */
const MAX_SCAN = 50_000;

export const scanLimit = z
  .number()
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(MAX_SCAN, `must be at most ${MAX_SCAN}`)
  .default(MAX_SCAN)
  .describe(`Most executions to read in this call`);

export const timeBudgetMs = z
  .number()
  .int("must be a whole number")
  .min(TIME_BUDGET_MS.least, `must be at least ${TIME_BUDGET_MS.least}`)
  .max(TIME_BUDGET_MS.most, `must be at most ${TIME_BUDGET_MS.most}`)
  .default(TIME_BUDGET_MS.usual)
  .describe("Longest time to read, in milliseconds; then the answer says how to go on");

/** How far a scan has looked. */
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
