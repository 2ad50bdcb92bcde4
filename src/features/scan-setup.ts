/** What a trace and a search are given alike: the window that the arguments name, and what they scan with. */

import type { CorrelationDigest } from "../history/correlation-digest.ts";
import type { RequestIdPaths } from "../history/request-id-paths.ts";
import type { TraceMemory } from "../history/trace-memory.ts";
import type { TraceWindow } from "../history/trace-window.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { N8nClient } from "../n8n/client.ts";
import { findWorkflowId, type NamedWorkflow } from "./find-workflow.ts";
import { toDateWindow } from "./params.ts";
import type { ToolContext } from "./tool-context.ts";

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
