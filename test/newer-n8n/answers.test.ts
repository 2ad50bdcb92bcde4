/** What the tools answer about an n8n 2.41 to 3.0: its limits, its runs that are not visible, and what is not known. */
import { describe, expect, test } from "vitest";
import { createCaller } from "../support/call-recorded.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  isDataPage,
  jsonAnswer,
  webhookData,
} from "../support/fake-n8n.ts";
import {
  ENGINE_V2_ID,
  PARENT_AGENT_RUN,
  parentThatWaits,
  parentThatWaitsBefore,
  STALLED_ERROR,
  WAIT_FOR_SUB_EXECUTION,
} from "../support/newer-n8n.ts";
import { createTestTraces } from "../support/test-traces.ts";

const URL_OF_N8N = "http://localhost:1";
const SETTINGS = { N8N_BASE_URL: URL_OF_N8N, N8N_API_KEY: "a-key-for-these-tests" };

const workflow = (id: string, settings: object) => ({
  ...{ id, name: `workflow ${id}`, active: true, settings },
  ...{ createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" },
  ...{ nodes: [], connections: {}, tags: [] },
});

/** Answers for workflows besides executions. */
function withWorkflows(n8n: FakeN8n, ...workflows: readonly ReturnType<typeof workflow>[]): FakeN8n {
  n8n.intercept = (url) => {
    const [, id] = /\/workflows(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (!url.pathname.includes("/workflows")) return undefined;
    if (id === undefined) return jsonAnswer({ data: workflows, nextCursor: null });
    const found = workflows.find((one) => one.id === id);
    return found === undefined ? failure(404) : jsonAnswer(found);
  };
  return n8n;
}

const callerOf = (n8n: FakeN8n) => createCaller({ settings: SETTINGS, fetch: n8n.fetch });
const messageOf = async (n8n: FakeN8n, tool: string, args: object): Promise<string> =>
  (await callerOf(n8n).call(tool, args)).message ?? "";

const traced = async (executions: readonly FakeExecution[], requestId: string) =>
  await createTestTraces().ask(createFakeN8n(executions), { requestId });

describe("a limit of requests for each API key (docs.n8n.io/connect/n8n-api/rate-limits, since 2.47)", () => {
  const limited = {
    "retry-after": "60",
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "60",
  };

  test("in the middle of a scan: what was read is kept, nothing else counts as read, and the next call goes on", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    const traces = createTestTraces();
    let pages = 0;
    n8n.intercept = (url) => {
      if (isDataPage(url)) pages += 1;
      return pages > 2 ? failure(429, limited) : undefined;
    };
    const error = await traces.ask(n8n, { requestId: "r-1" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "N8N_RATE_LIMITED",
      details: {
        retryAfter: 60,
        traceId: "trace_1",
        solution: expect.stringMatching(/60 seconds.*2\.47/),
      },
    });
    const before = n8n.sent.length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(400);
    n8n.intercept = () => undefined;
    const answer = await traces.ask(n8n, { traceId: "trace_1", timeBudgetMs: 55_000 });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 400, complete: true } });
    expect(new Set(n8n.sent).size).toBe(400);
    expect(n8n.sent).toHaveLength(400);
  });
});

describe("a key whose role lacks execution:read (n8n 2.41.1, `controllers/executions.public.controller`)", () => {
  const n8n = () => withWorkflows(createFakeN8n([]), workflow("w1", {}));

  test("check_connection says so where the list is empty, without another request", async () => {
    const fake = n8n();
    const { data } = await callerOf(fake).call("check_connection");
    expect(JSON.stringify(data)).toContain("none that the key may see: since n8n 2.41");
    const other = withWorkflows(createFakeN8n([fakeExecution(1, "r")]), workflow("w1", {}));
    expect(JSON.stringify((await callerOf(other).call("check_connection")).data)).not.toContain("2.41");
  });

  test("so do a trace that sees no execution, and an execution that is answered with 404", async () => {
    expect(await messageOf(n8n(), "trace_request", { requestId: "r-1" })).toContain("execution:read");
    const answer = await callerOf(n8n()).call("get_execution", { id: "5" });
    expect(answer).toMatchObject({ status: "error" });
    expect(JSON.stringify(answer)).toContain("execution:read");
  });
});

describe("workflows of engine v2 (n8n 2.41.1, `services/engine-v2-dispatcher.service`)", () => {
  const n8n = () =>
    withWorkflows(
      createFakeN8n([fakeExecution(1, "r-1")]),
      workflow("w2", { engineType: "v2" }),
      workflow("w1", {}),
    );

  test("a request that was not found may be one of theirs", async () => {
    expect(await messageOf(n8n(), "trace_request", { requestId: ENGINE_V2_ID })).toContain(
      'Workflow "workflow w2" runs on engine v2, and n8n\'s public API shows none of its executions',
    );
  });

  test("check_connection and get_workflow say it", async () => {
    expect(JSON.stringify((await callerOf(n8n()).call("check_connection")).data)).toContain("engine v2");
    const shown = await messageOf(n8n(), "get_workflow", { workflowId: "w2" });
    expect(shown).toContain("It runs on engine v2: n8n's public API shows none of its executions.");
    expect(await messageOf(n8n(), "get_workflow", { workflowId: "w1" })).not.toContain("engine");
  });

  test.each<[string, object]>([
    ["get_execution", { id: ENGINE_V2_ID }],
    ["get_execution_details", { executionId: ENGINE_V2_ID }],
    ["explain_failure", { executionId: ENGINE_V2_ID }],
    ["trace_request", { requestId: `execution:${ENGINE_V2_ID}` }],
    ["trace_request", { requestId: `${URL_OF_N8N}/workflow/w2/executions/${ENGINE_V2_ID}` }],
  ])("%s of such an id: it is said what it is, and n8n is not asked", async (tool, args) => {
    const fake = n8n();
    const answer = await callerOf(fake).call(tool, args);
    expect(answer).toMatchObject({ status: "error" });
    expect(JSON.stringify(answer)).toContain("engine v2");
    expect(fake.requests).toEqual([]);
  });

  test("a parent that is one of their runs is named as such", async () => {
    const parentExecution = { executionId: ENGINE_V2_ID, workflowId: "w2" };
    const child = fakeExecution(2, "r-2", {
      mode: "integrated",
      data: { ...(webhookData({}) as object), parentExecution },
    });
    expect(await messageOf(createFakeN8n([child]), "get_execution", { id: "2" })).toContain(
      "Its parent is a run of engine v2",
    );
  });
});

test("an agent of the Agents module that called it is named (n8n 2.40.5, `RelatedAgentRun`)", async () => {
  const data = { ...(webhookData({}) as object), parentAgentRun: PARENT_AGENT_RUN };
  const message = await messageOf(createFakeN8n([fakeExecution(2, "r-2", { data })]), "get_execution", {
    id: "2",
  });
  expect(message).toContain("An agent of n8n's Agents module called it as a tool (agent agent1).");
});

describe("a worker that died (n8n 2.42, #38853)", () => {
  test.each([
    ["crashed", { resultData: { error: STALLED_ERROR, runData: {} } }],
    ["error", { resultData: { error: STALLED_ERROR, runData: {} } }],
  ])("%s: a trace by the id of the execution tells the reason", async (status, data) => {
    const answer = await traced([fakeExecution(3, "r-3", { status, data })], "execution:3");
    expect(answer.outcome).toBe("error");
    expect(answer.sentence).toContain("The worker that ran it died");
  });

  test.each([[{ resultData: { runData: {} } }], [null]])("crashed, and no data: it failed", async (data) => {
    const answer = await traced([fakeExecution(3, "r-3", { status: "crashed", data })], "execution:3");
    expect(answer).toMatchObject({ outcome: "error", found: true });
    expect(answer.sentence).toContain("failed in");
  });
});

describe("a parent that waits for its sub-workflow (n8n 2.41.1, n8n-core `base-execute-context`)", () => {
  const child = fakeExecution(9, "other", {
    ...{ status: "waiting", mode: "integrated", workflowId: "w2", waitTill: "2026-02-01T00:00:00.000Z" },
    workflowData: { name: "approval", nodes: [] },
  });

  test("the child is found by that link, and is what it waits for", async () => {
    const answer = await traced([parentThatWaits(8, "9", "r-8"), child], "r-8");
    expect(answer.outcome).toBe("waiting");
    expect(answer.executions.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["8", null],
      ["9", "8"],
    ]);
    expect(answer.sentence).toContain(
      'is waiting in "orders" (execution 8) for its sub-workflow "approval" (execution 9), which has not been resumed yet',
    );
  });

  test("also while the child runs", async () => {
    const running = { ...child, status: "running", stoppedAt: null, waitTill: null };
    expect((await traced([parentThatWaits(8, "9", "r-8"), running], "r-8")).sentence).toContain(
      "which is still running",
    );
  });

  test("without the child, by the time until which it waits", async () => {
    const { sentence } = await traced([parentThatWaits(8, ENGINE_V2_ID, "r-8")], "r-8");
    expect(sentence).toContain("for the sub-workflow that it called");
    expect(sentence).not.toContain("Wait node");
  });

  test("up to 2.40 by the child, which names its parent", async () => {
    const parentExecution = { executionId: "8", workflowId: "w1" };
    const named = { ...child, data: { ...(webhookData({}) as object), parentExecution } };
    expect((await traced([parentThatWaitsBefore(8, "r-8"), named], "r-8")).sentence).toContain(
      'for its sub-workflow "approval"',
    );
  });

  test("a Wait node is still one", async () => {
    const waits = fakeExecution(8, "r-8", { status: "waiting", waitTill: "2026-02-01T00:00:00.000Z" });
    expect((await traced([waits], "r-8")).sentence).toMatch(
      /\(execution 8\)\. It waits .*, until somebody resumes it, or until 2026-02-01T00:00:00.000Z\.$/,
    );
    expect(WAIT_FOR_SUB_EXECUTION > "2026").toBe(true);
  });
});

describe("a status that is not known (n8n-workflow `execution-status`: a later n8n may have more)", () => {
  const STATUS = { status: "paused-by-policy" };

  test("is neither a success nor running: whether it ended is said", async () => {
    const ended = await traced([fakeExecution(3, "r-3", STATUS)], "r-3");
    expect(ended).toMatchObject({ outcome: "unknown", found: true, coverage: { complete: true } });
    expect(ended.sentence).toContain("ended at 2026-01-01T00:00:03.500Z in");
    expect(ended.sentence).toContain("whether it succeeded is not known");
    const open = await traced([fakeExecution(3, "r-3", { ...STATUS, stoppedAt: null })], "r-3");
    expect(open.sentence).toContain("has not ended in");
  });

  test("of one that has ended is not waited for", async () => {
    const n8n = createFakeN8n([fakeExecution(3, "r-3", STATUS)]);
    const { data } = await callerOf(n8n).call("trace_request", { requestId: "r-3", waitMs: 55_000 });
    expect(data).toMatchObject({ outcome: "unknown" });
    expect(data).not.toHaveProperty("waitedMs");
  });

  test("of many costs no answer its completeness", async () => {
    const executions = fakeHistory(150).map((one) => ({ ...one, ...STATUS }));
    expect(await traced(executions, "never sent")).toMatchObject({
      outcome: "not_found",
      coverage: { scannedExecutions: 150, complete: true },
    });
  });

  test.each<[string, object, string]>([
    ["get_workflow_executions", { limit: 5 }, "1 execution"],
    ["get_execution", { id: "3" }, "unknown"],
    ["explain_failure", { executionId: "3" }, "has ended: It ended at"],
  ])("is shown by %s", async (tool, args, said) => {
    const n8n = withWorkflows(createFakeN8n([fakeExecution(3, "r-3", STATUS)]), workflow("w1", {}));
    expect(await messageOf(n8n, tool, args)).toContain(said);
  });
});

describe("data in a form that is not known (n8n-workflow `run-execution-data`)", () => {
  const later = fakeExecution(3, "r-3", { data: { version: 2, steps: [{ json: { requestId: "r-3" } }] } });

  test("never counts as read with nothing in it", async () => {
    const answer = await traced([later, fakeExecution(4, "r-4")], "r-3");
    expect(answer).toMatchObject({ found: false, coverage: { complete: false } });
    expect(answer.coverage.skipped).toEqual([
      { executionId: "3", reason: expect.stringContaining("in a form that is not known here") },
    ]);
  });

  test("is an error that says so where it is asked for", async () => {
    const answer = await callerOf(createFakeN8n([later])).call("get_execution", { id: "3" });
    expect(answer).toMatchObject({ status: "error" });
    expect(JSON.stringify(answer)).toContain("in a form that is not known here");
  });
});
