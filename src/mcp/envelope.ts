/** The shape of every answer: `{ status: "success", message, data, meta }`, or `status: "error"` with its own `data`. */
import * as z from "zod";
import type { ObserverError } from "../platform/errors.ts";
import { memoizeByObject } from "../platform/memoize.ts";

/** Codes and members of `details` (`ErrorDetails`) are omitted, because every tool would repeat them. */
const errorData = z.looseObject({ code: z.string(), message: z.string(), details: z.looseObject({}) });

/** The output schema of a tool: its own data on success, the error's on failure. Each answer is checked with it. */
export const envelopeSchema = memoizeByObject((data: z.ZodObject) =>
  z.looseObject({
    status: z.enum(["success", "error"]),
    message: z.string().optional(),
    data: z.union([data, errorData]),
    meta: z.looseObject({ timestamp: z.string() }),
  }),
);

export interface Envelope {
  readonly status: "success" | "error";
  readonly message?: string;
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** ISO 8601, in whole seconds. */
export const toTimestamp = (epochMs: number): string =>
  new Date(epochMs).toISOString().replace(/\.\d+Z$/, "Z");

export const errorEnvelope = (
  { code, message, details }: ObserverError,
  meta: Envelope["meta"],
): Envelope => ({ status: "error", data: { code, message, details }, meta });
