/** `query_executions` as an agent uses it, over two known weeks of an n8n. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { renderAnswer } from "../../../src/mcp/rendering/render-answer.ts";
import { readAgents } from "../../recorded-n8n/agents.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { countTokens } from "../../support/token-counts.ts";
import { at, executionsOf, failed, HOUR, iso, NOW, run } from "../failure-digest/known-n8n.ts";
import type { MadeRun } from "../failure-digest/troubles.ts";

/** Taxes failed 2 of 40 times last week and 20 of 40 times this week; orders never failed. */
const TWO_WEEKS: readonly MadeRun[] = [
  run("orders", 15 * 24),
  ...Array.from({ length: 40 }, (_one, index) => [
    run("orders", 1 + index * 4),
    run("orders", 1 + index * 4 + 168, { durationMs: 50 }),
    index % 2 === 0 ? failed("tax", 2 + index * 4) : run("tax", 2 + index * 4),
    index < 2 ? failed("tax", 170 + index * 4) : run("tax", 170 + index * 4),
  ]).flat(),
  run("orders", 3, { mode: "manual" }),
];

function callerOf(runs: readonly MadeRun[], scopes?: readonly string[]) {
  const n8n = createFakeN8n(executionsOf(runs));
  n8n.intercept = (url) =>
    url.pathname.endsWith("/workflows")
      ? jsonAnswer({
          data: ["orders", "tax"].map((id) => ({
            ...{ id, name: `Workflow ${id}`, active: true, nodes: [], connections: {}, settings: {} },
            tags: id === "tax" ? [{ name: "money" }, { name: "city" }] : [],
          })),
          nextCursor: null,
        })
      : undefined;
  const given = scopes === undefined ? {} : { scopes };
  return createCaller({ fetch: n8n.fetch, now: () => NOW, ...given });
}

const ask = async (args: object, runs = TWO_WEEKS, scopes?: readonly string[]): Promise<Envelope> =>
  await callerOf(runs, scopes).call("query_executions", { timeBudgetMs: 55_000, ...args });

const answer = z.looseObject({
  totals: z.looseObject({ count: z.number(), failures: z.number() }),
  groups: z.array(z.record(z.string(), z.unknown())),
  others: z.array(z.looseObject({ groups: z.number(), count: z.number() })).optional(),
});
const dataOf = (envelope: Envelope) => {
  expect(envelope.status, JSON.stringify(envelope)).toBe("success");
  return answer.parse(envelope.data);
};

describe("an agent's question", () => {
  test("about most failures, and whether it got worse, is answered", async () => {
    const envelope = await ask({ groupBy: ["workflow"], sortBy: "failures", hours: 168 });
    expect(dataOf(envelope).groups).toMatchObject([
      { workflowId: "tax", count: 40, failures: 20, failureRate: 0.5, before: { count: 40, failures: 2 } },
      { workflowId: "orders", count: 40, failures: 0, medianMs: 100, before: { count: 40, failures: 0 } },
    ]);
    expect(envelope.message).toBe(
      'From 2026-11-11T15:00:00.000Z to 2026-11-18T15:00:00.000Z: 80 executions, 20 failed (25 %); in the window before 2 of 80 (2.5 %): worse. Highest failures of 2 groups: "Workflow tax" 20 of 40 (before 2 of 40: worse). 1 run from the editor is not counted.',
    );
    expect(countTokens(renderAnswer(envelope))).toBeLessThanOrEqual(1_200);
  });

  test("about durations counts an execution that n8n resumed from its first start", async () => {
    const waited = NOW - 5 * HOUR;
    const started = { startedAt: iso(waited + 7_000), stoppedAt: iso(waited + 7_700) };
    const runData = { Start: [{ startTime: waited, executionTime: 1, executionIndex: 0, source: [] }] };
    const facts = { ...started, data: { resultData: { runData } } };
    const envelope = await ask({ groupBy: ["workflow"] }, [run("orders", 5, { facts })]);
    expect(dataOf(envelope).groups).toMatchObject([{ workflowId: "orders", medianMs: 7_700 }]);
  });

  test("about executions and failures has clearly different sentences", async () => {
    const { message } = await ask({ groupBy: ["workflow"], hours: 168 });
    expect(message).toContain(
      'Highest count: "Workflow tax" 40 (20 failed; before 40, 2 failed: worse), "Workflow orders" 40 (before 40, 0 failed).',
    );
  });

  test("about a failure at one node is answered by number, as all of its executions failed", async () => {
    const { message } = await ask({ where: { node: "Call tax", httpStatus: [502, 503] }, hours: 168 });
    expect(message).toContain(
      "20 executions, 20 failed (100 %); in the window before 2 of 2 (100 %): more. Nodes, errors and hosts are known of failures alone.",
    );
    const byNode = await ask({ groupBy: ["node"], sortBy: "failures", hours: 168 });
    expect(byNode.message).toContain(
      '(2.5 %): worse. Highest failures of 2 groups: "Call tax" 20 of 20 (before 2 of 2: more).',
    );
  });

  test("about a workflow without a known success says that n8n may not save them", async () => {
    const runs = [run("orders", 24 * 30), failed("tax", 5), failed("tax", 4)];
    expect((await ask({}, runs)).message).toContain("No success is known: if n8n does not save them,");
    expect((await ask({ where: { status: "error" } }, runs)).message).not.toContain("No success");
    expect((await ask({ hours: 168 })).message).not.toContain("No success");
  });

  test("about queued executions refers to the digest", async () => {
    expect((await ask({ where: { status: ["new", "waiting"] } })).message).toContain(
      "summarize_failures shows it",
    );
    expect((await ask({ where: { status: "waiting" } })).message).not.toContain("queue");
  });

  test("by hour and day at once is rejected", async () => {
    expect(await ask({ groupBy: ["day", "hour"] })).toMatchObject({
      status: "error",
      data: { message: expect.stringContaining("has hour or day, not both") },
    });
  });

  test("about an unknown status is rejected with the known ones", async () => {
    expect(await ask({ where: { status: "failed" } })).toMatchObject({
      status: "error",
      data: { details: { field: "where", expected: expect.stringContaining("crashed, error") } },
    });
  });

  test("with an empty list of values is rejected", async () => {
    expect(await ask({ where: { status: [] } })).toMatchObject({
      status: "error",
      data: { message: expect.stringContaining("has 1 to 20 values for a name") },
    });
  });

  test("by day includes days without executions, by the clock of a zone", async () => {
    const runs = [run("orders", 24 * 30), run("orders", 16), run("orders", 15), run("orders", 60)];
    const byDay = async (timeZone: string) =>
      dataOf(await ask({ groupBy: ["day"], hours: 72, timeZone }, runs)).groups.map(({ day, count }) => [
        day,
        count,
      ]);
    expect(await byDay("UTC")).toEqual([
      ["2026-11-15", 0],
      ["2026-11-16", 1],
      ["2026-11-17", 1],
      ["2026-11-18", 1],
    ]);
    expect(await byDay("Asia/Kathmandu")).toEqual([
      ["2026-11-15", 0],
      ["2026-11-16", 1],
      ["2026-11-17", 0],
      ["2026-11-18", 2],
    ]);
  });

  test("by tag counts a workflow with two tags in both, and once in the total", async () => {
    const { groups, totals } = dataOf(await ask({ groupBy: ["tag"], sortBy: "failures", hours: 168 }));
    expect(groups).toMatchObject([
      { tag: "money", failures: 20 },
      { tag: "city", failures: 20 },
      { tag: null, failures: 0 },
    ]);
    expect(totals).toMatchObject({ count: 80, failures: 20 });
    const only = dataOf(await ask({ where: { tag: "money" }, hours: 168 }));
    expect(only.totals).toMatchObject({ count: 40 });
    const wrong = await ask({ where: { tag: "mony" }, hours: 168 });
    expect(wrong).toMatchObject({ status: "error", data: { details: { candidates: ["money", "city"] } } });
  });

  test("about tokens by model and day has the counts of the model's server", async () => {
    const agents = (await readAgents("2.40.5")).filter(({ answer: { mode } }) => mode !== "manual");
    const executions = z
      .array(z.looseObject({ id: z.string(), startedAt: z.string() }))
      .parse(agents.map(({ answer: execution }) => execution))
      .toSorted((a, b) => Number(b.id) - Number(a.id));
    const n8n = createFakeN8n(executions);
    const now = Date.parse(executions[0]?.startedAt ?? "") + HOUR;
    const caller = createCaller({ fetch: n8n.fetch, now: () => now });
    const question = { groupBy: ["model", "day"], sortBy: "promptTokens", hours: 72, timeBudgetMs: 55_000 };
    const envelope = await caller.call("query_executions", question);
    const sumOf = (name: string) =>
      dataOf(envelope).groups.reduce((sum, group) => sum + Number(group[name] ?? 0), 0);
    const served = agents.reduce((sum, { served: { promptTokens } }) => sum + promptTokens, 0);
    expect(sumOf("promptTokens")).toBe(served);
    expect(new Set(dataOf(envelope).groups.map(({ model }) => model))).toContain("gpt-4o-mini");
    expect(countTokens(renderAnswer(envelope))).toBeLessThanOrEqual(1_200);
  });

  test("by time shows the first groups, and the rest as one, day by day", async () => {
    const runs = ["a", "b", "c"].flatMap((id, index) => [
      ...Array.from({ length: 5 - index }, () => run(id, 2)),
      run(id, 26),
    ]);
    const { groups, others } = dataOf(await ask({ groupBy: ["workflow", "day"], hours: 48, limit: 1 }, runs));
    expect(groups).toMatchObject([
      { workflowId: "a", day: "2026-11-17", count: 1 },
      { workflowId: "a", day: "2026-11-18", count: 5 },
    ]);
    expect(others).toMatchObject([
      { day: "2026-11-17", groups: 2, count: 2 },
      { day: "2026-11-18", groups: 2, count: 7 },
    ]);
  });
});

describe("a window", () => {
  test("includes executions queued for hours while higher ids started", async () => {
    const runs = [
      ...Array.from({ length: 50 }, (_one, index) => at(index + 1, run("old", 120 - index))),
      ...Array.from({ length: 100 }, (_one, index) => [
        at(51 + 2 * index, run("queued", 0.6 - index / 1_000)),
        at(52 + 2 * index, run("called", 14 - index / 10, { mode: "integrated" })),
      ]).flat(),
      ...Array.from({ length: 20 }, (_one, index) => at(251 + index, run("queued", 0.4 - index / 100))),
    ];
    const { groups } = dataOf(await ask({ groupBy: ["workflow"], hours: 1 }, runs));
    expect(groups).toMatchObject([{ workflowId: "queued", count: 120 }]);
  });

  test.each([[[]], [["hour"]], [["workflow", "hour"]]])(
    "until now includes executions by a clock three hours ahead (by %s)",
    async (groupBy) => {
      const runs = Array.from({ length: 12 }, (_one, index) => run("orders", 2.5 - index / 2));
      const { totals, groups } = dataOf(await ask({ groupBy, hours: 24 }, runs));
      expect(totals.count).toBe(12);
      const counted = groups.reduce((sum, { count }) => sum + Number(count), 0);
      expect(groupBy.length === 0 || counted === 12).toBe(true);
      const passed = { startedBefore: new Date(NOW - HOUR).toISOString() };
      expect(dataOf(await ask({ groupBy, ...passed }, runs)).totals.count).toBe(3);
    },
  );

  test("includes executions that started in it with ids far above later ones", async () => {
    const runs = [
      ...Array.from({ length: 20 }, (_one, index) => at(1 + 4_000 * index, run("queued", 0.6))),
      ...Array.from({ length: 30 }, (_one, index) => at(80_000 + index, run("called", 10 - index / 10))),
    ];
    const meanwhile = { startedAfter: "2026-11-18T00:00:00Z", startedBefore: "2026-11-18T12:00:00Z" };
    const caller = callerOf(runs);
    await caller.call("query_executions", { hours: 24 });
    const { groups } = dataOf(await caller.call("query_executions", { groupBy: ["workflow"], ...meanwhile }));
    expect(groups).toMatchObject([{ workflowId: "called", count: 30 }]);
  });

  test("of an n8n that skipped two billion ids is answered as fast as any other", async () => {
    const runs = [at(1, run("orders", 5)), at(2 ** 31, run("orders", 4)), at(2 ** 31 + 1, run("tax", 3))];
    const { totals, groups } = dataOf(await ask({ groupBy: ["workflow"] }, runs));
    expect(totals).toMatchObject({ count: 3 });
    expect(groups).toMatchObject([
      { workflowId: "orders", count: 2 },
      { workflowId: "tax", count: 1 },
    ]);
  });

  test("without executions says so, and compares nothing unknown", async () => {
    const envelope = await ask({ startedAfter: "2026-11-18T14:30:00Z", where: { status: "crashed" } });
    expect(envelope.message).toMatch(/: 0 executions; none in the window before\.$/);
    expect(dataOf(envelope)).toMatchObject({ totals: { count: 0 }, groups: [] });
  });

  test("before n8n's oldest execution, or longer than that, says where the known part begins", async () => {
    const caller = callerOf(TWO_WEEKS);
    const longer = await caller.call("query_executions", { hours: 8_000, timeBudgetMs: 55_000 });
    expect(longer.message).toMatch(
      /: 161 executions, .* Nothing is known from before 2026-11-03T15:00:00\.000Z/,
    );
    expect(longer.message).toContain("nothing is compared");
    const old = { startedAfter: "2026-01-01", startedBefore: "2026-01-02" };
    expect((await caller.call("query_executions", old)).message).toBe(
      "From 2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z: 0 executions. Nothing is known from before 2026-11-03T15:00:00.000Z. The window before is not known whole, so nothing is compared with it.",
    );
  });

  test("with more hours than rows is rejected with a solution", async () => {
    const refused = await ask({ groupBy: ["hour"], hours: 1_000 });
    expect(refused).toMatchObject({
      status: "error",
      data: { code: "VALIDATION_ERROR", details: { field: "groupBy" } },
    });
  });
});

describe("grouping by host", () => {
  const asked = (host: string, hoursAgo: number): MadeRun => {
    const error = {
      ...{ name: "NodeApiError", message: "Busy", node: { name: "Call" } },
      context: { request: { uri: `https://${host}/orders?customer=7` } },
    };
    const data = { resultData: { runData: {}, error, lastNodeExecuted: "Call" } };
    return run("orders", hoursAgo, { status: "error", facts: { data } });
  };
  const RUNS = [
    run("orders", 24 * 30),
    ...[1, 2, 3].map((hours) => asked("tax.example.com", hours)),
    run("orders", 47.5),
    ...[4, 30].map((hours) => asked("mail.example.com", hours)),
    run("orders", 5),
  ];

  test("names each host in the data, and nowhere else", async () => {
    const envelope = await ask({ groupBy: ["host"], sortBy: "failures" }, RUNS);
    expect(dataOf(envelope).groups).toMatchObject([
      { host: "tax.example.com", count: 3, failures: 3, before: { count: 0, failures: 0 } },
      { host: "mail.example.com", count: 1, failures: 1, before: { count: 1, failures: 1 } },
      { host: null, count: 1, failures: 0 },
    ]);
    expect(envelope.message).toContain("group 1 3 of 3");
    expect(envelope.message).not.toContain("example.com");
  });

  test("can be limited to one host", async () => {
    const { totals } = dataOf(await ask({ where: { host: "mail.example.com" }, hours: 48 }, RUNS));
    expect(totals).toMatchObject({ count: 2, failures: 2 });
    expect(dataOf(await ask({ where: { host: "mail.example.org" } }, RUNS)).totals.count).toBe(0);
  });

  test.each([{ groupBy: ["host"] }, { where: { host: "mail.example.com" } }])(
    "is rejected for callers who may not see errors: %j",
    async (args) => {
      const refused = await ask(args, RUNS, ["n8n:read"]);
      expect(refused).toMatchObject({ status: "error", data: { code: "INSUFFICIENT_SCOPE" } });
    },
  );
});

test("a series is also one line, with its range in words", async () => {
  const runs = [run("orders", 24 * 30), ...[1, 1, 1, 1, 2, 5].map((hours) => run("orders", hours))];
  const byHour = await ask({ groupBy: ["hour"], hours: 6 }, runs);
  expect(byHour.data).toMatchObject({ sparkline: "▁▃▁▁▃█ 0 to 4 executions by hour" });
  expect(renderAnswer(byHour)).toContain("▁▃▁▁▃█ 0 to 4 executions by hour");
  const failures = await ask({ groupBy: ["hour", "workflow"], hours: 6, sortBy: "failures", limit: 1 });
  expect(failures.data).toMatchObject({ sortBy: "failures", sparkline: expect.stringContaining("failures") });
  expect((await ask({ groupBy: ["workflow"] })).data).not.toHaveProperty("sparkline");
});

test.each([
  { groupBy: ["hour"], hours: 199 },
  { groupBy: ["workflow", "day"], hours: 480, limit: 50 },
  { groupBy: ["hour"], hours: 199, sortBy: "medianMs" },
])("a long series fits, with what was asked for: %j", async (question) => {
  const envelope = await ask(question);
  const { groups } = dataOf(envelope);
  expect(envelope.meta).not.toHaveProperty("leftOut");
  expect(groups.length).toBeGreaterThan(20);
  if (groups.length > 100)
    for (const group of groups) expect(Object.keys(group).length).toBeLessThanOrEqual(4);
  const sum = groups.reduce((all, { count }) => all + Number(count), 0);
  expect(sum).toBe(dataOf(envelope).totals.count);
});

test("the suggested call is about the same window", async () => {
  const window = { startedAfter: "2026-11-12", startedBefore: "2026-11-13T00:00:00Z" };
  const next = z.looseObject({ _guidance: z.object({ example: z.string() }) });
  const { _guidance } = next.parse(
    (await ask({ groupBy: ["workflow"], sortBy: "failures", ...window })).data,
  );
  expect(_guidance.example).toBe(`summarize_failures(${JSON.stringify({ workflowId: "tax", ...window })})`);
});

test("runs from the editor count where the mode is asked for", async () => {
  const { groups, totals } = dataOf(await ask({ groupBy: ["mode"], hours: 168 }));
  expect(groups.map(({ mode, count }) => [mode, count])).toEqual([
    ["webhook", 80],
    ["manual", 1],
  ]);
  expect(totals).not.toHaveProperty("editorRuns");
});

test("if n8n is down, the known part is returned with the error", async () => {
  const n8n = createFakeN8n(executionsOf(TWO_WEEKS));
  let isDown = false;
  n8n.intercept = () => (isDown ? Response.json({ message: "Bad gateway" }, { status: 502 }) : undefined);
  let now = NOW;
  const caller = createCaller({ fetch: n8n.fetch, now: () => now });
  await caller.call("query_executions", { hours: 168, timeBudgetMs: 55_000 });
  isDown = true;
  now += 10 * 60_000;
  const envelope = await caller.call("query_executions", { hours: 24, timeBudgetMs: 55_000 });
  expect(envelope.data).toMatchObject({ coverage: { stoppedBy: "n8n" } });
});
