/** An incident is one line for failures of one moment or cause; everyday failures are none. */
import { describe, expect, test } from "vitest";
import { findIncidents } from "../../../src/history/digest/incidents/find-incidents.ts";
import type { Incident } from "../../../src/history/digest/incidents/incident.ts";
import type { Run, RunFailure, WorkflowRuns } from "../../../src/history/digest/run.ts";
import { DAY_MS, HOUR_MS } from "../../../src/platform/durations.ts";
import { inBothLanes, sizeOf } from "../../support/lane.ts";
import { ordinaryRuns, randomFrom } from "./ordinary-days.ts";

const NOW = Date.UTC(2026, 10, 18, 15);
const WINDOW = { from: NOW - DAY_MS, to: NOW };
const MINUTE = 60_000;

const failureOf = (facts: Partial<RunFailure> = {}): RunFailure => ({
  ...{ node: "Call", errorClass: "NodeApiError", httpStatus: 503, host: "host-1", cause: "down" },
  ...facts,
});

let id = 0;
const run = (startedAt: number, facts: Partial<Run> = {}): Run => {
  id += 1;
  return {
    ...{ id: String(id), mode: "webhook", status: "success", startedAt, stoppedAt: startedAt + 1_000 },
    ...{ waitTill: null, nodes: 2, items: 2, caught: 0, version: "v1", failure: null },
    ...facts,
  };
};
const failed = (startedAt: number, failure: Partial<RunFailure> = {}, facts: Partial<Run> = {}): Run =>
  run(startedAt, { status: "error", failure: failureOf(failure), ...facts });
const crashed = (startedAt: number, stoppedAt: number): Run =>
  run(startedAt, {
    status: "crashed",
    stoppedAt,
    failure: failureOf({ errorClass: null, host: null, cause: null }),
  });

/** Two weeks with a run every ten minutes. */
const healthy = (until: number, facts: Partial<Run> = {}): Run[] =>
  Array.from({ length: 2_000 }, (_, index) => run(until - (2_000 - index) * 10 * MINUTE, facts));
const workflow = (workflowId: string, ...runs: Run[]): WorkflowRuns => ({
  workflowId,
  runs: runs.toSorted((a, b) => b.startedAt - a.startedAt),
});
const found = (...workflows: WorkflowRuns[]): Incident[] =>
  findIncidents({ workflows, window: WINDOW, asOf: NOW });
const kinds = (...workflows: WorkflowRuns[]): string[] => found(...workflows).map(({ kind }) => kind);

describe("a crash", () => {
  const died = NOW - 2 * HOUR_MS;
  const touched = (name: string, runsAfter: number) =>
    workflow(
      name,
      ...healthy(died - HOUR_MS),
      crashed(died - 5 * MINUTE, died),
      ...Array.from({ length: runsAfter }, (_, index) => run(died + (index + 1) * MINUTE)),
    );

  test("is one incident for everything that ended with it, and is over after a success", () => {
    const [incident, ...others] = found(touched("a", 3), touched("b", 0), workflow("c", ...healthy(NOW)));
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      ...{ kind: "crash", times: 1, executions: 2, workflowIds: ["a", "b"], startedAt: died, lastAt: died },
      ...{ state: "over", succeeded: 14, suspectId: null },
    });
  });

  test("names the workflow that was running each time", () => {
    const again = died + HOUR_MS;
    const importer = workflow("import", crashed(died - MINUTE, died), crashed(again - MINUTE, again));
    expect(found(importer, touched("b", 0))).toMatchObject([
      { kind: "crash", times: 2, executions: 3, suspectId: "import", state: "unknown" },
    ]);
  });

  test("ends a long run at the time of the crash, so successes before that do not count", () => {
    const began = NOW - 30 * HOUR_MS;
    const importer = workflow("import", crashed(began, died), ...healthy(died));
    expect(found(importer)).toMatchObject([
      { kind: "crash", executions: 1, startedAt: died, state: "unknown", succeeded: 0 },
    ]);
    expect(found(importer, workflow("c", run(died + MINUTE)))).toMatchObject([
      { kind: "crash", state: "over", succeeded: 1 },
    ]);
  });

  test("of a worker is recognized by n8n's error (n8n 2.40)", () => {
    const lost = failed(died, { errorClass: "MaxStalledCountError", host: null, httpStatus: null });
    // One workflow that was cut off once is no suspect.
    expect(found(workflow("a", lost))).toMatchObject([{ kind: "crash", suspectId: null }]);
  });
});

test("two executions out of memory are an incident, one is an ordinary failure", () => {
  const oom = (time: number) =>
    failed(time, { errorClass: "TaskRunnerOomError", host: null, httpStatus: null });
  expect(found(workflow("a", oom(NOW - HOUR_MS)), workflow("b", oom(NOW - 2 * HOUR_MS)))).toMatchObject([
    { kind: "memory", executions: 2, common: { errorClass: "TaskRunnerOomError" } },
  ]);
  expect(kinds(workflow("a", oom(NOW - HOUR_MS)))).toEqual([]);
});

describe("a service that is down", () => {
  const began = NOW - HOUR_MS;
  const down = (name: string, failure: Partial<RunFailure> = {}) =>
    workflow(
      name,
      ...healthy(began),
      ...Array.from({ length: 3 }, (_, index) => failed(began + (index + 1) * 15 * MINUTE, failure)),
    );
  const five = ["a", "b", "c", "d", "e"];

  test("is one incident for five workflows, and goes on", () => {
    expect(found(...five.map((name) => down(name)))).toMatchObject([
      { kind: "shared_cause", executions: 15, common: { httpStatus: 503, host: "host-1" }, state: "goes_on" },
    ]);
  });

  test("is over once they succeed again", () => {
    const mended = five.map((name) => {
      const { runs } = down(name);
      return workflow(name, ...runs, run(NOW - MINUTE));
    });
    expect(found(...mended)).toMatchObject([{ kind: "shared_cause", state: "over", succeeded: 5 }]);
  });

  test("goes on while one of them still fails", () => {
    const [first, ...others] = five.map((name) => down(name));
    const mended = others.map(({ workflowId, runs }) =>
      workflow(workflowId, ...runs, ...[5, 4, 3, 2, 1].map((minutes) => run(NOW - minutes * MINUTE))),
    );
    expect(found(...(first === undefined ? [] : [first]), ...mended)).toMatchObject([
      { kind: "shared_cause", state: "goes_on", where: { count: 1, of: 5 }, succeeded: 0 },
    ]);
  });

  test("began before the window if it was already down", () => {
    const since = NOW - 30 * HOUR_MS;
    const hourly = (name: string) =>
      workflow(
        name,
        ...healthy(since),
        ...Array.from({ length: 30 }, (_, index) => failed(since + index * HOUR_MS)),
      );
    expect(found(...["a", "b", "c"].map(hourly))).toMatchObject([
      { kind: "shared_cause", executions: 90, startedAt: since },
    ]);
  });

  test("is no incident for workflows that always fail like this", () => {
    const always = (name: string) =>
      workflow(name, ...Array.from({ length: 50 }, (_, index) => failed(NOW - (index + 1) * HOUR_MS)));
    expect(kinds(...five.map(always))).toEqual([]);
  });

  test("is no incident if hosts differ, or with only two workflows", () => {
    expect(kinds(...five.map((name) => down(name, { host: name })))).toEqual([]);
    expect(kinds(down("a"), down("b"))).toEqual([]);
  });

  test("is recognized by the error where no host is known, and by its status where texts are withheld", () => {
    expect(kinds(...five.map((name) => down(name, { host: null })))).toEqual(["shared_cause"]);
    expect(kinds(...five.map((name) => down(name, { host: null, cause: null })))).toEqual(["shared_cause"]);
    const unlike = { host: null, httpStatus: null, errorClass: "TypeError", cause: null };
    expect(kinds(...five.map((name) => down(name, unlike)))).toEqual([]);
  });
});

describe("a workflow version", () => {
  const saved = NOW - HOUR_MS;
  const bad = (index: number) => failed(saved + index * 5 * MINUTE, {}, { version: "v2" });
  const since = (...runs: Run[]) => workflow("orders", ...healthy(saved), ...runs);

  test("is named if the workflow began to fail with it", () => {
    expect(found(since(bad(1), bad(2), bad(3)))).toMatchObject([
      { kind: "version", version: "v2", executions: 3, startedAt: saved + 5 * MINUTE },
    ]);
  });

  test("is named although later versions failed too, or mended it", () => {
    const third = (index: number) => failed(saved + index * 5 * MINUTE, {}, { version: "v3" });
    expect(found(since(bad(1), bad(2), third(3), third(4)))).toMatchObject([
      { kind: "version", version: "v2", executions: 4, state: "unknown" },
    ]);
    const mended = [4, 5, 6].map((index) => run(saved + index * 5 * MINUTE, { version: "v3" }));
    expect(found(since(bad(1), bad(2), bad(3), ...mended))).toMatchObject([
      { kind: "version", version: "v2", executions: 3, state: "over" },
    ]);
  });

  test("is named although n8n crashed hours before", () => {
    const { runs } = since(bad(1), bad(2), bad(3));
    const again = workflow("orders", ...runs, crashed(saved - 9 * HOUR_MS - 90_000, saved - 9 * HOUR_MS));
    expect(kinds(again)).toEqual(["version", "crash"]);
  });

  test("is not named if half of the runs just before it failed", () => {
    const half = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? failed(saved - (13 - index) * MINUTE) : run(saved - (13 - index) * MINUTE),
    );
    expect(kinds(since(...half, ...[1, 2, 3, 4, 5, 6].map(bad)))).toEqual([]);
  });

  test("is not named if the workflow failed before, ran well with it first, or its runs have no version", () => {
    const before = failed(saved - MINUTE);
    expect(kinds(since(before, bad(1), bad(2), bad(3)))).toEqual([]);
    const well = Array.from({ length: 5 }, (_, index) => run(saved + index * MINUTE, { version: "v2" }));
    expect(kinds(since(...well, ...[2, 3, 4, 5, 6, 7, 8].map(bad)))).toEqual([]);
    const unknown = [1, 2, 3].map((index) => failed(saved + index * MINUTE, {}, { version: null }));
    expect(kinds(workflow("orders", ...healthy(saved, { version: null }), ...unknown))).toEqual([]);
  });
});

test("an error workflow that itself fails is an incident", () => {
  const handler = (...runs: Run[]) => workflow("handler", ...runs);
  const ownFailure = (hours: number) => failed(NOW - hours * HOUR_MS, {}, { mode: "error" });
  expect(kinds(handler(ownFailure(1), ownFailure(2), ownFailure(3)))).toEqual(["error_workflow"]);
  const good = [4, 5, 6, 7].map((hours) => run(NOW - hours * HOUR_MS, { mode: "error" }));
  expect(kinds(handler(ownFailure(1), ...good))).toEqual([]);
});

/** Everyday errors, some of them the same in several workflows. */
const ORDINARY: readonly Partial<RunFailure>[] = [
  { httpStatus: 429, host: "host-1" },
  { httpStatus: 500, host: "host-2" },
  { httpStatus: 404, host: "host-3" },
  { httpStatus: null, errorClass: "TypeError", host: null, cause: "undefined" },
  { httpStatus: null, errorClass: "NodeOperationError", host: null, cause: "no items" },
  { httpStatus: null, host: null, cause: null },
];

/** A workflow that fails and is edited now and then, and whose own service is down once. */
function ordinaryWorkflow(random: () => number, workflowId: string, from: number): WorkflowRuns {
  const rate = [0, 0.002, 0.01, 0.05, 0.15][Math.floor(random() * 5)] ?? 0;
  const ownKinds = [0, 1].map(() => ORDINARY[Math.floor(random() * ORDINARY.length)] ?? {});
  const isErrorWorkflow = random() < 0.1;
  const outage =
    !isErrorWorkflow && random() < 0.2 ? from + random() * (NOW - from) : Number.POSITIVE_INFINITY;
  const outageMs = random() * 4 * HOUR_MS;
  let version = 1;
  const runs = ordinaryRuns(random, from, NOW)
    .reverse()
    .map((made): Run => {
      // An edit during an outage would look like its cause to anyone, so there is none.
      const isNearOutage = made.startedAt > outage - DAY_MS && made.startedAt < outage + outageMs;
      if (random() < 0.005 && !isNearOutage) version += 1;
      const isOut = made.startedAt >= outage && made.startedAt < outage + outageMs;
      const hasFailed = made.status !== "running" && (isOut || random() < rate);
      const own = ownKinds[Math.floor(random() * 2)] ?? {};
      const facts = isOut ? { host: workflowId, cause: workflowId } : own;
      return {
        ...made,
        ...(isErrorWorkflow ? { mode: "error" } : {}),
        version: `v${version}`,
        status: hasFailed ? "error" : made.status === "running" ? "running" : "success",
        failure: hasFailed ? failureOf(facts) : null,
      };
    });
  return { workflowId, runs: runs.reverse() };
}

function raisedBy(seed: number): readonly string[] {
  const random = randomFrom(seed);
  const known = [1, 2, 4][seed % 3] ?? 2;
  const count = 3 + Math.floor(random() * 8);
  const workflows = Array.from({ length: count }, (_, index) =>
    ordinaryWorkflow(random, `w${index}`, NOW - known * DAY_MS),
  );
  return kinds(...workflows).map((kind) => `${kind} in ${seed}`);
}

test("hardly any of many ordinary instances has an incident", inBothLanes, () => {
  const count = sizeOf(10_000, 500);
  const raised = Array.from({ length: count }, (_, seed) => raisedBy(seed)).flat();
  // Measured: 1 in 10,000.
  expect(raised.length / count, raised.join(", ")).toBeLessThanOrEqual(5 / 10_000);
});
