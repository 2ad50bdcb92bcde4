/** Executions that were not read, not kept or only called never make an answer false. */
import { describe, expect, test } from "vitest";
import type { Match } from "../../../src/features/request-node.ts";
import { buildTree, deepestFailure } from "../../../src/features/request-tree.ts";
import { outcomeSentence } from "../../../src/features/trace-request/outcome-sentence.ts";
import { formOf } from "../../../src/history/request-ids/request-forms.ts";
import type { TracedExecution } from "../../../src/history/store/traced-execution.ts";
import { tracedExecution } from "../../builders/known-executions.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

const execution = (id: string, changes: Partial<TracedExecution> = {}): TracedExecution =>
  tracedExecution(Number(id), {
    workflowId: `w${id}`,
    ...{ startedAt: "2026-01-01T00:00:00.000Z", stoppedAt: "2026-01-01T00:00:10.000Z" },
    ...changes,
  });

const exact = (path: string): Match => ({ kind: "exact", nodeName: "Start", path });
const HANDED_ON = "mcpToolCall.arguments.body.context.requestId";

describe("an agent that passes its whole input to an MCP server of the same n8n", () => {
  const agent = execution("5", { status: "error" });
  const server = execution("6", {
    mcpTrigger: "Start",
    mode: "trigger",
    startedAt: "2026-01-01T00:00:04.000Z",
    stoppedAt: "2026-01-01T00:00:05.000Z",
  });
  const tree = (...family: TracedExecution[]) =>
    buildTree({
      family,
      mentioning: [],
      matches: new Map([
        ["5", exact("body.context.requestId")],
        ["6", exact(HANDED_ON)],
      ]),
    });

  test("is one request, delivered once, with the outcome of its entry", () => {
    const { nodes, outcome, deciding } = tree(agent, server);
    expect(outcome).toBe("error");
    expect(deciding?.id).toBe("5");
    expect(nodes.map(({ id, role, parentId }) => [id, role, parentId])).toEqual([
      ["5", "entry", null],
      ["6", "sub_workflow", "5"],
    ]);
    expect(nodes[1]?.evidence).toMatch(/^inferred/);
  });

  test("is not reported as failed in the server", () => {
    expect(deepestFailure(tree(agent, { ...server, status: "error" }))?.id).toBe("5");
  });

  test.each(["error", "crashed", "canceled", "waiting", "running"] as const)(
    "does not hide a server run that is %s, since a stranger may have posted the id",
    (status) => {
      for (const stranger of [
        execution("5"),
        execution("5", { status: "waiting", stoppedAt: null }),
        execution("5", { status: "running", stoppedAt: null }),
      ]) {
        const { deliveries, nodes } = tree(stranger, { ...server, status });
        expect(deliveries.map(({ node }) => node.id).sort()).toEqual(["5", "6"]);
        expect(nodes[1]?.evidence).toMatch(/^inferred/);
      }
    },
  );

  test("makes a successful server run no second delivery", () => {
    expect(tree(agent, server).deliveries.map(({ node }) => node.id)).toEqual(["5"]);
  });

  test("is not needed: a call from outside of n8n is an entry", () => {
    expect(tree(server).nodes).toMatchObject([{ id: "6", role: "entry" }]);
  });

  test("is not the caller of a run of another trigger, which is an entry", () => {
    const stranger = { ...server, mcpTrigger: null, mode: "webhook" };
    expect(tree(agent, stranger).nodes.map(({ role }) => role)).toEqual(["entry", "entry"]);
    const elsewhere = { ...server, mcpTrigger: "Another node" };
    expect(tree(agent, elsewhere).nodes.map(({ role }) => role)).toEqual(["entry", "entry"]);
  });

  test("is not the caller of a run at another time, which is an entry", () => {
    const later = { ...server, startedAt: "2026-01-01T01:00:00.000Z", stoppedAt: "2026-01-01T01:00:01.000Z" };
    expect(tree(agent, later).nodes.map(({ role }) => role)).toEqual(["entry", "entry"]);
  });
});

describe("a failed tool of an MCP server, of which n8n knew only the server's workflow", () => {
  const tool = execution("5", {
    mode: "integrated",
    status: "error",
    unknownParentWorkflowId: "hub",
    stoppedAt: "2026-01-01T00:00:01.000Z",
  });
  const hub = (id: string, second: number): TracedExecution =>
    execution(id, {
      workflowId: "hub",
      mcpTrigger: "Start",
      startedAt: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
    });
  const tree = (...family: TracedExecution[]) =>
    buildTree({
      family,
      mentioning: [],
      matches: new Map(family.map(({ id }) => [id, exact(id === "5" ? "query.requestId" : HANDED_ON)])),
    });

  test("is placed below a call with the same id, with the number of candidates", () => {
    const { nodes, deciding } = tree(tool, hub("6", 1), hub("7", 2));
    expect(nodes.find(({ id }) => id === "5")).toMatchObject({
      role: "sub_workflow",
      parentId: "6",
      evidence: expect.stringMatching(/^inferred: .*\(2 possible\)$/),
    });
    expect(deciding?.id).toBe("7");
  });

  test("is not the caller of the server, although it ended just before, linked or not", () => {
    const linked = { ...tool, unknownParentWorkflowId: null };
    const server = { ...hub("6", 1), subExecutions: [{ executionId: "5", nodeName: "tool" }] };
    for (const { nodes, deciding } of [tree(tool, hub("6", 1)), tree(linked, server)]) {
      expect(deciding?.id).toBe("6");
      expect(nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
        ["6", null],
        ["5", "6"],
      ]);
    }
  });

  test("has no caller if no call fits by workflow, order and time", () => {
    for (const other of [{ ...hub("6", 1), workflowId: "other" }, hub("4", 1), hub("6", 30)])
      expect(tree(tool, other).nodes.find(({ id }) => id === "5")?.parentId).toBeNull();
  });
});

describe("the sentence for a request that was not found", () => {
  const nothing = buildTree({ family: [], mentioning: [], matches: new Map() });
  const reach = {
    scannedExecutions: 20,
    from: "2026-01-01T00:00:00.000Z",
    to: "2026-01-02T00:00:00.000Z",
    stoppedBy: "complete",
    gaps: 0,
    oldestId: "1" as string | null,
    unsavedWorkflows: [],
    searchedForMentions: 20,
    skipped: [],
    isAtKnownPathsOnly: false,
    isCut: false,
    queue: null,
    doubtfulId: null,
    isWaitExplained: false,
  };
  const asked = { text: "req-1", form: formOf("req-1"), foundAs: null, execution: null };
  const sentence = (changes: Partial<typeof reach> | object): string =>
    outcomeSentence(asked, nothing, null, { ...reach, ...changes });

  test("is final only when the window was read", () => {
    expect(sentence({})).toContain("was not found. ");
    expect(sentence({ stoppedBy: "time" })).toContain("was not found yet.");
    expect(sentence({ stoppedBy: "time" })).toContain("the rest of the window was not read yet");
  });

  test("names what n8n does not have", () => {
    expect(sentence({ gaps: 1_204 })).toContain("1204 ids in between are gaps: executions that were deleted");
    expect(sentence({ oldestId: "1205" })).toContain(
      "n8n keeps nothing before execution 1205 of 2026-01-01T00:00:00.000Z.",
    );
    expect(sentence({})).not.toContain("keeps nothing");
    expect(sentence({})).not.toContain("queue");
    const unsavedWorkflows = [{ workflowId: "w", workflowName: "Ping", unsaved: "successful" }];
    expect(sentence({ unsavedWorkflows })).toContain('Workflow "Ping" saves no successful executions.');
    expect(sentence({ gaps: 3, unsavedWorkflows })).toContain("no successful executions: gaps may be its.");
  });
});

/** A sub-workflow that received the request id from its caller. */
const called = (id: number, callerId: number, facts: Record<string, unknown> = {}): FakeExecution =>
  fakeExecution(id, "", {
    mode: "integrated",
    workflowId: "w2",
    data: {
      parentExecution: { executionId: String(callerId), workflowId: "w1" },
      ...Object(webhookData({ requestId: "req-1" })),
    },
    ...facts,
  });

describe("a request of which the window holds only a part", () => {
  test.each([
    ["time", { startedAfter: "2026-01-01T00:00:11.000Z" }],
    ["workflow", { workflowId: "w2" }],
  ])("failed with its entry, even if a window by %s has only its sub-workflow", async (_by, part) => {
    const n8n = createFakeN8n([fakeExecution(10, "req-1", { status: "error" }), called(11, 10)]);
    n8n.dates = "filtered";
    const traces = createTestTraces();
    for (const _time of ["read", "remembered"])
      expect(await traces.ask(n8n, { requestId: "req-1", window: { ...WINDOW, ...part } })).toMatchObject({
        outcome: "error",
        decidingId: "10",
        deliveries: [{ outcome: "error" }],
      });
  });

  test("failed where another sub-workflow of its entry did, even if the window has neither", async () => {
    const metadata = { subExecution: { executionId: "11", workflowId: "w2" } };
    const runData = {
      Webhook: [{ data: { main: [[{ json: { body: { requestId: "req-1" } } }]] } }],
      Call: [{ metadata }],
    };
    const n8n = createFakeN8n([
      fakeExecution(10, "req-1", { status: "error", data: { resultData: { runData } } }),
      called(11, 10, { status: "error" }),
      called(12, 10),
    ]);
    n8n.dates = "filtered";
    const window = { ...WINDOW, startedAfter: "2026-01-01T00:00:12.000Z" };
    const { failure, executions } = await createTestTraces().ask(n8n, { requestId: "req-1", window });
    expect(executions.map(({ id }) => id)).toEqual(["10", "11", "12"]);
    expect(failure?.executionId).toBe("11");
  });

  test("succeeded with its entry, even if more of its sub-workflows failed than are followed", async () => {
    const failed = Array.from({ length: 1_100 }, (_one, index) =>
      called(11 + index, 10, { status: "error" }),
    );
    const n8n = createFakeN8n([fakeExecution(10, "req-1"), ...failed]);
    const answer = await createTestTraces().ask(n8n, { requestId: "req-1" });
    expect(answer).toMatchObject({ outcome: "success", decidingId: "10" });
  });
});
