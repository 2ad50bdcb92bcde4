/**
 * Three n8n instances behind one Worker in workerd, called by a real MCP client: two with the same execution ids, and
 * one that is down.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

/** A request that was sent only to the older one while both were recorded. */
const ONLY_OLDER = "01a20187-4d35-7c8b-ad18-ae3549802999";

let newer: RecordedN8n;
let older: RecordedN8n;
let worker: TestWorker;
let client: AgentClient;

beforeAll(async () => {
  newer = await startRecordedN8n();
  older = await startRecordedN8n({ version: "1.123.81", apiKey: "older-recorded-n8n-api-key" });
  const gone = await startRecordedN8n();
  await gone.close();
  const instances = {
    newer: { baseUrl: newer.baseUrl, apiKey: newer.apiKey },
    older: { baseUrl: older.baseUrl, apiKey: older.apiKey, maxConcurrent: 1 },
    gone: { baseUrl: gone.baseUrl, apiKey: "key-of-an-n8n-that-is-gone" },
  };
  worker = await startTestWorker(
    { baseUrl: "", apiKey: "" },
    {},
    { settings: { N8N_INSTANCES: JSON.stringify(instances) } },
  );
  client = await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
});
afterAll(async () => {
  await client.close();
  await worker.stop();
  await Promise.all([newer.close(), older.close()]);
});

const trace = z.looseObject({
  instance: z.string(),
  found: z.boolean(),
  traceId: z.string(),
  executionUrl: z.string(),
  executions: z.array(z.looseObject({ id: z.string() })),
  _guidance: z.object({ example: z.string() }),
});

const counted = z.looseObject({
  totals: z.looseObject({ count: z.number() }),
  groups: z.array(z.looseObject({ instance: z.string().optional(), count: z.number() })),
});

test("the start page names the instances on this machine", async () => {
  const page = await (await fetch(worker.origin)).text();
  expect(page).toContain("It reads: newer, older, gone.");
  const facts = await fetch(worker.origin, { headers: { accept: "application/json" } });
  expect(await facts.json()).toEqual({ instances: ["newer", "older", "gone"], settingProblems: [] });
});

test("a trace finds the execution in the instance that has it, while another is down", async () => {
  const { envelope, progress } = await client.call("trace_request", { requestId: ONLY_OLDER });
  const found = trace.parse(envelope.data);
  expect(found).toMatchObject({ instance: "older", found: true, coverage: { complete: false } });
  expect(envelope.message).toMatch(
    /^In older: .* succeeded .* gone could not be asked \(N8N_UNREACHABLE\)\.$/,
  );
  expect(found.executionUrl).toContain(older.baseUrl);
  const values = progress.map((update) => update.progress);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  // The call that the answer suggests works as given.
  const [, name = "", args = "{}"] = /^(\w+)\((.*)\)$/.exec(found._guidance.example) ?? [];
  const next = await client.call(name, z.record(z.string(), z.unknown()).parse(JSON.parse(args)));
  expect(next.envelope.data).toMatchObject({ instance: "older", executionId: found.executions[0]?.id });
  // A call that names one instance does not reach the others.
  expect(older.requests.some(({ path }) => path.includes(`/executions/${found.executions[0]?.id}`))).toBe(
    true,
  );
  expect(newer.requests.some(({ path }) => path.includes(`/executions/${found.executions[0]?.id}`))).toBe(
    false,
  );
});

test("an instance's own limit applies to it alone", async () => {
  for (const { faults } of [newer, older]) faults.always({ kind: "slow", milliseconds: 300 });
  const calls = ["newer", "newer", "older", "older"].map(
    async (instance) => await client.call("get_execution", { instance, id: "1" }),
  );
  for (const { isError } of await Promise.all(calls)) expect(isError).toBe(false);
  for (const { faults } of [newer, older]) faults.clear();
  expect(older.load.highestConcurrency).toBe(1);
  expect(newer.load.highestConcurrency).toBeGreaterThan(1);
});

test("query_executions counts all instances at once, with the instance of each group", async () => {
  const ask = async (more: object) =>
    counted.parse(
      (await client.call("query_executions", { startedAfter: "2026-01-01", compare: false, ...more }))
        .envelope.data,
    );
  const { totals, groups } = await ask({});
  expect(groups.map(({ instance }) => instance).toSorted()).toEqual(["newer", "older"]);
  for (const { instance, count } of groups) {
    const own = await ask({ instance });
    expect(own.totals.count).toBe(count);
    expect(count).toBeGreaterThan(0);
  }
  expect(totals.count).toBe(groups.reduce((sum, { count }) => sum + count, 0));
  const byStatus = await ask({ groupBy: ["status"] });
  expect(new Set(byStatus.groups.map(({ instance }) => instance))).toEqual(new Set(["newer", "older"]));
  const gone = await client.call("query_executions", { instance: "gone" });
  expect(gone.envelope.data).toMatchObject({ code: "N8N_UNREACHABLE" });
});

test("check_connection reports for each instance whether it is ready", async () => {
  const { envelope } = await client.call("check_connection");
  expect(envelope.message).toMatch(/^2 of 3 n8n instances ready\. Not ready: gone \(n8n reachable\)\.$/);
  expect(envelope.data).toMatchObject({
    ready: false,
    instances: [{ ready: true }, { ready: true }, { instance: "gone" }],
  });
  const one = await client.call("check_connection", { instance: "newer" });
  expect(one.envelope.data).toMatchObject({
    instance: "newer",
    ready: true,
    capabilities: { filtersDates: true },
  });
});

test("the output holds no key", () => {
  expect(worker.output()).not.toMatch(/recorded-n8n-api-key|key-of-an-n8n/);
});
