/** The window that the arguments of a trace and a search name alike. */
import type { TraceWindow } from "../history/store/trace-window.ts";
import { findWorkflowId, type NamedWorkflow } from "./find-workflow.ts";
import { toDateWindow } from "./params.ts";
import type { ToolContext } from "./tool-context.ts";

export interface WindowInput extends NamedWorkflow {
  readonly startedAfter?: string | undefined;
  readonly startedBefore?: string | undefined;
}

/** @throws ObserverError for a wrong window, an unknown workflow, `CONFIGURATION_ERROR`, or an `N8N_…` code */
export async function windowOf(input: WindowInput, context: ToolContext): Promise<TraceWindow> {
  const dates = toDateWindow(input.startedAfter, input.startedBefore);
  return {
    workflowId: (await findWorkflowId(context.n8n(), context.clock, input)) ?? null,
    startedAfter: dates.startedAfter ?? null,
    startedBefore: dates.startedBefore ?? null,
  };
}
