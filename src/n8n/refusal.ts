/**
 * Reads why n8n refused a request with a 400: which parameter it does not accept, and which values it would accept.
 * n8n's own text is not passed on: only names and values that are known here are taken from it. Pure.
 */
import * as z from "zod";
import { parsedJson } from "../json/members.ts";
import { ObserverError } from "../platform/errors.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "./schemas.ts";

const PARAMETERS = [
  "status",
  "startedAfter",
  "startedBefore",
  "redactExecutionData",
  "limit",
  "cursor",
] as const;

const refusal = z.object({
  /** Null when n8n names no parameter, or one that this server never sends. */
  parameter: z.enum(PARAMETERS).nullable(),
  isUnknown: z.boolean(),
  /** The values that n8n accepts for `status`. */
  allowed: z.array(z.enum(EXECUTION_STATUSES)),
});
export type Refusal = z.infer<typeof refusal>;

const refusalBody = z.looseObject({ message: z.string() });

/** Members of the errors of hosts, gateways and proxies (Railway, Kong, Cloudflare, Google Cloud): n8n's have none. */
const OF_OTHERS = /^(?:code|status(?:Code)?|error(?:_code)?|request_?id|type|title)$/i;

/** True if the body has the form of n8n's own errors. */
export function isOfN8n(body: string): boolean {
  const { data } = refusalBody.safeParse(parsedJson(body));
  return data !== undefined && !Object.keys(data).some((member) => OF_OTHERS.test(member));
}

/** `request/query/status must be equal to one of …`, `Unknown query parameter 'startedAfter'` */
const NAMED = /^(?:request\/query\/(\w+) (.*)|Unknown query parameter '(\w+)')$/s;

export function readRefusal(body: string): Refusal {
  // A body that is not JSON only tells that n8n refused the request.
  const { message = "" } = refusalBody.safeParse(parsedJson(body)).data ?? {};
  const [, malformed, problem = "", unknown] = NAMED.exec(message) ?? [];
  const parameter = PARAMETERS.find((one) => one === (malformed ?? unknown)) ?? null;
  return {
    parameter,
    isUnknown: unknown !== undefined,
    allowed: parameter === "status" ? statusesIn(problem) : [],
  };
}

function statusesIn(text: string): ExecutionStatus[] {
  const words = new Set(text.match(/[a-z]+/g));
  // The first words are n8n's sentence; none of them is a status.
  return EXECUTION_STATUSES.filter((status) => words.has(status));
}

const details = z.object({ httpStatus: z.literal(400), refused: refusal });

/** What n8n refused; undefined for any other failure. */
export const refusalOf = (error: unknown): Refusal | undefined =>
  error instanceof ObserverError ? details.safeParse(error.details).data?.refused : undefined;
