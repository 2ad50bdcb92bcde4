import * as z from "zod";
import { type RunStatistics, runStatistics } from "../../executions/run-statistics.ts";
import { defineTool } from "../../mcp/define-tool.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { memoizeLast } from "../../platform/memoize.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { sumOf } from "../../platform/sum-of.ts";
import type { McpServerMap } from "../../workflows/mcp-server-map.ts";
import { isServer, type WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { openInstance, partialCoverage, type ReadInstance, unreadSentences } from "../all-workflows.ts";
import { offsetArgument } from "../paging.ts";
import { nextCall, workflowId, workflowName } from "../params.ts";
import { REQUESTS_AT_ONCE, type TimeBudget } from "../request-limits.ts";
import type { ToolContext } from "../tool-context.ts";
import { type MapPage, pageOfServers, toMapAnswer } from "./mcp-server-answer.ts";

const MAX_TOKENS = 20_000;
/** Reserved for the envelope, and for the marks that replace secrets. */
const MARGIN_TOKENS = 1_500;
const RECENT_RUNS = 100;
/** Each workflow costs one small request. */
const MAX_READ_RUNS = 40;
/** Texts that are kept redacted, since a page is written several times. */
const MAX_SHOWN = 2_000;

function rootsOf({ workflows }: ReadInstance): WorkflowOutline[] {
  return [...workflows.values()]
    .filter((outline) => !outline.isArchived && (isServer(outline) || outline.clients.length > 0))
    .sort(
      (a, b) =>
        Number(isServer(b)) - Number(isServer(a)) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id),
    );
}

function facts({ servers, called, cycles }: McpServerMap): string {
  const tools = sumOf(servers, ({ outline }) => outline.tools.length);
  const states = [...called.values()].map(({ state }) => state);
  const count = (state: (typeof states)[number]): number => states.filter((each) => each === state).length;
  const unpublished = count("draft") + count("archived");
  const wrong = [
    count("missing") > 0 && `${count("missing")} of them do not exist`,
    unpublished > 0 && `${counted(unpublished, "is", "are")} not published`,
    cycles.length > 0 && `${counted(cycles.length, "cycle")} of calls`,
  ].filter(Boolean);
  return `${counted(tools, "tool")}, ${counted(called.size, "workflow")} called${wrong.length === 0 ? "" : ` (${wrong.join(", ")})`}`;
}

function sentence(instance: ReadInstance, page: MapPage, withoutRuns: number, total: number): string {
  const { map, detail, nextOffset } = page;
  const [only] = map.servers;
  const what =
    total === 1 && only !== undefined
      ? `${quoted(only.outline.name)} ${isServer(only.outline) ? "is an MCP server" : "has no MCP Server Trigger"}`
      : `${map.servers.length} of ${counted(total, "workflow")} that serve or use MCP`;
  return joinSentences(
    `${what}: ${facts(map)}.`,
    detail.text !== "full" && "It is so large that each tool is described in less detail.",
    nextOffset !== null && "There are more: call again with nextOffset as offset.",
    withoutRuns > 0 && `Recent runs of ${counted(withoutRuns, "workflow was", "workflows were")} not read.`,
    ...unreadSentences(instance),
  );
}

/** What was not read, and the next call; empty when everything was. */
function coverageOf(instance: ReadInstance, withoutRuns: readonly string[]) {
  const counts = { withoutRecentRuns: withoutRuns.length };
  const [workflowId] = withoutRuns;
  if (workflowId === undefined || !instance.isComplete) return partialCoverage(instance, counts, undefined);
  return partialCoverage(instance, counts, {
    next: nextCall("The recent runs of one of these workflows.", "get_workflow_executions", { workflowId }),
  });
}

/** Reads the runs of at most {@link MAX_READ_RUNS} workflows, until time runs out. @throws ObserverError */
async function readRecentRuns(client: VisibleN8n, workflowIds: readonly string[], budget: TimeBudget) {
  const runs = new Map<string, RunStatistics>();
  const read = budget.within(workflowIds.slice(0, MAX_READ_RUNS));
  await mapConcurrently(read, REQUESTS_AT_ONCE, async (workflowId) => {
    const listed = await budget.tryOne(
      async (options) => await client.listExecutions({ workflowId, limit: RECENT_RUNS }, options),
    );
    if (listed !== undefined) runs.set(workflowId, runStatistics(listed.executions));
  });
  return runs;
}

export const mapMcpServer = defineTool({
  name: "map_mcp_server",
  title: "Map MCP servers",
  description:
    "MCP servers built in n8n: triggers, tools, sub-workflows, sub-servers, callers, recent runs; and a Mermaid flowchart. Without a workflow: all.",
  scope: "n8n:read",
  audited: { workflowId: "workflowId" },
  maxTokens: MAX_TOKENS,
  input: z.strictObject({
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    offset: offsetArgument(100_000),
  }),
  // The schema is shallow, because `tools/list` has little room and the map explains itself.
  output: z.looseObject({ workflowUrl: z.string(), servers: z.array(z.unknown()), mermaid: z.string() }),
  async run(input, context: ToolContext) {
    const { client, budget, instance, named } = await openInstance(input, context);
    const roots = named === undefined ? rootsOf(instance) : [named];
    const show = memoizeLast((text) => String(context.redact(text)), MAX_SHOWN);
    const maxTokens = MAX_TOKENS - MARGIN_TOKENS;
    const page = pageOfServers(instance, roots, input.offset, { maxTokens, show });
    const { map, detail, nextOffset } = page;
    const existing = [...map.called.values()].filter(({ outline }) => outline !== undefined);
    const shown = new Set([
      ...map.servers.map(({ outline }) => outline.id),
      ...existing.map(({ workflowId: id }) => id),
    ]);
    const runs = await readRecentRuns(client, [...shown], budget);
    const withoutRuns = [...shown].filter((id) => !runs.has(id));
    return {
      message: sentence(instance, page, withoutRuns.length, roots.length),
      data: {
        workflowUrl: context.n8nUrls().templates.workflow,
        ...toMapAnswer(map, { ...detail, show }, runs),
        nextOffset,
        ...coverageOf(instance, withoutRuns),
      },
    };
  },
});
