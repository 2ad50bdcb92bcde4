import * as z from "zod";
import {
  compareExecutions as compare,
  type ExecutionComparison,
  type NotCompared,
} from "../../executions/comparison/compare-executions.ts";
import { mentionedIn } from "../../executions/known-fields.ts";
import { WITHHELD_SENTENCE } from "../../executions/withheld.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { quoted, visibleName } from "../../platform/display-name.ts";
import { executionId, guidance } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";
import { type Both, readBoth } from "./read-both.ts";
import { toReport } from "./report.ts";
import { type ShownChange, shownEdits, shownValues } from "./shown-values.ts";

/** Names in a sentence, and in a list of names. */
const MAX_NAMES = 20;

const BY: Readonly<Record<string, string>> = {
  keys: "in the fields it sends",
  outputs: "in the outputs it uses",
  status: "in how it ended",
  ran: "in whether it ran",
  items: "in how many items it sends",
  edited: "in what it was set to",
  durationMs: "in how long it took",
};

const LIMITS: Readonly<Record<NotCompared, string>> = {
  withheld: WITHHELD_SENTENCE,
  no_data: "n8n keeps no data of it, so only what it was set to is compared.",
  unfinished: "It has not ended, so what has not run yet is not compared.",
};

/** Fewer nodes than this part of them all, and what is compared is another workflow. */
const RECOGNIZABLE = 0.3;

function isUnrecognizable({ workflow: { shared, added, removed } }: ExecutionComparison): boolean {
  return shared < RECOGNIZABLE * (shared + Math.max(added.length, removed.length));
}

function limitsSentence(comparison: ExecutionComparison, { now, before }: Both): string {
  const ids = { now: now.id, before: before.id };
  const ofEach = comparison.notCompared.map(({ of, why }) => ` Execution ${ids[of]}: ${LIMITS[why]}`);
  const { shared, added } = comparison.workflow;
  const ofBoth = isUnrecognizable(comparison)
    ? ` The workflow was another then: of ${counted(shared + added.length, "node")}, both have ${shared}.`
    : "";
  return ofEach.join("") + ofBoth;
}

function sentence(comparison: ExecutionComparison, both: Both, isGiven: boolean): string {
  const { now, before } = both;
  const { firstDifference, nodes, workflow } = comparison;
  const name = quoted(now.workflowData?.name ?? now.workflowId);
  const other = isGiven
    ? `execution ${before.id}${workflow.isSame ? "" : " of another workflow"}`
    : `execution ${before.id}, the last success like it`;
  const what =
    firstDifference === null
      ? `nothing differs${nodes.length === 0 ? "" : " but HTTP headers"} beyond what is ordinary`
      : `the first node that differs is ${quoted(firstDifference.nodeName)}, ${BY[firstDifference.by]}; ${counted(nodes.length, "node")} in all`;
  return `Execution ${now.id} of ${name} against ${other}: ${what}.${limitsSentence(comparison, both)}`;
}

function nextMove({ firstDifference }: ExecutionComparison, { now }: Both): Guidance {
  if (firstDifference === null)
    return { message: "What happened in it.", example: `get_execution({"id":"${now.id}"})` };
  const place = { id: now.id, nodeName: visibleName(firstDifference.nodeName) };
  return {
    message: "What the first node that differs was given, and what it sent.",
    example: `get_execution_by_node(${JSON.stringify(place)})`,
  };
}

function showExecution(execution: ExecutionWithData, version: string | null, { n8nUrls }: ToolContext) {
  const { id, workflowId, status, mode, startedAt } = execution;
  return {
    id,
    url: n8nUrls().execution(workflowId, id),
    status,
    mode,
    startedAt,
    ...(version === null ? {} : { version }),
  };
}

const names = (all: readonly string[]): readonly string[] =>
  all.length <= MAX_NAMES ? all : [...all.slice(0, MAX_NAMES), `… ${all.length - MAX_NAMES} more`];

const unlessEmpty = <Value>(name: string, all: readonly Value[]): Record<string, readonly Value[]> =>
  all.length === 0 ? {} : { [name]: all };

function showWorkflow({ workflow }: ExecutionComparison): object {
  const { isSame, added, removed, renamed } = workflow;
  const facts = {
    ...(isSame ? {} : { isSame }),
    ...unlessEmpty("addedNodes", names(added)),
    ...unlessEmpty("removedNodes", names(removed)),
    ...unlessEmpty("renamedNodes", renamed.slice(0, MAX_NAMES)),
  };
  return Object.keys(facts).length === 0 ? {} : { workflow: facts };
}

/** Values are read and redacted only for whoever may see them. */
async function valuesFor(
  both: Both,
  comparison: ExecutionComparison,
  context: ToolContext,
): Promise<ShownChange[]> {
  const isWithheld = comparison.notCompared.some(({ why }) => why === "withheld");
  return context.mayReadData && !isWithheld ? await shownValues(both, context) : [];
}

export const compareExecutions = defineTool({
  name: "compare_executions",
  title: "Compare two executions",
  description:
    "What differs between two executions, node by node, most telling first: fields, types, outputs, items, settings; values with n8n:data. Default: against the last success. Use it for what changed since it worked.",
  scope: "n8n:read",
  maxTokens: 3_000,
  audited: { id: "executionId", against: "executionId" },
  input: z.strictObject({
    id: executionId,
    against: executionId.optional().describe("The one to compare with. Default: the last success before it"),
  }),
  output: z.looseObject({
    now: z.looseObject({ id: z.string(), url: z.string(), status: z.string() }),
    before: z.looseObject({ id: z.string(), url: z.string(), status: z.string() }),
    same: z.boolean(),
    nodes: z.array(z.looseObject({ nodeName: z.string() })),
    _guidance: guidance,
  }),
  async run({ id, against }, context: ToolContext) {
    const both = await readBoth(context.n8n(), id, against);
    const { now, before, ordinary } = both;
    const isKnown = context.mayReadData ? undefined : mentionedIn([now, before]);
    const comparison = compare(now, before, ordinary, isKnown);
    const report = toReport(comparison, isKnown);
    const { versionNow, versionBefore } = comparison.workflow;
    const isEdited = versionNow !== versionBefore;
    const { firstDifference, trigger } = comparison;
    return {
      message: sentence(comparison, both, against !== undefined),
      data: {
        now: showExecution(now, isEdited ? versionNow : null, context),
        before: showExecution(before, isEdited ? versionBefore : null, context),
        same: comparison.nodes.length === 0,
        ...(firstDifference === null ? {} : { firstDifference }),
        ...(trigger?.isSame === false ? { otherTrigger: trigger.nodeName } : {}),
        nodes: report.nodes,
        ...unlessEmpty("ranBeforeNotNow", names(report.ranBeforeNotNow)),
        ...unlessEmpty("ranNowNotBefore", names(report.ranNowNotBefore)),
        ...unlessEmpty("settings", await shownEdits(both, context)),
        ...unlessEmpty("values", await valuesFor(both, comparison, context)),
        ...showWorkflow(comparison),
        _guidance: nextMove(comparison, both),
      },
    };
  },
  rest: ({ id }, { now }): Guidance => ({
    message: "What is left out differs less; see one node after the other.",
    example: `get_execution(${JSON.stringify({ id: now.id || id })})`,
  }),
});
