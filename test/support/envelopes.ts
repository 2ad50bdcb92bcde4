/** Reads answers, and checks what holds for every answer. */
import { expect } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/platform/errors.ts";

const errorData = z.strictObject({
  code: z.enum(ERROR_CODES),
  message: z.string().min(10),
  details: z.looseObject({ solution: z.string().min(10) }),
});
export type ErrorData = z.infer<typeof errorData>;

const meta = z.looseObject({ timestamp: z.iso.datetime() });

/** The data of a successful answer, parsed with the test's schema. */
export function dataOf<T extends z.ZodType>(envelope: Envelope, schema: T): z.infer<T> {
  expect(envelope, JSON.stringify(envelope).slice(0, 500)).toMatchObject({ status: "success" });
  meta.parse(envelope.meta);
  return schema.parse(envelope.data);
}

const guided = z.looseObject({ _guidance: z.looseObject({ example: z.string() }) });

interface SuggestedCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** The call that an answer suggests. @throws ZodError where it suggests none */
export function suggestedCall({ data }: { readonly data?: unknown }): SuggestedCall {
  const [, tool = "", args = ""] = /^(\w+)\((.*)\)$/s.exec(guided.parse(data)._guidance.example) ?? [];
  return { tool, args: z.record(z.string(), z.unknown()).parse(JSON.parse(args)) };
}

/** The error of an answer, which must have the common shape of errors. */
export function errorOf(envelope: Envelope, code?: ErrorCode): ErrorData {
  expect(Object.keys(envelope).sort()).toEqual(["data", "meta", "status"]);
  expect(envelope.status).toBe("error");
  meta.parse(envelope.meta);
  const data = errorData.parse(envelope.data);
  if (code !== undefined) expect(data.code, JSON.stringify(data)).toBe(code);
  return data;
}
