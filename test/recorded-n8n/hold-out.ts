/**
 * Kinds of failure that other people created and recorded, one file each: n8n's answers, and the truth as written down
 * before anything was explained.
 * They are returned as saved, validated. `toRecordingOf` makes an instance of one kind.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { RecordedVersion } from "../real-n8n/versions.ts";
import { type Recording, readRecording } from "./recording.ts";

/**
 * `diagnosis`: 54 kinds of n8n 2.40.5 with real databases, brokers, mail, files and models, by an outsider; known
 * while the rules were written. `shops` (2.40.5) and `operations` (1.123.81): 43 and 45 kinds, by authors who had not
 * read the rules, recorded before they were explained. `threads` (2.40.5): 35 kinds based on public threads of users,
 * made without knowledge of the rules. `issues` (2.40.5): 43 kinds based on issues of n8n itself, each with
 * its `source`, made likewise. `community` (2.40.5): 65 kinds based on public threads and templates, made likewise;
 * `variants`: 28 of the same author, half of them healthy, which the corrections after `community` might mistake.
 * `error-texts` (2.40.5): 41 failures whose texts no table knows, some based on public threads; the eleven last ones
 * written after the corrections. `services` (2.40.5): 38 kinds based on public threads and documents, each with its
 * `source`; the eight last ones (hash-in-a-colour, day-with-slashes, name-is-taken-twice, quantity-by-comma,
 * sku-with-a-blank, expires-in-1970, new-email-in-capitals, first-second-of-unix) written after the corrections.
 * `green` (2.40.5): 30 successes based on public threads, 22 of them wrong; six of these (patch-of-no-row,
 * neither-found-nor-new, done-told-each-round, three-branches-one-push, event-sent-again-by-its-sender,
 * only-one-branch-is-read) written after the corrections.
 */
export const HOLD_OUTS = [
  "diagnosis",
  "shops",
  "operations",
  "threads",
  "issues",
  "community",
  "variants",
  "error-texts",
  "services",
  "green",
] as const;
export type HoldOut = (typeof HOLD_OUTS)[number];

export const holdOutDirectory = (name: HoldOut): string =>
  join(dirname(fileURLToPath(import.meta.url)), "recording", "hold-outs", name);

const expression = z.string().transform((source) => new RegExp(source, "i"));

const holdOutKind = z.object({
  kind: z.string(),
  /** `silent`: a success with a wrong result. `healthy`: looks odd, but is right. */
  expect: z.enum(["failed", "silent", "healthy"]),
  executionId: z.string(),
  requestId: z.string().nullish(),
  rootNode: z.string().nullish(),
  alsoRoot: z.array(z.string()).default([]),
  truth: z.string(),
  /** The thread on which it is based. */
  source: z.url().nullish(),
  reason: expression.nullish(),
  must: z.array(expression).default([]),
  mustNot: z.array(expression).default([]),
  n8n: z.string(),
  executions: z.record(
    z.string(),
    z.looseObject({ id: z.string(), workflowId: z.string(), workflowData: z.unknown() }),
  ),
  workflows: z.record(z.string(), z.looseObject({ id: z.string(), name: z.string(), active: z.boolean() })),
});
export type HoldOutKind = z.infer<typeof holdOutKind>;

export async function readHoldOut(directory: string): Promise<HoldOutKind[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".json")).sort();
  return await Promise.all(names.map(async (name) => await readKind(join(directory, name))));
}

async function readKind(path: string): Promise<HoldOutKind> {
  const parsed = holdOutKind.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (!parsed.success) throw new Error(`${basename(path)}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Takes keys and discovered scopes from the main recording. */
export async function toRecordingOf(version: RecordedVersion, kind: HoldOutKind): Promise<Recording> {
  const { manifest, discoveries } = await readRecording(version);
  const executions = Object.values(kind.executions).sort((left, right) => Number(left.id) - Number(right.id));
  const workflows = Object.values(kind.workflows).map((each) => ({ ...each, tags: [] }));
  return {
    manifest: { ...manifest, scenarios: [], fillers: [] },
    executions: executions.map(({ workflowData: _, ...answer }, snapshot) => ({
      answer: { startedAt: null, ...answer },
      snapshot,
      status: String(answer.status ?? ""),
    })),
    snapshots: executions.map(({ workflowData }) => workflowData),
    workflows,
    workflowDetails: workflows,
    tags: [],
    discoveries,
  };
}
