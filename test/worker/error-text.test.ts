/** Who may see the text of an error, on a running Worker with the recorded n8n. */
import { expect, test } from "vitest";
import * as z from "zod";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { readMessage, toolCall } from "../support/mcp-post.ts";
import { askMcp, N8N } from "./mcp-call.ts";
import { SERVICE_TOKEN } from "./secrets.ts";

/** An execution that failed in code, throwing a text with a bearer token. */
const FAILED = "7";
const THROWN = "INVALID_DATE_RANGE: La fecha de inicio";

const answer = z.object({
  result: z.looseObject({ structuredContent: z.looseObject({ data: z.unknown() }) }),
});

async function summaryFor(token: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const message = toolCall("get_execution", { id: FAILED });
  const response = await askMcp(message, { token, settings: { ...N8N, ...settings } });
  return JSON.stringify(answer.parse(await readMessage(response)).result.structuredContent);
}

test("a caller without n8n:data learns only that there is an error text", async () => {
  for (const ERROR_TEXT of ["", "data"]) {
    const summary = await summaryFor(SERVICE_TOKEN.readOnly, { ERROR_TEXT });
    expect(summary).toContain('"hasOwnText":true');
    expect(summary).not.toContain("INVALID_DATE_RANGE");
  }
});

test.each([
  ["callers with n8n:data", SERVICE_TOKEN.readAndData, {}],
  ["everybody if the operator allows it", SERVICE_TOKEN.readOnly, { ERROR_TEXT: "read" }],
])("the error text is shown to %s, without its secrets", async (_who, token, settings) => {
  const summary = await summaryFor(token, settings);
  expect(summary).toContain(THROWN);
  expect(summary).toContain("[REDACTED:bearer#1]");
  expect(summary).not.toMatch(canaryPattern);
});

test("nobody sees the error text while the setting is malformed", async () => {
  const summary = await summaryFor(SERVICE_TOKEN.readAndData, { ERROR_TEXT: "all" });
  expect(summary).toContain("CONFIGURATION_ERROR");
  expect(summary).not.toContain("INVALID_DATE_RANGE");
});
