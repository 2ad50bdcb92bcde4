/** The shape of every answer: `{ status: "success", message, data, meta }`, or `status: "error"` with its own `data`. */
import * as z from "zod";
import type { ObserverError } from "../platform/errors.ts";

/** Codes and members of `details` (`ErrorDetails`) are omitted, because every tool would repeat them. */
const errorData = z.looseObject({ code: z.string(), message: z.string(), details: z.looseObject({}) });

/** Cached per tool, because each answer is checked with it. */
const envelopeSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** The output schema of a tool: its own data on success, the error's on failure. */
export function envelopeSchema(data: z.ZodObject): z.ZodObject {
  const known = envelopeSchemas.get(data);
  if (known !== undefined) return known;
  const schema = z.looseObject({
    status: z.enum(["success", "error"]),
    message: z.string().optional(),
    data: z.union([data, errorData]),
    meta: z.looseObject({ timestamp: z.string() }),
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

export function errorEnvelope({ code, message, details }: ObserverError, meta: Envelope["meta"]): Envelope {
  return { status: "error", data: { code, message, details }, meta };
}
