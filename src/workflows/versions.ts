/** Which version of a workflow runs. Pure. */
import type { WorkflowVersion, WorkflowWithNodes } from "../n8n/workflow-schemas.ts";

/**
 * The published version, which production runs; for a workflow that is not published the draft, which runs only
 * from the editor.
 */
export function runningVersion(workflow: WorkflowWithNodes): WorkflowVersion {
  const { published, versionId = null, nodes, connections } = workflow;
  return published ?? { versionId, nodes, connections };
}
