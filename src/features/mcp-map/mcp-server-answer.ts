/**
 * Writes the map as an answer: as many servers as fit, each with its tools and sub-servers, and the workflows that they
 * call. A single server that is too large is described in less detail, in the end by names only.
 */
import type { RunStatistics } from "../../executions/run-statistics.ts";
import { costOf, degrade } from "../../mcp/degrade.ts";
import { memoizeLast } from "../../platform/memoize.ts";
import { readAtdf } from "../../workflows/atdf/read-atdf.ts";
import { shownEndpoint } from "../../workflows/mcp-nodes.ts";
import {
  type CalledWorkflow,
  enabledCalls,
  type MappedServer,
  type McpServerMap,
  mapMcpServers,
  type SubServer,
} from "../../workflows/mcp-server-map.ts";
import type { ServerTool } from "../../workflows/server-tools.ts";
import type { SubWorkflowReference } from "../../workflows/sub-workflows.ts";
import type { WorkflowOutline } from "../../workflows/workflow-outline.ts";
import type { ReadInstance } from "../all-workflows.ts";
import { countBeyond, nextOffsetOf } from "../paging.ts";
import { shortened } from "../shown.ts";
import { withoutEmpty } from "../without-empty.ts";
import { mcpServerChart } from "./mcp-server-chart.ts";

export interface Detail {
  readonly text: "full" | "brief" | "names";
  /** Maximum number of tools of a server, of called workflows, and of chart boxes. */
  readonly most: number;
}

/** How a map is written; `show` redacts a text, before it is cut or escaped. */
interface Writing extends Detail {
  readonly show: (text: string) => string;
}

const FULL: Detail = { text: "full", most: 150 };
/** Tried in order for a server that is too large. */
const DETAILS: readonly Detail[] = [
  FULL,
  { text: "brief", most: 150 },
  { text: "names", most: 150 },
  { text: "names", most: 60 },
  { text: "names", most: 25 },
  { text: "names", most: 10 },
];

export interface MapPage {
  readonly map: McpServerMap;
  readonly detail: Detail;
  /** The offset of the next server; null at the end. */
  readonly nextOffset: number | null;
}

type Entry = Readonly<Record<string, unknown>>;

export type RecentRuns = ReadonlyMap<string, RunStatistics>;

/** Reserved per workflow for run statistics, which are read after the page is chosen. */
const RUNS_TOKENS = 60;
const MAX_CALLERS = 20;
const TEXT_LENGTH: Readonly<Record<Detail["text"], number>> = { full: 600, brief: 120, names: 0 };

/** Takes as many servers as fit, but at least one. */
export function pageOfServers(
  instance: ReadInstance,
  roots: readonly WorkflowOutline[],
  offset: number,
  { maxTokens, show }: Pick<Writing, "show"> & { readonly maxTokens: number },
): MapPage {
  const [first] = roots.slice(offset);
  let map = mapMcpServers(instance, first === undefined ? [] : [first]);
  const tokens = (each: Detail): number => tokensOf(map, { ...each, show });
  const detail = degrade(DETAILS, tokens, (needed) => needed <= maxTokens).step;
  let end = offset + map.servers.length;
  while (detail === FULL && end < roots.length) {
    const larger = mapMcpServers(instance, roots.slice(offset, end + 1));
    if (tokensOf(larger, { ...detail, show }) > maxTokens) break;
    map = larger;
    end += 1;
  }
  return { map, detail, nextOffset: nextOffsetOf(end, roots.length) };
}

function tokensOf(map: McpServerMap, detail: Writing): number {
  const existing = [...map.called.values()].filter(({ outline }) => outline !== undefined).length;
  // Statistics appear with the workflow and with the tool that calls it.
  const runs = (Math.min(existing, detail.most) * 2 + map.servers.length) * RUNS_TOKENS;
  return runs + costOf(toMapAnswer(map, detail, new Map()));
}

export function toMapAnswer(map: McpServerMap, detail: Writing, runs: RecentRuns) {
  const called = [...map.called.values()];
  return {
    servers: map.servers.map((server) => toServerEntry(server, map, detail, runs)),
    workflows: called.slice(0, detail.most).map((each) => toWorkflowEntry(each, detail, runs)),
    ...withoutEmpty({ workflowsLeftOut: countBeyond(detail.most, called), cycles: map.cycles }),
    mermaid: mcpServerChart(map, detail),
  };
}

function toServerEntry(server: MappedServer, map: McpServerMap, detail: Writing, runs: RecentRuns): Entry {
  const { outline, subServers, collisions } = server;
  const { id, name, triggers, tools } = outline;
  return {
    workflowId: id,
    workflowName: name,
    ...versionFacts(outline),
    triggers: triggers.map(({ node, path, authentication, transports, credentialTypes, toolNodes }) => ({
      node,
      path,
      authentication,
      transports,
      credentialTypes,
      ...(triggers.length > 1 ? { toolNodes } : {}),
    })),
    tools: tools.slice(0, detail.most).map((tool) => toToolEntry(tool, map, detail, runs)),
    ...withoutEmpty({ toolsLeftOut: countBeyond(detail.most, tools) }),
    subServers: subServers.map((each) => toSubServerEntry(each, detail)),
    ...withoutEmpty({
      recentRuns: runs.get(id),
      sameMcpName: collisions,
      isCut: outline.isCut || undefined,
    }),
  };
}

function versionFacts({ isPublished, versionId, hasUnpublishedChanges, tags }: WorkflowOutline): Entry {
  return {
    active: isPublished,
    versionId,
    ...withoutEmpty({ hasUnpublishedChanges: hasUnpublishedChanges || undefined, tags }),
  };
}

function toToolEntry(tool: ServerTool, map: McpServerMap, detail: Writing, runs: RecentRuns): Entry {
  const { node, nodeType, mcpName, calls, problems } = tool;
  return {
    node,
    mcpName,
    ...(calls === undefined ? { nodeType } : { subWorkflow: toTarget(calls, map) }),
    ...(detail.text === "names" || tool.hasOwnSchema
      ? {}
      : { inputs: tool.inputs.map((input) => toInputEntry(input, detail)) }),
    ...describe(tool.description, detail),
    ...withoutEmpty({
      problems,
      recentRuns: calls?.kind === "id" ? runs.get(calls.workflowId) : undefined,
    }),
  };
}

function toTarget(reference: SubWorkflowReference, { called }: McpServerMap): Entry {
  if (reference.kind !== "id") return { state: "unknown", because: reference.kind };
  const { outline, state = "missing" } = called.get(reference.workflowId) ?? {};
  return {
    id: reference.workflowId,
    name: outline?.name ?? null,
    state,
    versionId: outline?.versionId ?? null,
  };
}

function toInputEntry(input: ServerTool["inputs"][number], detail: Writing): Entry {
  const { name, type, isRequired, description, defaultValue } = input;
  const isDescribed = description !== undefined && detail.text === "full";
  return {
    name,
    type,
    required: isRequired,
    ...(isDescribed ? { description: brief(description, detail) } : {}),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}

/** A page is written several times, until it fits. */
const readOnce = memoizeLast(readAtdf, 300);

function describe(description: string | undefined, detail: Writing): Entry {
  if (description === undefined || detail.text === "names") return {};
  const { block, valid, findings } = readOnce(description);
  if (block === null) return { description: brief(description, detail) };
  return {
    atdf: {
      valid,
      ...(findings.length > 0 ? { findings: findings.length } : {}),
      version: block.version && brief(block.version, detail),
      description: block.description && brief(block.description, detail),
      whenToUse: block.whenToUse && brief(block.whenToUse, detail),
      inputs: block.inputs.map(({ name, type, required }) => ({ name, type, required })),
      outputs: block.outputs,
    },
  };
}

function toSubServerEntry({ client, workflowId, tools }: SubServer, detail: Detail): Entry {
  const { node, nodeType, endpoint, transport, authentication, credentialTypes, include } = client;
  return {
    node,
    nodeType,
    ...(workflowId === undefined ? { endpoint: shownEndpoint(endpoint) } : { endpoint, workflowId }),
    transport,
    authentication,
    credentialTypes,
    include,
    ...(include === "except" ? { except: client.tools } : {}),
    // The tools are null when the other server is not part of this instance.
    tools:
      tools?.slice(0, detail.most).map(({ mcpName, tool }) => ({
        mcpName,
        ...(tool === undefined || tool.hasOwnSchema ? {} : { inputs: tool.inputs.map(({ name }) => name) }),
      })) ?? null,
  };
}

function toWorkflowEntry(called: CalledWorkflow, detail: Detail, runs: RecentRuns): Entry {
  const { workflowId, state, outline, calledBy } = called;
  return {
    workflowId,
    workflowName: outline?.name ?? null,
    state,
    ...(outline === undefined || detail.text === "names"
      ? {}
      : { ...versionFacts(outline), inputs: outline.inputs }),
    calls: outline === undefined ? [] : enabledCalls(outline),
    calledBy: calledBy.slice(0, MAX_CALLERS).map(({ workflowId: id, workflowName, node }) => ({
      workflowId: id,
      ...(detail.text === "full" ? { workflowName } : {}),
      node,
    })),
    ...withoutEmpty({
      callersLeftOut: countBeyond(MAX_CALLERS, calledBy),
      recentRuns: runs.get(workflowId),
    }),
  };
}

const brief = (text: string, { text: level, show }: Writing): string =>
  shortened(show(text), TEXT_LENGTH[level]);
