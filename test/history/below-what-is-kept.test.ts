/** Where n8n has more executions than the index keeps, an answer leads on to the older ones instead of to the same again. */
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, fakeHistory } from "../support/fake-n8n.ts";
import { createLocalHistory } from "../support/local-history.ts";
import { createNamedN8ns } from "../support/named-n8ns.ts";

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

test.each([
  ["all workflows", {}],
  ["one workflow", { workflowId: "w1" }],
])("a trace of %s for an id that is nowhere comes to the oldest execution", async (_what, more) => {
  const workflow = { id: "w1", name: "Orders", active: true, nodes: [], connections: {} };
  n8n.intercept = ({ pathname }) =>
    pathname.endsWith("/workflows/w1") ? Response.json(workflow) : undefined;
  let args: object = { requestId: "never-sent", limit: KEPT, timeBudgetMs, ...more };
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
  expect(message).toContain("the history index has no room for anything older");
  expect(message).not.toContain("to read on");
});

test("a trace in several n8n instances comes to the oldest execution of the one that has more", async () => {
  const n8ns = createNamedN8ns({ prod: n8n.executions, staging: fakeHistory(30) });
  for (const each of n8ns.n8ns.values()) each.dates = "filtered";
  const histories = new Map([...n8ns.n8ns.keys()].map((name) => [name, createLocalHistory()]));
  const historyOf = (name: string) => histories.get(name) ?? createLocalHistory();
  const all = createCaller({ settings: n8ns.settings, fetch: n8ns.fetch, historyOf, now: () => time });
  const examples: string[] = [];
  let args: object = { requestId: "never-sent", limit: KEPT, timeBudgetMs };
  let isWhole = false;
  while (examples.length < 10 && !isWhole) {
    const { data } = await all.call("trace_request", args);
    isWhole = z.looseObject({ coverage: z.looseObject({ complete: z.boolean() }) }).parse(data)
      .coverage.complete;
    const { example } = z.looseObject({ _guidance: answer.shape._guidance }).parse(data)._guidance;
    examples.push(example);
    if (!isWhole) args = { limit: KEPT, timeBudgetMs, ...Object(argumentsIn(example)) };
    historyOf("prod").instance.store.makeRoom(KEPT);
  }
  expect(isWhole, examples.join("\n")).toBe(true);
  expect(examples.some((example) => example.includes('"instance":"prod"'))).toBe(true);
});
