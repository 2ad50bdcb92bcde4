/** Arguments and answer members that several tools share. Descriptions say where to get a value. */
import * as z from "zod";
import { withoutSurroundings } from "../history/request-ids/pasted-text.ts";
import type { Guidance } from "../mcp/define-tool.ts";
import { EXECUTION_STATUSES, isEngineV2Run } from "../n8n/schemas.ts";
import { counted } from "../platform/counted.ts";
import { ObserverError } from "../platform/errors.ts";

export const wholeNumber = (least: number, most: number): z.ZodNumber =>
  z
    .number()
    .int("must be a whole number")
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

/** Text with length limits, as checks: `minLength` and `maxLength` in the schema would cost every client tokens. */
export const text = (least: number, most: number): z.ZodString =>
  z
    .string()
    .refine(
      ({ length }) => length >= least,
      least === 1 ? "must not be empty" : `must be at least ${counted(least, "character")}`,
    )
    .refine(({ length }) => length <= most, `must be at most ${counted(most, "character")}`);

const IS_ENGINE_V2_RUN =
  "must be digits: a UUID is a run of n8n's engine v2, and n8n's public API shows none of them";

export const executionId = z
  .string()
  .regex(/^[1-9]\d{0,18}$/, {
    error: ({ input }) =>
      isEngineV2Run(String(input)) ? IS_ENGINE_V2_RUN : "must be an execution id: digits only",
  })
  .describe("Execution id: digits, from trace_request or get_workflow_executions");

/** A request id, or another value that identifies a request: `formOf` distinguishes them. */
export const requestId = z
  .string()
  .overwrite(withoutSurroundings)
  .min(1, "must not be empty")
  .max(512, "must be at most 512 characters")
  .refine((value) => !isEngineV2Run(/^execution:\s*(.*)$/i.exec(value)?.[1] ?? ""), IS_ENGINE_V2_RUN);

export const workflowId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a workflow id: letters, digits, _ and -")
  .describe("Workflow id, from list_workflows");

export const workflowName = text(1, 256).describe(
  "Workflow name instead of the id; must fit exactly one workflow",
);

export const projectId = z
  .string()
  .refine((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id), "must be a project id: letters, digits, _ and -")
  .describe("From get_workflow");

export const nodeName = text(1, 256).describe("Node name, from availableNodes of get_execution");

export const status = z.enum(EXECUTION_STATUSES);

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** An ISO 8601 date or time; without a zone it is UTC. */
export const isoDate = z
  .string()
  .refine(
    (value) => ISO_DATE.test(value) && !Number.isNaN(Date.parse(inUtc(value))) && isDay(value.slice(0, 10)),
    "must be an ISO 8601 date that exists",
  )
  .describe("ISO 8601, for example 2026-11-20T08:00:00Z");

/** `Date` takes February 30 for March 2. */
const isDay = (day: string): boolean => new Date(day).toISOString().startsWith(day);

const inUtc = (value: string): string =>
  /T/.test(value) && !/(Z|[+-]\d{2}:?\d{2})$/.test(value) ? `${value}Z` : value;

export const startedWithin = {
  startedAfter: isoDate.optional(),
  startedBefore: isoDate.optional().describe("ISO 8601"),
};

export interface DateWindow {
  readonly startedAfter: string | undefined;
  readonly startedBefore: string | undefined;
}

/** Converts both ends to full ISO 8601 in UTC. @throws ObserverError when they are reversed */
export function toDateWindow(after: string | undefined, before: string | undefined): DateWindow {
  const normalize = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : new Date(inUtc(value)).toISOString();
  const [startedAfter, startedBefore] = [normalize(after), normalize(before)];
  if (startedAfter !== undefined && startedBefore !== undefined && startedAfter > startedBefore) {
    throw new ObserverError("VALIDATION_ERROR", "startedAfter is later than startedBefore.", {
      field: "startedAfter",
      expected: "a time before startedBefore",
      solution: "Swap the two, and call again.",
    });
  }
  return { startedAfter, startedBefore };
}

export const executionFacts = {
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  status: z.string(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  duration: z.number().nullable(),
};

export const guidance = z.looseObject({ message: z.string(), example: z.string() });

export const nextCall = (message: string, tool: string, args: object): Guidance => ({
  message,
  example: `${tool}(${JSON.stringify(args)})`,
});

export const seeWhatRan = (message = "See what ran."): Guidance =>
  nextCall(message, "get_workflow_executions", { limit: 20 });
