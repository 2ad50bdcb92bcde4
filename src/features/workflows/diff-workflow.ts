import * as z from "zod";
import { readBounded } from "../../json/bounded-reader.ts";
import { JsonReadError } from "../../json/errors.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { WHOLE_WORKFLOW } from "../../n8n/workflow-reading.ts";
import {
  toWorkflowSource,
  type WorkflowHistoryItem,
  type WorkflowSource,
} from "../../n8n/workflow-schemas.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { workflowId } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";
import { changesSentence, isUnchanged } from "./git/changes-sentence.ts";
import { compareWorkflows, type ShownWorkflow } from "./git/compare-workflows.ts";
import { type GitWorkflow, toGitWorkflow } from "./git/git-workflow.ts";

const MAX_EXPORT = 500_000;
const LISTED_VERSIONS = 10;

const versionId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be a version id: letters, digits and -");

interface DiffInput {
  readonly workflowId: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly against?: string | undefined;
}

/** A state of the workflow, and what it is called in the answer. */
interface State {
  readonly source: WorkflowSource;
  readonly label: string;
}

function invalidExport(message: string): ObserverError {
  return new ObserverError("VALIDATION_ERROR", message, {
    field: "against",
    expected: "a workflow exported from n8n, or the text of get_workflow with format git",
    solution: "Paste the whole JSON of one workflow.",
  });
}

/** @throws ObserverError `VALIDATION_ERROR` when it is no export */
function readExport(text: string): WorkflowSource {
  try {
    const value = readBounded(new TextEncoder().encode(text.trim()), WHOLE_WORKFLOW);
    // n8n's command line exports a list.
    return toWorkflowSource(Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value);
  } catch (error) {
    if (error instanceof JsonReadError) throw invalidExport("against is no JSON.");
    if (error instanceof z.ZodError) throw invalidExport("against is JSON, but no workflow.");
    if (error instanceof ObserverError) throw invalidExport("against is too large to be compared.");
    throw error;
  }
}

async function readState(client: N8nClient, id: string, version: string | undefined): Promise<State> {
  if (version === undefined) return { source: await client.readWorkflowSource(id), label: "now" };
  // Its name is what a person called the version.
  const { name: _ofVersion, ...source } = await client.readWorkflowVersion(id, version);
  return { source, label: `version ${version}` };
}

/** The newest version that is not the one to compare with. */
function versionBefore(id: string, history: readonly WorkflowHistoryItem[], to: string): string {
  const at = history.findIndex((item) => item.versionId === to);
  const before = history[at + 1];
  if (before !== undefined && before.versionId !== to) return before.versionId;
  throw new ObserverError("WORKFLOW_NOT_FOUND", `n8n has no version of workflow ${id} before this one.`, {
    field: "from",
    solution: "Compare with an export instead: paste it as against.",
  });
}

/** Nobody may find out a secret by pasting guesses: what is pasted is compared as redaction leaves both. */
async function redacted(workflow: GitWorkflow, { redactLarge }: ToolContext): Promise<ShownWorkflow> {
  const clean = toGitWorkflow(toWorkflowSource(await redactLarge(workflow)));
  return { raw: clean, shown: clean };
}

/** Of n8n's own versions a changed secret is told, and not shown. */
async function secretsCompared(workflow: GitWorkflow, { redactLarge }: ToolContext): Promise<ShownWorkflow> {
  return { raw: workflow, shown: await redactLarge(workflow) };
}

async function compareWithExport(input: DiffInput & { against: string }, context: ToolContext) {
  const pasted = readExport(input.against);
  const now = await readState(context.n8n(), input.workflowId, input.to);
  const before = await redacted(toGitWorkflow(pasted), context);
  return {
    before,
    after: await redacted(toGitWorkflow(now.source), context),
    label: "the export",
    now,
    versions: [],
  };
}

async function compareVersions({ workflowId: id, from, to }: DiffInput, context: ToolContext) {
  const client = context.n8n();
  const now = await readState(client, id, to);
  const history = from === undefined ? await client.listWorkflowVersions(id, LISTED_VERSIONS) : [];
  const old = await readState(
    client,
    id,
    from ?? versionBefore(id, history, to ?? now.source.versionId ?? ""),
  );
  return {
    before: await secretsCompared(toGitWorkflow(old.source), context),
    after: await secretsCompared(toGitWorkflow(now.source), context),
    label: old.label,
    now,
    versions: history.map(({ versionId: version, createdAt, name }) => ({
      versionId: version,
      createdAt,
      ...(name === null || name === undefined ? {} : { name }),
    })),
  };
}

async function readBoth(input: DiffInput, context: ToolContext) {
  const { against, from } = input;
  if (against === undefined) return await compareVersions(input, context);
  if (from === undefined) return await compareWithExport({ ...input, against }, context);
  throw new ObserverError("VALIDATION_ERROR", "Both from and against are given.", {
    field: "against",
    expected: "one of the two",
    solution: "Leave from out to compare with the export, or against to compare with the version.",
  });
}

export const diffWorkflow = defineTool({
  name: "diff_workflow",
  title: "Compare a workflow",
  description:
    "What changed in a workflow between two versions (default: the last change), or since a pasted export.",
  scope: "n8n:read",
  audited: { workflowId: "workflowId" },
  maxTokens: 20_000,
  input: z.strictObject({
    workflowId,
    from: versionId.optional().describe("Older version id, from versions"),
    to: versionId.optional().describe("Newer version id; default: now"),
    against: z
      .string()
      .min(2, "must not be empty")
      .max(MAX_EXPORT, `must be at most ${MAX_EXPORT} characters`)
      .optional()
      .describe("Instead of from: an export as JSON text"),
  }),
  output: z.looseObject({ url: z.string(), same: z.boolean() }),
  async run(input, context: ToolContext) {
    const { before, after, label, now, versions } = await readBoth(input, context);
    const changes = compareWorkflows(before, after);
    const same = isUnchanged(changes);
    const name = quoted(now.source.name ?? input.workflowId);
    const what = same ? "nothing changed" : changesSentence(changes);
    return {
      message: `${name}, from ${label} to ${now.label === "now" ? "what it is now" : now.label}: ${what}.`,
      data: {
        url: context.n8nUrls().workflow(input.workflowId),
        same,
        ...changes,
        ...(versions.length === 0 ? {} : { versions }),
      },
    };
  },
  rest: ({ workflowId: id }): Guidance => ({
    message: "The whole text, to compare it elsewhere.",
    example: `get_workflow({"workflowId":"${id}","format":"git"})`,
  }),
});
