/**
 * A query gives the same result as counting plain arrays by docs/query.md: without SQL, by `filter`, `sort` and the
 * runtime's own calendar.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GroupTallies, type MeasuredGroup, type Ranking } from "../../../src/history/query/group-tallies.ts";
import type { GroupPart, RowsAsked } from "../../../src/history/query/grouped-rows.ts";
import { GROUPING_NAMES, type GroupingName } from "../../../src/history/query/groupings.ts";
import { examplesOf, groupsOfIds } from "../../../src/history/query/query-rows.ts";
import { MEASURES, type Measure } from "../../../src/history/query/tally.ts";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import type { ExecutionStatus } from "../../../src/n8n/schemas.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import { NO_FACTS } from "../../support/facts-of-executions.ts";
import { createLocalSql } from "../../support/local-history.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Wide gaps, so that a statement covers only a few executions. */
const BETWEEN_IDS = 400;
/** Clocks in Berlin go back on 25 October 2026, in New York a week later. */
const FIRST = Date.UTC(2026, 9, 20);

interface Made {
  readonly workflow: number;
  readonly mode: string;
  readonly status: ExecutionStatus;
  readonly startMs: number;
  readonly lengthMs: number;
  /** Writes its timestamps. */
  readonly form: (time: number) => string;
  readonly isUnnamed: boolean;
  readonly node: string | null;
  readonly errorClass: string | null;
  readonly httpStatus: number | null;
  readonly host: string | null;
  readonly amount: number;
  readonly isRead: boolean;
  /** Calls and tokens for each of its models. */
  readonly models: readonly { readonly model: string; readonly amount: number }[];
  /** Set where an execution is counted for one of its models. */
  readonly ofModel?: { readonly model: string; readonly amount: number };
}

const iso = (time: number): string => new Date(time).toISOString();
/** n8n's spelling, and others that sort alike for whole minutes. */
const FORMS = [iso, iso, iso, (time: number) => iso(time).replace(".000Z", "Z")];
/** Characters that could separate or end a key. */
const SEPARATING = '"],"\\\u0000,[é😀';

const ENDED: readonly ExecutionStatus[] = ["success", "error", "crashed", "canceled"];
const made: fc.Arbitrary<Made> = fc.record({
  workflow: fc.nat(5),
  mode: fc.constantFrom("webhook", "trigger", "manual", "evaluation", "retry"),
  status: fc.constantFrom<ExecutionStatus>(...ENDED, "success", "running", "waiting"),
  // Often at the edge of a window.
  startMs: fc.nat(20 * 48).map((half) => half * 30 * MINUTE),
  lengthMs: fc.oneof(fc.nat(20), fc.nat(3 * DAY)),
  form: fc.constantFrom(...FORMS),
  isUnnamed: fc.boolean(),
  node: fc.constantFrom("Call", "Store", "__proto__", SEPARATING),
  errorClass: fc.constantFrom("NodeApiError", "ManualExecutionCancelledError", "other", null),
  httpStatus: fc.constantFrom(404, 503, null),
  host: fc.constantFrom("one", "another", null),
  amount: fc.oneof(fc.nat(5), fc.constant(Number.MAX_SAFE_INTEGER)),
  isRead: fc.boolean(),
  models: fc.uniqueArray(fc.record({ model: fc.constantFrom("gpt-5", SEPARATING), amount: fc.nat(9) }), {
    selector: ({ model }) => model,
  }),
});

const LABELS = { tag: { w0: ["a", "b"], w1: ["a"], w2: [] }, project: { w0: ["p"], w3: ["q"] } };
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"];

const FILTERS: RowsAsked["where"] = [
  { by: "status", values: ["error", "crashed"] },
  { by: "mode", values: ["webhook", "manual"] },
  { by: "node", values: ["Call", SEPARATING] },
  { by: "model", values: ["gpt-5"] },
  { by: "httpStatus", values: ["404"] },
  { by: "host", values: ["one", "none"] },
  { by: "weekday", values: ["Sunday", "Monday"] },
  { by: "hourOfDay", values: ["2", "3"] },
];

interface Asked extends Omit<RowsAsked, "window" | "before">, Omit<Ranking, "labels"> {
  readonly fromMs: number;
  readonly lengthMs: number;
  readonly isCompared: boolean;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  groupBy: fc.uniqueArray(fc.constantFrom(...GROUPING_NAMES), { maxLength: 2 }),
  where: fc.array(fc.constantFrom(...FILTERS), { maxLength: 2 }),
  workflowIds: fc.constantFrom(null, ["w0"], ["w1", "w2"], ["unknown"]),
  fromMs: fc.nat(10 * 48).map((half) => half * 30 * MINUTE),
  lengthMs: fc.integer({ min: 1, max: 10 * 48 }).map((half) => half * 30 * MINUTE),
  isCompared: fc.boolean(),
  timeZone: fc.constantFrom(...ZONES),
  sortBy: fc.constantFrom(...MEASURES),
  limit: fc.integer({ min: 1, max: 4 }),
});

function localTime(time: number, timeZone: string) {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", hourCycle: "h23" },
  });
  const [day = "", hour = ""] = format.format(time).split(" ");
  const weekday = new Intl.DateTimeFormat("en-US", { timeZone, weekday: "long" }).format(time);
  return { day, hour: `${day}T${hour}:00`, hourOfDay: String(Number(hour)), weekday };
}

/** Only executions that used a model have LLM calls and tokens. */
const amountOfModels = ({ models, amount }: Made): number => (models.length === 0 ? 0 : amount);

const isFailure = ({ status, errorClass }: Made): boolean =>
  status === "error" ||
  status === "crashed" ||
  (status === "canceled" && errorClass !== "ManualExecutionCancelledError");

function keysFor(one: Made, name: GroupingName, timeZone: string): (string | null)[] {
  const id = `w${one.workflow}`;
  const time = localTime(FIRST + one.startMs, timeZone);
  const labels = (own: Readonly<Record<string, readonly string[]>>) =>
    (own[id] ?? []).length === 0 ? [null] : [...(own[id] ?? [])];
  switch (name) {
    case "workflow":
      return [id];
    case "tag":
    case "project":
      return labels(LABELS[name]);
    case "model":
      return [one.ofModel?.model ?? null];
    case "httpStatus":
      return [one.httpStatus === null ? null : String(one.httpStatus)];
    case "node":
    case "errorClass":
    case "host":
    case "status":
    case "mode":
      return [one[name]];
    default:
      return [time[name]];
  }
}

function measure(all: readonly Made[], name: Measure): number | null {
  const durations = all
    .filter(({ status }) => ENDED.includes(status))
    .map(({ lengthMs }) => lengthMs)
    .sort((a, b) => a - b);
  const failures = all.filter(isFailure).length;
  switch (name) {
    case "count":
      return all.length;
    case "failures":
      return failures;
    case "failureRate":
      return all.length === 0 ? null : failures / all.length;
    case "medianMs":
      return durations[Math.ceil(durations.length / 2) - 1] ?? null;
    case "p95Ms":
      return durations[Math.ceil(durations.length * 0.95) - 1] ?? null;
    case "items":
    case "toolCalls":
      return all.reduce((sum, { amount, ofModel }) => sum + (ofModel === undefined ? amount : 0), 0);
    default:
      return all.reduce((sum, one) => sum + (one.ofModel?.amount ?? amountOfModels(one)), 0);
  }
}

function remember(all: readonly Made[]) {
  const sql = createLocalSql();
  const store = new ExecutionStore(sql);
  const memorable = all.map((one, index) => {
    // A waiting execution has the time at which it paused.
    const hasEnded = one.status !== "running";
    const execution = tracedExecution(1 + index * BETWEEN_IDS, {
      ...{ workflowId: `w${one.workflow}`, mode: one.mode, status: one.status },
      workflowName: one.isUnnamed ? null : `Workflow ${one.workflow}`,
      startedAt: one.form(FIRST + one.startMs),
      stoppedAt: hasEnded ? one.form(FIRST + one.startMs + one.lengthMs) : null,
    });
    const { amount, node: failingNode, errorClass, httpStatus, host: errorHost } = one;
    const asked = amountOfModels(one);
    const amounts = { items: amount, llmCalls: asked, toolCalls: amount, promptTokens: asked };
    const tokens = {
      completionTokens: asked,
      estimatedPromptTokens: asked,
      estimatedCompletionTokens: asked,
    };
    const models = one.models.map(({ model, amount: part }) => {
      const used = { prompt: part, completion: part };
      return { model, llmCalls: part, tokens: used, estimatedTokens: used };
    });
    const facts = { ...NO_FACTS, ...amounts, ...tokens, models };
    return memorableExecution(execution, {
      facts: {
        ...facts,
        failingNode,
        errorClass,
        httpStatus,
        errorHost,
        incomplete: one.isRead ? null : "not_saved",
      },
    });
  });
  store.rows.remember(memorable, FIRST);
  return sql;
}

describe("a query over random histories", () => {
  test("equals counting plain arrays", () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 40 }), asked, fc.boolean(), (some, one, isInOrder) => {
        const all = isInOrder ? some.toSorted((a, b) => a.startMs - b.startMs) : some;
        const { ranked, periods, sql } = answered(all, one);
        const { groupBy, timeZone, sortBy, limit } = one;
        expectEqual(ranked.total, periods, sortBy);
        expect(ranked.total.before === null).toBe(!one.isCompared);
        const moment = groupBy.findIndex((name) => name === "hour" || name === "day");
        const keysOf = (each: Made): string[] =>
          groupBy
            .map((name) => keysFor(each, name, timeZone))
            .reduce<(string | null)[][]>(
              (rows, keys) => rows.flatMap((row) => keys.map((key) => [...row, key])),
              [[]],
            )
            .map((keys) => JSON.stringify(keys));
        const inGroup = (keys: string) => ({
          now: periods.now.filter((each) => keysOf(each).includes(keys)),
          before: moment === -1 ? periods.before.filter((each) => keysOf(each).includes(keys)) : [],
        });
        for (const group of ranked.groups) expectEqual(group, inGroup(JSON.stringify(group.keys)), sortBy);
        const shown = new Set(ranked.groups.map(({ keys }) => JSON.stringify(keys)));
        const everything = moment === -1 ? [...periods.now, ...periods.before] : periods.now;
        const names = new Set(everything.flatMap(keysOf));
        const others = [...names].filter((name) => !shown.has(name));
        expect([...shown].filter((name) => !names.has(name))).toEqual([]);
        expect(ranked.others.reduce((sum, { groups }) => sum + groups, 0)).toBe(others.length);
        for (const other of ranked.others) {
          const same = others.filter((name) => moment === -1 || JSON.parse(name)[moment] === other.keys[0]);
          const members = same.map(inGroup);
          const sum = {
            now: members.flatMap(({ now }) => now),
            before: members.flatMap(({ before }) => before),
          };
          expectEqual(other, sum, sortBy);
        }
        if (moment === -1) {
          const ranks = ranked.groups.map(({ now }) => now[sortBy] ?? -1);
          expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
          expect(ranked.groups.length).toBe(Math.min(limit, names.size));
          const best = others.map((name) => measure(inGroup(name).now, sortBy) ?? -1);
          expect(Math.max(-1, ...best)).toBeLessThanOrEqual(ranks.at(-1) ?? Number.POSITIVE_INFINITY);
        }
        for (const by of ["workflow", "host"] as const) {
          const examples = examplesOf(sql, by, ranked.groups, groupBy.indexOf(by));
          for (const [key, id] of examples) {
            const example = all[(Number(id) - 1) / BETWEEN_IDS];
            expect(example?.isUnnamed).toBe(false);
            expect(by === "host" ? example?.host : `w${example?.workflow}`).toBe(key);
          }
          for (const { keys } of ranked.groups) {
            const key = keys[groupBy.indexOf(by)] ?? null;
            const members = inGroup(JSON.stringify(keys));
            const isNamed = [...members.now, ...members.before].some(({ isUnnamed }) => !isUnnamed);
            if (key !== null && isNamed) expect(examples.has(key)).toBe(true);
          }
        }
        expect(ranked.editorRuns).toBe(periods.editor.length);
        expect(ranked.withoutData).toBe(periods.now.filter(({ isRead }) => !isRead).length);
      }),
      { numRuns: 400 },
    );
  });
});

test("a group takes its name from an older execution if the newest has none", () => {
  const common: Omit<Made, "isUnnamed"> = {
    workflow: 1,
    mode: "webhook",
    status: "success",
    startMs: 0,
    lengthMs: 0,
    form: iso,
    node: null,
    errorClass: null,
    httpStatus: null,
    host: null,
    amount: 0,
    isRead: true,
    models: [],
  };
  const unnamed = Array.from({ length: 10 }, () => ({ ...common, isUnnamed: true }));
  const { ranked, sql } = answered([...unnamed, { ...common, isUnnamed: false }, ...unnamed], {
    groupBy: ["workflow"],
    where: [],
    workflowIds: null,
    fromMs: 0,
    lengthMs: DAY,
    isCompared: false,
    timeZone: "UTC",
    sortBy: "count",
    limit: 1,
  });
  expect(ranked.groups).toMatchObject([{ now: { count: 21 } }]);
  expect([...examplesOf(sql, "workflow", ranked.groups, 0)]).toEqual([["w1", String(1 + 10 * BETWEEN_IDS)]]);
});

describe("groups of ten thousand values", () => {
  const parts = (count: number): GroupPart[] =>
    Array.from({ length: count }, (_one, index) => ({
      keys: [`w${index}`],
      period: "now",
      newestFrom: 0n,
      withoutData: 0,
      count: 1,
      sums: [1, 0, 3],
      durations: [5],
    }));
  const ranking: Ranking = { groupBy: ["workflow"], sortBy: "count", limit: 10, labels: {} };

  test("are ranked, with one group for the rest", () => {
    const { groups, others, groupCount } = rankGroups(parts(10_000), ranking, false);
    expect(groups).toHaveLength(10);
    expect(groupCount).toBe(10_000);
    expect(others).toMatchObject([{ groups: 9_990 }]);
    expect(others[0]?.now.count).toBe(9_990);
  });

  test("are refused above the maximum", () => {
    expect(() => rankGroups(parts(20_001), ranking, false)).toThrow("There are more than 20000 groups.");
  });
});

function answered(all: readonly Made[], one: Asked) {
  const window = { from: FIRST + one.fromMs, to: FIRST + one.fromMs + one.lengthMs };
  const before = one.isCompared ? { from: window.from - one.lengthMs, to: window.from } : null;
  const { groupBy, where, workflowIds, timeZone, sortBy, limit } = one;
  const rows: RowsAsked = { groupBy, where, workflowIds, window, before, timeZone, sortBy };
  const ranking: Ranking = { groupBy, sortBy, limit, labels: LABELS };
  const asksMode = groupBy.includes("mode") || where.some(({ by }) => by === "mode");
  const asksModel = groupBy.includes("model") || where.some(({ by }) => by === "model");
  const counted = asksModel
    ? all.flatMap((each) => each.models.map((ofModel): Made => ({ ...each, ofModel })))
    : all;
  const expected = counted.filter(
    (each) =>
      (workflowIds === null || workflowIds.includes(`w${each.workflow}`)) &&
      where.every(({ by, values }) => keysFor(each, by, timeZone).some((key) => values.includes(key ?? ""))),
  );
  const isEditor = ({ mode }: Made): boolean => !asksMode && (mode === "manual" || mode === "evaluation");
  const within = (span: { from: number; to: number } | null) =>
    expected.filter(
      ({ startMs }) => span !== null && FIRST + startMs >= span.from && FIRST + startMs < span.to,
    );
  const sql = remember(all);
  return {
    sql,
    ranked: rankGroups(groupsOfIds(sql, rows)(0n), ranking, before !== null),
    periods: {
      now: within(window).filter((each) => !isEditor(each)),
      before: within(before).filter((each) => !isEditor(each)),
      editor: within(window).filter(isEditor),
    },
  };
}

interface Members {
  readonly now: readonly Made[];
  readonly before: readonly Made[];
}

/** For the window before, only compared measures are added up; groups by time have none. */
function expectEqual(group: MeasuredGroup, { now, before }: Members, sortBy: Measure): void {
  for (const name of MEASURES) expectSame(group.now[name], measure(now, name));
  if (group.before !== null)
    for (const name of ["count", "failures", sortBy] as const)
      expectSame(group.before[name], measure(before, name));
}

function rankGroups(parts: Iterable<GroupPart>, ranking: Ranking, isCompared: boolean) {
  const tallies = new GroupTallies(ranking);
  for (const part of parts) tallies.add(part);
  return tallies.ranked(isCompared);
}

/** Sums above 2^53 are floating-point sums in any order. */
function expectSame(value: number | null | undefined, expected: number | null): void {
  if (value == null || expected === null || expected <= Number.MAX_SAFE_INTEGER) expect(value).toBe(expected);
  else expect(value / expected).toBeCloseTo(1, 9);
}
