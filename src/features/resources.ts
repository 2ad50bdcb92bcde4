/** What can be read under an address, for hosts in which people attach things to a conversation. */
import type { ResourceDefinition } from "../mcp/define-resource.ts";

export const RESOURCES: readonly ResourceDefinition[] = [
  {
    name: "trace",
    title: "Trace of a request",
    description: "What happened to a request id, as trace_request tells it.",
    kind: "trace",
    tool: "trace_request",
    argument: "requestId",
  },
  {
    name: "execution",
    title: "Execution",
    description: "Summary of an execution, as get_execution tells it.",
    kind: "execution",
    tool: "get_execution",
    argument: "id",
  },
  {
    name: "workflow",
    title: "Workflow",
    description: "Outline of a workflow by its name, as get_workflow tells it.",
    kind: "workflow",
    tool: "get_workflow",
    argument: "workflowName",
    completes: "workflowName",
  },
];
