/**
 * The recorded failures, silent failures and ordinary successes, as `scripts/tools/record-failures.ts` saved them.
 * They are returned as saved, validated. `toRecording` makes an instance of them that
 * `startRecordedN8n({ recording })` serves, with lists and workflows.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { RecordedVersion } from "../real-n8n/versions.ts";
import { type Recording, readRecording } from "./recording.ts";

const recording = join(dirname(fileURLToPath(import.meta.url)), "recording");
export const failuresDirectory = join(recording, "failures");
/** Kinds for which no rule was written (`test/real-n8n/unseen`). */
export const unseenDirectory = join(recording, "unseen");

const answer = z.looseObject({
  id: z.string(),
  status: z.string().optional(),
  workflowId: z.string(),
  startedAt: z.string().nullable(),
});
const workflow = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    active: z.boolean(),
    activeVersion: z.looseObject({}).nullish(),
  })
  // Nodes and connections of the active version that equal the draft's are saved once.
  .transform(({ activeVersion, ...known }) => {
    if (!activeVersion) return { ...known, ...(activeVersion === null ? { activeVersion } : {}) };
    const { nodes, connections } = { nodes: known.nodes, connections: known.connections, ...activeVersion };
    return { ...known, activeVersion: { ...activeVersion, nodes, connections } };
  });

const recordedFailures = z.object({
  kinds: z.array(
    z.object({
      name: z.string(),
      family: z.enum(["failed", "silent", "ordinary"]),
      /** All executions of the kind, including runs to compare with, sub-workflows and error workflows. */
      executionIds: z.array(z.string()),
      /** The executions to be explained: one, or several ordinary ones. */
      judgedIds: z.array(z.string()),
      /** The nodes of all its workflows. */
      nodeNames: z.array(z.string()),
    }),
  ),
  /** By ascending id. `status` comes from n8n's database where the answer has none. */
  executions: z.array(z.object({ answer, snapshot: z.int(), status: z.string() })),
  /** The workflows as stored in executions. */
  snapshots: z.array(z.unknown()),
  /** As n8n returns them one by one. */
  workflows: z.array(workflow),
});
export type RecordedFailures = z.infer<typeof recordedFailures>;

/** @param directory with one recording per version */
export async function readFailures(
  version: RecordedVersion,
  directory = failuresDirectory,
): Promise<RecordedFailures> {
  return recordedFailures.parse(JSON.parse(await readFile(join(directory, `${version}.json`), "utf8")));
}

/** Takes keys and discovered scopes from the main recording. */
export async function toRecording(version: RecordedVersion, failures: RecordedFailures): Promise<Recording> {
  const { manifest, discoveries } = await readRecording(version);
  const workflows = failures.workflows.map((each) => ({ ...each, tags: [] }));
  return {
    manifest: { ...manifest, scenarios: [], fillers: [] },
    executions: failures.executions,
    snapshots: failures.snapshots,
    workflows,
    workflowDetails: workflows,
    tags: [],
    discoveries,
  };
}
