/** Builders of the nodes, connections and credentials that workflows with an agent share. */
import * as z from "zod";
import type { RunningN8n } from "./boot.ts";
import { callApi } from "./n8n-api.ts";
import type { N8nVersion } from "./versions.ts";
import { type Connections, node, type WorkflowNode } from "./workflow-parts.ts";

/** A sub-node of another node, with its connection type. */
export interface SubNode {
  readonly of: string;
  readonly as:
    | "ai_languageModel"
    | "ai_tool"
    | "ai_memory"
    | "ai_outputParser"
    | "ai_embedding"
    | "ai_document";
  readonly node: WorkflowNode;
  /** The index among several of its kind; none for the first. */
  readonly index?: number;
}

const MODEL_CREDENTIAL = "Model of the tests";
const created = z.object({ id: z.string() });

/** One version of each agent generation that this n8n has. */
export const agentVersions: Readonly<Record<N8nVersion, readonly number[]>> = {
  "2.40.5": [1.7, 2.2, 3.1],
  "2.41.1": [1.7, 2.2, 3.1],
  "1.123.81": [1.7, 2.2, 3],
  "1.100.1": [1.7, 2],
};

/** The data of n8n's OpenAI credential for a model server. */
export function modelCredential(n8n: RunningN8n, url: string): Record<string, unknown> {
  // n8n 1.100 does not know the setting for a header, which newer versions require to be off.
  const header = n8n.installation.version === "1.100.1" ? {} : { header: false };
  return { apiKey: "only-for-tests", url, ...header };
}

/** @returns the id of the credential */
export async function createModelCredential(n8n: RunningN8n, url: string): Promise<string> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const body = { name: MODEL_CREDENTIAL, type: "openAiApi", data: modelCredential(n8n, url) };
  return created.parse(await callApi(access, "POST", "/credentials", body)).id;
}

export function chatModel(
  name: string,
  credentialId: string,
  options: Record<string, unknown> = {},
): WorkflowNode {
  return {
    ...node(name, "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.2, {
      model: { __rl: true, mode: "id", value: "gpt-4o-mini" },
      options,
    }),
    credentials: { openAiApi: { id: credentialId, name: MODEL_CREDENTIAL } },
  };
}

/** @param more parameters besides the prompt */
export function agentNode(
  name: string,
  version: number,
  text: string,
  more: Record<string, unknown> = {},
): WorkflowNode {
  return node(name, "@n8n/n8n-nodes-langchain.agent", version, {
    ...(version < 2 ? { agent: "toolsAgent" } : {}),
    promptType: "define",
    text,
    options: {},
    ...more,
  });
}

/** The connections of sub-nodes to the nodes that use them. */
export function hang(subNodes: readonly SubNode[]): Connections {
  return Object.fromEntries(
    subNodes.map((each) => [
      each.node.name,
      { [each.as]: [[{ node: each.of, type: each.as, index: each.index ?? 0 }]] },
    ]),
  );
}

/** The connections of an agent named “Agent” with its model and tools. */
export function agentWith(model: WorkflowNode, ...tools: readonly WorkflowNode[]): SubNode[] {
  return [
    { of: "Agent", as: "ai_languageModel", node: model },
    ...tools.map((tool) => ({ of: "Agent", as: "ai_tool" as const, node: tool })),
  ];
}
