/** The operator's status report on the whole server. */
import { reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { statusReport } from "../../../scripts/operator/operator-client.ts";
import { VERSION } from "../../../src/platform/version.ts";
import { mcpPost, toolCall } from "../../support/mcp-post.ts";
import { HOST } from "../mcp-call.ts";
import { resetAfterEach } from "../reset.ts";
import { N8N_API_KEY, PASSPHRASE, PUBLIC_URL, SERVICE_TOKEN } from "../secrets.ts";
import { askOperator, findEntry, send, sendWith } from "./client.ts";

/** Lines of earlier calls are stored by then. */
const UNTIL_STORED_MS = 300;

beforeEach(async () => {
  await scheduler.wait(UNTIL_STORED_MS);
  await reset();
});

resetAfterEach();

const status = async (response: Response) => statusReport.parse(await response.json());

async function callTool(args: object): Promise<void> {
  const init = mcpPost(SERVICE_TOKEN.readOnly, toolCall("get_execution", args), HOST);
  const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, init);
  await response.text();
}

test("the status contains version, settings, the last day and each index, without asking n8n", async () => {
  await callTool({ id: "34" });
  await callTool({ id: "999999" });
  await findEntry({ event: "tool_call", outcome: "EXECUTION_NOT_FOUND" });
  const asked = vi.spyOn(globalThis, "fetch");
  const answer = await status(await send(askOperator("status")));
  expect(answer).toMatchObject({
    version: VERSION,
    settingProblems: [],
    lastDay: { calls: { success: 1, EXECUTION_NOT_FOUND: 1 }, signIns: {} },
    indexes: [{ instance: "default" }],
  });
  expect(asked).not.toHaveBeenCalled();
});

test("wrong settings are named with a solution, without their values", async () => {
  const response = await sendWith(
    { REDACT_PATTERNS: "canary-4711(", N8N_BASE_URL: "" },
    askOperator("status"),
  );
  const text = await response.clone().text();
  const { settingProblems, indexes } = await status(response);
  expect(settingProblems.map(({ setting }) => setting).toSorted()).toEqual([
    "N8N_BASE_URL",
    "REDACT_PATTERNS",
  ]);
  expect(indexes).toEqual([]);
  for (const secret of ["canary-4711", N8N_API_KEY, PASSPHRASE]) expect(text).not.toContain(secret);
});

test("the status is available only to the operator, by POST", async () => {
  const stranger = { headers: { Authorization: `Bearer ${SERVICE_TOKEN.readAndData}` } };
  expect((await send(askOperator("status", {}, stranger))).status).toBe(401);
  expect((await send(askOperator("status", {}, { method: "GET" }))).status).toBe(404);
  expect((await send(askOperator("status", { more: 1 }))).status).toBe(400);
});
