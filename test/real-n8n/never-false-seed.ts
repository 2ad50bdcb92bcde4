/**
 * The workflows of the never-false cases, besides those of the other scenarios.
 * Promises: all are published, and their webhooks answer.
 */
import * as z from "zod";
import type { RunningN8n } from "./boot.ts";
import type { FakeModel } from "./fake-model.ts";
import { callApi } from "./n8n-api.ts";
import { createWorkflow, mcpPath, waitForWebhook } from "./seed.ts";
import { chain, code, node, type WorkflowNode, webhook } from "./workflow-parts.ts";

export const neverFalseNames = { agent: "agent.ask", unsaved: "ping.unsaved" } as const;
export const neverFalsePaths = { agent: "agent-ask", unsaved: "ping-unsaved" } as const;
/** The node after the agent, which fails. */
export const failingNode = "Store Answer";

const created = z.object({ id: z.string() });

export async function seedNeverFalse(n8n: RunningN8n, model: FakeModel): Promise<void> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  await createWorkflow(n8n, access, {
    name: neverFalseNames.unsaved,
    nodes: [webhook(neverFalsePaths.unsaved, "lastNode"), code("Pong", "return [{ json: { pong: true } }]")],
    connections: chain("Webhook", "Pong"),
    settings: { saveDataSuccessExecution: "none" },
  });
  const credential = await callApi(access, "POST", "/credentials", {
    name: "Model of the tests",
    type: "openAiApi",
    data: { apiKey: "only-for-tests", url: model.baseUrl, header: false },
  });
  await createWorkflow(n8n, access, agentWorkflow(n8n, created.parse(credential).id));
  for (const path of Object.values(neverFalsePaths)) await waitForWebhook(n8n, path);
}

/** An agent whose tool is the MCP server on the same n8n; what comes after it fails. */
function agentWorkflow(n8n: RunningN8n, credentialId: string): Parameters<typeof createWorkflow>[2] {
  const agent = node("Agent", "@n8n/n8n-nodes-langchain.agent", 3.1, {
    promptType: "define",
    text: "Are the dates valid?",
    options: {},
  });
  const model: WorkflowNode = {
    ...node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.2, {
      model: { __rl: true, mode: "id", value: "gpt-4o-mini" },
      options: {},
    }),
    credentials: { openAiApi: { id: credentialId, name: "Model of the tests" } },
  };
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
    connections: {
      ...chain("Webhook", "Agent", failingNode),
      Model: { ai_languageModel: [[{ node: "Agent", type: "ai_languageModel", index: 0 }]] },
      Dates: { ai_tool: [[{ node: "Agent", type: "ai_tool", index: 0 }]] },
    },
  };
}
