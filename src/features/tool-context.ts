/** What a tool may use: one n8n, and what is known of it. */

import type { HistoryQueries } from "../history/history-queries.ts";
import type { RequestIdPaths } from "../history/request-ids/request-id-paths.ts";
import type { CallContext } from "../mcp/define-tool.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import type { N8nClient } from "../n8n/client.ts";
import type { N8nUrls } from "../n8n/n8n-urls.ts";
import type { SettingProblem } from "../settings/index.ts";

/** Nothing here can write to n8n. */
export interface ToolContext extends CallContext {
  /** The client, made when first asked for. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly n8n: () => N8nClient;
  /** Where people open what is named. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly n8nUrls: () => N8nUrls;
  /** What is known of what this n8n can do, for this call. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly capabilities: () => KnownCapabilities;
  /** @throws ObserverError `CONFIGURATION_ERROR` */
  readonly requestIdPaths: () => RequestIdPaths;
  readonly settingProblems: () => readonly SettingProblem[];
  /** A sentence that names the settings of a single n8n, with the names that those of this one have. */
  readonly renameSettings: (sentence: string) => string;
  readonly toolNames: readonly string[];
  /** What is known of n8n's executions, and the calling user's traces. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly history: () => HistoryQueries;
  /** The id of a trace that begins in this call; without it, it gets one of its own. */
  readonly newTraceId?: string;
  /** Of several n8n instances that are asked for one request. */
  readonly sharedWait?: { isFound: boolean };
  /**
   * Whether this caller may be shown what errors say in their own words.
   * @throws ObserverError `CONFIGURATION_ERROR`
   */
  readonly mayShowErrorText: () => boolean;
  readonly mayReadData: boolean;
}
