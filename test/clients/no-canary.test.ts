/**
 * No secret leaves a running Worker, neither in its answers nor in its output, whatever callers ask, whatever n8n
 * answers, and whatever a stranger sends.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { canaryPattern, canaryValues } from "../real-n8n/canaries.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { casesOf, inBothLanes } from "../support/lane.ts";
import { rawExecutionIds, readRawExecution } from "../support/raw-executions.ts";
import { PASSPHRASE, SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

const API_KEY = "n8n_api_7d1c2b3a4f5e6d7c8b9a";
const FURTHER_TOKENS = Object.fromEntries(
  Array.from({ length: 7 }, (_, index) => [`further-${index}`, `service-token-of-further-user-${index}`]),
);
const OWN_SECRETS = [API_KEY, PASSPHRASE, SERVICE_TOKEN, ...Object.values(FURTHER_TOKENS)];
/** A request id may be anyone's data, so logs must not hold it. */
const REQUEST_ID = "req-deep-failure";

let n8n: RecordedN8n;
let worker: TestWorker;
/** Used in turn, as there are more calls than one user may make. */
let clients: AgentClient[];
let calls = 0;
/** Everything that the Worker printed. `worker.output()` keeps only the end. */
let printed = "";

beforeAll(async () => {
  n8n = await startRecordedN8n({ apiKey: API_KEY });
  worker = await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: API_KEY }, FURTHER_TOKENS);
  const tokens = [SERVICE_TOKEN, ...Object.values(FURTHER_TOKENS)];
  clients = await Promise.all(tokens.map(async (token) => await connectModern(worker.mcpUrl, token, "auto")));
});
afterAll(async () => {
  await Promise.all(clients.map(async (client) => await client.close()));
  await worker.stop();
  await n8n.close();
});

async function ask(tool: string, args: Record<string, unknown>): Promise<boolean> {
  const client = clients[calls++ % clients.length];
  if (client === undefined) throw new Error("There is no client.");
  const { text, progress, isError } = await client.call(tool, args);
  const received = text + progress.map(({ message }) => message).join("\n");
  expect(received).not.toMatch(canaryPattern);
  for (const secret of OWN_SECRETS) expect(received).not.toContain(secret);
  printed += `\n${worker.output()}`;
  return isError;
}

describe("a client gets no secret", () => {
  test("from any execution or node", inBothLanes, async () => {
    for (const id of casesOf(await rawExecutionIds(n8n))) {
      expect(await ask("get_execution", { id })).toBe(false);
      expect(await ask("get_execution_details", { executionId: id })).toBe(false);
      const { data } = await readRawExecution(n8n, id);
      for (const nodeName of Object.keys(data.resultData.runData).slice(0, 2))
        expect(await ask("get_execution_by_node", { id, nodeName })).toBe(false);
    }
  });

  test("from searches and traces for secrets and for texts beside them", inBothLanes, async () => {
    for (const text of ["req-", "Bearer", "application/json", ...casesOf(canaryValues)])
      expect(await ask("search_executions", { text, maxHits: 50 })).toBe(false);
    for (const requestId of [
      REQUEST_ID,
      ...canaryValues.slice(0, 3).map((value) => value.replace(/canary/i, "")),
    ])
      expect(await ask("trace_request", { requestId })).toBe(false);
  });

  test.each<Fault>([
    { kind: "status", status: 500, body: `canary ${API_KEY}` },
    {
      kind: "status",
      status: 401,
      body: { message: `canary ${API_KEY}` },
      headers: { "x-canary": "canary" },
    },
    {
      kind: "status",
      status: 200,
      body: { data: [{ id: "canary", canary: API_KEY }], nextCursor: "canary" },
    },
    { kind: "redirect", to: `https://canary.test/?key=${API_KEY}` },
    { kind: "broken-json" },
    { kind: "cut" },
  ])("when n8n answers %j", async (fault) => {
    n8n.faults.always(fault);
    for (const [tool, args] of Object.entries({
      get_execution: { id: "10" },
      get_execution_by_node: { id: "10", nodeName: "canary" },
      explain_agent_run: { executionId: "10", agent: "canary" },
      get_workflow_executions: { workflowName: "canary" },
      trace_request: { requestId: "req-99" },
      search_executions: { text: "req-99" },
      list_workflows: { name: "canary" },
      get_workflow: { workflowId: "1XeIfz7HPI4BwIKP", format: "git" },
      audit_workflow: {},
      map_mcp_server: {},
      check_tool_contract: { workflowName: "canary" },
      check_connection: {},
    }))
      await ask(tool, args);
    n8n.faults.clear();
  });
});

describe("the Worker's output", () => {
  /** Sends requests as a stranger, with a canary in every part that a stranger can choose. */
  async function sendAsStranger(): Promise<void> {
    const headers = {
      authorization: "Bearer canary-of-a-stranger",
      "user-agent": "canary",
      "x-canary": "canary",
    };
    const json = {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = (method: string, params: unknown) =>
      JSON.stringify({ jsonrpc: "2.0", id: "canary", method, params });
    const call = { name: "canary", arguments: { canary: "canary" } };
    const asService = { ...json, authorization: `Bearer ${SERVICE_TOKEN}` };
    const form = (fields: Record<string, string>) => new URLSearchParams(fields);
    const post = (path: string, body: string | URLSearchParams, more: Record<string, string> = headers) =>
      [path, { method: "POST", headers: more, body }] as const;
    const requests: (readonly [string, RequestInit])[] = [
      post("/mcp", body("tools/call", call), json),
      post("/mcp", body("tools/call", call), asService),
      post("/mcp", '{"canary', asService),
      post("/token", form({ grant_type: "canary", code: "canary" })),
      post("/token", form({ grant_type: "authorization_code", code: "canary", client_id: "canary" }), {}),
      post("/register", JSON.stringify({ client_name: "canary" }), json),
      post("/authorize", form({ passphrase: "canary", handle: "canary" })),
      ["/authorize", { headers: { cookie: "canary=canary" } }],
    ];
    for (const [path, init] of requests) {
      const response = await fetch(worker.origin + path, { ...init, redirect: "manual" });
      await response.text();
      printed += `\n${worker.output()}`;
    }
  }

  test("says what went wrong, and holds no secret and no payload", async () => {
    await sendAsStranger();
    await expect.poll(() => worker.output()).toContain('"reason":"client_not_found"');
    printed += `\n${worker.output()}`;
    const events = [...printed.matchAll(/\{"event":.*\}/g)].map(([line]) =>
      z.looseObject({ event: z.string() }).parse(JSON.parse(line)),
    );
    expect(events.map(({ event }) => event)).toContain("oauth_error");
    expect(events.map(({ event }) => event)).toContain("tool_call");
    expect(printed).not.toMatch(canaryPattern);
    for (const text of [...OWN_SECRETS, REQUEST_ID, "req-9"]) expect(printed).not.toContain(text);
  });
});
