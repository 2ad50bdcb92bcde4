import * as z from "zod";
import { defineTool } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { MORE_SENTENCE, pageLimit, smallerPage, workflowCursor } from "../paging.ts";
import { projectId } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";

const WRONG_TAGS = "must be a text of at most 500 characters, or a list of at most 20 of at most 100 each";

export const listWorkflows = defineTool({
  name: "list_workflows",
  title: "List workflows",
  description:
    "Lists workflows: id, name, active, tags. Use it to find a workflow's id or exact name. Only published ones unless active is false.",
  scope: "n8n:read",
  maxTokens: 20_000,
  audited: { projectId: "projectId" },
  input: z.strictObject({
    active: z.boolean().default(true).describe("true: published ones; false: those that are not"),
    name: z
      .string()
      .min(1, "must not be empty")
      .max(256, "must be at most 256 characters")
      .optional()
      .describe("Name, as n8n filters it"),
    tags: z
      .union([z.string().max(500, WRONG_TAGS), z.array(z.string().max(100)).max(20)], WRONG_TAGS)
      .optional()
      .describe("Tag names; a workflow must have all"),
    projectId: projectId.optional(),
    limit: pageLimit(100),
    cursor: workflowCursor.optional(),
  }),
  output: z.looseObject({
    workflows: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        active: z.boolean(),
        createdAt: z.string(),
        updatedAt: z.string(),
        tags: z.array(z.string()),
        url: z.string(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  async run({ active, name, tags, projectId: project, limit, cursor: from }, { n8n, n8nUrls }: ToolContext) {
    const urls = n8nUrls();
    const { workflows, unread, nextCursor } = await n8n().listWorkflows({
      active,
      name,
      tags: Array.isArray(tags) ? tags.join(",") : tags,
      projectId: project,
      limit,
      cursor: from,
    });
    return {
      message: joinSentences(
        `${counted(workflows.length, active ? "active workflow" : "inactive workflow")}.`,
        unread.length > 0 && `${counted(unread.length, "is", "are")} too large to list.`,
        nextCursor !== null && MORE_SENTENCE,
      ),
      data: { workflows: workflows.map((each) => ({ ...each, url: urls.workflow(each.id) })), nextCursor },
    };
  },
  rest: (input, shown) => smallerPage("list_workflows", input, shown.workflows.length),
});
