/** What a tool may use: one n8n instance, and what is known about it. */
import type { HistoryQueries } from "../history/history-queries.ts";
import type { RequestIdPaths } from "../history/request-ids/request-id-paths.ts";
import type { TraceScope } from "../history/resuming/trace-state.ts";
import type { CallContext } from "../mcp/define-tool.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { N8nUrls } from "../n8n/n8n-urls.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import type { SettingProblem } from "../settings/index.ts";

/** Nothing here can write to n8n. */
export interface ToolContext extends CallContext {
  /** The client, created on first use. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly n8n: () => VisibleN8n;
  /** Addresses of workflows and executions in n8n's editor. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly n8nUrls: () => N8nUrls;
  /** The known capabilities of this n8n. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly capabilities: () => KnownCapabilities;
  /** @throws ObserverError `CONFIGURATION_ERROR` */
  readonly requestIdPaths: () => RequestIdPaths;
  readonly settingProblems: () => readonly SettingProblem[];
  /** Replaces the names of settings in a sentence by those of this instance. */
  readonly renameSettings: (sentence: string) => string;
  readonly toolNames: readonly string[];
  /** The history of executions, and the calling user's traces. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly history: () => HistoryQueries;
  /** The id for a trace that begins in this call; generated if absent. */
  readonly newTraceId?: string;
  /** Shared by several n8n instances that trace one request. */
  readonly sharedWait?: { isFound: boolean };
  /** Called with the scope of each trace that begins. */
  readonly onTraced?: (scope: TraceScope) => void;
  /** Facts that the caller's access rules select workflows by, and this n8n does not report. */
  readonly unreportedFacts: () => Promise<readonly string[]>;
  /**
   * Whether this caller may see the own text of the workflow's errors; null: of all workflows that they see.
   * @throws ObserverError `CONFIGURATION_ERROR`
   */
  readonly maySeeErrorText: (workflowId: string | null) => Promise<boolean>;
  /** Whether this caller may see payload of the workflow; null: of all workflows that they see. */
  readonly maySeeData: (workflowId: string | null) => Promise<boolean>;
}

export interface WorkflowContext extends ToolContext {
  readonly mayReadData: boolean;
  readonly mayShowErrorText: boolean;
}

/** @param workflowIds the workflows whose values are shown; null for any that the caller sees */
export async function contextOf(
  context: ToolContext,
  ...workflowIds: readonly (string | null)[]
): Promise<WorkflowContext> {
  const all = async (ask: (workflowId: string | null) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(workflowIds.map(ask))).every(Boolean);
  const [mayReadData, mayShowErrorText] = [await all(context.maySeeData), await all(context.maySeeErrorText)];
  return { ...context, mayReadData, mayShowErrorText };
}
