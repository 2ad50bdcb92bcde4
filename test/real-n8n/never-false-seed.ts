/**
 * The workflows of the cases with missing data, besides those of the other scenarios.
 * Afterwards all are published, and their webhooks answer.
 */
import { agentNode, agentWith, chatModel, createModelCredential, hang } from "./agent-parts.ts";
import type { RunningN8n } from "./boot.ts";
import type { FakeModel } from "./fake-model.ts";
import { chained, createWorkflow, mcpPath, waitForWebhook } from "./seed.ts";
import { chain, code, node, webhook } from "./workflow-parts.ts";

export const neverFalseNames = { agent: "agent.ask", unsaved: "ping.unsaved" } as const;
export const neverFalsePaths = { agent: "agent-ask", unsaved: "ping-unsaved" } as const;
/** The failing node after the agent. */
export const failingNode = "Store Answer";

export async function seedNeverFalse(n8n: RunningN8n, model: FakeModel): Promise<void> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  await createWorkflow(n8n, access, {
    ...chained(
      neverFalseNames.unsaved,
      webhook(neverFalsePaths.unsaved, "lastNode"),
      code("Pong", "return [{ json: { pong: true } }]"),
    ),
    settings: { saveDataSuccessExecution: "none" },
  });
  const credentialId = await createModelCredential(n8n, model.baseUrl);
  await createWorkflow(n8n, access, agentWorkflow(n8n, credentialId));
  for (const path of Object.values(neverFalsePaths)) await waitForWebhook(n8n, path);
}

/** An agent whose tool is the MCP server on the same n8n, followed by a failing node. */
function agentWorkflow(n8n: RunningN8n, credentialId: string): Parameters<typeof createWorkflow>[2] {
  const agent = agentNode("Agent", 3.1, "Are the dates valid?");
  const model = chatModel("Model", credentialId);
  const tools = node("Dates", "@n8n/n8n-nodes-langchain.mcpClientTool", 1.2, {
    endpointUrl: `${n8n.baseUrl}/mcp/${mcpPath}`,
    serverTransport: "httpStreamable",
    authentication: "none",
    include: "all",
    options: {},
  });
  return {
    name: neverFalseNames.agent,
    nodes: [
      webhook(neverFalsePaths.agent, "lastNode"),
      agent,
      model,
      tools,
      code(failingNode, 'throw new Error("The answer could not be stored.")'),
    ],
    connections: { ...chain("Webhook", "Agent", failingNode), ...hang(agentWith(model, tools)) },
  };
}
