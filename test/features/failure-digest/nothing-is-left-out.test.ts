/** Complete counts do not mention gaps, and cost one look at n8n: "call again" would never end. */
import { describe, expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import { failure, N8N_1_100, N8N_1_123 } from "../../support/fake-n8n.ts";
import {
  at,
  crashed,
  executionsOf,
  HOUR,
  iso,
  knownN8n,
  NOW,
  run,
  times,
  waits,
  workflowsOf,
} from "./known-n8n.ts";

const OUTDATED = "Some executions were not looked at again and count as they were before: call again.";
const UNKNOWN_FORM = "Executions in a form that this server does not know are not counted.";
const TOOLS = ["query_executions", "summarize_failures"];
/** More requests than one look at an n8n 1.x sends for single ids and lists. */
const ONE_LOOK = 115;

const ORDERS = times(150, (index) => at(5_300 - index, run("orders", 0.5 + index / 6)));

const looksIn = (requests: readonly string[]): number =>
  requests.filter((path) => path.includes("status=running")).length;

describe.each([
  ["1.100", N8N_1_100],
  ["1.123", N8N_1_123],
])("n8n %s, of which single ids show what was deleted before the oldest execution", (_version, old) => {
  test.each(TOOLS)("lets %s count what it has, with the requests of one look", async (tool) => {
    const { n8n, clock, learn, ask } = knownN8n(executionsOf(ORDERS));
    n8n.old = old;
    await learn();
    for (const _call of [1, 2]) {
      clock.time += HOUR / 60;
      const asked = n8n.requests.length;
      const { message } = await ask(tool, { hours: 12 });
      expect(message).not.toContain("call again");
      expect(n8n.requests.length - asked).toBeLessThan(ONE_LOOK);
    }
  });
});

test("more than a thousand waiting executions are counted, and not reported as missing", async () => {
  const waiting = times(1_010, (index) => at(1 + index, waits("approval", 200 - index / 100)));
  const { n8n, learn, ask } = knownN8n(executionsOf([...waiting, ...ORDERS]));
  await learn();
  for (const tool of TOOLS) {
    const asked = n8n.requests.length;
    const answer = await ask(tool, { hours: 300 });
    expect(answer.message).not.toContain("call again");
    expect(looksIn(n8n.requests.slice(asked))).toBe(1);
  }
  const before = { startedAfter: iso(NOW - 400 * HOUR), startedBefore: iso(NOW - 250 * HOUR) };
  expect((await ask("query_executions", before)).message).not.toContain("call again");
});

test("the oldest of two thousand that wait count once they have failed", async () => {
  const waiting = times(2_000, (index) => at(1 + index, waits("approval", 200 - index / 100)));
  const { n8n, clock, learn, ask } = knownN8n(executionsOf([...waiting, ...ORDERS]));
  await learn();
  clock.time += HOUR;
  const ended = waiting.map((one, index) => (index < 50 ? crashed(one) : one));
  n8n.executions = executionsOf([...ended, ...ORDERS]);
  for (const tool of TOOLS)
    expect(await ask(tool, { hours: 300 })).toMatchObject({ data: { totals: { failures: 50 } } });
});

describe("a caller who sees one workflow learns nothing from executions of a hidden one", () => {
  const view = View.from({ seen: ["orders"], data: ["orders"] });

  test.each(TOOLS)("by %s, where more than a thousand wait", async (tool) => {
    const messages = [];
    for (const secret of [run, waits]) {
      const count = secret === waits ? 1_010 : 10;
      const hidden = times(count, (index) => at(1 + index, secret("secret", 200 - index / 100)));
      const { learn, ask } = knownN8n(executionsOf([...hidden, ...ORDERS]), { view });
      await learn();
      messages.push((await ask(tool, { hours: 300 })).message);
    }
    expect(messages[1]).toBe(messages[0]);
  });

  test("where more have ended at once than a call looks at", async () => {
    const goesOn = times(600, (index) =>
      at(101 + index, run("secret", 3 - index / 1_000, { status: "running" })),
    );
    const ended = goesOn.map(crashed);
    const { n8n, clock, learn, query } = knownN8n(executionsOf([...goesOn, ...ORDERS]), { view });
    await learn();
    clock.time += HOUR;
    n8n.executions = executionsOf([...ended, ...ORDERS]);
    const { message } = await query({ hours: 24 });
    expect(message).not.toContain("call again");
  });
});

test.each(["n8n fails", "time is up"])(
  "what a first look left is reported where %s at the second",
  async (what) => {
    const [old, newer] = [
      times(20, (index) => at(1 + index, run("orders", 100 - index / 2))),
      times(100, (index) => at(351 + index, run("orders", 2.5 - index / 200))),
    ];
    const goesOn = times(250, (index) =>
      at(101 + index, run("slow", 3 - index / 1_000, { status: "running" })),
    );
    const ended = goesOn.map(crashed);
    const { n8n, clock, learn, query } = knownN8n(executionsOf([...old, ...goesOn, ...newer]));
    await learn();
    clock.time += HOUR;
    n8n.executions = executionsOf([...old, ...ended, ...newer, at(651, run("orders", -0.1))]);
    let singles = 0;
    n8n.intercept = (url) => {
      if (/\/executions\/\d/.test(url.pathname)) singles += 1;
      else if (singles >= 100 && url.pathname.endsWith("/executions")) {
        if (what === "n8n fails") return failure(500);
        clock.time += 60_000;
      }
      return workflowsOf()(url);
    };
    const answer = await query({ hours: 24 });
    expect(answer).toMatchObject({ status: "success", data: { totals: { failures: 100 } } });
    expect(answer.message).toContain(OUTDATED);
  },
);

test("an execution of unknown form is no reason to call again, which would not change it", async () => {
  const all = executionsOf(times(60, (index) => at(1 + index, run("orders", 30 - index / 4))));
  const { n8n, learn, query } = knownN8n(
    all.map((one) => (one.id === "50" ? { ...one, mode: { name: "webhook" } } : one)),
  );
  await learn();
  for (const _call of [1, 2]) {
    const asked = n8n.requests.length;
    const { message } = await query({ hours: 24 });
    expect(message).toContain(UNKNOWN_FORM);
    expect(message).not.toContain("call again");
    expect(looksIn(n8n.requests.slice(asked))).toBe(1);
  }
});

test("an execution deleted during a look is not reported as missing, and causes no second look", async () => {
  const runs = times(60, (index) => at(1 + index, run("orders", 60 - index / 4)));
  const { n8n, clock, learn, query } = knownN8n(executionsOf(runs));
  await learn();
  clock.time += HOUR;
  const all = executionsOf([
    ...runs,
    ...times(30, (index) => at(200 + index, run("orders", -0.1 - index / 100))),
  ]);
  n8n.executions = all;
  n8n.intercept = (url) => {
    if (url.searchParams.get("includeData") === "true") n8n.executions = all.filter(({ id }) => id !== "215");
    return workflowsOf()(url);
  };
  const asked = n8n.requests.length;
  const answer = await query({ hours: 1 });
  expect(answer).toMatchObject({ status: "success", data: { totals: { count: 29 } } });
  expect(answer.message).not.toContain("call again");
  expect(looksIn(n8n.requests.slice(asked))).toBe(1);
});
