/** Linked executions that n8n does not have are requested again only rarely, and are found if they appear. */
import { expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../../src/platform/durations.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  forgetRequests,
  singlesOf,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const REQUEST = { requestId: "req-1" };
const gone = (id: number) => ({
  executionId: String(id),
  reason: "it is linked, but n8n does not have it: it was deleted, or never saved",
});

/** An execution that called `count` others, with the ids after its own. */
function calling(count: number, facts: Record<string, unknown> = {}): FakeExecution {
  const Call = Array.from({ length: count }, (_one, index) => ({
    metadata: { subExecution: { executionId: String(11 + index), workflowId: "w2" } },
  }));
  const Webhook = [{ data: { main: [[{ json: { body: REQUEST } }]] } }];
  return fakeExecution(10, "", { data: { resultData: { runData: { Webhook, Call } } }, ...facts });
}

const called = (id: number): FakeExecution =>
  fakeExecution(id, "", {
    mode: "integrated",
    data: { parentExecution: { executionId: "10", workflowId: "w1" }, ...Object(webhookData({})) },
  });

/** Ids requested one by one meanwhile. */
async function singlesWhile(n8n: FakeN8n, ask: () => Promise<unknown>): Promise<string[]> {
  forgetRequests(n8n);
  await ask();
  return singlesOf(n8n).sort();
}

test("missing linked executions are requested once a day and named by each trace", async () => {
  const n8n = createFakeN8n([calling(2), fakeExecution(20, "another")]);
  const traces = createTestTraces();
  const trace = async () => {
    const { coverage } = await traces.ask(n8n, REQUEST);
    expect(coverage.complete).toBe(false);
    expect(new Set(coverage.skipped)).toEqual(new Set([gone(11), gone(12)]));
  };
  expect(await singlesWhile(n8n, trace)).toEqual(["11", "12"]);
  expect(await singlesWhile(n8n, trace)).toEqual([]);
  traces.clock.time += DAY_MS;
  expect(await singlesWhile(n8n, trace)).toEqual(["11", "12"]);
});

test("more missing links than one call reads are requested by later calls", async () => {
  const n8n = createFakeN8n([calling(150), fakeExecution(200, "another")]);
  const traces = createTestTraces();
  const asked: number[] = [];
  for (let call = 0; call < 3; call += 1)
    asked.push((await singlesWhile(n8n, async () => await traces.ask(n8n, REQUEST))).length);
  expect(asked).toEqual([100, 50, 0]);
  expect((await traces.ask(n8n, REQUEST)).coverage.skipped).toHaveLength(150);
});

test.each([
  ["has not ended", { status: "waiting", waitTill: "2026-03-01T00:00:00.000Z" }],
  ["has just ended", { stoppedAt: "2026-01-01T23:59:30.000Z" }],
])(
  "missing links of one that %s are requested by each call, since they may appear",
  async (_which, facts) => {
    const n8n = createFakeN8n([calling(1, facts), fakeExecution(20, "another")]);
    const traces = createTestTraces();
    expect((await traces.ask(n8n, REQUEST)).coverage.skipped).toEqual([gone(11)]);
    n8n.executions.push(called(11));
    const answer = await traces.ask(n8n, REQUEST);
    expect(answer.executions.map(({ id }) => id)).toEqual(["10", "11"]);
    expect(answer.coverage).toMatchObject({ complete: true, skipped: [] });
  },
);

test("a waiting call requests missing links once a minute", async () => {
  const waiting = { status: "waiting", waitTill: "2026-03-01T00:00:00.000Z" };
  const n8n = createFakeN8n([calling(1, waiting), fakeExecution(20, "another")]);
  const traces = createTestTraces();
  const { traceId } = await traces.ask(n8n, REQUEST);
  const look = async () => await traces.ask(n8n, { traceId, isFurtherLook: true });
  expect(await singlesWhile(n8n, look)).toEqual([]);
  expect((await look()).coverage).toMatchObject({ complete: false, skipped: [gone(11)] });
  traces.clock.time += MINUTE_MS;
  expect(await singlesWhile(n8n, look)).toEqual(["11"]);
});
