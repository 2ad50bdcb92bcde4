/** A secret in a name or a description is redacted before a map escapes it for its chart, or cuts it. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { rawWorkflow, wires } from "../../support/workflow-builder.ts";

const TRIGGER = { name: "MCP", type: "@n8n/n8n-nodes-langchain.mcpTrigger", parameters: { path: "x" } };
const DATES = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };

/** The map of a server with one tool. */
async function mapOf({ name = "Server", node = "tool_a", description = "Finds a customer." }) {
  const tool = { name: node, type: "@n8n/n8n-nodes-langchain.toolCode", parameters: { description } };
  const facts = { ...DATES, name, active: true, isArchived: false, tags: [], settings: {}, shared: [] };
  const workflow = rawWorkflow([TRIGGER, tool], wires({ [node]: [["MCP"]] }, "ai_tool"), facts);
  const n8n = createFakeN8n([]);
  n8n.intercept = ({ pathname }) =>
    pathname.endsWith("/workflows") ? jsonAnswer({ data: [workflow], nextCursor: null }) : undefined;
  const answer = await createCaller({ fetch: n8n.fetch, scopes: ["n8n:read"] }).call("map_mcp_server", {});
  expect(answer.status).toBe("success");
  return JSON.stringify(answer.data);
}

describe("no secret is in the chart", () => {
  test.each([
    ["Server (api_key=k8sQ2vB7xZ)", "k8sQ2vB7xZ"],
    ["Bot 123456789:AAHfiqksKZ8WmR2zSjiQ7_v4TMAKdiHm9T0", "AAHfiqksKZ8WmR2z"],
    ["To https://ada:hunter2pw@db.example.com/x", "hunter2pw"],
  ])("of a workflow or a node called %s", async (name, secret) => {
    const maps = [await mapOf({ name }), await mapOf({ node: name })];
    for (const map of maps) {
      expect(map).not.toContain(secret);
      expect(map).toContain("#91;REDACTED#58;");
    }
  });
});

test("no part of a secret is left where a description is cut", async () => {
  const isWhole = (text: string): boolean => String(createRedactor([])(text).value).includes("4111 1111");
  for (let at = 575; at < 600; at += 3) {
    const description = `${"words of a text ".repeat(60).slice(0, at)} 4111 1111 1111 1111 and more of it`;
    expect(isWhole(description)).toBe(false);
    expect(await mapOf({ description }), `${at}`).not.toContain("4111 1111");
  }
});
