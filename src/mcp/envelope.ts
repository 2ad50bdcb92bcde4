/**
 * The one shape of every answer:
 * `{ status: "success", message, data, meta }` or `{ status: "error", data: { code, message, details }, meta }`.
 */
import * as z from "zod";
import type { ObserverError } from "../platform/errors.ts";

/** The codes are not listed: every tool would list them again, for a hundred tokens each. */
const errorData = z.looseObject({
  code: z.string(),
  message: z.string(),
  details: z.looseObject({ solution: z.string() }),
});

const meta = z.looseObject({ timestamp: z.string() });

/** The output schema of a tool: its own data on success, the error's on failure. */
export function envelopeSchema(data: z.ZodObject): z.ZodObject {
  return z.looseObject({
    status: z.enum(["success", "error"]),
    message: z.string().optional(),
    data: z.union([data, errorData]),
    meta,
  });
}

export interface Envelope {
  readonly status: "success" | "error";
  readonly message?: string;
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

export function successEnvelope(message: string, data: unknown, meta: Envelope["meta"]): Envelope {
  return { status: "success", message, data, meta };
}

export function errorEnvelope(error: ObserverError, meta: Envelope["meta"]): Envelope {
  return {
    status: "error",
    data: { code: error.code, message: error.message, details: error.details },
    meta,
  };
}
