/**
 * The tools that the suite's scenarios call by name. They are made with `defineTool` like every tool of ours,
 * so that a scenario passes through the same handler and the same boundary.
 */
import * as z from "zod";
import { type CallContext, defineTool, type Tool } from "../../../src/mcp/define-tool.ts";
import { ObserverError } from "../../../src/platform/errors.ts";

const nothing = z.strictObject({});
const done = z.looseObject({ done: z.boolean() });
const COMMON = { scope: "n8n:read", maxTokens: 1_000, audited: {}, output: done } as const;

const simpleText = defineTool({
  name: "test_simple_text",
  title: "Simple text",
  description: "Returns a text.",
  ...COMMON,
  input: nothing,
  run: async () => ({ message: "This is a simple text response for testing.", data: { done: true } }),
});

const errorHandling = defineTool({
  name: "test_error_handling",
  title: "Error",
  description: "Always fails.",
  ...COMMON,
  input: nothing,
  run: async () => {
    throw new ObserverError("N8N_UNREACHABLE", "This tool intentionally returns an error for testing.", {
      solution: "None: it always fails.",
    });
  },
});

const PROGRESS_STEPS = [0, 50, 100];

const toolWithProgress = defineTool({
  name: "test_tool_with_progress",
  title: "Progress",
  description: "Reports progress three times.",
  ...COMMON,
  input: nothing,
  run: async (_input, { progress, clock }) => {
    for (const step of PROGRESS_STEPS) {
      await progress(step, `Completed step ${step} of 100.`);
      await clock.sleep(50);
    }
    return { message: "Three steps were reported.", data: { done: true } };
  },
});

/** Has the keywords of JSON Schema 2020-12 that the suite looks for (SEP-1613, SEP-2106). */
const jsonSchema = defineTool({
  name: "json_schema_2020_12_tool",
  title: "JSON Schema 2020-12",
  description: "Has an input schema with keywords of JSON Schema 2020-12.",
  ...COMMON,
  input: z
    .strictObject({
      name: z.string().optional(),
      contactMethod: z.enum(["phone", "email"]).optional(),
      phone: z.string().optional(),
      email: z.string().optional(),
    })
    .meta({
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
      then: { required: ["phone"] },
      else: { required: ["email"] },
    }),
  run: async () => ({ message: "Only the schema matters.", data: { done: true } }),
});

/** A parameter that clients repeat in a header, `Mcp-Param-Region` (SEP-2243). */
const headerParameter = defineTool({
  name: "test_header_parameter",
  title: "Parameter in a header",
  description: "Has a parameter that clients send as a header too.",
  ...COMMON,
  input: z.strictObject({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
  run: async () => ({ message: "The header agreed with the argument.", data: { done: true } }),
});

export const FIXTURE_TOOLS: readonly Tool<CallContext>[] = [
  simpleText,
  errorHandling,
  toolWithProgress,
  jsonSchema,
  headerParameter,
];
