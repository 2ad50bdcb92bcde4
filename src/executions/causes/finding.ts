/**
 * What a rule finds in an execution. Its sentence holds names, types, counts, codes and words of our own, and never
 * payload: that stands in `value` alone, which is shown to who may see it, redacted.
 */
import type { ReadValue } from "../../json/omitted.ts";

/** Fixed, so that whoever reads an answer by a program can rely on them. */
export const CAUSES = [
  // What has not ended, or was ended from outside.
  ...["running", "waiting", "canceled_by_hand", "timed_out", "canceled", "crashed"],
  // What n8n itself names.
  ...["sub_workflow_failed", "sub_workflow_missing", "sub_workflow_unpublished", "sub_workflow_unavailable"],
  ...["sub_workflow_refused", "sub_workflow_not_chosen", "node_not_installed", "credential"],
  ...["stopped_on_purpose", "node_missing", "node_not_run", "pairing"],
  // What an earlier node made, or did not make.
  ...["field_missing", "field_null", "wrong_type", "not_json", "code_undefined_name", "code_syntax"],
  ...["code_module", "code_return", "code_threw", "invalid_request"],
  // What was called.
  ...["http_status", "timeout", "connection", "certificate", "database", "file", "model", "tool_failed"],
  // What n8n itself could not do, or lacks.
  ...["runner", "not_set_up"],
  "node_failed",
  // Against an earlier success.
  ...["edited", "differs"],
  // Circumstances of a failure.
  ...["item", "loop", "retries", "branch", "failing_node", "error_workflow", "mended"],
  // What a success hides.
  ...["error_caught", "error_handled", "error_as_data", "dropped", "nothing_passed", "nothing_fetched"],
  "input_missing",
  ...["empty_item", "field_empty", "hint", "not_answered", "node_disabled", "agent_stopped"],
  // What cannot be said.
  ...["withheld", "too_large", "not_saved", "no_data"],
  "nothing_wrong",
] as const;
export type CauseId = (typeof CAUSES)[number];

/** `exact`: n8n says so, or the data shows it. `compared`: an earlier success had it otherwise. `observed`: it is so, and may be meant so. */
export type Confidence = "exact" | "compared" | "observed";

export interface Finding {
  readonly cause: CauseId;
  /** The node where it began; null when none is known. */
  readonly node: string | null;
  readonly sentence: string;
  readonly confidence: Confidence;
  /** Path in an item, as the workflow itself writes it. */
  readonly field?: string;
  /** Another node that has a part in it: the one that failed on what `node` made. */
  readonly failedNode?: string;
  /** Payload: what was there in its place. */
  readonly value?: ReadValue;
  /** An execution that says more. */
  readonly executionId?: string;
}
