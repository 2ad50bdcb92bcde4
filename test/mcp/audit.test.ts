/** The audit of calls records ids and outcomes, and nothing that a caller or n8n wrote. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AUDITED_IDS,
  activityEntry,
  type ToolCallEntry,
  toolCallEntry,
} from "../../src/activity-log/entry.ts";
import { createRequestIdDigest } from "../../src/activity-log/request-id-digest.ts";
import { TOOLS } from "../../src/features/index.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { rawExecutionIds } from "../support/raw-executions.ts";

const REQUEST_ID = "req-deep-failure";
/** The value of every argument. */
const CANARY = "Bearer-of-the-caller-0f8fad5b";

const n8n = await startRecordedN8n();
let caller: Caller;
/** The id of an execution whose data is redacted in part. */
let withSecrets = "";

beforeAll(async () => {
  const looking = createCaller({ settings: settingsFor(n8n) });
  for (const executionId of await rawExecutionIds(n8n)) {
    const { meta } = await looking.call("get_execution_details", { executionId });
    if (meta.redactions !== undefined) withSecrets = executionId;
    if (withSecrets !== "") break;
  }
});
beforeEach(() => {
  caller = createCaller({ settings: settingsFor(n8n) });
});
afterAll(async () => await n8n.close());

const lines = (): ToolCallEntry[] => caller.audit.map((line) => toolCallEntry.parse(line));

function lastLine(): ToolCallEntry {
  const line = lines().at(-1);
  if (line === undefined) throw new Error("no call was audited");
  return line;
}

describe("a call", () => {
  test("has a line when it starts and one when it has ended", async () => {
    await caller.call("get_execution", { id: "34" });
    const [first, second] = lines();
    expect(first).toMatchObject({ outcome: "unfinished", bytesRead: 0, ids: { executionId: "34" } });
    expect(second).toMatchObject({
      event: "tool_call",
      userId: "user",
      clientId: "client",
      tool: "get_execution",
      ids: { executionId: "34" },
      outcome: "success",
    });
    expect(second?.callId).toBe(first?.callId);
    expect(second?.bytesRead).toBeGreaterThan(1_000);
    expect(lines()).toHaveLength(2);
  });

  test("that compares has both executions in its line", async () => {
    await caller.call("compare_executions", { id: "34", against: "36" });
    expect(lastLine().ids).toEqual({ executionId: "34 36" });
  });

  test("records what was redacted in its own answer", async () => {
    const { meta } = await caller.call("get_execution_details", { executionId: withSecrets });
    expect(Object.keys(lastLine().redactions).length).toBeGreaterThan(0);
    expect(lastLine().redactions).toEqual(meta.redactions);
    await caller.call("list_workflows", {});
    expect(lastLine()).toMatchObject({ redactions: {}, ids: {} });
  });

  test.each([
    ["get_execution", { id: "999999" }, "EXECUTION_NOT_FOUND", { executionId: "999999" }],
    ["get_execution", { id: CANARY }, "VALIDATION_ERROR", {}],
    ["no_such_tool", { id: "34" }, "TOOL_NOT_FOUND", {}],
  ])("%s %j ends with %s", async (tool, args, outcome, ids) => {
    await caller.call(tool, args);
    expect(lastLine()).toMatchObject({ outcome, ids });
  });

  test("of an unknown tool does not quote its name", async () => {
    await caller.call(CANARY);
    expect(lastLine()).toMatchObject({ tool: "unknown" });
  });

  test("without the scope is recorded as well", async () => {
    const reader = createCaller({ settings: settingsFor(n8n), scopes: ["n8n:read"] });
    await reader.call("get_execution_by_node", { id: "34", nodeName: "Fetch Rate" });
    expect(reader.audit.at(-1)).toMatchObject({ outcome: "INSUFFICIENT_SCOPE", bytesRead: 0 });
  });
});

describe("a request id", () => {
  test("is kept as a digest, which can be found by the id", async () => {
    await caller.call("trace_request", { requestId: `  ${REQUEST_ID} ` });
    const digest = createRequestIdDigest(settingsFor(n8n))(REQUEST_ID);
    expect(lastLine().ids).toEqual({ requestIdDigest: digest });
    expect(digest).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify(caller.audit)).not.toContain(REQUEST_ID);
  });

  test("has another digest under another key, and none without a key", () => {
    const digestWith = (apiKey: string) =>
      createRequestIdDigest({ N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: apiKey })(REQUEST_ID);
    expect(digestWith("one-key-of-n8n")).not.toBe(digestWith("another-key-of-n8n"));
    expect(createRequestIdDigest({})(REQUEST_ID)).toBeUndefined();
  });
});

describe("no line contains", () => {
  test("text of the caller, in any argument", async () => {
    for (const tool of TOOLS) {
      for (const name of Object.keys(tool.input.shape)) await caller.call(tool.name, { [name]: CANARY });
      const all = Object.fromEntries(Object.keys(tool.input.shape).map((name) => [name, CANARY]));
      await caller.call(tool.name, all);
    }
    await caller.call("search_executions", { text: CANARY });
    await caller.call("search_executions", { path: "customer.email", value: CANARY });
    await caller.call("trace_request", { requestId: CANARY });
    await caller.call("get_execution_by_node", { id: "34", nodeName: CANARY });
    expect(caller.audit.length).toBeGreaterThan(TOOLS.length);
    // The id of a workflow or project may be any 64 letters, digits, _ and -, so it may be the caller's text.
    const others = caller.audit.map((line) =>
      line.event === "tool_call" ? { ...line, ids: { ...line.ids, workflowId: "", projectId: "" } } : line,
    );
    expect(JSON.stringify(others)).not.toContain(CANARY);
  });

  test("a payload, a name or a secret of n8n's", async () => {
    await caller.call("get_execution_details", { executionId: withSecrets });
    await caller.call("search_executions", { text: "orders" });
    await caller.call("trace_request", { requestId: REQUEST_ID });
    const text = JSON.stringify(caller.audit);
    expect(text).not.toMatch(canaryPattern);
    expect(text).not.toMatch(/orders|Rate|sku|SWF_/);
    expect(text).not.toContain(n8n.apiKey);
  });
});

test("each tool names its arguments that are ids", () => {
  for (const { name, audited, input } of TOOLS) {
    for (const [argument, as] of Object.entries(audited)) {
      expect(Object.keys(input.shape), name).toContain(argument);
      expect(AUDITED_IDS, name).toContain(as);
    }
    // The execution to compare with is an id, too; for a workflow, `against` may be its text.
    const isAgainst = (argument: string): boolean => argument === "against" && name === "compare_executions";
    const looksLikeAnId = Object.keys(input.shape).filter(
      (argument) => /^id$|Id$/.test(argument) || isAgainst(argument),
    );
    expect(Object.keys(audited).sort(), name).toEqual(looksLikeAnId.sort());
  }
});

describe("an activity entry", () => {
  const line = {
    event: "sign_in",
    time: "2026-11-20T08:00:00.000Z",
    outcome: "signed_in",
    via: "passphrase",
    userId: "owner",
  } as const;

  test("has a shortened client name without invisible characters", () => {
    const parsed = activityEntry.parse({ ...line, clientName: `Cla\u202eude\u0007${"x".repeat(500)}` });
    expect(parsed.clientName).toHaveLength(80);
    expect(parsed.clientName?.startsWith("Claudex")).toBe(true);
  });

  test.each([
    ["an unknown member", { token: "secret" }],
    ["a user id with a colon", { userId: "user:grant:secret" }],
    ["a reason in words", { reason: "Because the address ada@example.com is not listed" }],
    ["an unknown outcome", { outcome: "hacked" }],
  ])("is rejected with %s", (_what, change) => {
    expect(activityEntry.safeParse({ ...line, ...change }).success).toBe(false);
  });
});
