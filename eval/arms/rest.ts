/** n8n's public API alone: two tools that read, with answers cut as an agent's harness cuts them. */
import * as z from "zod";
import type { N8nAccess } from "../../scripts/bench/n8n-access.ts";
import type { Arm, ArmTool } from "./arm.ts";

/** About 25,000 tokens, where Claude Code truncates. */
const MOST_CHARACTERS = 100_000;

const lists = z.object({
  status: z.enum(["canceled", "error", "running", "success", "waiting"]).optional(),
  workflowId: z.string().optional(),
  includeData: z.boolean().optional(),
  limit: z.int().min(1).max(250).optional(),
  cursor: z.string().optional(),
});
const gets = z.object({
  what: z
    .enum(["execution", "workflow", "workflows"])
    .describe("`workflows` lists them all, and takes no id"),
  id: z.string().optional(),
  cursor: z.string().optional(),
});

const TOOLS: readonly ArmTool[] = [
  {
    name: "list_executions",
    description: "GET /api/v1/executions of n8n: the newest first, a page at a time.",
    inputSchema: z.toJSONSchema(lists),
  },
  {
    name: "get",
    description: "GET of one execution with its data, of one workflow, or of the list of workflows of n8n.",
    inputSchema: z.toJSONSchema(gets),
  },
];

export function createRestArm({ baseUrl, apiKey }: N8nAccess): Arm {
  const get = async (path: string, query: Readonly<Record<string, unknown>>): Promise<string> => {
    const url = new URL(`/api/v1/${path}`, baseUrl);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const response = await fetch(url, { headers: { "x-n8n-api-key": apiKey } });
    return cut(await response.text());
  };
  return {
    name: "rest",
    tools: TOOLS,
    call: async (tool, args) => {
      if (tool === "list_executions") {
        const parsed = lists.safeParse(args);
        return parsed.success ? await get("executions", parsed.data) : z.prettifyError(parsed.error);
      }
      const parsed = gets.safeParse(args);
      if (!parsed.success) return z.prettifyError(parsed.error);
      const { what, id = "", cursor } = parsed.data;
      if (what === "workflows") return await get("workflows", { limit: 250, cursor });
      const query = what === "execution" ? { includeData: true } : {};
      return await get(`${what}s/${encodeURIComponent(id)}`, query);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS)}\n[cut: ${text.length - MOST_CHARACTERS} characters more]`;
}
