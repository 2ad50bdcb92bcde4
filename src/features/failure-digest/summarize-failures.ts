import * as z from "zod";
import type { NamedGroup } from "../../history/digest/failure-query.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { findWorkflowId } from "../find-workflow.ts";
import { guidance, isoDate, timeBudgetMs, workflowId, workflowName } from "../params.ts";
import { toScanError } from "../scan-error.ts";
import { TimeBudget } from "../time-budget.ts";
import type { ToolContext } from "../tool-context.ts";
import { digestData, groupExecutions, groupFacts, shownName } from "./digest-answer.ts";
import { type Digest, digestSentence } from "./digest-sentence.ts";
import { DEFAULT_HOURS, MAX_HOURS, toDigestWindow } from "./digest-window.ts";
import { explainExamples } from "./examples.ts";
import { checkSilent, checkUnhandled } from "./workflow-checks.ts";

/** Groups of which an execution is read. */
const MAX_EXPLAINED = 5;

/** What else is told stands in docs/digests.md: each client pays for each member that is named. */
const group = z.looseObject({
  workflowId: z.string(),
  group: z.string(),
  count: z.number(),
  url: z.string(),
});

function nextMove({ groups, silent, hanging, unusual }: Digest): Guidance {
  const [first] = groups;
  if (first !== undefined) {
    return {
      message: "See the newest execution of the most frequent failure; group tells all of its executions.",
      example: `get_execution({"id":"${first.exampleId}"})`,
    };
  }
  const id = hanging[0]?.id ?? unusual[0]?.exampleId ?? silent[0]?.lastId;
  return id === undefined
    ? { message: "See what ran.", example: 'get_workflow_executions({"limit":20})' }
    : { message: "See an execution of what is not as usual.", example: `get_execution({"id":"${id}"})` };
}

const noSuchGroup = (): ObserverError =>
  new ObserverError("VALIDATION_ERROR", "There is no such group of failures in this window.", {
    field: "group",
    expected: "a group of an answer for the same window",
    solution: "Call again without group, with the window that you want.",
  });

function toGroupAnswer(digest: Digest, wanted: NamedGroup, context: ToolContext) {
  const executions = groupExecutions(digest, wanted, context.n8nUrls());
  const where = wanted.nodeName === null ? "" : ` at node ${quoted(wanted.nodeName)}`;
  const name = quoted(digest.names[wanted.workflowId] ?? wanted.workflowId);
  const shown = executions.length < wanted.count ? `; the newest ${executions.length} are listed` : "";
  return {
    message: `${counted(wanted.count, "execution")} of ${name} failed${where} in the same way from ${wanted.first} to ${wanted.last}, ${wanted.before} in the window before; ${wanted.mended} were mended by a retry${shown}.`,
    data: {
      groups: [
        {
          workflowId: wanted.workflowId,
          workflowName: shownName(digest.names[wanted.workflowId]),
          ...groupFacts(wanted),
          url: context.n8nUrls().execution(wanted.workflowId, wanted.exampleId),
        },
      ],
      executions,
    },
  };
}

export const summarizeFailures = defineTool({
  name: "summarize_failures",
  title: "What broke, and what is silent?",
  description:
    'What broke in a window: failures grouped by cause, with trend and an example; schedules and webhooks that stopped, executions that hang, workflows that ran green but did nothing, error workflows that did not run. Use it for "what broke since yesterday".',
  scope: "n8n:read",
  maxTokens: 3_000,
  audited: { workflowId: "workflowId" },
  input: z.strictObject({
    hours: z
      .number()
      .min(0.1, "must be at least 0.1")
      .max(MAX_HOURS, `must be at most ${MAX_HOURS}`)
      .optional()
      .describe(`The last so many hours; ${DEFAULT_HOURS} without it`),
    startedAfter: isoDate.optional(),
    startedBefore: isoDate.optional().describe("ISO 8601"),
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    group: z
      .string()
      .regex(/^f-[A-Za-z0-9_-]{10}$/, "must be a group of an earlier answer")
      .optional()
      .describe("group of an earlier answer, for its executions"),
    timeBudgetMs,
  }),
  output: z.looseObject({
    groups: z.array(group),
    coverage: z.looseObject({ stoppedBy: z.string() }),
    _guidance: guidance,
  }),
  async run(input, context: ToolContext) {
    const { window, isUntilNow } = toDigestWindow(input, context.clock.now());
    const client = context.n8n();
    const workflow = (await findWorkflowId(client, context.clock, input)) ?? null;
    const known = await context.history().failures(
      {
        workflowId: workflow,
        window,
        isUntilNow,
        group: input.group ?? null,
        isByText: context.mayShowErrorText(),
        timeBudgetMs: input.timeBudgetMs,
      },
      context.progress,
    );
    const budget = new TimeBudget(context.clock, OVERTIME_MS.failingNode);
    const wanted = known.groups.find((each) => each.group === input.group);
    if (input.group !== undefined && wanted === undefined) throw noSuchGroup();
    const checking = {
      client,
      budget,
      mustBePublished: !hidesUnfinished(await context.capabilities().withStatuses(client)),
    };
    const isWhole = input.group === undefined;
    const digest: Digest = {
      ...known,
      silent: isWhole ? await checkSilent(known, window.from, checking) : [],
      unhandled: isWhole ? await checkUnhandled(known, checking) : [],
    };
    const answer =
      wanted === undefined
        ? {
            message: digestSentence(digest, window),
            data: digestData(digest, {
              urls: context.n8nUrls(),
              explained: await explainExamples(known.groups.slice(0, MAX_EXPLAINED), {
                client,
                budget,
                context,
              }),
            }),
          }
        : toGroupAnswer(digest, wanted, context);
    const { stop } = known;
    return {
      message: answer.message,
      data: {
        window: { from: iso(window.from), to: iso(window.to) },
        ...answer.data,
        coverage: {
          knownSince: known.knownSince === null ? null : iso(known.knownSince),
          usualSince: iso(known.usualSince),
          asOf: iso(known.asOf),
          stoppedBy: stop.reason,
          ...(stop.reason === "n8n" ? { error: toScanError(stop.error) } : {}),
        },
        _guidance: nextMove(digest),
      },
    };
  },
  rest: (input, shown) => ({
    message: "One workflow alone fits.",
    example: `summarize_failures(${JSON.stringify({ ...input, workflowId: shown.groups[0]?.workflowId })})`,
  }),
});

const iso = (time: number): string => new Date(time).toISOString();
