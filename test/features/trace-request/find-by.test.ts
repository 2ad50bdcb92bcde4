/** A request is found by any of its identifiers, and each leads to the same tree. */
import { describe, expect, test } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  singlesOf,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = (parent: string): string => `00-${TRACE_ID}-${parent}-01`;
const GIVEN = traceparent("00f067aa0ba902b7");

/** One request (10 entry, 11 sub-workflow, 12 its error handler) that was delivered again (20), among unrelated ones. */
function history(): FakeExecution[] {
  const request = (id: number, facts: Record<string, unknown> = {}): FakeExecution =>
    fakeExecution(id, "req-1", {
      data: webhookData({
        headers: { "x-request-id": "req-1", traceparent: GIVEN },
        body: { requestId: "req-1", sessionId: "session-abc" },
      }),
      customData: { orderNumber: "C-20417-X" },
      ...facts,
    });
  const parent = (executionId: string) => ({ parentExecution: { executionId, workflowId: "w1" } });
  return [
    fakeExecution(9, "req-0"),
    request(10, { status: "error" }),
    fakeExecution(11, "", {
      mode: "integrated",
      status: "error",
      workflowId: "w2",
      data: { ...parent("10"), ...Object(webhookData({ item: 1 })) },
    }),
    fakeExecution(12, "", {
      mode: "error",
      workflowId: "w3",
      data: { ...parent("10"), ...Object(webhookData({ execution: { id: "10" } })) },
    }),
    fakeExecution(13, "req-2"),
    request(20),
    fakeExecution(21, "req-3", { customData: { related: "req-1" } }),
  ];
}

interface Summary {
  readonly outcome: string;
  readonly nodes: readonly string[];
}

const summaryOf = ({ outcome, executions }: TraceAnswer): Summary => ({
  outcome,
  nodes: executions
    .filter(({ role }) => role !== "related")
    .map(({ id, role, parentId }) => `${id} ${role} ${parentId}`),
});

const ask = async (n8n: FakeN8n, requestId: string): Promise<TraceAnswer> =>
  await createTestTraces().ask(n8n, { requestId });

async function errorOf(n8n: FakeN8n, requestId: string): Promise<ObserverError> {
  const thrown = await ask(n8n, requestId).catch((error: unknown) => error);
  if (thrown instanceof ObserverError) return thrown;
  throw new Error(`expected an error, got ${JSON.stringify(thrown)}`);
}

describe("the same tree is found", () => {
  test.each([
    ["the entry's execution id", "execution:10", "executionId"],
    ["as plain digits", "10", "executionId"],
    ["that of the sub-workflow", "execution:11", "executionId"],
    ["that of the error handler", "execution:12", "executionId"],
    ["that of the second delivery", "execution:20", "executionId"],
    ["the session", "session-abc", "sessionId"],
    ["the traceparent", GIVEN, "traceId"],
    ["one of another caller in the same trace", traceparent("b7ad6b7169203331"), "traceId"],
    ["the trace id", TRACE_ID, "traceId"],
    ["custom data", "C-20417-X", "customData"],
  ])("by %s", async (_name, held, foundAs) => {
    const n8n = createFakeN8n(history());
    const plain = await ask(n8n, "req-1");
    expect(summaryOf(plain)).toEqual({
      outcome: "error",
      nodes: ["10 entry null", "11 sub_workflow 10", "12 error_handler 10", "20 entry null"],
    });
    expect(plain.foundAs).toBe("requestId");
    const answer = await ask(n8n, held);
    expect(summaryOf(answer)).toEqual(summaryOf(plain));
    expect(answer).toMatchObject({ foundAs, coverage: { complete: true, skipped: [] } });
  });

  test("by custom data, even if n8n stores it after the execution was read", async () => {
    const resultData = { runData: {}, metadata: { orderNumber: "C-20417-X" } };
    const n8n = createFakeN8n([fakeExecution(10, "req-1", { data: { resultData }, customData: {} })]);
    const traces = createTestTraces();
    for (const requestId of ["another", "C-20417-X"]) {
      const answer = await traces.ask(n8n, { requestId });
      const found = { executions: [{ id: "10" }], foundAs: "customData" };
      expect(answer).toMatchObject(requestId === "another" ? { found: false } : found);
    }
  });

  test("in known history, and when the trace continues", async () => {
    const n8n = createFakeN8n(history());
    const traces = createTestTraces();
    const plain = await traces.ask(n8n, { requestId: "req-1" });
    const begun = await traces.ask(n8n, { requestId: "execution:11", limit: 1 });
    for (const args of [
      { requestId: "execution:11" },
      { traceId: begun.traceId },
      { traceId: begun.traceId, requestId: "execution:11" },
      { requestId: "C-20417-X" },
      { requestId: TRACE_ID },
    ])
      expect(summaryOf(await traces.ask(n8n, args))).toEqual(summaryOf(plain));
  });

  test("without a request id, with all linked executions", async () => {
    const n8n = createFakeN8n(
      history().map((each) => ({ ...each, customData: {}, data: withoutIds(each.data) })),
    );
    const answer = await ask(n8n, "execution:11");
    expect(summaryOf(answer)).toEqual({
      outcome: "error",
      nodes: ["10 entry null", "11 sub_workflow 10", "12 error_handler 10"],
    });
    expect(answer.executions[0]?.evidence).toBe("was asked for by its id");
    expect(answer.sentence).toMatch(
      /^The request of execution 11 failed at node "Webhook" in "orders" \(execution 11\), called from/,
    );
  });

  test.each(["execution:11", "11"])("as %s, even if n8n does not keep the caller", async (held) => {
    const called = history().filter(({ id }) => id === "11" || id === "13");
    const answer = await ask(createFakeN8n(called), held);
    expect(answer).toMatchObject({ outcome: "error", foundAs: "executionId", decidingId: "11" });
    expect(answer.sentence).toMatch(/^The request of execution 11 failed /);
  });

  test("a batch's sub-workflow is a request of its own", async () => {
    const n8n = createFakeN8n([
      fakeExecution(1, "", { data: webhookData({ requestId: "a" }, { requestId: "b" }) }),
      fakeExecution(2, "", {
        mode: "integrated",
        data: { parentExecution: { executionId: "1" }, ...Object(webhookData({ n: 1 })) },
      }),
      fakeExecution(3, "", {
        mode: "integrated",
        data: { parentExecution: { executionId: "1" }, ...Object(webhookData({ n: 2 })) },
      }),
    ]);
    const answer = await ask(n8n, "execution:2");
    expect(answer.executions.map(({ id }) => id)).toEqual(["1", "2"]);
    expect(answer.decidingId).toBe("2");
  });
});

const withoutIds = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data).replaceAll(/"(?:requestId|sessionId|x-request-id|traceparent)":/g, '"x":'));

describe("digits that fit two forms", () => {
  test("are the request id first, and the other meaning is mentioned", async () => {
    const n8n = createFakeN8n([fakeExecution(5, "r-5"), fakeExecution(6, "5")]);
    const answer = await ask(n8n, "5");
    expect(answer).toMatchObject({ foundAs: "requestId", decidingId: "6" });
    expect(answer.sentence).toContain('Execution 5 is something else: "execution:5" asks for it.');
  });

  test("are an execution id before they are custom data", async () => {
    const n8n = createFakeN8n([fakeExecution(5, "r-5"), fakeExecution(6, "r-6", { customData: { n: "5" } })]);
    expect(await ask(n8n, "5")).toMatchObject({ foundAs: "executionId", decidingId: "5" });
  });

  test("are looked up as both, and the answer says so", async () => {
    const n8n = createFakeN8n([fakeExecution(5, "r-5")]);
    const answer = await ask(n8n, "77");
    expect(answer).toMatchObject({ outcome: "not_found", foundAs: null });
    expect(answer.sentence).toContain('Request "77" was not found. Nor is there an execution 77.');
    expect(singlesOf(n8n)).toContain("77");
  });
});

describe("digits whose execution n8n fails to return", () => {
  const failing = (
    status: number,
    executions = [fakeExecution(5, "r-5"), fakeExecution(6, "77")],
  ): FakeN8n => {
    const n8n = createFakeN8n(executions);
    n8n.intercept = (url) => (url.pathname.endsWith("/executions/77") ? failure(status) : undefined);
    return n8n;
  };
  const skipped = [
    { executionId: "77", reason: expect.stringContaining("it may be the one asked for, but reading it") },
  ];

  test.each([400, 500])("with %i are the request id, and the unread execution is named", async (status) => {
    const answer = await ask(failing(status), "77");
    expect(answer).toMatchObject({ foundAs: "requestId", decidingId: "6" });
    expect(answer.coverage).toMatchObject({ complete: false, skipped });
  });

  test("are not reported as not found", async () => {
    const n8n = failing(500, [fakeExecution(5, "r-5")]);
    expect(await errorOf(n8n, "77")).toMatchObject({ code: "N8N_UNREACHABLE" });
  });

  test.each([
    [401, "N8N_UNAUTHORIZED"],
    [429, "N8N_RATE_LIMITED"],
    [503, "N8N_UNREACHABLE"],
  ])("are an error where n8n answers every request with %i", async (status, code) => {
    const n8n = createFakeN8n([fakeExecution(6, "77")]);
    n8n.intercept = () => failure(status, { "retry-after": "10" });
    expect(await errorOf(n8n, "77")).toMatchObject({ code });
  });

  test("are not requested as an execution beyond the highest id that n8n has", async () => {
    const n8n = createFakeN8n([fakeExecution(6, "1732373123456")]);
    expect(await ask(n8n, "1732373123456")).toMatchObject({ decidingId: "6", coverage: { complete: true } });
    expect(singlesOf(n8n)).toEqual([]);
    const large = createFakeN8n([fakeExecution(1_732_373_123_456, "r-1")]);
    const traces = createTestTraces();
    await traces.ask(large, { requestId: "r-1" });
    expect(await traces.ask(large, { requestId: "1732373123456" })).toMatchObject({ foundAs: "executionId" });
  });
});

describe("an execution that does not exist", () => {
  test("is an error with the next step", async () => {
    const error = await errorOf(createFakeN8n(history()), "execution:777");
    expect(error).toMatchObject({ code: "EXECUTION_NOT_FOUND", details: { field: "requestId" } });
    expect(error.details.solution).toContain("get_workflow_executions");
  });

  test("any more is reported from known history, and the answer says so", async () => {
    const n8n = createFakeN8n(history());
    const traces = createTestTraces();
    const plain = await traces.ask(n8n, { requestId: "req-1" });
    n8n.executions = n8n.executions.filter(({ id }) => id !== "11");
    const answer = await traces.ask(n8n, { requestId: "execution:11" });
    expect(summaryOf(answer)).toEqual(summaryOf(plain));
    expect(answer.coverage.skipped).toContainEqual({
      executionId: "11",
      reason: "n8n has deleted it; this is what the index knew of it",
    });
    expect(answer.coverage.complete).toBe(false);
  });
});

test("custom data that has another request's id does not make the execution a delivery of it", async () => {
  const { executions } = await ask(createFakeN8n(history()), "req-1");
  expect(executions.find(({ id }) => id === "21")).toMatchObject({
    role: "related",
    match: { kind: "mentioned" },
  });
});

describe("a key with dots", () => {
  test("that is a known path is found at it", async () => {
    const data = webhookData({ body: { "context.requestId": "flat-77-x" } });
    const answer = await ask(createFakeN8n([fakeExecution(5, "r-5", { data })]), "flat-77-x");
    expect(answer).toMatchObject({ outcome: "success", foundAs: "requestId" });
    expect(answer.executions[0]?.match?.path).toContain('body["context.requestId"]');
  });

  test("that only ends like a known path is custom data, read or remembered", async () => {
    const n8n = createFakeN8n([fakeExecution(5, "r-5", { customData: { "order.requestId": "C-99-X" } })]);
    const traces = createTestTraces();
    for (const _time of ["read", "remembered"])
      expect(await traces.ask(n8n, { requestId: "C-99-X" })).toMatchObject({ foundAs: "customData" });
  });
});
