/** What a trace and a search are given alike: the window that the arguments name, and what they scan with. */
import type { ToolContext } from "../mcp/define-tool.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { N8nClient } from "../n8n/client.ts";
import type { CorrelationDigest } from "../trace/correlation-digest.ts";
import type { RequestIdPaths } from "../trace/request-id-paths.ts";
import type { TraceMemory } from "../trace/trace-memory.ts";
import type { TraceWindow } from "../trace/trace-window.ts";
import { findWorkflowId, type NamedWorkflow } from "./find-workflow.ts";
import { toDateWindow } from "./params.ts";

export interface ScanInput extends NamedWorkflow {
  readonly startedAfter?: string | undefined;
  readonly startedBefore?: string | undefined;
}

export interface ScanSetup
  extends Pick<ToolContext, "clock" | "redact" | "redactLarge" | "mayReadData" | "progress"> {
  readonly window: TraceWindow;
  readonly client: N8nClient;
  readonly capabilities: KnownCapabilities;
  readonly memory: TraceMemory;
  readonly digest: CorrelationDigest;
  readonly paths: RequestIdPaths;
}

/** @throws ObserverError for a wrong window, an unknown workflow, `CONFIGURATION_ERROR`, or an `N8N_…` code */
export async function scanSetup(input: ScanInput, context: ToolContext): Promise<ScanSetup> {
  const dates = toDateWindow(input.startedAfter, input.startedBefore);
  const client = context.n8n();
  return {
    window: {
      workflowId: (await findWorkflowId(client, context.clock, input)) ?? null,
      startedAfter: dates.startedAfter ?? null,
      startedBefore: dates.startedBefore ?? null,
    },
    client,
    capabilities: context.capabilities(),
    memory: context.memory(),
    digest: context.digest(),
    paths: context.requestIdPaths(),
    clock: context.clock,
    redact: context.redact,
    redactLarge: context.redactLarge,
    mayReadData: context.mayReadData,
    progress: context.progress,
  };
}
