/** Who is shown what an error says in its own words, on a running Worker and the recorded n8n. */

import { expect, test } from "vitest";
import * as z from "zod";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { readMessage, toolCall } from "../support/mcp-post.ts";
import { askMcp, N8N } from "./mcp-call.ts";
import { SERVICE_TOKEN } from "./secrets.ts";

/** It failed in code that throws a text with a bearer token in it. */
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

test("nobody without n8n:data, who is told that there is one", async () => {
  for (const ERROR_TEXT of ["", "data"]) {
    const told = await summaryFor(SERVICE_TOKEN.readOnly, { ERROR_TEXT });
    expect(told).toContain('"hasOwnText":true');
    expect(told).not.toContain("INVALID_DATE_RANGE");
  }
});

test.each([
  ["who may see data", SERVICE_TOKEN.readAndData, {}],
  ["everybody, where the operator says so", SERVICE_TOKEN.readOnly, { ERROR_TEXT: "read" }],
])("%s, without the secrets in it", async (_who, token, settings) => {
  const told = await summaryFor(token, settings);
  expect(told).toContain(THROWN);
  expect(told).toContain("[REDACTED:bearer#1]");
  expect(told).not.toMatch(canaryPattern);
});

test("nobody at all while the setting is malformed", async () => {
  const told = await summaryFor(SERVICE_TOKEN.readAndData, { ERROR_TEXT: "all" });
  expect(told).toContain("CONFIGURATION_ERROR");
  expect(told).not.toContain("INVALID_DATE_RANGE");
});
