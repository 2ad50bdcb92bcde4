/** Compares an answer of `query_executions` with what it may be. */
import { expect } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { optionsIn } from "./claimed.ts";
import {
  boundsOf,
  certain,
  expectBetween,
  groupsOf,
  isFailed,
  isOfEditor,
  keysBy,
  measuresOf,
  type Options,
} from "./expected-counts.ts";
import { type Asked, asksMode, isAsked } from "./living-counts.ts";
import type { Made } from "./made-executions.ts";

const measures = z.looseObject({
  count: z.number(),
  failures: z.number().optional(),
  medianMs: z.number().optional(),
  p95Ms: z.number().optional(),
  items: z.number().optional(),
  before: z.looseObject({ count: z.number(), failures: z.number() }).optional(),
});
type Measures = z.infer<typeof measures>;

const answered = z.looseObject({
  totals: measures.extend({
    editorRuns: z.number().optional(),
    withoutData: z.number().optional(),
    groups: z.number().optional(),
  }),
  groups: z.array(measures),
  others: z.array(measures.extend({ groups: z.number() })).optional(),
  coverage: z.looseObject({ knownSince: z.string().nullable(), stoppedBy: z.string() }),
});

/** A longer series gives less detail for each group. */
const MAX_WHOLE_ROWS = 48;

export function checkQuery(asked: Asked, envelope: Envelope): void {
  const { question: of, window } = asked;
  const { totals, groups, others = [], coverage } = answered.parse(envelope.data);
  const claim = { message: envelope.message, ...coverage };
  const all = optionsIn(asked, claim);
  const fits = (made: Made): boolean => fitsWhere(of.where, made);
  const inWindow = isAsked(asked);
  const counts = (made: Made): boolean => inWindow(made) && fits(made);
  const relevant = all.filter((options) => options.some((one) => one !== null && counts(one)));
  const hasAllData = totals.withoutData === undefined;
  expectWithin("totals", totals, relevant, counts, hasAllData);
  expect(envelope.message).toContain(
    `: ${totals.count.toLocaleString("en-US")} ${totals.count === 1 ? "execution" : "executions"}`,
  );
  const before = { from: window.from - (window.to - window.from), to: window.from };
  const inBefore = isAsked(asked, before);
  const countsBefore = (made: Made): boolean => inBefore(made) && fits(made);
  if (!of.isCompared) expect(totals.before).toBeUndefined();
  if (totals.before !== undefined) {
    // The former window is compared only where it is known as a whole.
    const wasThere = optionsIn(asked, { ...claim, from: Number.POSITIVE_INFINITY });
    expectWithin("before", totals.before, wasThere, countsBefore);
  }
  expectEditorRuns(asked, totals.editorRuns ?? 0, all, fits);
  if (of.groupBy.length === 0) return;
  // An execution that n8n did not send is known only from a list, without its failure.
  const isOfFailure = of.groupBy.some((by) => ["node", "errorClass", "httpStatus"].includes(by));
  if (isOfFailure && asked.hadFaults) return;
  const isWhole = groups.length + others.length <= MAX_WHOLE_ROWS;
  const named = new Set<string>();
  for (const group of groups) {
    const name = JSON.stringify(of.groupBy.map((by) => group[by === "workflow" ? "workflowId" : by] ?? null));
    expect(named.has(name), `${name} is listed twice`).toBe(false);
    named.add(name);
    const isOfGroup = (made: Made): boolean => counts(made) && groupsOf(made, of.groupBy).includes(name);
    const ofGroup = all.filter((options) => options.some((one) => one !== null && isOfGroup(one)));
    const { failures = 0 } = group;
    expectWithin(
      name,
      isWhole ? group : { count: group.count, failures },
      ofGroup,
      isOfGroup,
      hasAllData && isWhole,
    );
  }
  const isTwice = of.groupBy.includes("tag");
  const sum = [...groups, ...others].reduce((added, { count }) => added + count, 0);
  if (!isTwice) expect(sum, "sum of the groups").toBe(totals.count);
  // A series contains each hour, even without an execution.
  if (of.groupBy.includes("hour") || of.groupBy.includes("day")) return;
  // A group that had executions only in the former window is listed, too.
  const isComparedIn = totals.before !== undefined;
  const either = all.filter((options) =>
    options.some((one) => one !== null && (counts(one) || (isComparedIn && countsBefore(one)))),
  );
  const sure = certain(either);
  if (sure === undefined) return;
  const expected = new Set(sure.flatMap((made) => groupsOf(made, of.groupBy)));
  expect(groups.length, "groups shown").toBe(Math.min(expected.size, of.limit));
  expect(totals.groups, "number of groups").toBe(expected.size);
}

const fitsWhere = (where: Readonly<Record<string, unknown>>, made: Made): boolean =>
  Object.entries(where).every(([by, values]) => {
    const accepted = [values].flat().map(String);
    return keysBy(by, made).some((key) => key !== null && accepted.includes(key));
  });

function expectEditorRuns(
  asked: Asked,
  editorRuns: number,
  all: readonly Options[],
  fits: (made: Made) => boolean,
): void {
  if (asksMode(asked.question)) {
    expect(editorRuns).toBe(0);
    return;
  }
  const inWindow = isAsked({ ...asked, question: { ...asked.question, groupBy: ["mode"] } });
  const bounds = boundsOf(all, (made) => inWindow(made) && isOfEditor(made) && fits(made));
  expectBetween("editorRuns", editorRuns, bounds);
}

function expectWithin(
  what: string,
  is: Measures,
  all: readonly Options[],
  counts: (made: Made) => boolean,
  hasAllData = false,
): void {
  expectBetween(`${what}, count`, is.count, boundsOf(all, counts));
  const failed = boundsOf(all, (made) => counts(made) && isFailed(made));
  expectBetween(`${what}, failures`, is.failures ?? 0, failed);
  const sure = certain(all);
  if (sure === undefined || is.medianMs === undefined) return;
  const { items, ...should } = measuresOf(sure.filter(counts));
  expect({ what, ...pick(is) }).toEqual({ what, ...should });
  if (items !== undefined && hasAllData) expect({ what, items: is.items ?? 0 }).toEqual({ what, items });
}

const pick = ({ count, failures, medianMs, p95Ms }: Measures) => ({ count, failures, medianMs, p95Ms });
