/** A schedule is silent if it should have run: not if it ran in time, and not if somebody switched it off. */
import { describe, expect, test } from "vitest";
import {
  at,
  digestIn,
  executionsOf,
  failed,
  HOUR,
  iso,
  knownN8n,
  NOW,
  run,
  scheduledBy,
  times,
  workflowOf,
  workflowsOf,
} from "./known-n8n.ts";
import type { MadeRun } from "./troubles.ts";

const DAY = 24;
const byTrigger = (workflowId: string, hoursAgo: number): MadeRun =>
  run(workflowId, hoursAgo, { mode: "trigger" });

/** Ordinary runs of another workflow, so that the index reaches further back than a schedule's last run. */
const ORDINARY = times(40, (index) => run("orders", 1 + index * 35));

async function silentIn(runs: readonly MadeRun[], report: ReturnType<typeof scheduledBy>) {
  const { n8n, learn, digest } = knownN8n(executionsOf([...ORDINARY, ...runs]));
  n8n.intercept = workflowsOf([report]);
  await learn();
  return digestIn(await digest({ hours: 24 })).silent;
}

test("an edited schedule is expected by its new rule, however seldom it ran before", async () => {
  const weekly = [4 * DAY, 11 * DAY].map((hours) => byTrigger("report", hours));
  const hourlySince = (hours: number) => scheduledBy("0 * * * *", { updatedAt: iso(NOW - hours * HOUR) });
  expect(await silentIn(weekly, hourlySince(DAY))).toMatchObject([
    { workflowId: "report", kind: "schedule" },
  ]);
  expect(await silentIn(weekly, hourlySince(0.1))).toEqual([]);
});

const october = (NOW - Date.UTC(2026, 9, 1, 9)) / HOUR;
test.each([
  ["a webhook yesterday", [byTrigger("report", october), run("report", 30)]],
  [
    "a retry of its last run",
    [failed("report", october, { mode: "trigger" }), run("report", october - DAY, { mode: "retry" })],
  ],
  [
    "a failure of its schedule, after a success of its webhook",
    [failed("report", october, { mode: "trigger" }), run("report", october + 2 * DAY)],
  ],
])("a monthly schedule that did not run is silent, even after %s", async (_what, runs) => {
  expect(await silentIn(runs, scheduledBy("0 9 1 * *"))).toMatchObject([
    { workflowId: "report", kind: "schedule" },
  ]);
});

test("a schedule that ran each hour since a restore is not silent, even with lower ids", async () => {
  const [kept, restoredAgo] = [28, 6];
  const former = times(100, (index) => at(index + 1, byTrigger("report", restoredAgo + 99.5 - index)));
  const since = times(restoredAgo, (index) =>
    at(kept + 1 + index, byTrigger("report", restoredAgo - 0.5 - index)),
  );
  const { n8n, clock, learn, digest } = knownN8n(executionsOf(former));
  n8n.intercept = workflowsOf([scheduledBy("30 * * * *")]);
  clock.time = NOW - restoredAgo * HOUR;
  await learn();
  clock.time = NOW;
  n8n.executions = executionsOf([...former.slice(0, kept), ...since]);
  expect(digestIn(await digest({ hours: 24 })).silent).toEqual([]);
});

describe("an n8n that has published nothing", () => {
  async function asked(runs: readonly MadeRun[], hours: number) {
    const { n8n, learn, digest } = knownN8n(executionsOf(runs));
    n8n.intercept = workflowsOf([], (id) => workflowOf(id, { active: false }));
    await learn();
    return await digest({ hours });
  }

  test.each([
    ["two days ago", 50],
    ["within the window", 20],
  ])("has no silent schedules if they were unpublished %s, however many they are", async (_when, until) => {
    const everyThreeHours = (index: number) =>
      times((14 * DAY - until) / 3, (each) => byTrigger(`s${index}`, 14 * DAY - 3 * each - index / 100));
    const answer = await asked(times(6, everyThreeHours).flat(), 24);
    expect(digestIn(answer).silent).toEqual([]);
    expect(answer.message).not.toContain("silent");
  });

  test("has an unpublished workflow, whatever drafts people try out", async () => {
    const answer = await asked(
      [
        ...times(30, (index) => run("orders", 40 - index)),
        ...times(5, (index) => run(`draft${index}`, 1 + index / 10, { mode: "manual" })),
      ],
      48,
    );
    expect(digestIn(answer).incidents).toMatchObject([
      { kind: "unpublished", workflowNames: ["Workflow orders"] },
    ]);
  });
});

test("a trigger without a schedule, such as a queue's, is silent as a trigger", async () => {
  // Messages came at irregular times for two weeks and more, and none for three days.
  const messages = times(720, (index) =>
    byTrigger("consumer", 20 * DAY - (index + ((index * 7) % 11) / 6) * 0.56),
  );
  const { n8n, learn, digest } = knownN8n(executionsOf([...ORDINARY, ...messages]));
  n8n.intercept = workflowsOf([workflowOf("consumer"), workflowOf("orders")]);
  await learn();
  const answer = await digest({ hours: 4 * DAY });
  expect(digestIn(answer).silent).toMatchObject([
    { workflowId: "consumer", kind: "trigger", isPublished: true },
  ]);
  expect(answer.message).toContain('1 trigger is silent ("Workflow consumer")');
});
