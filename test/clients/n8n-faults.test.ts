/**
 * n8n at its worst, seen through the running Worker: what its own runtime does with redirects, broken
 * connections and silence. The same faults are tested closer, and in more ways, in `test/n8n/`.
 */
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Fault } from "../recorded-n8n/faults.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

let n8n: RecordedN8n;
let worker: TestWorker;
let client: AgentClient;
let elsewhere: Server;
const reachedElsewhere: string[] = [];

beforeAll(async () => {
  n8n = await startRecordedN8n();
  worker = await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey });
  client = await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
  elsewhere = createServer((request, response) => {
    reachedElsewhere.push(request.url ?? "");
    response.end("{}");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await client.close();
  await worker.stop();
  await n8n.close();
  await new Promise((resolve) => elsewhere.close(resolve));
});
afterEach(() => {
  n8n.faults.clear();
});

const FAULTS: [string, Fault, string][] = [
  ["401", { kind: "status", status: 401 }, "N8N_UNAUTHORIZED"],
  ["403", { kind: "status", status: 403 }, "N8N_FORBIDDEN"],
  ["429", { kind: "status", status: 429, headers: { "retry-after": "1" } }, "N8N_RATE_LIMITED"],
  ["500", { kind: "status", status: 500 }, "N8N_UNREACHABLE"],
  ["HTML", { kind: "html" }, "N8N_BAD_RESPONSE"],
  ["broken JSON", { kind: "broken-json" }, "N8N_BAD_RESPONSE"],
];

describe("each fault of n8n is an error of the taxonomy", () => {
  test.each(FAULTS)("%s", async (_name, fault, code) => {
    n8n.faults.always(fault, /executions/);
    for (const [tool, args] of [
      ["get_execution", { id: "1" }],
      ["trace_request", { requestId: "req-100" }],
    ] as const) {
      const { isError, envelope } = await client.call(tool, args);
      expect({ isError, code: envelope.data.code }).toEqual({ isError: true, code });
      expect(envelope.data.details).toMatchObject({ solution: expect.stringMatching(/./) });
    }
  });

  test("a connection that breaks off", async () => {
    n8n.faults.always({ kind: "cut" }, /executions/);
    const { envelope } = await client.call("get_execution", { id: "1" });
    expect(["N8N_UNREACHABLE", "N8N_BAD_RESPONSE"]).toContain(envelope.data.code);
  });

  test("a redirect is not followed: the key goes nowhere else", async () => {
    const address = elsewhere.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    n8n.faults.always({ kind: "redirect", to: `http://127.0.0.1:${address.port}/stolen` }, /executions/);
    const { envelope } = await client.call("get_execution", { id: "1" });
    expect(envelope.data).toMatchObject({ code: "N8N_BAD_RESPONSE", details: { field: "N8N_BASE_URL" } });
    expect(reachedElsewhere).toEqual([]);
  });

  test("what was read before n8n failed is not lost: the traceId goes on", async () => {
    // Deep, since what the tests before have read is known.
    const begun = await client.call("trace_request", { requestId: "never-sent", limit: 20, deep: true });
    const { traceId } = z.looseObject({ traceId: z.string() }).parse(begun.envelope.data);
    n8n.faults.always({ kind: "status", status: 500 }, /includeData=true(?!.*status=running)/);
    const failed = await client.call("trace_request", { traceId });
    const { details } = z
      .looseObject({ details: z.looseObject({ traceId: z.string(), scannedExecutions: z.number() }) })
      .parse(failed.envelope.data);
    expect(details).toMatchObject({ traceId });
    expect(details.scannedExecutions).toBeGreaterThan(10);
    n8n.faults.clear();
    const { envelope } = await client.call("trace_request", { traceId });
    expect(envelope.data).toMatchObject({ found: false, coverage: { complete: true } });
  }, 20_000);

  test("afterwards everything works as before", async () => {
    const { envelope } = await client.call("trace_request", { requestId: "req-100" });
    expect(envelope.data).toMatchObject({ found: true, outcome: "success" });
  });
});

test("the Worker's log holds no payload, no token and no query", () => {
  const output = worker.output();
  expect(output).not.toMatch(/canary/i);
  expect(output).not.toContain(n8n.apiKey);
  expect(output).not.toContain(SERVICE_TOKEN);
  expect(output).not.toMatch(/req-100/);
});
