/**
 * No answer contains a secret that was planted in the recording or made by n8n, or our own key: from any tool,
 * execution and node, in errors and in progress.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../src/features/index.ts";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { canaryPattern, canaryValues } from "../real-n8n/canaries.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { recordingDirectory } from "../recorded-n8n/recording.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { casesOf, inBothLanes, sizeOf } from "../support/lane.ts";
import { rawExecutionIds, readRawExecution } from "../support/raw-executions.ts";

/** A key that occurs nowhere else. */
const API_KEY = "n8n_api_0f8fad5bd9cb469fa165";

const n8n = await startRecordedN8n({ apiKey: API_KEY });
const ids = await rawExecutionIds(n8n);
const recorded = await readFile(join(recordingDirectory, "executions.json"), "utf8");
const found = recorded.matchAll(/(?:"resumeToken": ?"|signature=)([^"&\\]+)/g);
/** With one of these, anybody can resume a waiting workflow. */
const resumeSecrets = [...new Set([...found].map(([, secret = ""]) => secret))];

let caller: Caller;
beforeEach(() => {
  caller = createCaller({ settings: settingsFor(n8n) });
  n8n.faults.clear();
});
afterAll(async () => await n8n.close());

function expectClean(answer: Envelope): void {
  const text = JSON.stringify(answer);
  expect(canaryPattern.exec(text)?.[0]).toBeUndefined();
  for (const secret of [...resumeSecrets, API_KEY]) expect(text).not.toContain(secret);
}

async function ask(tool: string, args: unknown): Promise<void> {
  const answer = await caller.call(tool, args);
  expect(answer.status).toBe("success");
  expectClean(answer);
}

test("the recording contains secrets", () => {
  expect(recorded.match(/canary/gi)?.length).toBeGreaterThan(50);
  expect(resumeSecrets.length).toBeGreaterThan(0);
});

describe("no secret is in", () => {
  test("summaries and details", inBothLanes, async () => {
    for (const id of casesOf(ids, 3)) {
      await ask("get_execution", { id });
      await ask("explain_failure", { executionId: id });
      await ask("get_execution_details", { executionId: id });
      await ask("explain_agent_run", { executionId: id });
    }
  });

  test("comparisons with the last success, and with the previous execution", inBothLanes, async () => {
    let compared = 0;
    const values: string[] = [];
    for (const [index, id] of casesOf(ids, 3).entries()) {
      const other = ids[index] ?? id;
      for (const args of [{ id }, { id, against: other }]) {
        const answer = await caller.call("compare_executions", args);
        expectClean(answer);
        if (answer.status === "success") compared += 1;
        values.push(JSON.stringify(answer.data));
      }
    }
    expect(compared).toBeGreaterThan(sizeOf(20, 10));
    expect(values.join()).toContain('"values"');
  });

  test("the data of any node, in any run", inBothLanes, async () => {
    let asked = 0;
    for (const id of casesOf(ids, 3)) {
      const { data } = await readRawExecution(n8n, id);
      for (const [nodeName, runs] of Object.entries(data.resultData.runData)) {
        for (const run of runs.keys()) {
          await ask("get_execution_by_node", { id, nodeName, run, limit: 100 });
          asked += 1;
        }
      }
    }
    expect(asked).toBeGreaterThan(sizeOf(150, 40));
  });

  test("traces and their progress", async () => {
    for (const { requestId } of n8n.scenarios) await ask("trace_request", { requestId });
    await ask("trace_request", { requestId: "never-sent" });
    expect(caller.progress.length).toBeGreaterThan(n8n.scenarios.length);
    expect(caller.progress.join("\n")).not.toMatch(canaryPattern);
  });

  test("a trace of a secret, which confirms nothing", async () => {
    const answer = await caller.call("trace_request", { requestId: API_KEY });
    expect(JSON.stringify(answer)).not.toContain(API_KEY);
    expect(answer.data).toMatchObject({ found: false, executions: [] });
  });

  test("searches for secrets, and for what stands beside them", inBothLanes, async () => {
    const beside = ["req-", "application/json", "Bearer", "Basic", "session", "password", "sk-", "http"];
    for (const text of beside) await ask("search_executions", { text, maxHits: 50 });
    for (const path of [
      "requestId",
      "headers.authorization",
      "headers.host",
      "body.password",
      "error.message",
    ])
      for (const value of ["req-100", "localhost", ...casesOf(canaryValues, 40)])
        await ask("search_executions", { path, value });
    for (const secret of [...casesOf(resumeSecrets, 40), API_KEY])
      for (const text of [secret, secret.slice(3, 12)]) {
        const answer = await caller.call("search_executions", { text });
        expectClean(answer);
        expect(answer.data).toMatchObject({ hits: [] });
      }
    expect(caller.progress.length).toBeGreaterThan(sizeOf(50, 20));
    expect(caller.progress.join("\n")).not.toMatch(canaryPattern);
  });

  test("lists, and the answers about each workflow", inBothLanes, async () => {
    for (const active of [true, false]) {
      const { data } = await caller.call("list_workflows", { active, limit: 100 });
      const { workflows } = z.object({ workflows: z.array(z.object({ id: z.string() })) }).parse(data);
      for (const { id } of casesOf(workflows, 4)) {
        await ask("audit_workflow", { workflowId: id });
        await ask("map_mcp_server", { workflowId: id });
        await ask("check_tool_contract", { workflowId: id });
        await ask("get_workflow", { workflowId: id });
        await ask("get_workflow", { workflowId: id, format: "git" });
        await ask("diff_workflow", { workflowId: id, against: '{"nodes":[],"connections":{}}' });
      }
    }
    await ask("audit_workflow", {});
    await ask("map_mcp_server", {});
    for (const active of [true, false]) await ask("list_workflows", { active, limit: 100 });
    await ask("get_workflow_executions", { limit: 100 });
    for (const status of ["running", "waiting", "error", "canceled"]) {
      await ask("get_workflow_executions", { status });
    }
  });

  test("digests, and the executions of each group", async () => {
    const window = { startedAfter: "2026-01-01", startedBefore: "2026-12-31", timeBudgetMs: 55_000 };
    const answer = await caller.call("summarize_failures", window);
    expectClean(answer);
    const { groups } = z
      .object({ groups: z.array(z.object({ group: z.string() })).min(3) })
      .parse(answer.data);
    for (const { group } of groups) await ask("summarize_failures", { ...window, group });
    for (const name of ["workflow", "node", "model", "tag"])
      await ask("query_executions", { ...window, groupBy: [name] });
  });

  test("the checklist", async () => {
    await ask("check_connection", {});
    const wrong = createCaller({
      settings: { ...settingsFor(n8n), SERVICE_TOKENS: "canary", PUBLIC_URL: "canary" },
    });
    expectClean(await wrong.call("check_connection", {}));
  });

  const FAULTS: Fault[] = [
    { kind: "status", status: 401, body: { message: `canary ${API_KEY}` } },
    { kind: "status", status: 500, body: `canary ${API_KEY}` },
    { kind: "status", status: 418, body: { message: "canary" }, headers: { "x-canary": "canary" } },
    { kind: "status", status: 200, body: { canary: "canary" } },
    { kind: "status", status: 200, body: { data: [{ id: "canary" }], nextCursor: null } },
    { kind: "redirect", to: `https://canary.test/?key=${API_KEY}` },
    { kind: "broken-json" },
    { kind: "cut" },
  ];
  test.each(FAULTS.map((fault) => [JSON.stringify(fault).slice(0, 60), fault] as const))(
    "errors when n8n answers %s",
    async (_name, fault) => {
      n8n.faults.always(fault);
      const calls = {
        get_execution: { id: "10" },
        explain_failure: { executionId: "10" },
        explain_agent_run: { executionId: "10" },
        get_execution_by_node: { id: "10", nodeName: "Webhook" },
        get_execution_details: { executionId: "10" },
        compare_executions: { id: "10" },
        get_workflow_executions: {},
        list_workflows: {},
        trace_request: { requestId: "req-100" },
        search_executions: { text: "req-100" },
        summarize_failures: {},
        query_executions: {},
        get_workflow: { workflowId: "1XeIfz7HPI4BwIKP" },
        diff_workflow: { workflowId: "1XeIfz7HPI4BwIKP" },
        audit_workflow: {},
        map_mcp_server: {},
        check_tool_contract: { workflowId: "1XeIfz7HPI4BwIKP" },
        validate_atdf: { atdf: "description: sings" },
        check_connection: {},
      } satisfies Record<string, object>;
      expect(Object.keys(calls).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
      for (const [tool, args] of Object.entries(calls)) expectClean(await caller.call(tool, args));
      expect(JSON.stringify(caller.log)).not.toMatch(canaryPattern);
    },
  );

  test("errors with candidates", inBothLanes, async () => {
    for (const id of casesOf(ids, 4)) {
      expectClean(await caller.call("get_execution_by_node", { id, nodeName: "no such node" }));
      expectClean(await caller.call("get_execution_details", { executionId: id, nodes: ["no such node"] }));
    }
    expectClean(await caller.call("get_workflow_executions", { workflowName: "no such workflow" }));
  });

  test("a partial trace", async () => {
    n8n.faults.always({ kind: "cut" }, /includeData=true.*limit=100/);
    for (const { requestId } of n8n.scenarios.slice(0, 5))
      expectClean(await caller.call("trace_request", { requestId }));
  });
});
