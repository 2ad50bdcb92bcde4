import * as z from "zod";
import {
  compareExecutions as compare,
  type ExecutionComparison,
  isFirst,
  type NotCompared,
} from "../../executions/comparison/compare-executions.ts";
import { isSampledWhole } from "../../executions/comparison/sampled-values.ts";
import { mentionedIn } from "../../executions/known-fields.ts";
import { runsByNode } from "../../executions/node-runs.ts";
import { WITHHELD_SENTENCE } from "../../executions/withheld.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { quoted, visibleName } from "../../platform/display-name.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { countBeyond } from "../paging.ts";
import { executionId, guidance, nextCall } from "../params.ts";
import { contextOf, type ToolContext } from "../tool-context.ts";
import { type Both, readBoth } from "./read-both.ts";
import { firstAndMore, reportNodes } from "./report.ts";
import { shownEdits, shownValues } from "./shown-values.ts";

const MAX_NAMES = 20;
/** Of settings, and of values. */
const MAX_CHANGES = 12;

const DIFFERENCE_WORDS: Readonly<Record<string, string>> = {
  keys: "in the fields it sends",
  outputs: "in the outputs it uses",
  status: "in how it ended",
  ran: "in whether it ran",
  items: "in how many items it sends",
  edited: "in what it was set to",
  durationMs: "in how long it took",
};

const NOT_COMPARED_SENTENCES: Readonly<Record<NotCompared, string>> = {
  withheld: WITHHELD_SENTENCE,
  no_data: "n8n sends no run of its nodes, so only what it was set to is compared.",
  unfinished: "It has not ended, so what has not run yet is not compared.",
  many_runs: "It has too many node runs to read them all; the others are not compared.",
};

/** Below this share of common nodes, it counts as another workflow. */
const MIN_SHARED_NODES = 0.3;

function limitsSentence({ notCompared, workflow }: ExecutionComparison, both: Both): string {
  const { shared, added, removed } = workflow;
  const ofEach = notCompared
    .map(({ of, why }) => ` Execution ${both[of].id}: ${NOT_COMPARED_SENTENCES[why]}`)
    .join("");
  if (shared >= MIN_SHARED_NODES * (shared + Math.max(added.length, removed.length))) return ofEach;
  return `${ofEach} The workflow was different then: of ${counted(shared + added.length, "node")}, both have ${shared}.`;
}

function otherDifferences(
  { nodes, workflow: { added, removed, renamed } }: ExecutionComparison,
  { now, before }: Both,
  values: readonly unknown[],
): string[] {
  const differs = {
    values: values.length > 0,
    "its status": now.status !== before.status,
    "added or removed nodes": added.length + removed.length > 0,
    "names of nodes": renamed.length > 0,
    "HTTP headers": nodes.some(({ headers }) => headers.length > 0),
  };
  return Object.entries(differs).flatMap(([what, isSo]) => (isSo ? [what] : []));
}

/** @param isWhole whether everything was compared */
function difference(
  { firstDifference, nodes }: ExecutionComparison,
  others: readonly string[],
  isWhole: boolean,
) {
  if (firstDifference !== null)
    return `the first node that differs is ${quoted(firstDifference.nodeName)}, ${DIFFERENCE_WORDS[firstDifference.by]}; ${counted(nodes.length, "node")} in all`;
  const ofWhat = isWhole ? "" : "of what was compared, ";
  return others.length === 0
    ? `${ofWhat}nothing differs beyond normal variation`
    : `${ofWhat}it differs only in ${others.join(", ")}`;
}

const valuesSentence = (hasValues: boolean): string =>
  hasValues
    ? "Values are compared only in the first item of each node that ran in both, and in the first entry of its lists; files, long texts, and keys that are data are not compared."
    : "Values are not compared.";

function sentence(comparison: ExecutionComparison, both: Both, isGiven: boolean, what: string) {
  const { now, before } = both;
  const name = quoted(now.workflowData?.name ?? now.workflowId);
  const other = isGiven
    ? `execution ${before.id}${comparison.workflow.isSame ? "" : " of another workflow"}`
    : `execution ${before.id}, the last success like it`;
  return `Execution ${now.id} of ${name} against ${other}: ${what}.${limitsSentence(comparison, both)}`;
}

/** Shows the first node that differs, in the execution that ran it; in the later one if both did. */
function suggestNextCall(
  comparison: ExecutionComparison,
  { now, before }: Both,
  mayReadData: boolean,
): Guidance {
  const node = comparison.nodes.find((one) => isFirst(one, comparison.firstDifference));
  const places = [
    { execution: now, nodeName: node?.isRemoved === true ? "" : (node?.nodeName ?? "") },
    { execution: before, nodeName: node?.nameBefore ?? node?.nodeName ?? "" },
  ];
  const place = places.find(({ execution, nodeName }) => runsByNode(execution).has(nodeName));
  if (place === undefined || !mayReadData)
    return nextCall("What happened in it.", "get_execution", { id: now.id });
  return nextCall("What the first node that differs was given, and what it sent.", "get_execution_by_node", {
    id: place.execution.id,
    nodeName: visibleName(place.nodeName),
  });
}

function showExecution(execution: ExecutionWithData, version: string | null, { n8nUrls }: ToolContext) {
  const { id, workflowId, status, mode, startedAt } = execution;
  const url = n8nUrls().execution(workflowId, id);
  return { id, url, status, mode, startedAt, version: version ?? undefined };
}

const names = <Name>(all: readonly Name[]) => firstAndMore(all, MAX_NAMES);

const firstOf = <Value>(all: readonly Value[]) => (all.length === 0 ? undefined : all.slice(0, MAX_CHANGES));

function showWorkflow({ workflow }: ExecutionComparison) {
  const { isSame, added, removed, renamed } = workflow;
  if (isSame && added.length + removed.length + renamed.length === 0) return undefined;
  return {
    isSame: isSame ? undefined : isSame,
    addedNodes: names(added),
    removedNodes: names(removed),
    renamedNodes: names(renamed),
  };
}

export const compareExecutions = defineTool({
  name: "compare_executions",
  title: "Compare two executions",
  description:
    "What differs between two executions, node by node, most significant first: fields, types, outputs, items, settings; values with n8n:data. Default: against the last success. Use it to see what changed since it worked.",
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
  async run({ id, against }, caller: ToolContext) {
    const both = await readBoth(caller.n8n(), id, against);
    const { now, before, ordinary } = both;
    const context = await contextOf(caller, now.workflowId, before.workflowId);
    const isKnown = context.mayReadData ? undefined : mentionedIn([now, before]);
    const comparison = compare(now, before, ordinary, isKnown);
    const { nodes, firstDifference, trigger, notCompared, ranBeforeNotNow, ranNowNotBefore } = comparison;
    const { versionNow, versionBefore } = comparison.workflow;
    const isEdited = versionNow !== versionBefore;
    const hasValues = context.mayReadData && !notCompared.some(({ why }) => why === "withheld");
    const settings = await shownEdits(both, context);
    const values = hasValues ? await shownValues(both, context) : [];
    const others = otherDifferences(comparison, both, values);
    // Values are compared only with those of `before`, which did not run the nodes of another branch.
    const comparesValues = hasValues && !comparison.hasOtherBranch && [now, before].every(isSampledWhole);
    const isWhole = notCompared.length === 0 && comparesValues;
    const what = difference(comparison, others, isWhole);
    return {
      message: joinSentences(
        sentence(comparison, both, against !== undefined, what),
        firstDifference === null && !comparesValues && valuesSentence(hasValues),
      ),
      data: {
        now: showExecution(now, isEdited ? versionNow : null, context),
        before: showExecution(before, isEdited ? versionBefore : null, context),
        same: isWhole && nodes.length + others.length === 0,
        firstDifference: firstDifference ?? undefined,
        otherTrigger: against !== undefined && trigger?.isSame === false ? trigger.nodeName : undefined,
        nodes: reportNodes(comparison, isKnown),
        ranBeforeNotNow: names(ranBeforeNotNow),
        ranNowNotBefore: names(ranNowNotBefore),
        settings: firstOf(settings),
        moreSettings: countBeyond(MAX_CHANGES, settings),
        values: firstOf(values),
        moreValues: countBeyond(MAX_CHANGES, values),
        workflow: showWorkflow(comparison),
        _guidance: suggestNextCall(comparison, both, context.mayReadData),
      },
    };
  },
  rest: ({ id }, { now }) =>
    nextCall("What was left out differs less: see the nodes one by one.", "get_execution", {
      id: now.id || id,
    }),
});
