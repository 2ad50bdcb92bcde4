/** The failed execution of a traced request is read from n8n once a minute for all callers with the same view. */
import { expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import { createFakeN8n, fakeExecution, forgetRequests, singlesOf } from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const MINUTE_MS = 60_000;

/** A failed request, all of whose executions are known. */
async function createFailedRequest() {
  const n8n = createFakeN8n([fakeExecution(1, "r-1", { status: "error" }), fakeExecution(2, "r-2")]);
  const traces = createTestTraces();
  const ask = async (userId: string) => await traces.ask(n8n, { requestId: "r-1" }, userId);
  await traces.ask(n8n, { requestId: "r-2" });
  forgetRequests(n8n);
  return { n8n, traces, ask };
}

test("concurrent callers share one reading, and so do those within a minute", async () => {
  const { n8n, traces, ask } = await createFailedRequest();
  const answers = await Promise.all(["anna", "ben", "carla"].map(ask));
  for (const { failure } of answers) expect(failure).toMatchObject({ executionId: "1" });
  traces.clock.time += MINUTE_MS - 1_000;
  await ask("dora");
  expect(singlesOf(n8n)).toEqual(["1"]);
  traces.clock.time += 2_000;
  await ask("emil");
  expect(singlesOf(n8n)).toEqual(["1", "1"]);
});

test("a caller with another view has a reading of their own", async () => {
  const { n8n, traces, ask } = await createFailedRequest();
  await ask("anna");
  traces.view = View.from({ seen: ["w1"], data: null });
  await ask("ben");
  // A hidden execution would cost as much: it is requested without its data first.
  expect(singlesOf(n8n)).toEqual(["1", "1", "1"]);
});

test("a failed reading is not kept", async () => {
  const { n8n, ask } = await createFailedRequest();
  n8n.intercept = (url) =>
    url.pathname.endsWith("/executions/1") ? new Response("", { status: 500 }) : undefined;
  expect((await ask("anna")).failure?.message).toContain("could not be read again");
  n8n.intercept = () => undefined;
  expect((await ask("ben")).failure?.message).not.toContain("could not be read again");
});
