/**
 * What the MCP registry asks of a server.json, as far as ours has it: written after its schema of 2025-12-11 and the
 * rules of the official registry (modelcontextprotocol.io/registry). Stricter than that schema: a member that is not
 * here is a mistake, and so is a range of versions, which the registry itself refuses. Before a release,
 * `mcp-publisher validate` judges by the official schema (docs/releasing.md).
 */

const VARIABLE = "[a-zA-Z_][a-zA-Z0-9_]*";
const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength });

const input = {
  type: "object",
  properties: {
    description: { type: "string" },
    isRequired: { type: "boolean" },
    isSecret: { type: "boolean" },
    placeholder: { type: "string" },
    default: { type: "string" },
    format: { enum: ["string", "number", "boolean", "filepath"] },
    choices: { type: "array", items: { type: "string" } },
  },
  additionalProperties: false,
};

export const SERVER_JSON_SCHEMA = {
  type: "object",
  required: ["$schema", "name", "description", "version", "remotes"],
  additionalProperties: false,
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
    // Reverse DNS, one slash.
    name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
    title: text(100),
    description: text(100),
    // One version, never a range.
    version: { type: "string", maxLength: 255, pattern: "^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$" },
    websiteUrl: { type: "string", pattern: "^https://" },
    repository: {
      type: "object",
      required: ["url", "source"],
      additionalProperties: false,
      properties: { url: { type: "string", pattern: "^https://" }, source: { const: "github" } },
    },
    remotes: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["type", "url"],
        additionalProperties: false,
        properties: {
          type: { enum: ["streamable-http", "sse"] },
          url: { type: "string", pattern: "^https?://[^\\s]+$" },
          variables: {
            type: "object",
            propertyNames: { pattern: `^${VARIABLE}$` },
            additionalProperties: input,
          },
        },
      },
    },
  },
};
