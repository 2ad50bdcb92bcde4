/** Starts a recorded n8n with the kinds of one version, and a caller of the tools in front of it. */

import type { ToolContext } from "../../src/features/tool-context.ts";
import type { Tool } from "../../src/mcp/define-tool.ts";
import type { RecordedVersion } from "../real-n8n/versions.ts";
import { readFailures, toRecording } from "../recorded-n8n/failures.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";
import type { AskedKind } from "./judge-all.ts";

export interface RecordedKinds {
  readonly kinds: readonly AskedKind[];
  readonly n8n: RecordedN8n;
  /** Calls with all scopes and a history that persists between calls, as one user of one Worker. */
  readonly explain: (executionId: string) => Promise<unknown>;
}

export const EXPLAIN_TOOL = "explain_failure";

/** @param tools all tools by default */
export async function startRecordedKinds(
  version: RecordedVersion,
  tools?: readonly Tool<ToolContext>[],
): Promise<RecordedKinds> {
  const failures = await readFailures(version);
  const n8n = await startRecordedN8n({ version, recording: await toRecording(version, failures) });
  const caller = createCaller({ settings: settingsFor(n8n), ...(tools === undefined ? {} : { tools }) });
  return {
    kinds: failures.kinds,
    n8n,
    explain: async (executionId) => await caller.call(EXPLAIN_TOOL, { executionId }),
  };
}
