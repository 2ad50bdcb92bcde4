/** What an execution waits for, since when, how long it waited, and what a retry of one that waited does. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../src/executions/causes/execution-view.ts";
import { compareExecutions } from "../../src/executions/comparison/compare-executions.ts";
import { linksOf } from "../../src/executions/links.ts";
import { summarizeExecution } from "../../src/executions/summary.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";
import { explain, sentencesOf } from "../support/explain.ts";

const MAIL = { type: "n8n-nodes-base.emailSend", parameters: { operation: "sendAndWait" } };
const START = Date.parse("2026-12-01T10:00:00.000Z");
const at = (ms: number): string => new Date(START + ms).toISOString();

interface Run {
  readonly node: string;
  readonly ms: number;
  /** Since n8n began, resumed or retried the execution. */
  readonly index: number;
  readonly status?: string;
  readonly json?: object;
  readonly metadata?: object;
  readonly took?: number;
}

/** An execution whose nodes each follow the one before. */
function executionOf(runs: readonly Run[], facts: object = {}, asks: object = MAIL) {
  const names = [...new Set(runs.map(({ node }) => node))];
  const runData = Object.fromEntries(names.map((name) => [name, runs.filter(({ node }) => node === name)]));
  const toRun = ({ node, ms, index, status = "success", json = {}, metadata, took = 10 }: Run) => ({
    ...{ startTime: START + ms, executionTime: took, executionIndex: index, executionStatus: status },
    source: names.indexOf(node) === 0 ? [] : [{ previousNode: names[names.indexOf(node) - 1] }],
    data: { main: [[{ json }]] },
    metadata,
  });
  return executionWithData.parse({
    ...{ id: "7", workflowId: "w1", mode: "webhook", status: "success" },
    ...{ startedAt: at(0), stoppedAt: at(6_000), ...facts },
    data: {
      resultData: {
        lastNodeExecuted: names.at(-1),
        runData: Object.fromEntries(Object.entries(runData).map(([name, own]) => [name, own.map(toRun)])),
      },
    },
    workflowData: {
      name: "Orders",
      nodes: names.map((name) => ({ name, type: "n8n-nodes-base.code", ...(name === "Ask" ? asks : {}) })),
      connections: Object.fromEntries(
        names
          .slice(1)
          .map((name, index) => [names[index] ?? "", { main: [[{ node: name, type: "main", index: 0 }]] }]),
      ),
    },
  });
}

const order = { order: 1 };
const webhook: Run = { node: "Webhook", ms: 0, index: 0, json: order };
const put: Run = { node: "Ask", ms: 20, index: 1, status: "waiting", json: order };
const yes: Run = { node: "Ask", ms: 5_000, index: 0, json: { data: { approved: true } } };
const book: Run = { node: "Book", ms: 5_020, index: 1 };

describe("an execution that waits", () => {
  const waiting = { status: "waiting", stoppedAt: at(40), waitTill: "3000-01-01T00:00:00.000Z" };

  test("says since when, and for what", () => {
    expect(explain(executionOf([webhook, put], waiting)).finding.sentence).toBe(
      `It waits at "Ask", since ${at(40)}, for somebody's answer to its message; it has no time limit, and may wait forever.`,
    );
  });

  test.each<[string, object, string]>([
    ["a page of a form", { type: "n8n-nodes-base.form" }, "for a form to be filled in"],
    [
      "the last page of a form",
      { type: "n8n-nodes-base.form", parameters: { operation: "completion" } },
      "for its last page to be opened",
    ],
    ["a chat", { type: "@n8n/n8n-nodes-langchain.chat", typeVersion: 1 }, "for somebody's answer"],
    [
      "a job elsewhere",
      { type: "n8n-nodes-base.github", parameters: { operation: "dispatchAndWait" } },
      "for a call of its resume URL",
    ],
  ])("for %s", (_name, asks, expected) => {
    expect(explain(executionOf([webhook, put], waiting, asks)).finding.sentence).toContain(expected);
  });

  test.each<[string, object]>([
    ["toEmail", { toEmail: "ann@example.com" }],
    ["sendTo", { sendTo: "={{ $json.boss }}" }],
    ["user", { user: { __rl: true, mode: "list", value: "U1", cachedResultName: "ann@example.com" } }],
  ])("for an answer names whom it asked, as %s", (field, parameters) => {
    const asks = { ...MAIL, parameters: { ...MAIL.parameters, ...parameters } };
    const from = { ...webhook, json: { boss: "ann@example.com" } };
    expect(explain(executionOf([from, put], waiting, asks)).finding).toMatchObject({
      ...{ field, value: "ann@example.com" },
      sentence: expect.not.stringContaining("ann"),
    });
  });

  test("for an answer names nobody that it cannot tell", () => {
    const asks = { ...MAIL, parameters: { ...MAIL.parameters, toEmail: "={{ $('Other').item.json.boss }}" } };
    expect(explain(executionOf([webhook, put], waiting, asks)).finding.field).toBeUndefined();
  });

  test("for a sub-workflow names its execution, also before n8n 2.41", () => {
    const calls = { type: "n8n-nodes-base.executeWorkflow" };
    const run = { ...put, metadata: { subExecution: { executionId: "14", workflowId: "w2" } } };
    expect(explain(executionOf([webhook, run], waiting, calls)).finding).toMatchObject({
      executionId: "14",
      sentence: `It waits at "Ask", since ${at(40)}, for the sub-workflow that it called (execution 14), and continues when that ends.`,
    });
  });

  test("and is stopped did not run its node then", () => {
    const facts = { status: "canceled", stoppedAt: at(9_000) };
    const execution = executionOf([webhook, put], facts);
    const error = { name: "ManualExecutionCancelledError", message: "stopped" };
    const resultData = { ...execution.data?.resultData, error };
    expect(explain({ ...execution, data: { ...execution.data, resultData } }).finding.sentence).toBe(
      'Somebody stopped it by hand after 9000 ms while it waited at "Ask".',
    );
  });
});

describe("how long an execution waited", () => {
  test("is said with its duration, at the node with which it went on", () => {
    const execution = executionOf([webhook, yes, book]);
    const summary = summarizeExecution(execution);
    expect([summary.duration, summary.waitedMs]).toEqual([6_000, 4_990]);
    expect(summary.availableNodes.map(({ waitedMs }) => waitedMs)).toEqual([undefined, 4_990, undefined]);
    expect(sentencesOf(explain(execution))).toContain('It waited 4990 ms before it continued at "Ask".');
  });

  test("counts each wait of a loop", () => {
    const again = { ...yes, ms: 8_000 };
    expect(sentencesOf(explain(executionOf([webhook, yes, again])))).toContain("7980 ms in 2 waits");
  });

  test("is nothing for one that did not wait, and for a retry the time of the original", () => {
    expect(summarizeExecution(executionOf([webhook, { ...yes, index: 1 }])).waitedMs).toBeUndefined();
    const retry = { mode: "retry", retryOf: "6", startedAt: at(4_990), stoppedAt: at(5_100) };
    expect(summarizeExecution(executionOf([webhook, yes, book], retry)).waitedMs).toBeUndefined();
  });
});

describe("an answer", () => {
  test("that declines is reported", () => {
    const no = { ...yes, json: { data: { approved: false } } };
    expect(explain(executionOf([webhook, no, book])).finding).toMatchObject({
      ...{ cause: "declined", confidence: "observed", field: "data.approved" },
      sentence: 'Somebody declined what "Ask" asked.',
    });
    expect(explain(executionOf([webhook, yes, book])).finding.cause).toBe("nothing_found");
  });
});

describe("a retry of one that waits or was stopped", () => {
  const facts = { mode: "retry", retryOf: "6", startedAt: at(4_990) };
  const skipped = { ...yes, json: order };

  test("goes on without an answer, which is reported", () => {
    expect(explain(executionOf([webhook, skipped, book], facts)).finding).toMatchObject({
      cause: "unanswered",
      sentence: expect.stringContaining('Nobody answered "Ask" in this execution'),
    });
  });

  test("is not reported if the answer came in the original, or in the retry", () => {
    const late = { ...facts, startedAt: at(5_015) };
    expect(explain(executionOf([webhook, skipped, book], late)).finding.cause).toBe("nothing_found");
    expect(explain(executionOf([webhook, yes, book], facts)).finding.cause).toBe("nothing_found");
  });

  test.each([
    ["success", "which succeeded itself, so what it does may have been done twice"],
    ["waiting", "which still waits, and may continue, too"],
  ])("says that the original is a %s", (status, expected) => {
    const retried = viewOf(executionOf([webhook, put], { id: "6", status }));
    expect(sentencesOf(explain(executionOf([webhook, yes, book], facts), { retried }))).toContain(expected);
  });

  test("says that the workflow was edited in between", () => {
    const [before, now] = ["v1", "v2"].map((workflowVersionId) => ({ ...facts, workflowVersionId }));
    const retried = viewOf(executionOf([webhook], before));
    expect(sentencesOf(explain(executionOf([webhook, yes], now), { retried }))).toContain("edited since");
    expect(sentencesOf(explain(executionOf([webhook, yes], before), { retried }))).not.toContain("edited");
  });
});

describe("what a retry takes over", () => {
  const metadata = { subExecution: { executionId: "5", workflowId: "w2" } };
  const own = { subExecution: { executionId: "9", workflowId: "w2" } };
  const retry = { mode: "retry", retryOf: "6", startedAt: at(4_990) };
  const runs = [
    { ...webhook, metadata },
    { ...yes, metadata: own },
  ];
  const idsIn = ({ subExecutions }: ReturnType<typeof linksOf>) =>
    subExecutions.map(({ executionId }) => executionId);

  test("is no call of its own", () => {
    expect(idsIn(summarizeExecution(executionOf(runs, retry)).links)).toEqual(["9"]);
    expect(idsIn(summarizeExecution(executionOf(runs)).links)).toEqual(["5", "9"]);
    expect(idsIn(linksOf(executionOf(runs, retry)))).toEqual(["5", "9"]);
  });

  test("took its time in the original", () => {
    const slow = { ...webhook, took: 4_000 };
    const differing = (facts: object) =>
      compareExecutions(executionOf([slow, yes], facts), executionOf([webhook, yes], { id: "3" })).nodes.map(
        ({ durationMs }) => durationMs,
      );
    expect(differing(retry)).toEqual([]);
    expect(differing({})).toEqual([{ before: 10, now: 4_000 }]);
  });

  test("counts among the nodes, also if the workflow has them no more", () => {
    const execution = executionOf([webhook, yes, book], retry);
    const nodes = [{ name: "Ask", ...MAIL }];
    const { statistics } = summarizeExecution({ ...execution, workflowData: { nodes } });
    expect(statistics).toMatchObject({ totalNodes: 3, executedNodes: 3 });
  });
});
