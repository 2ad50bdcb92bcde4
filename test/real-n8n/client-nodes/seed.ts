/**
 * Workflows of an n8n that asks this server about itself: one that fails, and one for each way in which n8n's
 * nodes are clients of ours. Afterwards all are published, and their webhooks answer.
 */
import * as z from "zod";
import { agentNode, agentWith, chatModel, hang } from "../agent-parts.ts";
import type { RunningN8n } from "../boot.ts";
import { callApi } from "../n8n-api.ts";
import { chained, createWorkflow, waitForWebhook } from "../seed.ts";
import { chain, code, node, type WorkflowNode, webhook } from "../workflow-parts.ts";

/** The request that is traced. */
export const REQUEST_ID = "asked-by-n8n-itself";
export const FAILING_NODE = "Break";
export const failingPath = "client-nodes-fails";

export type Authentication = "bearerAuth" | "mcpOAuth2Api";

/** Authentication → id of its credential. */
export type Credentials = Readonly<Record<Authentication, string>>;

const CREDENTIAL_TYPES = { bearerAuth: "httpBearerAuth", mcpOAuth2Api: "mcpOAuth2Api" } as const;
const created = z.object({ id: z.string() });

export interface NodeUnderTest {
  /** Also the path of its webhook. */
  readonly name: string;
  readonly node: WorkflowNode;
  /** Whether an agent calls it as a tool, at its model's request. */
  readonly isTool: boolean;
}

const access = ({ baseUrl, writeKey }: RunningN8n) => ({ baseUrl, key: writeKey });

export async function createCredential(n8n: RunningN8n, type: string, data: object): Promise<string> {
  const body = { name: "Of the tests", type, data };
  return created.parse(await callApi(access(n8n), "POST", "/credentials", body)).id;
}

function credentialOf(
  authentication: Authentication,
  credentials: Credentials,
): Required<Pick<WorkflowNode, "credentials">> {
  return {
    credentials: {
      [CREDENTIAL_TYPES[authentication]]: { id: credentials[authentication], name: "Of the tests" },
    },
  };
}

/** n8n's MCP Client, which calls one tool. */
export function mcpClient(
  name: string,
  url: string,
  authentication: Authentication,
  credentials: Credentials,
): NodeUnderTest {
  const parameters = {
    serverTransport: "httpStreamable",
    endpointUrl: url,
    authentication,
    tool: { __rl: true, mode: "id", value: "trace_request" },
    inputMode: "json",
    jsonInput: JSON.stringify({ requestId: REQUEST_ID }),
    options: {},
  };
  const type = "@n8n/n8n-nodes-langchain.mcpClient";
  return {
    name,
    isTool: false,
    node: { ...node("Ask", type, 1, parameters), ...credentialOf(authentication, credentials) },
  };
}

/** n8n's MCP Client Tool in several versions, whose tools an agent calls. */
export function mcpClientTool(
  name: string,
  version: number,
  address: Readonly<Record<string, string>>,
  authentication: Authentication,
  credentials: Credentials,
): NodeUnderTest {
  const parameters = { ...address, authentication, include: "all", options: {} };
  const type = "@n8n/n8n-nodes-langchain.mcpClientTool";
  return {
    name,
    isTool: true,
    node: { ...node("Observer", type, version, parameters), ...credentialOf(authentication, credentials) },
  };
}

/** @param modelId the credential of the model that makes the call */
export async function seedClientNodes(
  n8n: RunningN8n,
  modelId: string,
  agentVersion: number,
  nodes: readonly NodeUnderTest[],
): Promise<void> {
  const fails = code(FAILING_NODE, 'throw new Error("Out of stock")');
  await createWorkflow(n8n, access(n8n), chained(failingPath, webhook(failingPath, "lastNode"), fails));
  for (const each of nodes) await createWorkflow(n8n, access(n8n), definitionOf(each, modelId, agentVersion));
  for (const path of [failingPath, ...nodes.map(({ name }) => name)]) await waitForWebhook(n8n, path);
}

function definitionOf({ name, node: asked, isTool }: NodeUnderTest, modelId: string, agentVersion: number) {
  const start = webhook(name, "lastNode");
  if (!isTool) return chained(name, start, asked);
  const agent = agentNode("Agent", agentVersion, "What became of the request?");
  const model = chatModel("Model", modelId);
  return {
    name,
    nodes: [start, agent, model, asked],
    connections: { ...chain("Webhook", "Agent"), ...hang(agentWith(model, asked)) },
  };
}
