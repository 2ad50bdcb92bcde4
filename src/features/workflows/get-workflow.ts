import * as z from "zod";
import { defineTool } from "../../mcp/define-tool.ts";
import { costOf } from "../../mcp/degrade.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { sha256Text } from "../../platform/sha256.ts";
import { requireWorkflowId } from "../find-workflow.ts";
import { nextOffsetOf, offsetArgument } from "../paging.ts";
import { nextCall, workflowId, workflowName } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";
import { toGitWorkflow } from "./git/git-workflow.ts";
import { summarizeWorkflow } from "./git/summary.ts";
import { endOfPage } from "./git/text-page.ts";
import { readCalls, relationsOf } from "./relations.ts";

const SUMMARY_TOKENS = 1_500;
/** The most tokens of a page of text, which must never be shortened, so the answer's budget is larger. */
const PAGE_TOKENS = 18_000;

const ENGINE_V2 = "It runs on engine v2: n8n's public API shows none of its executions.";

const DRAFT =
  "These are the nodes of the draft. Another version is published and runs, and the calls below are those of that version.";

async function readSummary(id: string, context: ToolContext) {
  const { n8n, n8nUrls, redact } = context;
  const [workflow, calls] = await Promise.all([n8n().readWorkflowWithNodes(id), readCalls(id, context)]);
  const relations = relationsOf(workflow, calls);
  const fits = (each: object): boolean => costOf(redact({ ...each, ...relations.data })) <= SUMMARY_TOKENS;
  const description = z
    .string()
    .nullable()
    .parse(redact(workflow.description ?? null));
  const summary = summarizeWorkflow({ ...workflow, description }, fits);
  const { counts, triggers, active } = summary;
  const state = active ? "active" : "not active";
  const starts =
    triggers.length === 0
      ? "no enabled trigger"
      : `started by ${triggers
          .map(({ name }) => quoted(name))
          .slice(0, 3)
          .join(", ")}`;
  const draft = workflow.published === null ? "" : ` ${DRAFT}`;
  const hidden = workflow.settings.engineType === "v2" ? ` ${ENGINE_V2}` : "";
  return {
    message: `${quoted(workflow.name)}: ${state}, ${counted(counts.nodes, "node")}, ${starts}.${draft} ${relations.sentence}${hidden}`,
    data: { format: "summary", url: n8nUrls().workflow(workflow.id), ...summary, ...relations.data },
  };
}

async function readGit(id: string, offset: number, { n8n, n8nUrls, print }: ToolContext) {
  const source = await n8n().readWorkflowSource(id);
  const printed = await print(toGitWorkflow(source));
  const { text } = printed;
  const from = Math.min(offset, text.length);
  const end = endOfPage(text, from, PAGE_TOKENS, costOf);
  const isWhole = from === 0 && end === text.length;
  const part = isWhole ? "" : ` Characters ${from} to ${end} of ${text.length}.`;
  const more = end < text.length ? " Call again with nextOffset and concatenate the texts." : "";
  return {
    message: `${quoted(source.name ?? id)} for version control: ${counted(source.nodes.length, "node")}.${part}${more}`,
    data: {
      format: "git",
      workflowId: id,
      url: n8nUrls().workflow(id),
      versionId: source.versionId ?? null,
      text: printed.slice(from, end),
      offset: from,
      nextOffset: nextOffsetOf(end, text.length),
      length: text.length,
      sha256: sha256Text("hex", text),
    },
  };
}

export const getWorkflow = defineTool({
  name: "get_workflow",
  title: "Show a workflow",
  description:
    "One workflow: a summary (nodes, flow, credentials, settings, which workflows call it and which it calls), or its text for version control, always the same bytes, ready for n8n's import.",
  scope: "n8n:read",
  audited: { workflowId: "workflowId" },
  maxTokens: 20_000,
  input: z.strictObject({
    workflowId: workflowId.optional(),
    // Short: `tools/list` has little room.
    workflowName: workflowName.optional().describe("Or its name"),
    format: z.enum(["summary", "git"]).default("summary"),
    offset: offsetArgument().describe("git: nextOffset"),
  }),
  output: z.looseObject({ format: z.string(), workflowId: z.string(), url: z.string() }),
  async run({ format, offset, ...named }, context: ToolContext) {
    const id = await requireWorkflowId(named, context);
    return format === "git" ? await readGit(id, offset, context) : await readSummary(id, context);
  },
  rest: (_input, { workflowId: id }) =>
    nextCall("The git format has all of it.", "get_workflow", { workflowId: id, format: "git" }),
});
