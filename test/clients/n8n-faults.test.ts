/**
 * Faults of n8n, seen through the running Worker: what workerd makes of redirects, broken
 * connections and silence. `test/n8n/` tests the same faults in more detail.
 */
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Fault } from "../recorded-n8n/faults.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { SERVICE_TOKEN } from "../support/test-worker.ts";

const server = useRecordedWorker();
let client: AgentClient;
let elsewhere: Server;
let elsewhereOrigin: string;
const reachedElsewhere: string[] = [];

beforeAll(async () => {
  client = await connectModern(server.worker.mcpUrl, SERVICE_TOKEN, "auto");
  elsewhere = createServer((request, response) => {
    reachedElsewhere.push(request.url ?? "");
    response.end("{}");
  });
  elsewhereOrigin = await listenOnLoopback(elsewhere);
});
afterAll(async () => {
  await client.close();
  await stopServer(elsewhere);
});
afterEach(() => {
  server.n8n.faults.clear();
});

const FAULTS: [string, Fault, string][] = [
  ["401", { kind: "status", status: 401 }, "N8N_UNAUTHORIZED"],
  ["403", { kind: "status", status: 403 }, "N8N_FORBIDDEN"],
  ["429", { kind: "status", status: 429, headers: { "retry-after": "1" } }, "N8N_RATE_LIMITED"],
  ["500", { kind: "status", status: 500 }, "N8N_UNREACHABLE"],
  ["HTML", { kind: "html" }, "N8N_BAD_RESPONSE"],
  ["broken JSON", { kind: "broken-json" }, "N8N_BAD_RESPONSE"],
];

describe("each fault of n8n has its error code", () => {
  test.each(FAULTS)("%s", async (_name, fault, code) => {
    server.n8n.faults.always(fault, /executions/);
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
    server.n8n.faults.always({ kind: "cut" }, /executions/);
    const { envelope } = await client.call("get_execution", { id: "1" });
    expect(["N8N_UNREACHABLE", "N8N_BAD_RESPONSE"]).toContain(envelope.data.code);
  });

  test("a redirect is not followed, so the key goes nowhere else", async () => {
    server.n8n.faults.always({ kind: "redirect", to: `${elsewhereOrigin}/stolen` }, /executions/);
    const { envelope } = await client.call("get_execution", { id: "1" });
    expect(envelope.data).toMatchObject({ code: "N8N_BAD_RESPONSE", details: { field: "N8N_BASE_URL" } });
    expect(reachedElsewhere).toEqual([]);
  });

  test("a trace that n8n interrupted continues where it was, by its traceId", async () => {
    // A deep scan, as earlier tests have filled the index.
    const begun = await client.call("trace_request", { requestId: "never-sent", limit: 20, deep: true });
    const { traceId } = z.looseObject({ traceId: z.string() }).parse(begun.envelope.data);
    server.n8n.faults.always({ kind: "status", status: 500 }, /includeData=true(?!.*status=running)/);
    const failed = await client.call("trace_request", { traceId });
    const { details } = z
      .looseObject({ details: z.looseObject({ traceId: z.string(), scannedExecutions: z.number() }) })
      .parse(failed.envelope.data);
    expect(details).toMatchObject({ traceId });
    expect(details.scannedExecutions).toBeGreaterThan(10);
    server.n8n.faults.clear();
    const { envelope } = await client.call("trace_request", { traceId });
    expect(envelope.data).toMatchObject({ found: false, coverage: { complete: true } });
  }, 20_000);

  test("afterwards everything works again", async () => {
    const { envelope } = await client.call("trace_request", { requestId: "req-100" });
    expect(envelope.data).toMatchObject({ found: true, outcome: "success" });
  });
});

test("the Worker's log holds no payload, no token and no query", () => {
  const output = server.worker.output();
  expect(output).not.toMatch(/canary/i);
  expect(output).not.toContain(server.n8n.apiKey);
  expect(output).not.toContain(SERVICE_TOKEN);
  expect(output).not.toMatch(/req-100/);
});
