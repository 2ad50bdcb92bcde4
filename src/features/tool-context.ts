/** What a tool may use: one n8n instance, and what is known about it. */

import type { HistoryQueries } from "../history/history-queries.ts";
import type { RequestIdPaths } from "../history/request-ids/request-id-paths.ts";
import type { CallContext } from "../mcp/define-tool.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { N8nClient } from "../n8n/client.ts";
import type { N8nUrls } from "../n8n/n8n-urls.ts";
import type { SettingProblem } from "../settings/index.ts";

/** Nothing here can write to n8n. */
export interface ToolContext extends CallContext {
  /** The client, created on first use. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly n8n: () => N8nClient;
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
  /**
   * Whether this caller may be shown what errors say in their own words.
   * @throws ObserverError `CONFIGURATION_ERROR`
   */
  readonly mayShowErrorText: () => boolean;
  readonly mayReadData: boolean;
}
