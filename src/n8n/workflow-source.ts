/**
 * A workflow as n8n gives it, member by member: for an export, and to compare. Nothing is normalised, and nothing
 * may be missing: what is too large to be read whole is refused.
 */
import * as z from "zod";
import { containsOmitted, type ReadValue } from "../json/omitted.ts";
import { ObserverError } from "../platform/errors.ts";

const value = z.custom<ReadValue>((each) => each !== undefined);
/** Not copied: whatever its keys are, they stay. */
const members = z.custom<Readonly<Record<string, ReadValue>>>(
  (each) => typeof each === "object" && each !== null && !Array.isArray(each),
);

/** A version of n8n's history, or a pasted export, may have no more than nodes and connections. */
const workflowSource = z.object({
  name: z.string().nullish(),
  versionId: z.string().nullish(),
  nodes: z.array(members),
  connections: members,
  settings: members.nullish(),
  nodeGroups: z.array(value).nullish(),
});
export type WorkflowSource = z.infer<typeof workflowSource>;

/** @throws ZodError when it is no workflow; ObserverError when it is too large */
export function toWorkflowSource(read: ReadValue): WorkflowSource {
  const source = workflowSource.parse(read);
  if (!containsOmitted(source)) return source;
  throw new ObserverError("N8N_BAD_RESPONSE", "The workflow is too large to be read whole.", {
    solution:
      "get_workflow with format summary says what it contains. In the git format, and to compare, up to 4 MB of text in up to 256 kB each are read.",
  });
}

/** One page of a workflow's history, newest first. */
export const workflowHistory = z.object({
  data: z.array(
    z.object({
      versionId: z.string(),
      createdAt: z.string(),
      /** Given by a person; most have none. */
      name: z.string().nullish(),
    }),
  ),
});
export type WorkflowHistoryItem = z.infer<typeof workflowHistory>["data"][number];
