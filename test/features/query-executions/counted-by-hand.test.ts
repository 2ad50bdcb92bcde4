/**
 * The counts of `query_executions` and `summarize_failures` equal those of the same executions counted by hand, in any
 * window, by any clock and in any grouping.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { type MadeRun, toExecutions } from "../failure-digest/troubles.ts";

const HOUR = 3_600_000;
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Asia/Kathmandu"],
  ...["Africa/Casablanca", "Pacific/Apia", "America/St_Johns"],
];
/** Times around changes of clocks. */
const ENDS = [
  Date.UTC(2026, 10, 18, 15),
  Date.UTC(2026, 9, 25, 6),
  Date.UTC(2026, 10, 1, 12),
  Date.UTC(2026, 3, 5, 3),
];
const FAILED = ["error", "crashed"];

const row = fc.record({
  workflowId: fc.constantFrom("w1", "w2", "w3"),
  mode: fc.constantFrom("webhook", "webhook", "trigger", "manual", "integrated"),
  status: fc.constantFrom("success", "success", "error", "crashed", "running", "waiting"),
  /** Whole hours before the end, and some milliseconds: many executions start exactly with an hour. */
  hoursAgo: fc.integer({ min: -1, max: 110 }),
  more: fc.constantFrom(0, 0, 1, -1, 999, 30 * 60_000, 12_345),
  durationMs: fc.constantFrom(0, 1, 500, 500, 90_000, HOUR),
});
const question = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 60 }),
  end: fc.constantFrom(...ENDS),
  /** Milliseconds of the clock beyond a whole hour. */
  ms: fc.constantFrom(0, 1, 499, 500, 501, 750, 999),
  hours: fc.constantFrom(1, 5, 24, 30, 50),
  isWindow: fc.boolean(),
  timeZone: fc.constantFrom(...ZONES),
  groupBy: fc.constantFrom<string[]>(
    ...[[], ["workflow"], ["status"], ["mode"], ["hour"], ["day"], ["weekday"], ["hourOfDay"], ["node"]],
    ...[
      ["workflow", "day"],
      ["hourOfDay", "status"],
      ["weekday", "mode"],
      ["workflow", "hour"],
    ],
  ),
  filter: fc.constantFrom<Record<string, unknown>>(
    ...[
      {},
      {},
      { status: ["error", "success"] },
      { mode: "manual" },
      { hourOfDay: [0, 1, 2, 3, 14, 15] },
      { weekday: "Sunday" },
    ],
  ),
  sortBy: fc.constantFrom("count", "failures", "medianMs", "p95Ms", "items", "failureRate"),
});

type Row = MadeRun & { readonly status: string };

/** The local time by one `Intl` answer per execution, unlike the server. */
function localOf(time: number, timeZone: string) {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    ...{
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      weekday: "long",
      hourCycle: "h23",
    },
  }).formatToParts(time);
  const of = (name: string) => parts.find(({ type }) => type === name)?.value ?? "";
  const day = `${of("year")}-${of("month")}-${of("day")}`;
  return {
    day,
    hour: `${day}T${of("hour")}:00`,
    hourOfDay: String(Number(of("hour"))),
    weekday: of("weekday"),
  };
}

function keyOf(by: string, made: Row, timeZone: string): string | null {
  const local = localOf(made.startedAt, timeZone);
  const values: Record<string, string | null> = {
    ...local,
    ...{ workflow: made.workflowId, status: made.status, mode: made.mode, node: made.error?.node ?? null },
  };
  return values[by] ?? null;
}

const rankOf = (sorted: readonly number[], part: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];

function measured(rows: readonly Row[]) {
  const ended = rows.filter(({ status }) => !["running", "waiting"].includes(status));
  const durations = ended.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const failures = rows.filter(({ status }) => FAILED.includes(status)).length;
  return {
    count: rows.length,
    failures,
    medianMs: rankOf(durations, 0.5),
    p95Ms: rankOf(durations, 0.95),
  };
}

const group = z.looseObject({
  count: z.number(),
  failures: z.number().optional(),
  medianMs: z.number().optional(),
  p95Ms: z.number().optional(),
  before: z.looseObject({ count: z.number(), failures: z.number() }).optional(),
});
const answer = z.looseObject({ totals: group, groups: z.array(group), others: z.array(group).optional() });

const countsOf = ({ count, failures, medianMs, p95Ms }: z.infer<typeof group>) => ({
  ...{ count, failures, medianMs, p95Ms },
});

test("the totals and every group equal the counts by hand", inBothLanes, async () => {
  await fc.assert(
    fc.asyncProperty(
      question,
      async ({ rows, end, ms, hours, isWindow, timeZone, groupBy, filter, sortBy }) => {
        const now = end + ms + (isWindow ? 7 * HOUR : 0);
        const made = rows.map(
          ({ hoursAgo, more, ...one }): Row => ({
            ...one,
            startedAt: Math.min(end - hoursAgo * HOUR + more, now),
            ...(FAILED.includes(one.status)
              ? { error: { node: `Node ${one.workflowId}`, name: "NodeApiError", message: "Busy" } }
              : {}),
            ...(one.status === "waiting" ? { facts: { waitTill: "3000-01-01T00:00:00.000Z" } } : {}),
          }),
        );
        // An execution older than both windows, so that both are known as a whole.
        const old: Row = {
          workflowId: "old",
          mode: "webhook",
          status: "success",
          startedAt: end - 200 * HOUR,
          durationMs: 1,
        };
        const n8n = createFakeN8n(toExecutions([...made, old]));
        n8n.intercept = (url) =>
          url.pathname.endsWith("/workflows") ? jsonAnswer({ data: [], nextCursor: null }) : undefined;
        const caller = createCaller({ fetch: n8n.fetch, now: () => now });
        await caller.call("query_executions", { hours: 400, timeBudgetMs: 55_000 });
        const to = isWindow ? end + ms : now;
        const from = to - hours * HOUR;
        const dates = {
          startedAfter: new Date(from).toISOString(),
          startedBefore: new Date(to).toISOString(),
        };
        const window = isWindow ? dates : { hours };
        const envelope = await caller.call("query_executions", {
          ...{ groupBy, timeZone, sortBy, where: filter, limit: 50, timeBudgetMs: 55_000, ...window },
        });
        expect(envelope.status, JSON.stringify(envelope)).toBe("success");
        const { totals, groups, others } = answer.parse(envelope.data);
        const asksMode = groupBy.includes("mode") || "mode" in filter;
        const isAsked = (one: Row): boolean =>
          Object.entries(filter).every(([by, values]) =>
            [values]
              .flat()
              .map(String)
              .includes(String(keyOf(by, one, timeZone))),
          ) &&
          (asksMode || one.mode !== "manual");
        const within = (low: number, high: number) =>
          [...made, old].filter((one) => isAsked(one) && one.startedAt >= low && one.startedAt < high);
        // A window until now includes all that n8n has started.
        const inWindow = within(from, isWindow ? to : Number.POSITIVE_INFINITY);
        expect(countsOf(totals)).toEqual(measured(inWindow));
        const before = within(from - (to - from), from);
        expect(totals.before).toMatchObject({
          count: before.length,
          failures: before.filter(({ status }) => FAILED.includes(status)).length,
        });
        if (groupBy.length === 0) return;
        const nameOf = (one: Row) => JSON.stringify(groupBy.map((by) => keyOf(by, one, timeZone)));
        const expected = Map.groupBy(inWindow, nameOf);
        const shownName = (one: Record<string, unknown>) =>
          JSON.stringify(groupBy.map((by) => (by === "workflow" ? one.workflowId : one[by]) ?? null));
        const shown = groups.filter(({ count }) => count > 0);
        if (groups.length + (others?.length ?? 0) <= 48) {
          const is = Object.fromEntries(shown.map((one) => [shownName(one), countsOf(one)]));
          const should = Object.fromEntries([...expected].map(([name, own]) => [name, measured(own)]));
          if (others === undefined) expect(is).toEqual(should);
          else expect(should).toMatchObject(is);
        }
        const sum = [...groups, ...(others ?? [])].reduce((all, { count }) => all + count, 0);
        expect(sum).toBe(totals.count);
        if (asksMode || Object.keys(filter).length > 0) return;
        const summary = await caller.call("summarize_failures", { timeBudgetMs: 55_000, ...window });
        expect(summary).toMatchObject({ status: "success", data: { totals: { runs: totals.count } } });
      },
    ),
    { numRuns: runs(300) },
  );
});
