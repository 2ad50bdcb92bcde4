/**
 * The map of the MCP server by the book, compared with what its n8n tells a real MCP client, and with n8n's own code
 * for the parts modelled on it.
 */
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import * as z from "zod";
import { fromAiArguments } from "../../src/workflows/from-ai.ts";
import { nodeNameToToolName } from "../../src/workflows/server-tools.ts";
import type { AgentClient } from "../support/agent-client.ts";
import type { RunningN8n } from "./boot.ts";
import { callTool, type ListedTool, listTools, type SeededBook } from "./by-the-book/seed.ts";
import { bookPaths } from "./by-the-book/workflows.ts";
import type { N8nInstallation } from "./install.ts";

const input = z.looseObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string().optional(),
  default: z.unknown().optional(),
});
const mapped = z.looseObject({
  servers: z.array(
    z.looseObject({
      tools: z.array(
        z.looseObject({
          mcpName: z.string(),
          inputs: z.array(input),
          atdf: z.looseObject({ valid: z.boolean() }),
          recentRuns: z.looseObject({ runs: z.number(), errors: z.number(), p50Ms: z.number().nullable() }),
        }),
      ),
      subServers: z.array(
        z.looseObject({
          tools: z.array(z.looseObject({ mcpName: z.string(), inputs: z.array(z.string()) })),
        }),
      ),
    }),
  ),
  workflows: z.array(z.looseObject({ state: z.string() })),
  mermaid: z.string(),
});

const schema = z.looseObject({
  properties: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      description: z.string().optional(),
      default: z.unknown().optional(),
    }),
  ),
  required: z.array(z.string()).default([]),
});

function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

/** n8n gives arguments of any JSON no type. */
function inputsOf({ inputSchema }: ListedTool): unknown[] {
  const { properties, required } = schema.parse(inputSchema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: property.type ?? "json",
    required: required.includes(name),
    description: property.description,
    default: property.default,
  }));
}

/** Calls a tool, then compares the map with `tools/list`, which must have the same names and inputs. */
export async function checkMap(client: AgentClient, n8n: RunningN8n, book: SeededBook): Promise<string> {
  const user = { user_id: "user-1", request_id: "req-book", with_details: true };
  const said = await callTool(n8n, bookPaths.server, book.bearerToken, "tool_get_user", user);
  if (!said.includes("req-book") || !said.includes("success")) throw new Error(`the tool said ${said}`);
  const listed = await listTools(n8n, bookPaths.server, book.bearerToken);
  const { envelope } = await client.call("map_mcp_server", { workflowId: book.ids.server });
  const { servers, workflows } = mapped.parse(envelope.data);
  const [server] = servers;
  const own = server?.tools ?? [];
  const relayed = (server?.subServers ?? []).flatMap(({ tools }) => tools);
  const names = [...own, ...relayed].map(({ mcpName }) => mcpName).sort();
  same("names", names, listed.map(({ name }) => name).sort());
  for (const tool of listed) {
    const found = own.find(({ mcpName }) => mcpName === tool.name);
    const expected = inputsOf(tool);
    if (found !== undefined) {
      const inputs = found.inputs.map(({ name, type, required, description, default: value }) => ({
        name,
        type,
        required,
        description,
        default: value,
      }));
      same(`inputs of ${tool.name}`, inputs, expected);
      continue;
    }
    const inputs = relayed.find(({ mcpName }) => mcpName === tool.name)?.inputs;
    same(`inputs of ${tool.name}`, inputs, Object.keys(schema.parse(tool.inputSchema).properties));
  }
  same(
    "valid ATDF",
    own.map(({ atdf }) => atdf.valid),
    own.map(() => true),
  );
  same("states", [...new Set(workflows.map(({ state }) => state))], ["published"]);
  const called = own.find(({ mcpName }) => mcpName === "tool_get_user");
  if ((called?.recentRuns.runs ?? 0) < 1) throw new Error("the run of the tool is not reported");
  return `${listed.length} tools; ${envelope.message ?? ""}`;
}

const n8nWorkflow = z.object({
  nodeNameToToolName: z.custom<(name: string) => string>((value) => typeof value === "function"),
  extractFromAICalls: z.custom<
    (text: string) => { key: string; description?: string; type: string; defaultValue?: unknown }[]
  >((value) => typeof value === "function"),
});

/** Compares our parsing of texts with n8n's own code: equal results, and a problem where n8n fails. */
export function checkAgainstN8nCode({ directory }: N8nInstallation): string {
  const require = createRequire(`${directory}/package.json`);
  const theirs = n8nWorkflow.parse(require("n8n-workflow"));
  const runs = 5_000;
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 90 }), fc.stringMatching(/^[a-z._ -]{60,80}$/)), (name) => {
      same(`tool name of ${JSON.stringify(name)}`, nodeNameToToolName(name), theirs.nodeNameToToolName(name));
    }),
    { numRuns: runs },
  );
  const pieces = [
    "$fromAI(",
    "$fromai (",
    "'",
    '"',
    "`",
    ",",
    ")",
    "(",
    "\\",
    " ",
    "key",
    "number",
    "json",
    "boolean",
    "STRING",
    "3",
    '{"a":1}',
    "true",
    "={{ ",
    " }}",
    "é",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 16 }), (parts) => {
      const text = parts.join("");
      same(`arguments in ${text}`, ours(text), expectedOf(text, theirs.extractFromAICalls));
    }),
    { numRuns: runs },
  );
  return `${runs} names, ${runs} texts`;
}

function ours(text: string): unknown {
  const { arguments: found, problems } = fromAiArguments({ text });
  if (problems.length > 0) return "fails";
  return found.map(({ key, description, type, defaultValue }) => [key, description, type, defaultValue]);
}

/** n8n keeps the last of several calls with one key, in the first one's place. */
function expectedOf(text: string, extract: z.infer<typeof n8nWorkflow>["extractFromAICalls"]): unknown {
  try {
    const byKey = new Map(extract(text).map((call) => [call.key, call]));
    return [...byKey.values()].map(({ key, description, type, defaultValue }) => [
      key,
      description,
      type,
      defaultValue,
    ]);
  } catch {
    return "fails";
  }
}
