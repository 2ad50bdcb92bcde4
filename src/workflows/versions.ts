/** Which version of a workflow runs. Pure. */
import type { WorkflowVersion, WorkflowWithNodes } from "../n8n/workflow-schemas.ts";

/** The version that the editor shows and that will be published next. */
function draftOf({ versionId, nodes, connections }: WorkflowWithNodes): WorkflowVersion {
  return { versionId: versionId ?? null, nodes, connections };
}

/**
 * The published version, which production runs; for a workflow that is not published the draft, which runs only
 * from the editor.
 */
export function runningVersion(workflow: WorkflowWithNodes): WorkflowVersion {
  return workflow.published ?? draftOf(workflow);
}
