/** Ends that n8n's status does not tell: duplicates that were dropped, answers that refuse, time limits, windows. */
import { describe, expect, test } from "vitest";
import { CONNECTIONS, entry, failedEntry, ID, NODES, runOf, traced } from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

/** A webhook after which only these nodes ran. */
function ended(
  id: number,
  nodes: readonly object[],
  runData: Record<string, object[]>,
  facts = {},
): FakeExecution {
  const links = {
    Webhook: { main: [[{ node: "Dedupe", type: "main", index: 0 }]] },
    Dedupe: { main: [[{ node: "Send", type: "main", index: 0 }]] },
  };
  return fakeExecution(id, "req-1", {
    workflowData: { id: "w1", name: "orders", nodes, connections: links },
    data: {
      resultData: {
        runData: { Webhook: [runOf(0, {}, { body: ID })], ...runData },
        lastNodeExecuted: Object.keys(runData).at(-1) ?? "Webhook",
      },
    },
    ...facts,
  });
}

test("a second delivery that was dropped as a duplicate did not do what the first failed to do", async () => {
  const dropping = { name: "Dedupe", type: "n8n-nodes-base.removeDuplicates", parameters: {} };
  const second = ended(11, [NODES[0] ?? {}, dropping, NODES[2] ?? {}], {
    Dedupe: [runOf(1, { data: { main: [[], []] } }, {})],
  });
  const { message } = await traced([failedEntry(10, "req-1"), second], ID);
  expect(message).toContain("and succeeded when it was sent again (execution 11)");
  expect(message).toMatch(/Observed in execution 11 .*"Dedupe" let none of 1 item through/);
});

describe("a webhook's own answer counts beside n8n's success:", () => {
  const hook = { ...NODES[0], parameters: { responseMode: "responseNode" } };
  const answering = (responseCode: unknown, more = {}) => {
    const answer = { name: "Answer", type: "n8n-nodes-base.respondToWebhook", ...more };
    return ended(10, [hook, { ...answer, parameters: { options: { responseCode } } }], {
      Answer: [runOf(1, {}, { body: ID })],
    });
  };

  test("HTTP 500 says that it failed", async () => {
    const { outcome, message } = await traced([answering(500)], ID);
    expect(outcome).toBe("success");
    expect(message).toContain('But in execution 10 of "orders": "Answer" answered the caller with HTTP 500.');
  });

  test("HTTP 422 may be intended", async () => {
    const { message } = await traced([answering(422)], ID);
    expect(message).toMatch(/Observed in execution 10 .* answered the caller with HTTP 422\./);
  });

  test.each([200, 302, undefined, "={{ $json.code }}"])("%s says nothing", async (status) => {
    expect((await traced([answering(status)], ID)).message).not.toContain("HTTP");
  });

  // RespondToWebhook.node.js returns the error as an item, and sends nothing.
  test.each([{ disabled: true }, { onError: "continueRegularOutput" }, { onError: "continueErrorOutput" }])(
    "a node that may not have answered says nothing (%o)",
    async (more) => {
      expect((await traced([answering(500, more)], ID)).message).not.toContain("HTTP");
    },
  );
});

test("what a time limit ended was not canceled by a person", async () => {
  const facts = { status: "canceled", stoppedAt: "2026-01-01T00:01:10.050Z" };
  const settings = { executionTimeout: 60 };
  const workflowData = { id: "w1", name: "orders", nodes: NODES, connections: CONNECTIONS, settings };
  const { outcome, message } = await traced([fakeExecution(10, "req-1", { ...facts, workflowData })], ID);
  expect(outcome).toBe("canceled");
  expect(message).toContain("it took longer than its time limit of 60 seconds");
});

describe("a window that has ended", () => {
  const UNTIL = { ...ID, startedBefore: "2026-01-01T00:00:30.000Z" };
  const SINCE =
    "It was looked for in executions that began up to 2026-01-01T00:00:30.000Z: it may have been sent again since.";

  test.each([
    ["a failure", failedEntry(10, "req-1"), entry(200, "req-1", null)],
    ["a success", entry(10, "req-1", null), failedEntry(200, "req-1")],
  ])("does not make %s in it the last word", async (_what, earlier, later) => {
    const { message } = await traced([earlier, later], UNTIL);
    expect(message).toContain("(execution 10)");
    expect(message).toContain(SINCE);
  });

  test("does not call the next message of a session the same request", async () => {
    const asked = JSON.parse(
      JSON.stringify(entry(10, "chat-1-abc", null)).replaceAll("requestId", "sessionId"),
    );
    const { message } = await traced([asked], { ...UNTIL, requestId: "chat-1-abc" });
    expect(message).toContain("up to 2026-01-01T00:00:30.000Z: there may be more requests with it.");
  });

  test.each([
    ["one that goes on", { ...ID, startedBefore: "2031-01-01T00:00:00.000Z" }],
    ["one without an end", { ...ID, startedAfter: "2026-01-01T00:00:00.000Z" }],
  ])("is not %s", async (_what, args) => {
    const { message } = await traced([entry(10, "req-1", null)], args, {
      now: () => Date.UTC(2026, 0, 2),
    });
    expect(message).not.toContain("sent again since");
  });
});

describe("what waits", () => {
  const waits = async (waitTill: string): Promise<string> =>
    (await traced([fakeExecution(10, "req-1", { status: "waiting", waitTill })])).message;

  // A wait for a call or an approval with a time limit has a `waitTill`, too, and may go on before it.
  test("for a time goes on at that time, or before", async () => {
    expect(await waits("2027-01-01T09:00:00.000Z")).toContain(
      "until somebody resumes it, or until 2027-01-01T09:00:00.000Z.",
    );
  });

  // Nodes of many kinds do so: `sendAndWait` of Slack, Gmail and others, forms, chats (n8n-nodes-base).
  test("without a time limit has not been resumed, whatever node it waits at", async () => {
    expect(await waits("3000-01-01T00:00:00.000Z")).toContain(
      "until somebody resumes it; it has no time limit",
    );
  });
});

// Before 2.13 (https://github.com/n8n-io/n8n/pull/27357), n8n's start of a resumed execution is that of its last part.
describe("an execution that n8n has given a new start as it was resumed", () => {
  const RECEIVED = "2026-01-01T00:00:00.000Z";
  const resumed = (facts: Record<string, unknown> = {}): FakeExecution => {
    const webhook = runOf(0, { startTime: Date.parse(RECEIVED) }, { body: ID });
    return fakeExecution(10, "req-1", {
      startedAt: "2026-01-03T00:00:00.000Z",
      stoppedAt: "2026-01-03T00:00:00.200Z",
      data: { resultData: { runData: { Webhook: [webhook] }, lastNodeExecuted: "Webhook" } },
      ...facts,
    });
  };

  test("began when its first node ran", async () => {
    const answer = await traced([resumed()]);
    expect(answer.startedAt).toBe(RECEIVED);
    expect(answer.message).toContain("after 172800200 ms");
  });

  // n8n numbers its runs from 0 again (1.123 and 2.40, `currentNodeExecutionIndex`), and JSON has integers first.
  test("began when its first node ran, also if a later node has a number for a name", async () => {
    const later = runOf(0, { startTime: Date.parse("2026-01-03T00:00:00.100Z") }, {});
    const first = runOf(0, { startTime: Date.parse(RECEIVED) }, { body: ID });
    const data = { resultData: { runData: { "2": [later], Webhook: [first] }, lastNodeExecuted: "2" } };
    expect((await traced([resumed({ data })])).startedAt).toBe(RECEIVED);
  });

  test("is no retry and no partial run, which begin with the runs of another execution", async () => {
    const { message } = await traced([resumed({ mode: "retry", retryOf: "5" })]);
    expect(message).toContain("after 200 ms");
    expect((await traced([resumed({ mode: "manual" })])).message).toContain("after 200 ms");
  });
});

test("an execution that was read in the queue, and cannot be read since, began when a worker took it", async () => {
  const ended = fakeExecution(6, "req-q");
  const queued = {
    ...ended,
    status: "new",
    createdAt: "2025-12-31T22:00:00.000Z",
    startedAt: null,
    stoppedAt: null,
  };
  const traces = createTestTraces();
  const n8n = createFakeN8n([queued]);
  expect(await traces.ask(n8n, { requestId: "req-q" })).toMatchObject({ outcome: "queued" });
  n8n.executions = [ended];
  n8n.broken.add("6");
  expect((await traces.ask(n8n, { requestId: "req-q" })).sentence).toContain("after 500 ms");
});
