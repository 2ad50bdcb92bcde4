/** The pictures of real answers of each tool, through the tool boundary. */
import { afterAll, describe, expect, test } from "vitest";
import { TOOLS } from "../../src/features/index.ts";
import type { Picture } from "../../src/views/waterfall/picture.ts";
import { factsOfSeries, rectanglesOf, wordsOfSeries } from "../../src/views/waterfall/series.ts";
import { toPicture } from "../../src/views/waterfall/to-picture.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { agentRunOf } from "../support/agent-run-of.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";

const n8n = await startRecordedN8n();
const caller = createCaller({ settings: settingsFor(n8n) });

afterAll(async () => await n8n.close());

async function pictureOf(tool: string, args: object): Promise<Picture> {
  const picture = toPicture({ ...(await caller.call(tool, args)) });
  if (picture === undefined) throw new Error(`The answer of ${tool} has no picture.`);
  return picture;
}

describe("a trace", () => {
  test("has a bar for each execution, below its cause, with its time and its failure", async () => {
    const { title, state, bars, sentence } = await pictureOf("trace_request", {
      requestId: "req-deep-failure",
    });
    expect(title).toBe("req-deep-failure");
    expect(state).toBe("failed");
    expect(sentence).toContain("Fetch Rate");
    expect(bars.map(({ depth, state: marked, kind }) => [depth, marked, kind])).toEqual([
      [0, "failed", "entry"],
      [1, "failed", "sub-workflow"],
      [2, "failed", "sub-workflow"],
      [3, "ok", "error handler"],
      [2, "ok", "error handler"],
      [1, "ok", "error handler"],
    ]);
    for (const { startMs, durationMs, url } of bars) {
      expect(startMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeGreaterThan(0);
      expect(url).toContain("/executions/");
    }
    const facts = bars.flatMap((bar) => bar.facts.filter(([name]) => name === "failed node"));
    expect(facts).toEqual([["failed node", "Fetch Rate"]]);
  });

  test("in rows has bars for these too, and says how many are missing", () => {
    const moreExecutions = {
      legend: "rows",
      workflows: ["Main", "Sub"],
      workflowIds: ["w1", "w2"],
      kinds: ["0 success entry x", "1 error sub_workflow x"],
      rows: { none: ["2 0 40 5"], "1": ["4 1 30 -", "3 1 20 5"], "3": ["5 1 21 2"] },
      notShown: 7,
    };
    const data = { requestId: "r", outcome: "success", executions: [{ id: "1" }], moreExecutions };
    const picture = toPicture({ status: "success", message: "Ended.", data });
    expect(picture?.notes).toEqual(["7 more executions are not in the answer."]);
    expect(
      picture?.bars.map(({ label, depth, startMs, durationMs }) => [label, depth, startMs, durationMs]),
    ).toEqual([
      ["1", 0, undefined, undefined],
      ["Sub", 1, 20, 5],
      ["Sub", 2, 21, 2],
      ["Sub", 1, 30, undefined],
      ["Main", 0, 40, 5],
    ]);
  });
});

test("an explanation has the root first, and the evidence below it", async () => {
  const { title, state, bars } = await pictureOf("explain_failure", { requestId: "req-deep-failure" });
  expect(title).toBe("Execution 34");
  expect(state).toBe("failed");
  expect(bars[0]).toMatchObject({ kind: "root cause", status: "exact", depth: 0, state: "failed" });
  expect(bars[0]?.label).toContain('"Fetch Rate" failed because');
  expect(bars.slice(1).map(({ kind, depth }) => [kind, depth])).toEqual(
    bars.slice(1).map(() => ["evidence", 1]),
  );
  expect(bars.length).toBeGreaterThan(1);
});

describe("an agent's run", () => {
  async function pictureOfKind(kind: string): Promise<Picture> {
    const picture = toPicture({ ...(await agentRunOf(kind)) });
    if (picture === undefined) throw new Error("The answer has no picture.");
    return picture;
  }

  test("has a bar for each call at its time, with the failed one marked", async () => {
    const { bars, title } = await pictureOfKind("code-tool-fails-3-1");
    expect(title).toBe("Agent");
    expect(bars.map(({ kind, state }) => [kind, state])).toEqual([
      ["model", "ok"],
      ["tool", "failed"],
      ["model", "ok"],
    ]);
    const starts = bars.map(({ startMs }) => startMs ?? Number.NaN);
    expect(starts[0]).toBe(0);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  test("with a nested agent has that agent's calls below its caller's", async () => {
    const { bars } = await pictureOfKind("nested-3-1");
    expect(new Set(bars.map(({ depth }) => depth))).toEqual(new Set([0, 1, 2]));
  });
});

describe("counted executions", () => {
  const counted = (data: object): Picture | undefined =>
    toPicture({ status: "success", message: "80 executions.", data: { totals: { failures: 20 }, ...data } });

  test("by hour are columns with failures, even for hours without executions", () => {
    const groups = [
      { hour: "2026-11-18T22:00", count: 4, failures: 1 },
      { hour: "2026-11-18T23:00", count: 0, failures: 0 },
      { hour: "2026-11-19T00:00", count: 9, failures: 0 },
    ];
    expect(counted({ groups })).toMatchObject({
      state: "failed",
      bars: [],
      series: {
        title: "Executions by hour, UTC",
        columns: [
          { label: "2026-11-18T22:00", value: 4, failures: 1 },
          { label: "2026-11-18T23:00", value: 0, failures: 0 },
          { label: "2026-11-19T00:00", value: 9, failures: 0 },
        ],
      },
    });
  });

  test("by model and day have the tokens of each day together, and of each model", () => {
    const picture = counted({
      sortBy: "promptTokens",
      window: { timeZone: "Europe/Berlin" },
      groups: [
        { model: "a", day: "2026-11-16", count: 1, failures: 0, promptTokens: 300 },
        { model: "b", day: "2026-11-16", count: 1, failures: 0, promptTokens: 100 },
        { model: "a", day: "2026-11-18", count: 2, failures: 2, promptTokens: 100 },
      ],
      others: [{ groups: 3, day: "2026-11-18", count: 9, failures: 1, promptTokens: 7 }],
    });
    expect(picture?.series).toEqual({
      title: "promptTokens by day, Europe/Berlin",
      columns: [
        { label: "2026-11-16", value: 400, failures: 0 },
        { label: "2026-11-17", value: 0, failures: 0 },
        { label: "2026-11-18", value: 107, failures: 0 },
      ],
    });
    expect(picture?.bars).toEqual([]);
    const { parts = [] } = picture ?? {};
    expect(parts.map(({ title, columns }) => [title, columns.map(({ value }) => value)])).toEqual([
      ["a: promptTokens", [300, 0, 100]],
      ["b: promptTokens", [100, 0, 0]],
    ]);
    // All have one scale: a third of the value is a third of the height.
    const heights = parts.map((part) => rectanglesOf(part)[0]?.height ?? 0);
    expect((heights[1] ?? 0) / (heights[0] ?? 0)).toBeCloseTo(1 / 3);
  });

  test("by workflow and day are drawn one by one, as far as a phone shows them", () => {
    const groups = Array.from({ length: 9 }, (_one, index) => ({
      ...{ workflowName: `W${index}`, workflowId: `w${index}`, day: "2026-11-16" },
      ...{ count: index + 1, failures: 1 },
    }));
    const { parts = [] } = counted({ groups }) ?? {};
    expect(parts.map(({ title }) => title)).toEqual([8, 7, 6, 5, 4].map((index) => `W${index}: Executions`));
  });

  test("that did not all fit have no columns, which would be wrong, and a note", () => {
    const groups = [{ hour: "2026-11-18T22:00", count: 4, failures: 1 }];
    const meta = { leftOut: { items: 7 } };
    const picture = toPicture({ status: "success", message: "", data: { totals: {}, groups }, meta });
    expect(picture).toMatchObject({ series: undefined, notes: ["Not all groups fitted into the answer."] });
  });

  test("by workflow lead to that workflow's failures in the same window", () => {
    const window = { from: "2026-11-11T15:00:00.000Z", to: "2026-11-18T15:00:00.000Z" };
    const group = { workflowName: "Tax", workflowId: "w1", count: 40, failures: 20 };
    const more = { instance: "other", host: null, count: 10, failures: 0 };
    const picture = counted({ instance: "prod", window, groups: [group, more] });
    expect(picture?.bars.map(({ label, kind, part, state }) => [label, kind, part, state])).toEqual([
      ["Tax", "20 of 40 failed", 1, "failed"],
      ["other / no host", "0 of 10 failed", 0.25, "ok"],
    ]);
    expect(picture?.bars[0]).toMatchObject({
      calls: [
        {
          tool: "summarize_failures",
          args: { workflowId: "w1", startedAfter: window.from, startedBefore: window.to, instance: "prod" },
        },
      ],
    });
  });
});

describe("a digest", () => {
  const data = {
    window: { from: "2026-11-17T15:20:00.000Z", to: "2026-11-17T18:00:00.000Z" },
    incidents: [
      {
        ...{ kind: "shared_cause", says: "4 executions of 3 workflows failed", state: "goes_on" },
        ...{ startedAt: "2026-11-17T17:00:00.000Z", lastAt: "2026-11-17T17:30:00.000Z", executionId: "9" },
      },
      {
        kind: "crash",
        says: "n8n crashed",
        state: "over",
        startedAt: "2026-11-17T16:00:00.000Z",
        lastAt: "2026-11-17T16:30:00.000Z",
      },
    ],
    groups: [
      {
        ...{ workflowName: "Tax", nodeName: "Call", count: 3, state: "goes_on", group: "f-1" },
        ...{ first: "2026-11-17T15:30:00.000Z", last: "2026-11-17T17:00:00.000Z" },
      },
    ],
    silent: [{ workflowName: "Nightly", kind: "schedule", lastStartedAt: "2026-11-10T01:00:00.000Z" }],
    series: { by: "hour", from: "2026-11-17T15:00:00.000Z", runs: [1, 2, 9], failures: [0, 1, 3] },
    notShown: { groups: 2, workflows: 7 },
    coverage: {},
  };
  const picture = toPicture({ status: "success", message: "Broken.", data });

  test("has its runs and failures as columns", () => {
    expect(picture?.series).toEqual({
      title: "Runs by hour, UTC",
      columns: [
        { label: "2026-11-17T15:00", value: 1, failures: 0 },
        { label: "2026-11-17T16:00", value: 2, failures: 1 },
        { label: "2026-11-17T17:00", value: 9, failures: 3 },
      ],
    });
  });

  test("has incidents, causes and silent workflows below them, on the same time axis", () => {
    const HOUR = 3_600_000;
    expect(picture).toMatchObject({ lastsMs: 3 * HOUR });
    expect(
      picture?.bars.map(({ label, kind, state, startMs, durationMs }) => [
        label,
        kind,
        state,
        startMs,
        durationMs,
      ]),
    ).toEqual([
      ["4 executions of 3 workflows failed", "shared cause", "failed", 2 * HOUR, undefined],
      ["n8n crashed", "crash", "warning", HOUR, HOUR / 2],
      ["Tax: Call", "failure, 3 ×", "failed", HOUR / 2, undefined],
      ["Nightly", "silent, schedule", "warning", 0, undefined],
    ]);
    expect(picture?.bars[0]?.calls).toEqual([
      { label: "Explain", tool: "explain_failure", args: { executionId: "9" } },
    ]);
    expect(picture?.notes).toEqual(["2 more of groups not in the answer."]);
  });

  test("with an unknown series is drawn without it", () => {
    const cut = { ...data.series, runs: [1, 2], failures: [0, 1] };
    for (const series of [
      cut,
      7,
      { by: "year" },
      { ...data.series, from: "soon" },
      { ...data.series, runs: "1" },
    ])
      expect(
        toPicture({ status: "success", message: "", data: { ...data, series } })?.series,
      ).toBeUndefined();
  });
});

test("columns show a single failure among thousands, below the line, and fit", () => {
  const columns = [
    { label: "a", value: 9_000, failures: 0 },
    { label: "b", value: 5_000, failures: 1 },
    { label: "c", value: 0, failures: 0 },
  ];
  const rectangles = rectanglesOf({ title: "", columns });
  expect(rectangles.map(({ state, x }) => [state, x])).toEqual([
    ["ok", 0],
    ["ok", 1],
    ["failed", 1],
  ]);
  const [tallest, , failed] = rectangles;
  expect(failed?.height).toBeGreaterThanOrEqual(3);
  expect(failed?.y).toBeCloseTo((tallest?.y ?? 0) + (tallest?.height ?? 0), 9);
  for (const { y, height } of rectangles) {
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(100);
  }
  expect(wordsOfSeries({ title: "", columns })).toBe("Up to 9,000. Below the line: what failed, up to 1.");
  expect(factsOfSeries({ title: "", columns })).toEqual([
    ["a", "9,000"],
    ["b", "5,000, 1 failed"],
  ]);
});

test("an error has no picture", async () => {
  expect(toPicture({ ...(await caller.call("trace_request", {})) })).toBeUndefined();
});

test("every tool with a picture is drawn in these tests", () => {
  expect(TOOLS.filter(({ hasPicture }) => hasPicture === true).map(({ name }) => name)).toEqual([
    "trace_request",
    "explain_failure",
    "summarize_failures",
    "query_executions",
    "explain_agent_run",
  ]);
});
