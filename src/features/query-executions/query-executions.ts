import * as z from "zod";
import { iso, type Span } from "../../history/digest/run.ts";
import type { QueriedExecutions } from "../../history/query/execution-query.ts";
import type { ExecutionFilter } from "../../history/query/grouped-rows.ts";
import {
  FILTER_NAMES,
  GROUPING_NAMES,
  type GroupingName,
  groupingOf,
} from "../../history/query/groupings.ts";
import { momentsIn } from "../../history/query/local-time.ts";
import { MEASURES } from "../../history/query/tally.ts";
import { defineTool } from "../../mcp/define-tool.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { isTimeZone } from "../../platform/time-zone.ts";
import { hours, toDigestWindow } from "../digest-window.ts";
import { findWorkflowId } from "../find-workflow.ts";
import { timeBudgetMs, toScanError, windowArguments } from "../history-scan.ts";
import { hostIn } from "../n8n-lookup.ts";
import { guidance, nextCall, wholeNumber } from "../params.ts";
import { REQUESTS_AT_ONCE, TimeBudget } from "../request-limits.ts";
import type { ToolContext } from "../tool-context.ts";
import { answerOf, type Moments } from "./query-answer.ts";
import { LABELS, type ReadLabels, readLabels, workflowsWith } from "./workflow-labels.ts";

const MAX_GROUPS = 50;
const DEFAULT_GROUPS = 10;
/** Rows of an answer: a week by hour, or half a year by day. */
const MAX_ROWS = 200;
const MAX_VALUES = 20;

const isFilter = (name: string): name is GroupingName => FILTER_NAMES.some((each) => each === name);

const hasFewValues = ({ length }: readonly unknown[]): boolean => length > 0 && length <= MAX_VALUES;

const FORM_OF_VALUES = "must be a text, a number, or a list of them";
const value = z.union([z.string(), z.number()]);

const where = z
  .record(z.string(), z.union([z.string(), z.number(), z.array(value)], FORM_OF_VALUES))
  .refine((given) => Object.keys(given).every(isFilter), `has only the names ${FILTER_NAMES.join(", ")}`)
  .refine(
    (given) => Object.values(given).every((each) => hasFewValues([each].flat())),
    `has 1 to ${MAX_VALUES} values for a name`,
  )
  .default({})
  .describe('Only these, by names of groupBy: {"status":["error","crashed"],"node":"Call tax"}');

const timeZone = z
  .string()
  .refine(isTimeZone, "must be an IANA time zone, such as Europe/Berlin")
  .default("UTC")
  .describe("IANA name for hours and days");

/** @throws ObserverError `VALIDATION_ERROR` for an unknown value */
const filtersOf = (given: z.infer<typeof where>): ExecutionFilter[] =>
  Object.entries(given).flatMap(([by, value]) => {
    if (!isFilter(by)) return [];
    const values = [value].flat().map(String);
    const known = groupingOf(by).values;
    const wrong = values.find((one) => known?.includes(one) === false);
    if (known === undefined || wrong === undefined) return [{ by, values }];
    throw new ObserverError("VALIDATION_ERROR", `No ${by} is ${quoted(wrong)}.`, {
      field: "where",
      expected: `${by}: ${known.join(", ")}`,
      solution: "Correct the value and call again.",
    });
  });

/** @throws ObserverError `VALIDATION_ERROR` for more moments than an answer has rows */
function momentsOf(groupBy: readonly GroupingName[], zone: string, window: Span): Moments | null {
  const by = groupBy.includes("hour") ? "hour" : groupBy.includes("day") ? "day" : null;
  if (by === null) return null;
  const names = momentsIn(by, zone, window);
  const around = momentsIn(by, zone, { from: window.from - 1, to: window.to + 1 });
  if (names.length <= MAX_ROWS) return { by, names, areCut: around.length < names.length + 2 };
  throw new ObserverError("VALIDATION_ERROR", `The window has ${names.length} groups by ${by}.`, {
    field: "groupBy",
    expected: `at most ${MAX_ROWS}`,
    solution: "Use day, weekday or hourOfDay instead, or a shorter window.",
  });
}

/** Adds hours or days after now, which occur if n8n's clock is ahead. */
function withLater({ by, names }: Moments, groupBy: readonly GroupingName[], { groups }: QueriedExecutions) {
  const at = groupBy.indexOf(by);
  return [...new Set([...names, ...groups.flatMap(({ keys }) => keys[at] ?? [])])];
}

/** @returns null for all workflows @throws ObserverError `VALIDATION_ERROR` if no workflow has a given label */
function workflowIdsOf(
  workflowId: string | undefined,
  filters: readonly ExecutionFilter[],
  labels: ReadLabels | null,
): string[] | null {
  const lists = LABELS.flatMap((label) =>
    filters.flatMap(({ by, values }) =>
      by === label && labels !== null ? [workflowsWith(labels, label, values)] : [],
    ),
  );
  if (workflowId !== undefined) lists.push([workflowId]);
  const [first, ...others] = lists;
  return first?.filter((id) => others.every((list) => list.includes(id))) ?? null;
}

const mayNotSeeHosts = (): ObserverError =>
  new ObserverError("INSUFFICIENT_SCOPE", "You may not see which hosts were asked.", {
    field: "groupBy",
    solution: "Group by errorClass, httpStatus or node instead: a host is part of an error's own text.",
  });

const MAX_HOSTS_READ = 10;

/** The index holds digests of hosts, so the first names are read from a failed execution each. @returns by digest */
async function hostNames(
  { groups, examplesOfHosts }: QueriedExecutions,
  at: number,
  client: VisibleN8n,
  context: ToolContext,
) {
  const lookup = { client, budget: new TimeBudget(context.clock, OVERTIME_MS.failingNode) };
  const digests = new Set(groups.flatMap(({ keys }) => keys[at] ?? []));
  const pairs = await mapConcurrently(
    [...digests].slice(0, MAX_HOSTS_READ),
    REQUESTS_AT_ONCE,
    async (digest) => {
      const id = examplesOfHosts[digest];
      return [digest, id === undefined ? null : await hostIn(id, lookup, context)] as const;
    },
  );
  return new Map(pairs);
}

const isLabel = (name: GroupingName): boolean => LABELS.some((label) => label === name);

export const queryExecutions = defineTool({
  name: "query_executions",
  title: "How many, how often, how long?",
  description:
    'Counts executions: failures and their rate, median and p95 duration, items, model and tool calls, tokens; for each group, and beside the window before. Use it for "what failed most this week and is it worse" or "tokens by workflow and day".',
  scope: "n8n:read",
  maxTokens: 7_000,
  audited: { workflowId: "workflowId" },
  hasPicture: true,
  input: z.strictObject({
    groupBy: z
      .array(z.enum(GROUPING_NAMES))
      .max(2, "must be at most two")
      .refine((names) => new Set(names).size === names.length, "must be different")
      .refine(
        (names) => !names.includes("hour") || !names.includes("day"),
        "has hour or day, not both: an hour names its day",
      )
      .default([])
      .describe("node, errorClass and httpStatus are those of failures; hour and day give a series"),
    sortBy: z.enum(MEASURES).default("count"),
    where,
    hours,
    ...windowArguments,
    compare: z.boolean().default(true).describe("With the window before, of the same length"),
    limit: wholeNumber(1, MAX_GROUPS).default(DEFAULT_GROUPS).describe("Groups; the rest is summed"),
    timeZone,
    timeBudgetMs,
  }),
  output: z.looseObject({
    totals: z.looseObject({ count: z.number() }),
    groups: z.array(z.looseObject({})),
    _guidance: guidance,
  }),
  async run(input, context: ToolContext) {
    const { groupBy, sortBy, timeZone: zone, compare: isCompared } = input;
    const { window, isUntilNow, hasEnd } = toDigestWindow(input, context.clock.now());
    const moments = momentsOf(groupBy, zone, window);
    const client = context.n8n();
    const filters = filtersOf(input.where);
    const needsLabels = [...groupBy, ...filters.map(({ by }) => by)].some(isLabel);
    const labels = needsLabels
      ? await readLabels(client, new TimeBudget(context.clock, OVERTIME_MS.links))
      : null;
    const workflowId = await findWorkflowId(input, context);
    const limit =
      moments === null || groupBy.length < 2
        ? input.limit
        : Math.max(1, Math.min(input.limit, Math.floor(MAX_ROWS / moments.names.length) - 1));
    const asksHost = groupBy.includes("host") || filters.some(({ by }) => by === "host");
    if (asksHost && !(await context.maySeeErrorText(null))) throw mayNotSeeHosts();
    const queried = await context.history().query(
      {
        groupBy,
        sortBy,
        limit,
        window,
        isUntilNow,
        hasEnd,
        isCompared,
        timeZone: zone,
        where: filters.filter(({ by }) => !isLabel(by)),
        workflowIds: workflowIdsOf(workflowId, filters, labels),
        labels: labels?.labels ?? {},
        timeBudgetMs: input.timeBudgetMs,
      },
      context.progress,
    );
    const knowsAllLabels = labels?.areAll !== false;
    const shownMoments = moments && { ...moments, names: withLater(moments, groupBy, queried) };
    const options = { groupBy, filters, sortBy, window, isCompared, moments: shownMoments, knowsAllLabels };
    const hosts = await hostNames(queried, groupBy.indexOf("host"), client, context);
    const { message, ...data } = answerOf({ ...queried, hosts }, options, input);
    const { stop, knownSince, oldest } = queried;
    return {
      message,
      data: {
        window: { from: iso(window.from), to: iso(window.to), timeZone: zone === "UTC" ? undefined : zone },
        ...data,
        coverage: {
          knownSince: knownSince === null ? null : iso(knownSince),
          oldest: oldest === null ? null : iso(oldest),
          stoppedBy: stop.reason,
          error: toScanError(stop),
        },
      },
    };
  },
  rest: (input, { groups }) =>
    nextCall("Fewer groups fit.", "query_executions", {
      ...input,
      limit: Math.max(1, Math.min(input.limit, groups.length)),
    }),
});
