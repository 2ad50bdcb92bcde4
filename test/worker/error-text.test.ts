/** Who is shown what an error says in its own words, on a running Worker and the recorded n8n. */
import { env, withEnv } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { askWith } from "./ask-with.ts";
import { N8N_API_KEY, N8N_ORIGIN, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

const N8N = { N8N_BASE_URL: N8N_ORIGIN, N8N_API_KEY };
/** It failed in code that throws a text with a bearer token in it. */
const FAILED = "7";
const THROWN = "INVALID_DATE_RANGE: La fecha de inicio";

const answer = z.object({
  result: z.looseObject({ structuredContent: z.looseObject({ data: z.unknown() }) }),
});

async function summaryFor(token: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const params = { name: "get_execution", arguments: { id: FAILED } };
  const changed = { ...N8N, ...settings };
  const init = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Host: new URL(PUBLIC_URL).host,
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
  const asked = withEnv({ ...env, ...changed }, () => askWith(changed, `${PUBLIC_URL}/mcp`, init));
  const text = await z
    .instanceof(Response)
    .parse(await asked)
    .text();
  const [, event = text] = /^data: (.*)$/m.exec(text) ?? [];
  return JSON.stringify(answer.parse(JSON.parse(event)).result.structuredContent);
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
