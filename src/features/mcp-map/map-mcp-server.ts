import * as z from "zod";
import { defineTool } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { McpServerMap } from "../../workflows/mcp-server-map.ts";
import type { WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { requireOneName } from "../find-workflow.ts";
import { namedOutline, READING_WORKFLOWS, type ReadInstance, readInstance } from "../instance-outline.ts";
import { workflowId, workflowName } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";
import { type MapPage, pageOfServers, toMapAnswer } from "./mcp-server-answer.ts";
import { type RecentRuns, readRecentRuns } from "./recent-runs.ts";

const MAX_TOKENS = 20_000;
/** For what redaction writes in place of secrets, and for the words around the map. */
const MARGIN_TOKENS = 1_500;

/** Everything that serves MCP or uses it: servers first, by name. */
function rootsOf({ workflows }: ReadInstance): WorkflowOutline[] {
  const isServer = ({ triggers }: WorkflowOutline): boolean => triggers.length > 0;
  return [...workflows.values()]
    .filter((outline) => isServer(outline) || outline.clients.length > 0)
    .sort(
      (a, b) =>
        Number(isServer(b)) - Number(isServer(a)) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id),
    );
}

function facts({ servers, called, cycles }: McpServerMap): string {
  const tools = servers.reduce((sum, { outline }) => sum + outline.tools.length, 0);
  const states = [...called.values()].map(({ state }) => state);
  const count = (state: (typeof states)[number]): number => states.filter((each) => each === state).length;
  const wrong = [
    count("missing") === 0 ? "" : `${count("missing")} of them do not exist`,
    count("draft") + count("archived") === 0
      ? ""
      : `${counted(count("draft") + count("archived"), "is", "are")} not published`,
    cycles.length === 0 ? "" : `${counted(cycles.length, "circle")} of calls`,
  ].filter((part) => part !== "");
  return `${counted(tools, "tool")}, ${counted(called.size, "workflow")} called${wrong.length === 0 ? "" : ` (${wrong.join(", ")})`}`;
}

function sentence(instance: ReadInstance, page: MapPage, runs: RecentRuns, total: number): string {
  const { map, detail, nextOffset } = page;
  const [only] = map.servers;
  const what =
    total === 1 && only !== undefined
      ? `${quoted(only.outline.name)} ${only.outline.triggers.length > 0 ? "is an MCP server" : "has no MCP Server Trigger"}`
      : `${map.servers.length} of ${counted(total, "workflow")} that serve or use MCP`;
  return [
    `${what}: ${facts(map)}.`,
    detail.text === "full" ? "" : "It is so large that less is told of each tool.",
    nextOffset === null ? "" : "There are more: call again with nextOffset as offset.",
    runs.notAsked === 0
      ? ""
      : `Recent runs of ${counted(runs.notAsked, "workflow was", "workflows were")} not read.`,
    instance.unread === 0 ? "" : `${counted(instance.unread, "workflow")} could not be read.`,
    instance.isComplete ? "" : "Not all workflows of the instance were read.",
  ]
    .filter((part) => part !== "")
    .join(" ");
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
    offset: z
      .number()
      .int("must be a whole number")
      .min(0, "must be at least 0")
      .max(100_000, "is too large")
      .default(0),
  }),
  // Shallow: `tools/list` has little room, and the map explains itself.
  output: z.looseObject({ workflowUrl: z.string(), servers: z.array(z.unknown()), mermaid: z.string() }),
  async run(input, { n8n, n8nUrls, progress }: ToolContext) {
    requireOneName(input);
    const client = n8n();
    await progress(0, READING_WORKFLOWS);
    const instance = await readInstance(client);
    const named = namedOutline(instance, input);
    const roots = named === undefined ? rootsOf(instance) : [named];
    const page = pageOfServers(instance, roots, input.offset, MAX_TOKENS - MARGIN_TOKENS);
    const { map, detail, nextOffset } = page;
    const existing = [...map.called.values()].filter(({ outline }) => outline !== undefined);
    const runs = await readRecentRuns(client, [
      ...map.servers.map(({ outline }) => outline.id),
      ...existing.map(({ workflowId: id }) => id),
    ]);
    return {
      message: sentence(instance, page, runs, roots.length),
      data: { workflowUrl: n8nUrls().templates.workflow, ...toMapAnswer(map, detail, runs), nextOffset },
    };
  },
});
