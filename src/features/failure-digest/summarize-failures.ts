import * as z from "zod";
import type { HistoryFailures } from "../../history/digest/failure-query.ts";
import { iso } from "../../history/digest/run.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { hours, toDigestWindow } from "../digest-window.ts";
import { findWorkflowId } from "../find-workflow.ts";
import { timeBudgetMs, toScanError, windowArguments } from "../history-scan.ts";
import type { N8nLookup } from "../n8n-lookup.ts";
import { nextOffsetOf, offsetArgument } from "../paging.ts";
import { guidance, nextCall, seeWhatRan } from "../params.ts";
import { TimeBudget } from "../request-limits.ts";
import type { ToolContext } from "../tool-context.ts";
import { type Digest, digestData, digestSentence, groupAnswer, MAX_GROUPS } from "./digest-answer.ts";
import {
  checkSilent,
  checkUnhandled,
  explainExamples,
  followGroups,
  hostsOf,
  withCheckedState,
} from "./digest-lookups.ts";

/** docs/digests.md lists the other members: each member named here costs every client tokens. */
const group = z.looseObject({
  workflowId: z.string(),
  group: z.string(),
  count: z.number(),
  url: z.string(),
});

function suggestNextCall({
  groups,
  failedLater,
  silent,
  hanging,
  unusual,
  lastFailure,
  isOneWorkflow,
  endedAt,
}: Digest): Guidance {
  const first = groups.find(({ isExampleGone }) => !isExampleGone);
  if (first !== undefined) {
    const message =
      "Why the newest execution of the first group failed; group lists the newest executions of one.";
    return nextCall(message, "explain_failure", { executionId: first.exampleId });
  }
  const id =
    failedLater.find(({ isGone }) => !isGone)?.id ??
    hanging[0]?.id ??
    unusual[0]?.exampleId ??
    silent[0]?.lastId;
  if (id === undefined && lastFailure !== null && !isOneWorkflow)
    return nextCall("What failed last.", "summarize_failures", {
      startedAfter: iso(lastFailure.startedAt),
      startedBefore: endedAt === null ? undefined : iso(endedAt),
    });
  if (id === undefined) return seeWhatRan();
  return nextCall("Explain an execution that is not as usual.", "explain_failure", { executionId: id });
}

const coverageOf = ({ stop, knownSince, usualSince, asOf }: HistoryFailures) => ({
  knownSince: knownSince === null ? null : iso(knownSince),
  usualSince: iso(usualSince),
  asOf: iso(asOf),
  stoppedBy: stop.reason,
  error: toScanError(stop),
});

/** The group may still turn up in a part of the window that was not read. */
function noSuchGroup({ stop }: HistoryFailures): ObserverError {
  if ("error" in stop) return new ObserverError(stop.error.code, stop.error.message, stop.error.details);
  if (stop.reason !== "complete")
    return new ObserverError(
      "N8N_TIMEOUT",
      "The window was not read to its end, and the group not found yet.",
      {
        solution: "Call again to continue.",
      },
    );
  return new ObserverError("VALIDATION_ERROR", "There is no such group of failures in this window.", {
    field: "group",
    expected: "a group of an answer for the same window and workflow",
    solution: "Call again without group, with the window that you want.",
  });
}

const NOT_CHECKED = { silent: [], unpublished: [], unhandled: [] };

async function checkWorkflows(known: HistoryFailures, from: number, lookup: N8nLookup, context: ToolContext) {
  const mustBePublished = !hidesUnfinished(await lookup.client.withStatuses(context.capabilities()));
  const { silent, unpublished } = await checkSilent(known, from, lookup);
  return { silent, unpublished, unhandled: await checkUnhandled(known, lookup, mustBePublished) };
}

export const summarizeFailures = defineTool({
  name: "summarize_failures",
  title: "What broke, and what is silent?",
  description:
    'What broke in a window: incidents (crashes, services that are down, unpublished workflows), failures grouped by cause, with trend, an example and whether it is fixed; schedules that did not run, webhooks that stopped, executions that hang, workflows that ran green but did nothing. Use it for "what broke since yesterday" or, with workflowName, "is it fixed".',
  scope: "n8n:read",
  // For the JSON of twenty groups; rendered as a table, they cost at most 3,000.
  maxTokens: 7_000,
  audited: { workflowId: "workflowId" },
  hasPicture: true,
  input: z.strictObject({
    hours,
    ...windowArguments,
    group: z
      .string()
      .regex(/^f-[A-Za-z0-9_-]{10}$/, "must be a group of an earlier answer")
      .optional()
      .describe("group of an earlier answer, for its executions"),
    offset: offsetArgument().describe("nextOffset, for more groups"),
    timeBudgetMs,
  }),
  output: z.looseObject({
    groups: z.array(group),
    coverage: z.looseObject({ stoppedBy: z.string() }),
    _guidance: guidance,
  }),
  async run(input, context: ToolContext) {
    const { window, isUntilNow, hasEnd } = toDigestWindow(input, context.clock.now());
    const client = context.n8n();
    const known = await context.history().failures(
      {
        workflowId: (await findWorkflowId(input, context)) ?? null,
        window,
        isUntilNow,
        hasEnd,
        group: input.group ?? null,
        isByText: await context.maySeeErrorText(null),
        timeBudgetMs: input.timeBudgetMs,
      },
      context.progress,
    );
    const lookup = { client, budget: new TimeBudget(context.clock, OVERTIME_MS.failingNode) };
    const requested = known.groups.find((each) => each.group === input.group);
    if (input.group !== undefined && requested === undefined) throw noSuchGroup(known);
    const isOneWorkflow = input.workflowId !== undefined || input.workflowName !== undefined;
    const ofWorkflow = known.lastFailure === null ? known.groups : [known.lastFailure];
    const followed = await followGroups(
      requested === undefined ? (isOneWorkflow ? ofWorkflow : []) : [requested],
      lookup,
    );
    const digest: Digest = {
      ...known,
      groups: known.groups.map((each) => withCheckedState(each, followed)),
      lastFailure: known.lastFailure === null ? null : withCheckedState(known.lastFailure, followed),
      ...(requested === undefined ? await checkWorkflows(known, window.from, lookup, context) : NOT_CHECKED),
      hosts: await hostsOf(known, lookup, context),
      followed,
      isOneWorkflow,
    };
    const shownGroup = digest.groups.find((each) => each.group === input.group);
    const urls = context.n8nUrls();
    const page = digest.groups.slice(input.offset, input.offset + MAX_GROUPS);
    const answer =
      shownGroup === undefined
        ? {
            message: digestSentence(digest, window, urls),
            data: {
              ...digestData(digest, page, await explainExamples(page, lookup, context), urls),
              nextOffset: nextOffsetOf(input.offset + page.length, known.groups.length) ?? undefined,
            },
          }
        : groupAnswer(digest, shownGroup, window, urls);
    return {
      message: answer.message,
      data: {
        window: { from: iso(window.from), to: iso(window.to) },
        ...answer.data,
        queue: known.queue ?? undefined,
        coverage: coverageOf(known),
        _guidance: suggestNextCall({ ...digest, groups: shownGroup === undefined ? page : [shownGroup] }),
      },
    };
  },
  rest(input, { groups }, whole) {
    const next = (message: string, more: object) =>
      nextCall(message, "summarize_failures", { ...input, ...more });
    // nextOffset passes over what was left out.
    if (groups.length < whole.groups.length)
      return next("From the first group that was left out.", { offset: input.offset + groups.length });
    return next("One workflow alone fits.", { workflowName: undefined, workflowId: groups[0]?.workflowId });
  },
});
