/** Counts claim no time of which n8n has deleted, or not yet returned, a part. */
import { describe, expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import type { CallerOptions } from "../../support/call-recorded.ts";
import { failure } from "../../support/fake-n8n.ts";
import {
  at,
  countedIn,
  digestIn,
  executionsOf,
  failed,
  HOUR,
  iso,
  knownN8n,
  NOW,
  run,
  times,
  waits,
  workflowsOf,
} from "../failure-digest/known-n8n.ts";
import type { MadeRun } from "../failure-digest/troubles.ts";

describe("an n8n that has pruned all but an approval that has waited for two months", () => {
  async function asked(tool: string, hours: number) {
    const kept = times(48, (index) => (index % 10 === 0 ? failed : run)("orders", index + 0.5));
    const { learn, ask } = knownN8n(executionsOf([...kept, waits("approval", 60 * 24)]));
    await learn();
    return await ask(tool, { hours });
  }

  test("says since when a half-pruned window is known", async () => {
    const { message } = await asked("query_executions", 96);
    expect(message).toContain(`Nothing is known from before ${iso(NOW - 47.5 * HOUR)}`);
  });

  test("compares nothing with a window that is pruned as a whole", async () => {
    const answer = await asked("query_executions", 48);
    expect(countedIn(answer).totals.count).toBe(48);
    expect(answer.message).toContain("nothing is compared");
  });

  test("has a digest that knows nothing of the former window", async () => {
    const { message } = await asked("summarize_failures", 48);
    expect(message).toContain("of which nothing is known from before");
  });
});

test("executions from before the start of the lowest, queued ids are not reported as unknown", async () => {
  const queued = times(3, (index) => at(1 + index, run("queued", 2 - index / 100)));
  const called = times(200, (index) => at(11 + index, run("called", 47 - index / 5, { mode: "integrated" })));
  const { message } = await knownN8n(executionsOf([...queued, ...called])).query({ hours: 24 });
  expect(message).not.toContain("Nothing is known from before");
});

test("a window read in part claims no time in which lower ids started, too", async () => {
  // Ids 1 to 150 were queued and started within the last hour; the called ones started half a day ago.
  const queued = times(150, (index) => at(1 + index, run("queued", 0.9 - index / 1_000)));
  const called = times(150, (index) =>
    at(151 + index, run("called", 14 - index / 100, { mode: "integrated" })),
  );
  const { n8n, query } = knownN8n(executionsOf([...queued, ...called]));
  n8n.intercept = (url) => {
    const [, lastId = "999"] = /"lastId":"(\d+)"/.exec(atob(url.searchParams.get("cursor") ?? "")) ?? [];
    return Number(lastId) <= 152 ? failure(500) : workflowsOf()(url);
  };
  const { coverage, totals } = countedIn(await query({ hours: 24 }));
  expect(totals.count).toBeLessThan(300);
  expect(Date.parse(coverage?.knownSince ?? iso(NOW))).toBeGreaterThan(NOW - HOUR);
});

describe("a window that n8n returns in part is known as far as it was read", () => {
  /** @param pages how many pages of data n8n returns */
  function knownInPart(
    workflowOfEach: (index: number) => string,
    pages: number,
    more: Partial<CallerOptions> = {},
  ) {
    const runs = times(1_000, (index) =>
      (index % 5 === 1 ? failed : run)(workflowOfEach(index), 0.5 + index / 10),
    );
    const { n8n, ask } = knownN8n(executionsOf(runs), more);
    let given = 0;
    n8n.intercept = (url) => {
      if (url.searchParams.get("includeData") === "true") given += 1;
      return given > pages ? failure(500) : workflowsOf()(url);
    };
    const oldestReadIn = (): number => {
      const startOf = new Map(n8n.executions.map(({ id, startedAt }) => [id, Date.parse(startedAt ?? "")]));
      return Math.min(...n8n.sent.map((id) => startOf.get(id) ?? NOW));
    };
    return { ask, oldestReadIn };
  }

  test("whatever one page holds", async () => {
    const { ask, oldestReadIn } = knownInPart(() => "orders", 1);
    const { coverage } = countedIn(await ask("query_executions", { hours: 72 }));
    expect(Date.parse(coverage?.knownSince ?? iso(NOW)) - oldestReadIn()).toBeLessThanOrEqual(2 * HOUR);
  });

  test("by a caller who sees one execution in twenty", async () => {
    const view = View.from({ seen: ["mine"], data: ["mine"] });
    const { ask, oldestReadIn } = knownInPart((index) => (index % 20 === 0 ? "mine" : "secret"), 4, { view });
    const { coverage } = countedIn(await ask("query_executions", { hours: 72 }));
    expect(oldestReadIn()).toBeLessThan(NOW - 30 * HOUR);
    expect(Date.parse(coverage?.knownSince ?? iso(NOW)) - oldestReadIn()).toBeLessThan(24 * HOUR);
  });

  test("so that a digest has the state of its failures", async () => {
    const { ask } = knownInPart(() => "orders", 1);
    const answer = await ask("summarize_failures", { hours: 6 });
    expect(digestIn(answer).groups).toMatchObject([{ workflowId: "orders", state: "too_early" }]);
  });
});

test("approvals that waited for weeks and ended do not extend what is known", async () => {
  const approvals = times(3, (index) => at(1 + index, run("approval", 900, { durationMs: 890 * HOUR })));
  const orders = times(40, (index) => at(5_000 + index, run("orders", 20 - index / 2)));
  const { learn, query } = knownN8n(executionsOf([...approvals, ...orders]));
  await learn();
  const { message } = await query({ hours: 24 });
  expect(message).toContain(`Nothing is known from before ${iso(NOW - 20 * HOUR)}`);
  expect(message).not.toContain("none in the window before");
});

test("a start written by a wrong clock does not extend the window", async () => {
  const runs = [
    ...times(20, (index) => at(1 + index, run("orders", 50 - index))),
    at(101, run("orders", (NOW - Date.UTC(2999, 0, 1)) / HOUR)),
    at(102, failed("orders", 0.1)),
  ];
  const { digest, query } = knownN8n(executionsOf(runs));
  const answer = await query({ hours: 24, groupBy: ["hour"] });
  expect(answer.message).toContain(`From ${iso(NOW - 24 * HOUR)} to ${iso(NOW)}`);
  expect(JSON.stringify(answer)).not.toContain("2999");
  expect(await digest({ hours: 24 })).toHaveProperty("data.series.runs.length", 24);
});

test("an older execution still shows the host's name of a deleted one", async () => {
  const asked = (hoursAgo: number): MadeRun => {
    const uri = "https://tax.example.com/orders?customer=7";
    const error = { name: "NodeApiError", message: "Busy", context: { request: { uri } } };
    const resultData = {
      runData: {},
      error: { ...error, node: { name: "Call" } },
      lastNodeExecuted: "Call",
    };
    return run("orders", hoursAgo, { status: "error", facts: { data: { resultData } } });
  };
  const { n8n, query } = knownN8n(
    executionsOf([run("old", 100), ...[5, 4, 3].map((hours) => asked(hours)), run("orders", 2)]),
  );
  await query({ groupBy: ["host"] });
  n8n.executions = n8n.executions.filter(({ id }) => id !== "4");
  const { groups } = countedIn(await query({ groupBy: ["host"] }));
  expect(groups).toContainEqual(expect.objectContaining({ host: "tax.example.com", count: 3 }));
});
