/** What became of a failure, and what is usual, by what n8n has: whichever ids it gave, and however long it keeps them. */
import { describe, expect, test } from "vitest";
import { toN8n } from "../living-counts/made-executions.ts";
import {
  at,
  digestIn,
  executionsOf,
  failed,
  HOUR,
  iso,
  knownN8n,
  madeOf,
  NOW,
  run,
  times,
  workflowOf,
  workflowsOf,
} from "./known-n8n.ts";

test("a group is over where another of the same place, which differs in its status alone, goes on", async () => {
  const without = (status: string, hoursAgo: number) =>
    run("orders", hoursAgo, { status, facts: { data: { resultData: { runData: {} } } } });
  const runs = [
    run("old", 100),
    ...times(40, (index) => run("orders", 0.5 + index / 2)),
    ...[15.1, 14.9, 14.6].map((hours) => without("error", hours)),
    without("crashed", 0.1),
  ];
  const { groups } = digestIn(await knownN8n(executionsOf(runs)).digest({ hours: 24 }));
  expect(groups).toMatchObject([
    { count: 3, state: "over", succeededSince: 29 },
    { count: 1, status: "crashed" },
  ]);
});

test("what a time limit canceled is over once it succeeds", async () => {
  const error = {
    node: "Call",
    name: "TimeoutExecutionCancelledError",
    message: "The execution was cancelled",
  };
  const runs = [
    run("old", 100),
    ...times(40, (index) => run("orders", 0.5 + index / 2)),
    ...[15.1, 14.9, 14.6].map((hours) => run("orders", hours, { status: "canceled", error })),
  ];
  const { groups } = digestIn(await knownN8n(executionsOf(runs)).digest({ hours: 24 }));
  expect(groups).toMatchObject([{ count: 3, status: "canceled", state: "over", succeededSince: 29 }]);
});

test("after n8n was restored, the last failure is the one that began last, though its id is lower", async () => {
  const former = [
    ...times(50, (index) => at(index + 1, run("orders", 100 - index))),
    ...times(9, (index) => at(index + 51, run("orders", 50 - index / 10))),
    at(60, failed("orders", 48)),
  ];
  const since = [at(51, failed("orders", 30)), at(52, run("orders", 29)), at(53, run("orders", 28))];
  const { n8n, clock, learn, digest } = knownN8n(executionsOf(former));
  clock.time = NOW - 40 * HOUR;
  await learn();
  clock.time = NOW;
  n8n.executions = executionsOf([...former.slice(0, 50), ...since]);
  const { message } = await digest({ hours: 24, workflowId: "orders" });
  expect(message).toContain(`It failed last at ${iso(NOW - 30 * HOUR)}`);
});

test.each([
  ["it is all that the index was asked to read", false],
  ["the index has read all there is", true],
])("what n8n keeps for three days is what is usual, where %s", async (_what, isWhole) => {
  const { clock, learn, digest } = knownN8n(
    executionsOf(
      times(72, (index) => run("slow", index + 0.5 - 24, { durationMs: index < 24 ? 9_000 : 400 })),
    ),
  );
  // A Thursday, so that none of the three days is of a weekend.
  clock.time = NOW + 24 * HOUR;
  if (isWhole) await learn();
  expect(digestIn(await digest({ hours: 24 })).unusual).toMatchObject([{ workflowId: "slow", kind: "slow" }]);
});

test("what hangs is judged as of this answer's look, also where it read on below what was known", async () => {
  const ordinary = (from: number, to: number) =>
    times(Math.round((from - to) * 20), (index) => run("orders", from - index / 20));
  const before = ordinary(64, 24);
  const since = [...ordinary(23.9, 0.1), run("orders", 20.01, { status: "running" })];
  const { n8n, clock, ask, digest } = knownN8n(executionsOf(before));
  clock.time = NOW - 24 * HOUR;
  await ask("trace_request", { requestId: "of-nobody", limit: 300 });
  await digest({ hours: 1 });
  clock.time = NOW;
  n8n.executions = executionsOf([...before, ...since]);
  const answer = await digest({ hours: 24 });
  expect(answer).toMatchObject({ data: { coverage: { stoppedBy: "complete", asOf: iso(NOW) } } });
  expect(digestIn(answer).hanging).toMatchObject([{ workflowId: "orders", kind: "running" }]);
});

test("what failed before the lowest ids began, which had waited in a queue, is judged by what followed", async () => {
  const queued = times(260, (index) => at(1 + index, run("queued", 5 - index / 100)));
  const early = times(60, (index) => at(300 + index, (index < 20 ? failed : run)("early", 20 - index / 10)));
  const { learn, digest } = knownN8n(executionsOf([...queued, ...early]));
  await learn();
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([
    { workflowId: "early", count: 20, state: "over", succeededSince: 40 },
  ]);
});

describe("an error workflow", () => {
  test.each([
    [
      "whose successes n8n does not save is not said not to have run",
      { saveDataSuccessExecution: "none" },
      [],
    ],
    ["whose successes it saves is", {}, [{ workflowId: "orders", reason: "did_not_run" }]],
  ])("%s", async (_what, settings, expected) => {
    const ran = (hoursAgo: number) => ({
      startedAt: NOW - hoursAgo * HOUR,
      stoppedAt: NOW - hoursAgo * HOUR + 500,
    });
    const orders = (id: number, hoursAgo: number) =>
      madeOf(id, { workflowId: "orders", status: "error", fault: 0, ...ran(hoursAgo) });
    const handler = (parentId: number, hoursAgo: number) =>
      madeOf(parentId + 1, { workflowId: "handler", mode: "error", parentId, ...ran(hoursAgo) });
    const all = [
      madeOf(1, { workflowId: "old", ...ran(300) }),
      ...[orders(2, 50), handler(2, 50), orders(4, 40), handler(4, 40)],
      ...[orders(6, 10), orders(7, 5), orders(8, 1)],
    ];
    const { n8n, learn, digest } = knownN8n(
      all.toReversed().map((one) => toN8n(one, (id) => all.find((each) => each.id === id)?.workflowId)),
    );
    n8n.intercept = workflowsOf([
      workflowOf("orders", { settings: { errorWorkflow: "handler" } }),
      workflowOf("handler", { settings }),
    ]);
    await learn();
    expect(digestIn(await digest({ hours: 24 })).unhandled).toMatchObject(expected);
  });
});
