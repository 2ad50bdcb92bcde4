/** Serves our tools as ATDF blocks (Agent Tool Description Format), from the same definitions as `tools/list`. */
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Tool } from "./define-tool.ts";

/** Increase it when a tool's arguments change. */
const VERSION = "1.0.0";
const MIME_TYPE = "application/yaml";

const property = z.looseObject({ type: z.string().optional(), description: z.string().optional() });
const schemaShape = z.looseObject({
  properties: z.record(z.string(), property).default({}),
  required: z.array(z.string()).default([]),
});

export function registerAtdf(server: McpServer, tools: Iterable<Tool>): void {
  for (const tool of tools) {
    const uri = `n8n-observer://atdf/${tool.name}`;
    server.registerResource(
      `atdf_${tool.name}`,
      uri,
      { title: `${tool.name}, as ATDF`, mimeType: MIME_TYPE },
      () => ({ contents: [{ uri, mimeType: MIME_TYPE, text: atdfOf(tool) }] }),
    );
  }
}

export function atdfOf({ title, description, input }: Pick<Tool, "title" | "description" | "input">): string {
  const { properties, required } = schemaShape.parse(z.toJSONSchema(input, { io: "input" }));
  const inputs = Object.entries(properties).flatMap(([name, { type = "string", description: about }]) => [
    `    - name: ${name}`,
    `      type: ${type}`,
    `      required: ${required.includes(name)}`,
    `      description: ${JSON.stringify(about ?? name)}`,
  ]);
  // YAML accepts JSON's quoted strings.
  return [
    `description: ${JSON.stringify(title)}`,
    `version: ${VERSION}`,
    "how_to_use:",
    inputs.length === 0 ? "  inputs: []" : "  inputs:",
    ...inputs,
    "  outputs:",
    '    status: "success or error"',
    '    data: "what was asked for, or code, message and details of an error"',
    '    meta: "time, and what was redacted or left out"',
    `when_to_use: ${JSON.stringify(description)}`,
    "",
  ].join("\n");
}
