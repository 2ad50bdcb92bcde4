/** Which version of a workflow runs. Pure. */
import type { WorkflowVersion, WorkflowWithNodes } from "../n8n/workflow-schemas.ts";

/** What the editor shows and the next publishing will publish. */
function draftOf({ versionId, nodes, connections }: WorkflowWithNodes): WorkflowVersion {
  return { versionId: versionId ?? null, nodes, connections };
}

/**
 * What production runs: the published version. Of a workflow that is not published the draft, which runs
 * only from the editor.
 */
export function runningVersion(workflow: WorkflowWithNodes): WorkflowVersion {
  return workflow.published ?? draftOf(workflow);
}
