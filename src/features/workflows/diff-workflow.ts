import * as z from "zod";
import { readBounded } from "../../json/bounded-reader.ts";
import { JsonReadError } from "../../json/errors.ts";
import { defineTool } from "../../mcp/define-tool.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { WHOLE_WORKFLOW } from "../../n8n/workflow-reading.ts";
import {
  toWorkflowSource,
  type WorkflowHistoryItem,
  type WorkflowSource,
} from "../../n8n/workflow-schemas.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { nextCall, workflowId } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";
import { withoutEmpty } from "../without-empty.ts";
import {
  changesSentence,
  compareWorkflows,
  isUnchanged,
  type ShownWorkflow,
} from "./git/compare-workflows.ts";
import { toGitWorkflow } from "./git/git-workflow.ts";

const MAX_EXPORT = 500_000;
const SHOWN_VERSIONS = 10;
/** To find the version before an older one. */
const LISTED_VERSIONS = 100;

const versionId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be a version id: letters, digits and -");

function invalidExport(message: string): ObserverError {
  return new ObserverError("VALIDATION_ERROR", message, {
    field: "against",
    expected: "a workflow exported from n8n, or the text of get_workflow with format git",
    solution: "Paste the whole JSON of one workflow.",
  });
}

/** @throws ObserverError `VALIDATION_ERROR` when the text is not an export */
function readExport(text: string): WorkflowSource {
  try {
    const value = readBounded(new TextEncoder().encode(text.trim()), WHOLE_WORKFLOW);
    // n8n's command line exports lists.
    return toWorkflowSource(Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value);
  } catch (error) {
    if (error instanceof JsonReadError) throw invalidExport("against is not JSON.");
    if (error instanceof z.ZodError) throw invalidExport("against is JSON, but not a workflow.");
    if (error instanceof ObserverError) throw invalidExport("against is too large to compare.");
    throw error;
  }
}

async function readState(client: VisibleN8n, id: string, version: string | undefined) {
  if (version === undefined) return { source: await client.readWorkflowSource(id), label: "now" };
  // The name belongs to the version, not to the workflow.
  const source: WorkflowSource = { ...(await client.readWorkflowVersion(id, version)), name: undefined };
  return { source, label: `version ${version}` };
}

/** @param to by default the current state, which the history may lack */
function versionBefore(id: string, history: readonly WorkflowHistoryItem[], current: string, to?: string) {
  const at = history.findIndex((item) => item.versionId === (to ?? current));
  const before = history[at + 1];
  if (before !== undefined && (at >= 0 || to === undefined)) return before.versionId;
  const message = `Among the newest ${LISTED_VERSIONS} versions of workflow ${id}, n8n has none before this one.`;
  throw new ObserverError("WORKFLOW_NOT_FOUND", message, {
    field: "from",
    solution: "Give an older version as from, or compare with an export: paste it as against.",
  });
}

/** Compares redacted texts, so that nobody can guess a secret by pasting exports. */
async function redacted(source: WorkflowSource, { redactLarge }: ToolContext): Promise<ShownWorkflow> {
  const clean = toGitWorkflow(toWorkflowSource(await redactLarge(toGitWorkflow(source))));
  return { raw: clean, shown: clean };
}

/** Between n8n's own versions, a changed secret is reported as a change, but not shown. */
async function secretsCompared(source: WorkflowSource, { redactLarge }: ToolContext): Promise<ShownWorkflow> {
  const raw = toGitWorkflow(source, true);
  return { raw, shown: await redactLarge(raw) };
}

async function compareWithExport(id: string, to: string | undefined, against: string, context: ToolContext) {
  const pasted = readExport(against);
  const now = await readState(context.n8n(), id, to);
  const [before, after] = [await redacted(pasted, context), await redacted(now.source, context)];
  return { before, after, label: "the export", now, history: [] };
}

async function compareVersions(
  id: string,
  to: string | undefined,
  from: string | undefined,
  context: ToolContext,
) {
  const client = context.n8n();
  const now = await readState(client, id, to);
  const history = from === undefined ? await client.listWorkflowVersions(id, LISTED_VERSIONS) : [];
  const older = from ?? versionBefore(id, history, now.source.versionId ?? "", to);
  const { source, label } = await readState(client, id, older);
  const before = await secretsCompared(source, context);
  return { before, after: await secretsCompared(now.source, context), label, now, history };
}

function bothGiven(): ObserverError {
  return new ObserverError("VALIDATION_ERROR", "Both from and against are given.", {
    field: "against",
    expected: "one of the two",
    solution: "Leave from out to compare with the export, or against to compare with the version.",
  });
}

const toVersion = ({ versionId: version, createdAt, name }: WorkflowHistoryItem) => ({
  versionId: version,
  createdAt,
  ...(name === null || name === undefined ? {} : { name }),
});

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
  async run({ workflowId: id, from, to, against }, context: ToolContext) {
    if (from !== undefined && against !== undefined) throw bothGiven();
    const { before, after, label, now, history } =
      against === undefined
        ? await compareVersions(id, to, from, context)
        : await compareWithExport(id, to, against, context);
    const changes = compareWorkflows(before, after);
    const same = isUnchanged(changes);
    const name = quoted(now.source.name ?? id);
    const nothing =
      against === undefined ? "no node or connection changed; versions hold no settings" : "nothing changed";
    const what = same ? nothing : changesSentence(changes);
    return {
      message: `${name}, from ${label} to ${now.label === "now" ? "its current state" : now.label}: ${what}.`,
      data: {
        url: context.n8nUrls().workflow(id),
        same,
        ...changes,
        ...withoutEmpty({ versions: history.slice(0, SHOWN_VERSIONS).map(toVersion) }),
      },
    };
  },
  rest: ({ workflowId: id }) =>
    nextCall("The whole text, to compare it elsewhere.", "get_workflow", { workflowId: id, format: "git" }),
});
