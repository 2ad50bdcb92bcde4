/**
 * Chooses the sub-workflows to check (the named one, or those of a server's tools), and collects the verdicts on their
 * runs.
 */
import { Omitted } from "../../json/omitted.ts";
import type { ExecutionListItem, ExecutionWithData } from "../../n8n/schemas.ts";
import { type WorkflowNodeWithParameters, workflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "../../workflows/node-types.ts";
import type { ServerTool } from "../../workflows/server-tools.ts";
import { workflowInputs } from "../../workflows/sub-workflows.ts";
import { isServer, type WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { judgeRun } from "./judgement/judge-run.ts";
import { type CalledTool, mcpCallOf } from "./judgement/mcp-call.ts";
import { callReport, type JudgedCall, type JudgedRun, toolReport } from "./judgement/reports.ts";

interface ToolSubject {
  readonly workflowId: string;
  /** The tools that call it; empty when the call names the sub-workflow itself. */
  readonly tools: readonly ServerTool[];
}

export function subjectsOf(outline: WorkflowOutline): ToolSubject[] {
  if (!isServer(outline)) return [{ workflowId: outline.id, tools: [] }];
  const subjects = Map.groupBy(outline.tools, ({ calls }) =>
    calls?.kind === "id" ? calls.workflowId : undefined,
  );
  return [...subjects].flatMap(([workflowId, tools]) =>
    workflowId === undefined ? [] : [{ workflowId, tools }],
  );
}

export function uncheckedTools({ tools }: WorkflowOutline) {
  return tools
    .filter(({ calls }) => calls?.kind !== "id")
    .map(({ node, mcpName, calls }) => ({
      node,
      mcpName,
      because: calls === undefined ? "no_sub_workflow" : "sub_workflow_unknown",
    }));
}

/** The server's tools by node, including clients of other servers, whose tools only those servers know. */
function calledTools({ tools, clients }: WorkflowOutline): ReadonlyMap<string, CalledTool> {
  const relayed = clients.map(({ node }) => ({ node, inputs: [], callsWorkflow: false }));
  const own = tools.map(({ node, inputs, calls }) => ({ node, inputs, callsWorkflow: calls !== undefined }));
  return new Map([...relayed, ...own].map((tool) => [tool.node, tool]));
}

/**
 * The inputs that the sub-workflow declared when it ran; its tools say which of them are required. If the sub-workflow
 * accepts any input, its tools declare them.
 */
function declaredInputs(trigger: WorkflowNodeWithParameters | undefined, { tools }: ToolSubject) {
  const given = tools.flatMap(({ inputs }) => inputs);
  const { inputs = [] } = workflowInputs(trigger === undefined ? [] : [trigger]) ?? {};
  if (inputs.length === 0) return given.map(({ name, type, isRequired }) => ({ name, type, isRequired }));
  const optional = new Set(given.filter(({ isRequired }) => !isRequired).map(({ name }) => name));
  return inputs.map(({ name, type }) => ({ name, type, isRequired: !optional.has(name) }));
}

/** The trigger at which calls of the sub-workflow started; undefined if it had none. */
function callTrigger({ workflowData }: ExecutionWithData): WorkflowNodeWithParameters | undefined {
  const nodes = workflowData?.nodes ?? [];
  return (nodes instanceof Omitted ? [] : nodes)
    .filter((node) => !(node instanceof Omitted) && node.type === EXECUTE_WORKFLOW_TRIGGER)
    .flatMap((node) => workflowNodeWithParameters.safeParse(node).data ?? [])
    .find(({ disabled }) => !disabled);
}

/** Modes of runs that other triggers start, so that no tool call gets their answer. */
const OTHER_STARTS = new Set(["webhook", "trigger", "error", "chat", "evaluation"]);

/** Collects verdicts on the runs of a tool's sub-workflow. @param name null when only the runs contain it */
export function toolCheck(subject: ToolSubject, name: string | null) {
  const runs: JudgedRun[] = [];
  const check = {
    workflowId: subject.workflowId,
    /** Null when it is unknown and there are no runs. */
    workflowName: name,
    tools: subject.tools,
    judge: (item: ExecutionListItem, execution: ExecutionWithData): string | undefined => {
      check.workflowName ??= execution.workflowData?.name ?? null;
      const trigger = callTrigger(execution);
      if (trigger !== undefined && OTHER_STARTS.has(item.mode)) return "other_trigger";
      const verdict = judgeRun(execution, declaredInputs(trigger, subject));
      runs.push({ item, verdict });
      return verdict.kind === "unjudged" ? verdict.reason : undefined;
    },
    // The runs arrive in any order.
    report: () => toolReport(runs.toSorted((a, b) => Number(b.item.id) - Number(a.item.id))),
  };
  return check;
}

export function callCheck(outline: WorkflowOutline) {
  const triggers = new Set(outline.triggers.map(({ node }) => node));
  const tools = calledTools(outline);
  const calls: JudgedCall[] = [];
  return {
    workflowId: outline.id,
    judge: ({ id }: ExecutionListItem, execution: ExecutionWithData): string | undefined => {
      const call = mcpCallOf(execution, triggers, tools);
      calls.push({ executionId: id, call });
      return call.kind === "unjudged" ? call.reason : undefined;
    },
    report: () => callReport(calls.toSorted((a, b) => Number(b.executionId) - Number(a.executionId))),
  };
}
