/**
 * The one shape of every answer:
 * `{ status: "success", message, data, meta }` or `{ status: "error", data: { code, message, details }, meta }`.
 */
import * as z from "zod";
import type { ObserverError } from "../platform/errors.ts";

/**
 * Neither the codes are listed nor the members of `details`, of which `ErrorDetails` tells: every tool would
 * list them again.
 */
const errorData = z.looseObject({
  code: z.string(),
  message: z.string(),
  details: z.looseObject({}),
});

const meta = z.looseObject({ timestamp: z.string() });

/** Made once for each tool: each answer is checked by it. */
const envelopeSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** The output schema of a tool: its own data on success, the error's on failure. */
export function envelopeSchema(data: z.ZodObject): z.ZodObject {
  const known = envelopeSchemas.get(data);
  if (known !== undefined) return known;
  const schema = z.looseObject({
    status: z.enum(["success", "error"]),
    message: z.string().optional(),
    data: z.union([data, errorData]),
    meta,
  });
  envelopeSchemas.set(data, schema);
  return schema;
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
