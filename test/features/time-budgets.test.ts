/** Tools that read many workflows end in time, say what they did not read, and name the call that continues. */
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type Caller, createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, failure, forgetRequests, jsonAnswer } from "../support/fake-n8n.ts";
import { rawWorkflow } from "../support/workflow-builder.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";
const COUNT = 450;
const guided = z.looseObject({ _guidance: z.object({ message: z.string(), example: z.string() }) });
const mapped = z.looseObject({
  workflows: z.array(z.looseObject({ workflowId: z.string(), state: z.string() })),
});

const date = "2026-11-21T00:00:00.000Z";
const dates = { createdAt: date, updatedAt: date };
const tool = (id: string) => ({
  name: `tool.call_${id}`,
  type: `${LANGCHAIN}.toolWorkflow`,
  parameters: { workflowId: { mode: "id", value: id } },
});
const server = (toolIds: readonly string[]) =>
  rawWorkflow(
    [{ name: "Server", type: `${LANGCHAIN}.mcpTrigger`, parameters: { path: "hub" } }, ...toolIds.map(tool)],
    Object.fromEntries(
      toolIds.map((id) => [
        `tool.call_${id}`,
        { ai_tool: [[{ node: "Server", type: "ai_tool", index: 0 }]] },
      ]),
    ),
    { id: "server", name: "Hub", ...dates },
  );

let workflows: { id?: unknown }[];
let n8n: FakeN8n;
let caller: Caller;
let now: number;
let secondsAPage: number;
let secondsAWorkflow: number;

const singles = (): string[] =>
  n8n.requests.flatMap((request) => /\/workflows\/([^/?]+)/.exec(request)?.[1] ?? []);
const lists = (): string[] => n8n.requests.filter((request) => /\/workflows\?/.test(request));

function serve(url: URL): Response | undefined {
  if (url.pathname.endsWith("/workflows")) {
    now += secondsAPage * 1_000;
    const limit = Number(url.searchParams.get("limit"));
    const offset = Number(url.searchParams.get("cursor") ?? 0);
    const next = offset + limit < workflows.length ? String(offset + limit) : null;
    return jsonAnswer({ data: workflows.slice(offset, offset + limit), nextCursor: next });
  }
  const id = /\/workflows\/([^/]+)$/.exec(url.pathname)?.[1];
  now += secondsAWorkflow * 1_000;
  if (id === undefined) return undefined;
  const found = workflows.find((each) => each.id === id);
  return found === undefined ? failure(404) : jsonAnswer({ description: null, ...found });
}

beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  [secondsAPage, secondsAWorkflow] = [0, 0];
  const last = Array.from({ length: COUNT - 1 }, (_one, index) => `w${index + 1}`);
  workflows = [
    server(last.slice(-30)),
    ...last.map((id) => rawWorkflow([], {}, { id, name: `Flow ${id}`, ...dates })),
  ];
  n8n = createFakeN8n([]);
  n8n.intercept = serve;
  caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch, now: () => now });
});

/** Leaves the server and its last 30 workflows. */
const keepServerAndTools = (): void => {
  workflows = workflows.filter(({ id }) => id === "server" || Number(String(id).slice(1)) >= 420);
};

async function call(name: string, args: object = {}) {
  const envelope = await caller.call(name, args);
  expect(envelope.status, JSON.stringify(envelope).slice(0, 400)).toBe("success");
  return { message: envelope.message ?? "", data: z.looseObject({}).parse(envelope.data) };
}

describe("audit_workflow", () => {
  test("says nothing about time if it was enough", async () => {
    const { data } = await call("audit_workflow");
    expect([data.workflows, "coverage" in data, "_guidance" in data]).toEqual([COUNT, false, false]);
  });

  test("of a slow instance ends in time, and suggests a workflow that it did not audit", async () => {
    secondsAPage = 12;
    const began = now;
    const { message, data } = await call("audit_workflow");
    expect(now - began).toBeLessThan(70_000);
    expect(lists()).toHaveLength(5);
    expect(data).toMatchObject({
      workflows: 200,
      coverage: {
        complete: false,
        stoppedBy: "time",
        readWorkflows: 300,
        notAudited: 100,
        notAuditedIds: expect.arrayContaining(["w200"]),
      },
      _guidance: { example: 'audit_workflow({"workflowId":"w200"})' },
    });
    expect(message).toContain("Not all workflows of the instance were read.");
    expect(message).toContain("Time ran out before 100 workflows could be audited");
    expect((await call("audit_workflow", { workflowId: "w200" })).data).toMatchObject({ workflows: 1 });
  });

  test("reads a given workflow by itself if the list did not reach it", async () => {
    secondsAPage = 20;
    const { data } = await call("audit_workflow", { workflowId: "w449" });
    expect(data).toMatchObject({
      workflows: 1,
      coverage: { stoppedBy: "time", readWorkflows: 201, notAudited: 0 },
      _guidance: { example: 'list_workflows({"limit":100})' },
    });
  });

  test("of a server with slow tools ends in time", async () => {
    keepServerAndTools();
    secondsAWorkflow = 6;
    const { data } = await call("audit_workflow", { workflowId: "server" });
    expect(singles().length).toBeLessThanOrEqual(13);
    expect(data).toMatchObject({ coverage: { stoppedBy: "time" } });
    const { example } = guided.parse(data)._guidance;
    expect(example).toMatch(/^audit_workflow\(\{"workflowId":"w4\d\d"\}\)$/);
  });

  test("that receives nothing in time is an error", async () => {
    n8n.intercept = () => {
      now += 40_000;
      return failure(504);
    };
    expect((await caller.call("audit_workflow")).data).toMatchObject({ code: "N8N_UNREACHABLE" });
  });

  test("sends no further request once n8n has failed", async () => {
    keepServerAndTools();
    n8n.latencyMs = 2;
    let answered = 0;
    n8n.intercept = (url) => {
      if (!url.pathname.endsWith("/workflows")) answered += 1;
      return answered === 3 ? failure(403) : serve(url);
    };
    expect((await caller.call("audit_workflow", { workflowId: "server" })).data).toMatchObject({
      code: "N8N_FORBIDDEN",
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(singles().length).toBeLessThanOrEqual(7);
  });

  test("does not report an unread name as nonexistent", async () => {
    secondsAPage = 20;
    const { data } = await caller.call("audit_workflow", { workflowName: "Flow w449" });
    expect(data).toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
      message: "None of the workflows that were read (200) has this name.",
    });
    expect((await call("audit_workflow", { workflowName: "Flow w150" })).data).toMatchObject({
      workflows: 1,
    });
  });
});

describe("map_mcp_server", () => {
  test("of a slow instance ends in time, and reports no unread workflow as missing", async () => {
    secondsAPage = 20;
    const { message, data } = await call("map_mcp_server");
    expect(lists()).toHaveLength(2);
    expect(mapped.parse(data).workflows.map(({ state }) => state)).toEqual(Array(30).fill("unread"));
    expect(message).not.toContain("do not exist");
    expect(data).toMatchObject({
      coverage: { complete: false, stoppedBy: "time", readWorkflows: 200 },
      _guidance: { example: 'list_workflows({"limit":100})' },
    });
  });

  test("with slow lists of runs reports the runs that it read", async () => {
    secondsAWorkflow = 10;
    const { message, data } = await call("map_mcp_server", { workflowId: "server" });
    const runs = n8n.requests.filter((request) => request.includes("/executions")).length;
    expect(runs).toBeLessThanOrEqual(9);
    expect(message).toContain(`Recent runs of ${31 - runs} workflows were not read.`);
    expect(data).toMatchObject({ coverage: { complete: false, withoutRecentRuns: 31 - runs } });
    expect(guided.parse(data)._guidance.example).toMatch(/^get_workflow_executions\(/);
    forgetRequests(n8n);
  });
});

test("check_tool_contract lists only as many runs as there is time for", async () => {
  keepServerAndTools();
  secondsAWorkflow = 6;
  const { message } = await call("check_tool_contract", { workflowId: "server" });
  const listed = n8n.requests.filter((request) => request.includes("/executions")).length;
  expect(listed).toBeLessThanOrEqual(8);
  expect(message).toContain("Time ran out before the runs of");
});
