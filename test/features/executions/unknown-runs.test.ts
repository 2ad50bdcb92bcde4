/** What ran in an execution is told as far as n8n shows it, and what is not known is never told as not run. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../../support/call-recorded.ts";
import { compared, type Sent } from "../../support/compared-executions.ts";
import { errorOf, suggestedCall } from "../../support/envelopes.ts";
import { createFakeN8n, type FakeExecution } from "../../support/fake-n8n.ts";

const ask = async (execution: FakeExecution, tool: string, args: object) =>
  await createCaller({ fetch: createFakeN8n([execution]).fetch }).call(tool, args);

/** Of three nodes, of which n8n shows no run. */
const withoutRuns = (facts: object) =>
  compared(1, [], {
    nodes: { Webhook: {}, Read: {}, Send: {} },
    data: { resultData: { runData: {} } },
    ...facts,
  });

describe.each([
  ["runs", { status: "running", stoppedAt: null }, "What has run is known once the execution has ended."],
  [
    "waits in n8n's queue",
    { status: "new", startedAt: null, stoppedAt: null },
    "The execution has not begun.",
  ],
  ["is above n8n's display limit", { dataTooLargeToDisplay: true, data: {} }, "n8n sends none of it."],
  [
    "crashed before n8n stored a run",
    { status: "crashed" },
    "n8n may have no run of the node that ran at that moment.",
  ],
  [
    "was canceled while its first node ran",
    { status: "canceled" },
    "n8n may have no run of the node that ran at that moment.",
  ],
  ["failed before its first node", { status: "error" }, "n8n has no run of any of its nodes."],
])("of an execution that %s, no node is told as not run", (_name, facts, why) => {
  test("in its summary", async () => {
    const { message, data } = await ask(withoutRuns(facts), "get_execution", { id: "1" });
    expect(message).toContain(why);
    expect(message).not.toMatch(/nodes? ran/);
    expect(data).toMatchObject({ runsUnknown: expect.stringContaining(why) });
    expect(JSON.stringify(data)).not.toContain("No node has run");
  });

  test("where a node's data are asked for", async () => {
    const byNode = await ask(withoutRuns(facts), "get_execution_by_node", { id: "1", nodeName: "Read" });
    expect(errorOf(byNode, "NODE_NOT_FOUND").message).toContain(why);
    const details = await ask(withoutRuns(facts), "get_execution_details", {
      executionId: "1",
      nodes: ["Read"],
    });
    expect(errorOf(details, "NODE_NOT_FOUND").message).toContain(why);
    const all = await ask(withoutRuns(facts), "get_execution_details", { executionId: "1" });
    expect(all.message).toContain(why);
  });

  test("where its agents are asked for", async () => {
    const { message } = await ask(withoutRuns(facts), "explain_agent_run", { executionId: "1" });
    expect(message).toMatch(/: no run of an agent is known\. /);
    expect(message).toContain(why);
    const named = await ask(withoutRuns(facts), "explain_agent_run", { executionId: "1", agent: "Read" });
    expect(errorOf(named, "NODE_NOT_FOUND").message).toContain(why);
  });
});

test("a node that n8n's progress does not show may still run", async () => {
  const sent: Sent = { node: "Webhook", items: [[{}]] };
  const running = compared(1, [sent], { nodes: { Read: {} }, status: "running", stoppedAt: null });
  expect((await ask(running, "get_execution", { id: "1" })).message).toContain("1 of 2 nodes ran");
  const byNode = await ask(running, "get_execution_by_node", { id: "1", nodeName: "Read" });
  expect(errorOf(byNode).message).toContain("No run of this node is known.");
  const agents = await ask(running, "explain_agent_run", { executionId: "1" });
  expect(agents.message).not.toContain("ran no agent");
});

test("a node after one that waits may still run", async () => {
  const waiting = { nodes: { Read: {} }, status: "waiting", waitTill: "2026-02-01T00:00:00.000Z" };
  const execution = compared(1, [{ node: "Webhook", items: [[{}]] }], waiting);
  const byNode = await ask(execution, "get_execution_by_node", { id: "1", nodeName: "Read" });
  expect(errorOf(byNode).message).toBe("No run of this node is known. The execution waits, and may go on.");
});

test.each(["waiting", "canceled", "crashed"])(
  "of a %s execution, a node's wrong name is said",
  async (status) => {
    const execution = compared(1, [{ node: "Webhook", items: [[{}]] }], { status });
    const details = await ask(execution, "get_execution_details", { executionId: "1", nodes: ["Wehook"] });
    expect(errorOf(details, "NODE_NOT_FOUND").message).toMatch(
      /^No run of one of these nodes is known\. The /,
    );
  },
);

test("the items of a node's other outputs are not told as lost", async () => {
  const sent: Sent = {
    node: "If",
    items: [
      [1, 2, 3],
      [4, 5, 6, 7],
    ],
  };
  const { message } = await ask(compared(1, [sent]), "get_execution_by_node", { id: "1", nodeName: "If" });
  expect(message).toContain("3 out at output 0, 4 at others.");
});

test("a node that a branch left out did not run", async () => {
  const ended = compared(1, [{ node: "Webhook", items: [[{}]] }], { nodes: { Read: {} } });
  const byNode = await ask(ended, "get_execution_by_node", { id: "1", nodeName: "Read" });
  expect(errorOf(byNode).message).toBe("This node did not run in this execution.");
});

test("fields that a node reads are not told as empty where n8n withholds them", async () => {
  const items = { main: [[{ json: {}, redaction: { redacted: true, reason: "policy" } }]] };
  const run = { startTime: 1, executionTime: 1, executionStatus: "success", source: [], data: items };
  const runData = { Webhook: [run], Send: [{ ...run, source: [{ previousNode: "Webhook" }] }] };
  const data = { redactionInfo: { isRedacted: true }, resultData: { runData } };
  const nodes = { Webhook: {}, Send: { parameters: { to: "={{ $json.email }}" } } };
  const answer = await ask(compared(1, [], { nodes, data }), "get_execution_by_node", {
    id: "1",
    nodeName: "Send",
  });
  expect(answer.data).toMatchObject({ withheldByN8n: true });
  expect(answer.data).not.toHaveProperty("resolved");
});

describe("a loop with more runs than are read", () => {
  const error = { message: "no", node: { name: "Read" } };
  const rounds = Array.from({ length: 2_600 }, (): Sent => ({ node: "Read", items: [[{ a: 1 }]] }));
  const loop = compared(1, [{ node: "Webhook", items: [[{}]] }, ...rounds, { node: "Read", error }], {
    data: undefined,
  });
  const { data } = compared(1, [{ node: "Webhook", items: [[{}]] }, ...rounds, { node: "Read", error }]);
  const { runData } = z.object({ resultData: z.object({ runData: z.unknown() }) }).parse(data).resultData;
  const failed = { ...loop, data: { resultData: { runData, error, lastNodeExecuted: "Read" } } };

  test("has the number of all runs, and the failure of an unread one", async () => {
    const answer = await ask(failed, "get_execution", { id: "1" });
    expect(answer.message).toContain("At least 601 more node runs were not read");
    expect(answer.data).toMatchObject({
      statistics: { successfulNodes: 1, failedNodes: 1, unreadRuns: 601 },
      availableNodes: [{ nodeName: "Webhook" }, { nodeName: "Read", status: "error", runs: 2_601 }],
    });
    expect(suggestedCall(answer).tool).toBe("explain_failure");
  });

  test("is not said to have no later run", async () => {
    const first = await ask(failed, "get_execution_by_node", { id: "1", nodeName: "Read" });
    expect(first.message).toContain("run 1 of 2601");
    expect(first.message).toContain("Only the first 2000 runs can be read.");
    expect(first.data).toMatchObject({ runs: 2_601 });
    const later = await ask(failed, "get_execution_by_node", { id: "1", nodeName: "Read", run: 2_500 });
    expect(errorOf(later, "VALIDATION_ERROR").message).toBe(
      "Run 2500 cannot be read: of 2601 runs, only the first 2000 can.",
    );
    const beyond = await ask(failed, "get_execution_by_node", { id: "1", nodeName: "Read", run: 2_601 });
    expect(errorOf(beyond).message).toContain("The node ran 2601 times, so there is no run 2601.");
    const details = await ask(failed, "get_execution_details", { executionId: "1" });
    expect(details.message).toContain('"Read" ran 2601 times');
  });

  test("is not said to have sent nothing to the node after it", async () => {
    const source = [{ previousNode: "Read", previousNodeRun: 2_599 }];
    const Done = [{ startTime: 1, executionTime: 1, executionIndex: 9_999, source, data: { main: [[]] } }];
    const ended = { ...failed, data: { resultData: { runData: { ...Object(runData), Done } } } };
    const { message, data: after } = await ask(ended, "get_execution_by_node", { id: "1", nodeName: "Done" });
    expect(message).toContain("; an unknown number of items in, 0 out.");
    expect(after).toMatchObject({ input: { isUnread: true } });
  });
});
