/** Where n8n has more executions than the index keeps, an answer leads on to the older ones instead of to the same again. */
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, fakeExecution } from "../support/fake-n8n.ts";

const KEPT = 1_000;
const ALL = 3_500;
const START = Date.UTC(2026, 0, 1);
const timeBudgetMs = 20_000;

const argumentsIn = (example: string): unknown => JSON.parse(example.slice("trace_request(".length, -1));

let time: number;
let n8n: FakeN8n;
let caller: ReturnType<typeof createCaller>;
beforeEach(() => {
  time = START + ALL * 1_000 + 60_000;
  n8n = createFakeN8n(Array.from({ length: ALL }, (_one, index) => fakeExecution(index + 1, `r-${index}`)));
  n8n.dates = "filtered";
  caller = createCaller({ fetch: n8n.fetch, now: () => time });
});

/** What the alarm does after a call. */
const makeRoom = (): number => caller.history.instance.store.makeRoom(KEPT);

const answer = z.looseObject({
  coverage: z.looseObject({ stoppedBy: z.string() }),
  _guidance: z.looseObject({ example: z.string() }),
});

test("a trace of an id that is nowhere comes to the oldest execution", async () => {
  let args: object = { requestId: "never-sent", limit: KEPT, timeBudgetMs };
  const stops: string[] = [];
  for (let calls = 0; calls < 10 && stops.at(-1) !== "complete"; calls += 1) {
    const { coverage, _guidance } = answer.parse((await caller.call("trace_request", args)).data);
    stops.push(coverage.stoppedBy);
    args = { limit: KEPT, timeBudgetMs, ...Object(argumentsIn(_guidance.example)) };
    makeRoom();
  }
  expect(stops.at(-1)).toBe("complete");
  expect(stops).toContain("removed");
  // Only the call that shows it reads the same again.
  expect(n8n.sent.length).toBeLessThan(ALL + 2 * KEPT);
});

test.each(["query_executions", "summarize_failures"])("%s does not lead to the same again", async (tool) => {
  await caller.call("trace_request", { requestId: "never-sent", limit: 2 * KEPT, timeBudgetMs });
  makeRoom();
  // n8n gets slow, so that a call has no time for the rest.
  n8n.intercept = () => {
    time += n8n.requests.length > slowFrom ? 1_000 : 0;
    return undefined;
  };
  const slowFrom = n8n.requests.length + 6;
  const asked = { startedAfter: new Date(START).toISOString(), timeBudgetMs: 2_000 };
  const { message } = await caller.call(tool, asked);
  expect(message).toContain("the history index keeps nothing older (INDEX_MAX_EXECUTIONS)");
  expect(message).not.toContain("to read on");
});
