/**
 * Reads the saved recording of a real n8n.
 * It is returned as `scripts/tools/record.ts` saved it, validated; nothing is cached or changed.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { defaultN8nVersion, type RecordedVersion } from "../real-n8n/versions.ts";

/** The folder of the default version, with a folder for each other version. */
export const recordingDirectory = join(dirname(fileURLToPath(import.meta.url)), "recording");

export function recordingDirectoryOf(version: RecordedVersion): string {
  return version === defaultN8nVersion ? recordingDirectory : join(recordingDirectory, version);
}

/** Validates a value and returns it untouched; zod itself would put known keys first. */
function untouched<Value>(schema: z.ZodType<Value>): z.ZodType<Value> {
  return z.custom<Value>((value) => schema.safeParse(value).success);
}

const keys = z.array(z.string());

/** The keys, in n8n's order, of each of the four answers that hold an execution. */
const executionForms = z.object({
  item: keys,
  itemWithData: keys,
  detail: keys,
  detailWithData: keys,
});
export type ExecutionForms = z.infer<typeof executionForms>;

const scenario = z.object({
  name: z.string(),
  requestId: z.string(),
  expected: z.object({
    outcome: z.enum(["success", "error", "waiting", "running", "canceled"]),
    entryWorkflowName: z.string(),
    failingNode: z.object({ workflowName: z.string(), nodeName: z.string() }).optional(),
    subWorkflowNames: z.array(z.string()),
    errorHandler: z.boolean(),
    retry: z.boolean(),
    entryIds: z.array(z.string()),
    executionIds: z.array(z.string()),
  }),
});
/** A request that was sent during recording, and the truth about it. */
export type RecordedScenario = z.infer<typeof scenario>;

const manifest = z.object({
  n8nVersion: z.string(),
  recordedAt: z.iso.datetime(),
  forms: executionForms,
  scenarios: z.array(scenario),
  fillers: z.array(z.object({ requestId: z.string(), executionId: z.string() })),
});

const execution = z
  .object({
    answer: untouched(
      z.looseObject({
        id: z.string(),
        status: z.string().optional(),
        workflowId: z.string(),
        startedAt: z.iso.datetime().nullable(),
      }),
    ),
    /** Index into the workflow snapshots. */
    snapshot: z.int(),
    /** From n8n's database where the answer has none. */
    status: z.string().optional(),
  })
  .transform(({ status, ...known }) => ({ ...known, status: status ?? known.answer.status ?? "" }));
export type RecordedExecution = z.infer<typeof execution>;

const tag = untouched(z.looseObject({ id: z.string(), name: z.string() }));

const workflow = untouched(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    active: z.boolean(),
    tags: z.array(tag),
    /** Only in the list of workflows. */
    shared: z.array(z.looseObject({ projectId: z.string() })).optional(),
  }),
);
export type RecordedWorkflow = z.infer<typeof workflow>;

const discovery = z.object({
  key: z.enum(["read", "write"]),
  answer: untouched(z.looseObject({ data: z.looseObject({ scopes: z.array(z.string()) }) })),
});

export interface Recording {
  manifest: z.infer<typeof manifest>;
  /** By ascending id. */
  executions: RecordedExecution[];
  snapshots: unknown[];
  /** As in the list of workflows, in the same order. */
  workflows: RecordedWorkflow[];
  /** As returned one by one. */
  workflowDetails: RecordedWorkflow[];
  tags: z.infer<typeof tag>[];
  discoveries: z.infer<typeof discovery>[];
}

export async function readRecording(version: RecordedVersion = defaultN8nVersion): Promise<Recording> {
  const directory = recordingDirectoryOf(version);
  const [manifestFile, executions, snapshots, workflows, workflowDetails, tags, discoveries] =
    await Promise.all(
      [
        "manifest",
        "executions",
        "workflow-snapshots",
        "workflows",
        "workflow-details",
        "tags",
        "discover",
      ].map((name) => readJson(directory, name)),
    );
  return {
    manifest: manifest.parse(manifestFile),
    executions: z.array(execution).parse(executions),
    snapshots: z.array(z.unknown()).parse(snapshots),
    workflows: z.array(workflow).parse(workflows),
    workflowDetails: z.array(workflow).parse(workflowDetails),
    tags: z.array(tag).parse(tags),
    discoveries: z.array(discovery).parse(discoveries),
  };
}

const reply = z.object({
  path: z.string(),
  key: z.enum(["read", "wrong", "none"]).default("read"),
  status: z.int(),
  body: z.unknown(),
});
/** A request that was sent during recording, and n8n's answer. */
export type RecordedReply = z.infer<typeof reply>;

/** n8n's answers to requests that show how its version differs from others. */
export async function readReplies(version: RecordedVersion): Promise<RecordedReply[]> {
  return z.array(reply).parse(await readJson(recordingDirectoryOf(version), "replies"));
}

async function readJson(directory: string, name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(directory, `${name}.json`), "utf8"));
}
