/** The answers of n8n instances about one request, before they are merged. Pure. */
import * as z from "zod";
import type { ObserverError } from "../../platform/errors.ts";
import { guidance } from "../params.ts";
import { OUTCOMES } from "../request-tree.ts";
import { wholeCoverage } from "./lean-coverage.ts";

/** The members of an answer of `trace_request` that a merged answer needs. */
export const tracePart = z.looseObject({
  requestId: z.string(),
  found: z.boolean(),
  outcome: z.enum(OUTCOMES),
  failure: z.looseObject({ executionId: z.string() }).nullable(),
  startedAt: z.string().nullable(),
  executionUrl: z.string().optional(),
  executions: z.array(z.looseObject({ id: z.string(), workflowId: z.string() })),
  coverage: wholeCoverage.extend({ error: z.looseObject({ code: z.string() }).optional() }),
  _guidance: guidance,
});
export type TracePart = z.infer<typeof tracePart>;

export interface Answered {
  readonly instance: string;
  readonly message: string;
  /** The tool's data. */
  readonly data: object;
  /** The members of it that a merged answer needs. */
  readonly part: TracePart;
}

export interface Refused {
  readonly instance: string;
  readonly error: ObserverError;
  /** The error, with the name of the instance in its message. */
  readonly reported: ObserverError;
}

/** The answer of one instance, or its error. */
export type Asked = Answered | Refused;
