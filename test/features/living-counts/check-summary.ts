/** Compares an answer of `summarize_failures` with what it may be. */
import { expect } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { optionsIn } from "./claimed.ts";
import {
  boundsOf,
  certain,
  errorOf,
  expectBetween,
  isFailed,
  isOpen,
  type Options,
  rankOf,
} from "./expected-counts.ts";
import { type Asked, isAsked } from "./living-counts.ts";
import { failingNodeOf, type Made } from "./made-executions.ts";

const answered = z.looseObject({
  groups: z.array(
    z.looseObject({
      workflowId: z.string(),
      status: z.string().default("error"),
      nodeName: z.string().nullable(),
      errorClass: z.string().nullable().default(null),
      httpStatus: z.number().nullable().default(null),
      count: z.number(),
      before: z.number(),
      first: z.string(),
      last: z.string(),
      mended: z.number().default(0),
      workflows: z.number().default(1),
      executionId: z.string(),
    }),
  ),
  hanging: z.array(z.looseObject({ executionId: z.string(), kind: z.string() })),
  workflows: z.array(
    z.looseObject({
      workflowId: z.string(),
      runs: z.number(),
      failures: z.number(),
      caught: z.number(),
      medianMs: z.number().nullable(),
      p95Ms: z.number().nullable(),
    }),
  ),
  totals: z.looseObject({
    workflows: z.number(),
    runs: z.number(),
    failures: z.number(),
    failuresOfCallers: z.number(),
  }),
  series: z.looseObject({ runs: z.array(z.number()), failures: z.array(z.number()) }).optional(),
  notShown: z.record(z.string(), z.number()).default({}),
  nextOffset: z.number().optional(),
  coverage: z.looseObject({ knownSince: z.string().nullable(), stoppedBy: z.string() }),
});
type Answered = z.infer<typeof answered>;

const sum = (all: readonly number[]): number => all.reduce((added, one) => added + one, 0);

export function checkSummary(asked: Asked, envelope: Envelope): void {
  const answer = answered.parse(envelope.data);
  const { totals, groups, series, workflows, notShown, hanging, coverage } = answer;
  const claim = { message: envelope.message, ...coverage };
  const all = optionsIn(asked, claim);
  const counts = isAsked(asked);
  const relevant = all.filter((options) => options.some((one) => one !== null && counts(one)));
  expectBetween("runs", totals.runs, boundsOf(all, counts));
  expectBetween(
    "failures",
    totals.failures,
    boundsOf(all, (made) => counts(made) && isFailed(made)),
  );
  if (asked.question.workflowId !== null)
    expect(totals.failuresOfCallers, "failures of callers for a single workflow").toBe(0);
  if (totals.failures > 0)
    expect(envelope.message, "the message if some failed").not.toContain("none of which failed");
  // The parts add up to the whole.
  if ((notShown.groups ?? 0) === 0)
    expect(sum(groups.map(({ count }) => count)) + totals.failuresOfCallers, "groups and callers").toBe(
      totals.failures,
    );
  if ((notShown.workflows ?? 0) === 0) {
    expect(sum(workflows.map(({ runs }) => runs)), "runs of workflows").toBe(totals.runs);
    expect(workflows.length).toBe(totals.workflows);
  }
  if (series !== undefined) {
    expect(sum(series.runs), "runs of the series").toBe(totals.runs);
    expect(sum(series.failures), "failures of the series").toBe(totals.failures);
  }
  for (const { executionId } of hanging) {
    const options = all.find((each) => each.some((one) => one?.id === Number(executionId))) ?? [];
    expect(options.some(isOpen), `execution ${executionId} hangs`).toBe(true);
  }
  const sure = certain(relevant);
  if (sure === undefined) return;
  const ran = sure.filter(counts);
  expect(totals.workflows, "workflows").toBe(new Set(ran.map(({ workflowId }) => workflowId)).size);
  for (const each of workflows)
    expectWorkflow(
      each,
      ran.filter(({ workflowId }) => workflowId === each.workflowId),
    );
  const { from, to } = asked.window;
  expectGroups(asked, answer, { all, former: optionsIn(asked, { ...claim, from: from - (to - from) }) }, ran);
}

function expectWorkflow(is: Answered["workflows"][number], ran: readonly Made[]): void {
  const durations = ran
    .filter(({ status }) => status === "success")
    .map(({ startedAt, stoppedAt }) => (stoppedAt ?? 0) - (startedAt ?? 0))
    .toSorted((a, b) => a - b);
  const { workflowId, runs, failures, caught, medianMs, p95Ms } = is;
  expect({ workflowId, runs, failures, medianMs, p95Ms, caught }).toEqual({
    workflowId,
    runs: ran.length,
    failures: ran.filter(isFailed).length,
    medianMs: rankOf(durations, 0.5) ?? null,
    p95Ms: rankOf(durations, 0.95) ?? null,
    caught: ran.filter(({ isCaught, status }) => isCaught && status === "success").length,
  });
}

/** True if the failure is that of a called workflow; null where it may be either. */
function isOfCaller(
  { childId }: Made,
  { question: { seen, workflowId }, window, isUntilNow }: Asked,
  all: ReadonlyMap<number, Options>,
) {
  if (childId === null) return false;
  // The called execution says at which node the caller failed, and with a single workflow it is not read.
  if (workflowId !== null) return null;
  const options = all.get(childId) ?? [];
  const isSeen = options.every((one) => one === null || (seen?.includes(one.workflowId) ?? true));
  const [one] = options;
  if (options.length !== 1 || one == null || !isSeen) return null;
  // A call that started after the window belongs to another one; a window that ends now may be longer.
  if ((one.startedAt ?? 0) >= window.to) return isUntilNow ? null : false;
  return isFailed(one);
}

interface KnownExecutions {
  readonly all: readonly Options[];
  /** With the knowledge claimed for the former window. */
  readonly former: readonly Options[];
}

function expectGroups(
  asked: Asked,
  answer: Answered,
  { all, former }: KnownExecutions,
  ran: readonly Made[],
): void {
  const byId = new Map(
    all.flatMap((options) => options.flatMap((one) => (one === null ? [] : [[one.id, options]]))),
  );
  const { window, question: of } = asked;
  const failed = ran.filter(isFailed);
  const ofCallers = failed.map((made) => isOfCaller(made, asked, byId));
  // An execution that n8n did not send is known only from a list, without its failure.
  if (ofCallers.includes(null) || asked.hadFaults) return;
  expect(answer.totals.failuresOfCallers, "failures of callers").toBe(
    ofCallers.filter((each) => each === true).length,
  );
  const own = failed.filter((_made, at) => ofCallers[at] === false);
  const isByText = of.mayReadData && (of.mayReadAll || of.seen === null || of.seen.length === 0);
  const before = isAsked(asked, { from: window.from - (window.to - window.from), to: window.from });
  const wasThere = former.filter((options) => options.some((one) => one !== null && before(one)));
  const failedBefore = certain(wasThere)?.filter((made) => before(made) && isFailed(made)) ?? [null];
  const sureBefore = failedBefore.flatMap((made) =>
    made === null || isOfCaller(made, asked, byId) === null ? [] : made,
  );
  const isBeforeSure = sureBefore.length === failedBefore.length;
  // Equal errors are one cause, whatever workflows and nodes failed; without the text only the place is compared.
  const keyOf = (made: Made): string => {
    const { errorClass, httpStatus } = errorOf(made);
    const place = [made.workflowId, failingNodeOf(made)];
    return JSON.stringify([
      ...[made.status, errorClass, httpStatus],
      ...(isByText && made.fault !== null ? [made.fault] : place),
    ]);
  };
  const isThere = ({ id }: Made): boolean => asked.n8n.versions.get(id)?.at(-1)?.made !== null;
  const expected = [...Map.groupBy(own, keyOf)].map(([key, members]) => {
    const starts = members.map(({ startedAt }) => new Date(startedAt ?? 0).toISOString()).toSorted();
    const present = members.filter(isThere);
    const newest = (present.length === 0 ? members : present).toSorted((a, b) => a.id - b.id).at(-1);
    if (newest === undefined) throw new Error("A group has members.");
    const { errorClass, httpStatus } = errorOf(newest);
    const facts = {
      ...{ workflowId: newest.workflowId, status: newest.status, nodeName: failingNodeOf(newest) },
      ...{ errorClass, httpStatus: httpStatus === null ? null : Number(httpStatus) },
      ...{ count: members.length, first: starts[0], last: starts.at(-1), newest: String(newest.id) },
      workflows: new Set(members.map(({ workflowId }) => workflowId)).size,
      before: isBeforeSure
        ? sureBefore.filter((made) => isOfCaller(made, asked, byId) === false && keyOf(made) === key).length
        : undefined,
    };
    return { facts: JSON.stringify(facts), members };
  });
  const shown = answer.groups.map((group) => {
    const { workflowId, status, nodeName, errorClass, httpStatus, count, first, last, workflows } = group;
    const facts = {
      ...{ workflowId, status, nodeName, errorClass, httpStatus, count, first, last },
      ...{ newest: group.executionId, workflows },
      before: isBeforeSure ? group.before : undefined,
    };
    return { facts: JSON.stringify(facts), mended: group.mended };
  });
  const [are, should] = [shown, expected].map((all) => new Set(all.map(({ facts }) => facts)));
  const wrong = [...(are ?? [])].filter((one) => should?.has(one) !== true);
  const missed = answer.nextOffset === undefined ? [...(should ?? [])].filter((one) => !are?.has(one)) : [];
  if (wrong.length + missed.length > 0)
    throw new Error(`Wrong groups:\n${wrong.join("\n")}\nMissing:\n${missed.join("\n")}`);
  expect(are?.size, "number of distinct groups").toBe(shown.length);
  for (const { facts, mended } of shown) {
    const { members = [] } = expected.find((each) => each.facts === facts) ?? {};
    const isMended = (within: (retry: Made) => boolean) => (made: Made) =>
      all.some((options) =>
        options.some((one) => one?.retryOf === made.id && one.status === "success" && within(one)),
      );
    // A retry after the window may not have been read.
    const least = members.filter(isMended((retry) => isAsked(asked)({ ...retry, mode: "retry" }))).length;
    expectBetween("mended", mended, { least, most: members.filter(isMended(() => true)).length });
  }
}
