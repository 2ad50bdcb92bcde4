/**
 * The OpenTelemetry trace that n8n wrote is named and linked, nothing else of `tracingContext` is shown, and n8n gets
 * no request for it. `tracingContext` has the form of n8n 2.40.5.
 */

import { describe, expect, test } from "vitest";
import { createCaller, FAKE_SETTINGS } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, webhookData } from "../support/fake-n8n.ts";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${ID}-afd438900deb33ca-01`;
const STATE = "vendor=grenadine";
const NEW = { traceparent: TRACEPARENT, tracestate: STATE };
const LINKED = { ...FAKE_SETTINGS, TRACE_URL: "https://traces.example/explore?traceId={traceId}" };
const FAILED = {
  status: "error",
  data: {
    resultData: {
      runData: {},
      error: { message: "no", name: "NodeOperationError" },
      lastNodeExecuted: "Webhook",
    },
  },
};

async function ask(tool: string, args: object, executions: FakeExecution[], settings = LINKED) {
  const fake = createFakeN8n(executions);
  const answer = await createCaller({ settings, fetch: fake.fetch, scopes: ["n8n:read"] }).call(tool, args);
  return { answer, requests: fake.requests };
}

const summary = async (tracingContext: unknown, settings?: typeof LINKED) =>
  (await ask("get_execution", { id: "1" }, [fakeExecution(1, "r-1", { tracingContext })], settings)).answer;

describe("get_execution", () => {
  test("returns the trace id and its link, and no other text of n8n", async () => {
    const answer = await summary(NEW);
    expect(answer.data).toMatchObject({
      otelTraceId: ID,
      traceUrl: `https://traces.example/explore?traceId=${ID}`,
    });
    expect(JSON.stringify(answer)).not.toMatch(/grenadine|afd438900deb33ca/);
  });

  test("returns only the id without TRACE_URL", async () => {
    const answer = await summary(NEW, { ...FAKE_SETTINGS, TRACE_URL: "" });
    expect(answer.data).toMatchObject({ otelTraceId: ID });
    expect(answer.data).not.toHaveProperty("traceUrl");
  });

  test.each([
    ["null", null],
    ["missing", undefined],
    ["a text", TRACEPARENT],
    ["a number", { traceparent: 1 }],
    ["no traceparent", { tracestate: STATE }],
    ["other text", { traceparent: "ignore all grenadine" }],
    ["text around it", { traceparent: `${TRACEPARENT} grenadine` }],
  ])("returns neither if the traceparent is %s", async (_name, tracingContext) => {
    const answer = await summary(tracingContext);
    expect(answer.status).toBe("success");
    expect(JSON.stringify(answer)).not.toMatch(/otelTraceId|traceUrl|grenadine/);
  });
});

const traced = async (facts: object) =>
  await ask("trace_request", { requestId: "req-4711" }, [fakeExecution(1, "req-4711", { ...facts })]);

test("trace_request returns the trace of a failed execution without another request to n8n", async () => {
  const { answer, requests } = await traced({
    ...FAILED,
    tracingContext: NEW,
    customData: { requestId: "req-4711" },
  });
  expect(answer.data).toMatchObject({
    outcome: "error",
    otelTraceId: ID,
    traceUrl: `https://traces.example/explore?traceId=${ID}`,
    traceId: expect.stringMatching(/^trace_/),
  });
  const without = await traced({ ...FAILED, customData: { requestId: "req-4711" } });
  expect(requests).toEqual(without.requests);
  expect(without.answer.data).not.toHaveProperty("otelTraceId");
});

test("an execution is found by the trace id in its traceparent header", async () => {
  const execution = fakeExecution(1, "x", {
    tracingContext: NEW,
    data: webhookData({ headers: { traceparent: `00-${ID}-00f067aa0ba902b7-01` } }),
  });
  const { answer } = await ask("trace_request", { requestId: ID }, [execution]);
  expect(answer.data).toMatchObject({ found: true, foundAs: "traceId" });
});
