/**
 * The main job over HTTP, with real MCP clients: the Worker in workerd, the recorded n8n behind it, OAuth
 * in front. Each kind of client traces a request, and goes on to the failing node.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { type AgentClient, connectFirst, connectModern } from "../support/agent-client.ts";
import { mcpPost, readMessage, toolCall } from "../support/mcp-post.ts";
import { signIn } from "../support/oauth-client.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { PASSPHRASE, SERVICE_TOKEN } from "../support/test-worker.ts";

const server = useRecordedWorker();

beforeEach(() => {
  server.n8n.requests.length = 0;
});

const trace = z.looseObject({
  found: z.boolean(),
  outcome: z.string(),
  failure: z
    .looseObject({ executionId: z.string(), workflowName: z.string(), nodeName: z.string() })
    .nullable(),
  executions: z.array(z.looseObject({ id: z.string(), role: z.string() })),
  traceId: z.string(),
});

/** A window with everything that was recorded. */
const WHOLE_WINDOW = { startedAfter: "2026-01-01", compare: false };
const counted = z.looseObject({
  totals: z.looseObject({ count: z.number(), failures: z.number() }),
  groups: z.array(z.looseObject({ host: z.string().nullish(), count: z.number() })),
});
const sum = (groups: readonly { readonly count: number }[]): number =>
  groups.reduce((total, { count }) => total + count, 0);

const withOAuth = async (): Promise<AgentClient> =>
  connectFirst(server.worker.mcpUrl, await signIn(server.worker.mcpUrl, PASSPHRASE, true));

const CLIENTS: [string, RegExp, () => Promise<AgentClient>][] = [
  [
    "a v2 client, 2026-07-28",
    /^2026-07-28$/,
    () => connectModern(server.worker.mcpUrl, SERVICE_TOKEN, "auto"),
  ],
  ["a v2 client in 2025 mode", /^2025-/, () => connectModern(server.worker.mcpUrl, SERVICE_TOKEN, "legacy")],
  ["a v1 client, through the whole OAuth flow", /^2025-/, withOAuth],
];

describe.each(CLIENTS)("%s", (_name, protocol, connect) => {
  let client: AgentClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(async () => {
    await client.close();
  });

  test("speaks its revision of the protocol", () => {
    expect(client.protocolVersion).toMatch(protocol);
  });

  test("completes the main job: from the request id to the input of the failing node", async () => {
    const answer = await client.call("trace_request", { requestId: "req-deep-failure" });
    expect(answer.isError).toBe(false);
    const { data, message } = answer.envelope;
    const found = trace.parse(data);
    expect(found).toMatchObject({
      found: true,
      outcome: "error",
      failure: { workflowName: "SWF_Fetch_Rate", nodeName: "Fetch Rate" },
    });
    expect(found.executions.filter((node) => node.role === "sub_workflow")).toHaveLength(2);
    expect(message).toMatch(/failed at node "Fetch Rate"/);

    const id = found.failure?.executionId ?? "";
    const summary = await client.call("get_execution", { id });
    expect(summary.envelope.data).toMatchObject({ id, status: "error", error: { nodeName: "Fetch Rate" } });

    const node = await client.call("get_execution_by_node", { id, nodeName: "Fetch Rate" });
    expect(node.envelope.data).toMatchObject({ executionId: id, status: "error", input: { total: 1 } });
    expect(JSON.stringify(node.envelope.data.input)).toContain("req-deep-failure");
  });

  test("receives progress, and the match before the scan ends", async () => {
    const { progress } = await client.call("trace_request", { requestId: "req-entry-failure", deep: true });
    const messages = progress.map((update) => update.message ?? "");
    const foundAt = messages.findIndex((message) => message.startsWith("Found: execution "));
    expect(foundAt).toBeGreaterThanOrEqual(0);
    expect(messages.slice(foundAt + 1).some((message) => /^Read \d+ executions/.test(message))).toBe(true);
    const values = progress.map((update) => update.progress);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  test("gets what an earlier trace has read at once, without another page from n8n", async () => {
    await client.call("trace_request", { requestId: "req-entry-failure" });
    server.n8n.requests.length = 0;
    const { progress, envelope } = await client.call("trace_request", { requestId: "req-100" });
    expect(trace.parse(envelope.data)).toMatchObject({ found: true, outcome: "success" });
    expect(progress[0]?.message).toMatch(/^Found: execution \d+, known from an earlier trace$/);
    const pages = server.n8n.requests.map(({ path }) => new URL(path, "http://n8n").searchParams);
    const withData = pages.filter((query) => query.has("limit") && query.get("includeData") === "true");
    expect(withData.filter((query) => query.get("status") !== "running")).toEqual([]);
  });

  test("gets the number of failures by the host that was called", async () => {
    const { isError, envelope } = await client.call("query_executions", {
      ...WHOLE_WINDOW,
      groupBy: ["host"],
    });
    expect(isError).toBe(false);
    const { groups, totals } = counted.parse(envelope.data);
    expect(sum(groups)).toBe(totals.count);
    expect(groups).toContainEqual(expect.objectContaining({ host: "127.0.0.1:9099", failures: 1 }));
    // The host comes from a URL, which may be payload.
    expect(envelope.message).toContain("1 (1 failed)");
    expect(envelope.message).not.toContain("127.0.0.1");
  });

  test("sees only tools marked as read-only", async () => {
    const tools = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual([
      "audit_workflow",
      "check_connection",
      "check_tool_contract",
      "compare_executions",
      "diff_workflow",
      "explain_agent_run",
      "explain_failure",
      "get_execution",
      "get_execution_by_node",
      "get_execution_details",
      "get_workflow",
      "get_workflow_executions",
      "list_workflows",
      "map_mcp_server",
      "query_executions",
      "search_executions",
      "summarize_failures",
      "trace_request",
      "validate_atdf",
    ]);
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  test("gets errors in the envelope too", async () => {
    const unknown = await client.call("delete_workflow", { id: "1" });
    expect(unknown).toMatchObject({
      isError: true,
      envelope: { status: "error", data: { code: "TOOL_NOT_FOUND" } },
    });
    const wrong = await client.call("get_execution", { id: "../workflows" });
    expect(wrong).toMatchObject({
      isError: true,
      envelope: { data: { code: "VALIDATION_ERROR", details: { field: "id" } } },
    });
    const missing = await client.call("get_execution", { id: "999999" });
    expect(missing).toMatchObject({ isError: true, envelope: { data: { code: "EXECUTION_NOT_FOUND" } } });
  });

  test("gets no secret from payloads, and n8n gets only GET requests", async () => {
    const { envelope } = await client.call("trace_request", { requestId: "req-retry" });
    const { executions } = trace.parse(envelope.data);
    for (const { id } of executions) {
      const answer = await client.call("get_execution_details", { executionId: id });
      expect(answer.isError).toBe(false);
      expect(answer.text).not.toMatch(canaryPattern);
      expect(answer.text).not.toContain(server.n8n.apiKey);
    }
    expect(server.n8n.requests.length).toBeGreaterThan(0);
    expect(server.n8n.requests.filter((request) => request.method !== "GET")).toEqual([]);
  });
});

/** The result of a call that is made without a client library. */
async function callBare(url: string, revision: Record<string, string>): Promise<unknown> {
  const init = mcpPost(SERVICE_TOKEN, toolCall("get_execution", { id: "34" }), revision);
  return await readMessage(await fetch(url, init));
}

const bareAnswer = z.object({
  result: z.looseObject({
    content: z.array(z.object({ type: z.literal("text"), text: z.string() })).length(1),
    structuredContent: z.looseObject({ message: z.string() }),
  }),
});

describe("the text block of an answer", () => {
  test.each([
    ["JSON for a client that names no revision", "", {}, true],
    ["JSON for a client of 2025-03-26", "", { "mcp-protocol-version": "2025-03-26" }, true],
    ["JSON if the URL asks for it", "?text=json", { "mcp-protocol-version": "2025-11-25" }, true],
    ["a rendering for a client of 2025-06-18", "", { "mcp-protocol-version": "2025-06-18" }, false],
  ])("is %s", async (_name, query, revision, isJson) => {
    const { content, structuredContent } = bareAnswer.parse(
      await callBare(`${server.worker.mcpUrl}${query}`, revision),
    ).result;
    const [{ text } = { text: "" }] = content;
    if (isJson) expect(JSON.parse(text)).toEqual(structuredContent);
    else expect(text.split("\n")[0]).toBe(structuredContent.message);
  });
});

describe("between clients", () => {
  test("a trace can be continued in another client of the same person only", async () => {
    const first = await withOAuth();
    // A deep scan, as earlier tests have filled the index.
    const args = { requestId: "req-100", limit: 5, deep: true };
    const begun = trace.parse((await first.call("trace_request", args)).envelope.data);
    expect(begun).toMatchObject({ coverage: { complete: false } });
    await first.close();

    const second = await withOAuth();
    server.n8n.requests.length = 0;
    const continued = await second.call("trace_request", { traceId: begun.traceId });
    expect(trace.parse(continued.envelope.data)).toMatchObject({
      found: true,
      outcome: "success",
      traceId: begun.traceId,
    });
    await second.close();

    const stranger = await connectModern(server.worker.mcpUrl, SERVICE_TOKEN, "auto");
    const refused = await stranger.call("trace_request", { traceId: begun.traceId });
    expect(refused.envelope.data).toMatchObject({ code: "TRACE_NOT_FOUND" });
    await stranger.close();
  });

  test("a call without the payload scope is challenged with all scopes needed", async () => {
    const client = await signIn(server.worker.mcpUrl, PASSPHRASE, false);
    const call = async (name: string, args: Record<string, unknown>): Promise<Response> =>
      await fetch(server.worker.mcpUrl, mcpPost(client.tokens()?.access_token, toolCall(name, args)));
    const challenged = await call("get_execution_details", { executionId: "1" });
    expect(challenged.status).toBe(403);
    const challenge = challenged.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="n8n:read n8n:data"');
    expect(challenge).toContain(
      'error_description="The tool get_execution_details needs the scope n8n:data.',
    );
    await challenged.body?.cancel();
    const allowed = await call("get_execution", { id: "1" });
    expect(allowed.status).toBe(200);
    await allowed.body?.cancel();
  });
});
