/** The state of failures, and what is usual, follow from n8n's executions, whatever their ids and retention. */
import { expect, test } from "vitest";
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
  sentBy,
  times,
  workflowOf,
  workflowsOf,
} from "./known-n8n.ts";

test("a group is over although one at the same place with another status continues", async () => {
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

test("executions canceled by a time limit are over once the workflow succeeds", async () => {
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

test("in a restored n8n the last failure is the latest one, even with a lower id", async () => {
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

test("without a failure in the window, the last one before is named, with the window that has it", async () => {
  const runs = [run("orders", 100), failed("orders", 80), failed("mails", 50), run("orders", 2)];
  const { learn, digest } = knownN8n(executionsOf(runs));
  await learn();
  const { message, data } = await digest({ hours: 24 });
  expect(message).toContain("nothing broke: 1 run of 1 workflow");
  expect(message).toContain(`"Workflow mails" failed last at ${iso(NOW - 50 * HOUR)}`);
  expect(data).toMatchObject({
    _guidance: { example: `summarize_failures({"startedAfter":"${iso(NOW - 50 * HOUR)}"})` },
  });
});

test("the window that has the last failure before one in the past has nothing that failed later", async () => {
  const runs = [failed("mails", 100), run("orders", 60), failed("orders", 2)];
  const { learn, digest } = knownN8n(executionsOf(runs));
  await learn();
  const [startedAfter, startedBefore] = [iso(NOW - 70 * HOUR), iso(NOW - 48 * HOUR)];
  const window = { startedAfter: iso(NOW - 100 * HOUR), startedBefore };
  expect(await digest({ startedAfter, startedBefore })).toMatchObject({
    data: { _guidance: { example: `summarize_failures(${JSON.stringify(window)})` } },
  });
});

test("without any run in the window, the start of the last one is given", async () => {
  const { learn, digest } = knownN8n(executionsOf([run("orders", 100), run("mails", 90)]));
  await learn();
  const { message } = await digest({ hours: 24 });
  expect(message).toContain(`The last run began at ${iso(NOW - 90 * HOUR)}.`);
});

test.each([
  ["the index was asked for no more", false],
  ["the index has read everything", true],
])("three days of executions are enough for the usual values, where %s", async (_what, isWhole) => {
  const { clock, learn, digest } = knownN8n(
    executionsOf(
      times(72, (index) => run("slow", index + 0.5 - 24, { durationMs: index < 24 ? 9_000 : 400 })),
    ),
  );
  // A Thursday, so that none of the three days is on a weekend.
  clock.time = NOW + 24 * HOUR;
  if (isWhole) await learn();
  expect(digestIn(await digest({ hours: 24 })).unusual).toMatchObject([{ workflowId: "slow", kind: "slow" }]);
});

test("hanging executions are judged at the time of this answer's look", async () => {
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

test("a failure before executions with lower ids, which were queued, is judged by what followed it", async () => {
  const queued = times(260, (index) => at(1 + index, run("queued", 5 - index / 100)));
  const early = times(60, (index) => at(300 + index, (index < 20 ? failed : run)("early", 20 - index / 10)));
  const { learn, digest } = knownN8n(executionsOf([...queued, ...early]));
  await learn();
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([
    { workflowId: "early", count: 20, state: "over", succeededSince: 40 },
  ]);
});

test.each([
  ["is not reported as not run if its successes are not saved", { saveDataSuccessExecution: "none" }, []],
  [
    "is reported as not run if its successes are saved",
    {},
    [{ workflowId: "orders", reason: "did_not_run" }],
  ],
])("an error workflow %s", async (_what, settings, expected) => {
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
  const { n8n, learn, digest } = knownN8n(sentBy(all));
  n8n.intercept = workflowsOf([
    workflowOf("orders", { settings: { errorWorkflow: "handler" } }),
    workflowOf("handler", { settings }),
  ]);
  await learn();
  expect(digestIn(await digest({ hours: 24 })).unhandled).toMatchObject(expected);
});
