/** The nodes that serve a workflow's MCP server triggers as tools, each once. Pure. */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { toolNodesOf } from "../../workflows/server-tools.ts";
import type { AuditSubject } from "./subject.ts";

export function serverToolNodes({
  graph,
  outline,
}: Pick<AuditSubject, "graph" | "outline">): WorkflowNodeWithParameters[] {
  return [...new Set(outline.triggers.flatMap(({ node }) => toolNodesOf(graph, node)))];
}
