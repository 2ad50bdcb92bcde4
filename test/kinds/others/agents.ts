/** Agents and their sub-nodes; sub-workflows. */
import { AI, apiError, failing, nodeError, one, ownError, type ReportedCase } from "./case.ts";

const CHAT = { name: "When chat message received", type: `${AI}chatTrigger`, sent: [[{ chatInput: "hi" }]] };
const AGENT = "AI Agent";
const agent = (error: Readonly<Record<string, unknown>>, parameters = {}) => ({
  ...failing(AGENT, `${AI}agent`, error, parameters),
  after: ["When chat message received"],
});
const subNode = (
  name: string,
  type: string,
  connection: string,
  error: Readonly<Record<string, unknown>>,
) => ({
  ...failing(name, `${AI}${type}`, error),
  connection,
  after: [AGENT],
});
/** A model or tool that an agent called, and that failed. */
const called = (...args: Parameters<typeof subNode>) => ({
  ...subNode(...args),
  asked: { messages: ["Human: hi"] },
});
const memory = (message: string, description: string) =>
  subNode("Simple Memory", "memoryBufferWindow", "ai_memory", nodeError(message, { description }));
const idle = (name: string, type: string, connection: string) => ({
  name,
  type: `${AI}${type}`,
  connection,
  after: [AGENT],
});

export const agents: readonly ReportedCase[] = [
  {
    kind: "memory-without-session",
    source: "#19778",
    steps: [
      CHAT,
      agent(nodeError("Error in sub-node Simple Memory")),
      memory(
        "No session ID found",
        "Expected to find the session ID in an input field called 'sessionId' (this is what the chat trigger node outputs).",
      ),
    ],
    roots: ["Simple Memory"],
    symptoms: [AGENT],
    says: [/session/],
  },
  {
    kind: "memory-without-key",
    source: "#22985",
    steps: [
      CHAT,
      agent(nodeError("Error in sub-node Simple Memory")),
      memory("Key parameter is empty", "Provide a key to use as session ID in the 'Key' parameter"),
    ],
    roots: ["Simple Memory"],
    symptoms: [AGENT],
    says: [/session|key/],
  },
  {
    kind: "no-prompt",
    source: "n8n-docs#2528",
    steps: [
      CHAT,
      agent(
        nodeError("No prompt specified", {
          description: "Expected to find the prompt in an input field called 'chatInput'",
        }),
      ),
    ],
    roots: [AGENT],
    says: [/prompt/],
  },
  {
    kind: "no-fallback-model",
    source: "#17157",
    steps: [CHAT, agent(nodeError("A Fallback Model sub-node must be connected and enabled"))],
    roots: [AGENT],
    says: [/model/i, /connected/],
  },
  {
    kind: "no-chat-model",
    source: "agent node docs, common issues",
    steps: [CHAT, agent(nodeError("A Chat Model sub-node must be connected and enabled"))],
    roots: [AGENT],
    says: [/model/i, /connected/],
  },
  {
    kind: "arguments-refused",
    source: "#13440, #37916",
    steps: [
      CHAT,
      agent(
        nodeError("Received tool input did not match expected schema", {
          description: "Required → at query",
        }),
      ),
      idle("Search", "toolWorkflow", "ai_tool"),
    ],
    roots: [AGENT],
    symptoms: ["Search"],
    says: [/argument/],
  },
  {
    kind: "answer-format",
    source: "#20029",
    steps: [
      CHAT,
      agent(
        nodeError("Model output doesn't fit required format", {
          description:
            "To continue the execution when this happens, change the 'On Error' parameter in the root node's settings",
        }),
      ),
      idle("Structured Output Parser", "outputParserStructured", "ai_outputParser"),
    ],
    roots: [AGENT],
    symptoms: ["Structured Output Parser"],
    says: [/format/],
  },
  {
    kind: "model-refuses-role",
    source: "#13911",
    steps: [
      CHAT,
      agent(
        apiError("400", "Bad request - please check your parameters", {
          description: "Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
        }),
      ),
      called(
        "OpenAI Chat Model",
        "lmChatOpenAi",
        "ai_languageModel",
        apiError("400", "Bad request - please check your parameters"),
      ),
    ],
    roots: ["OpenAI Chat Model"],
    symptoms: [AGENT],
    says: [/400|refus/],
  },
  {
    kind: "provider-error",
    source: "#23415",
    steps: [
      CHAT,
      agent(
        apiError("400", "Bad request - please check your parameters", {
          description: "Provider returned error",
        }),
      ),
      called(
        "OpenRouter Chat Model",
        "lmChatOpenRouter",
        "ai_languageModel",
        apiError("400", "Bad request - please check your parameters", {
          description: "Provider returned error",
        }),
      ),
    ],
    roots: ["OpenRouter Chat Model"],
    symptoms: [AGENT],
    says: [/400|refus/],
  },
  {
    kind: "iterations",
    source: "n8n-nodes-langchain agent V3",
    steps: [
      CHAT,
      agent(
        nodeError(
          "Max iterations (10) reached. The agent could not complete the task within the allowed number of iterations.",
        ),
        { options: { maxIterations: 10 } },
      ),
    ],
    roots: [AGENT],
    says: [/iterations/],
  },
  {
    kind: "mcp-away",
    source: "n8n-nodes-langchain mcp",
    steps: [
      CHAT,
      agent(nodeError("Error in sub-node MCP Client")),
      subNode("MCP Client", "mcpClientTool", "ai_tool", nodeError("Could not connect to your MCP server")),
    ],
    roots: ["MCP Client"],
    symptoms: [AGENT],
    says: [/MCP|connect|reach|set up/],
  },
];

export const calls: readonly ReportedCase[] = [
  one(
    "caller-refused",
    "#24562, words of n8n 1",
    [
      "excute cal workflow",
      "executeWorkflow",
      ownError("The sub-workflow (mcv_welcome_offer_data_calculation) cannot be called by this workflow"),
    ],
    /sub-workflow/,
    /allow/,
  ),
  one(
    "no-start",
    "#16128",
    [
      "Execute Workflow",
      "executeWorkflow",
      ownError("Missing node to start execution", {
        description: "Please make sure the workflow you're calling contains an Execute Workflow Trigger node",
      }),
    ],
    /sub-workflow/,
    /trigger/,
  ),
  one(
    "does-not-exist",
    "n8n workflow-execute-additional-data",
    [
      "Execute Workflow",
      "executeWorkflow",
      ownError("Workflow does not exist.", { extra: { workflowId: "x1" } }),
    ],
    /sub-workflow/,
    /exist/,
  ),
  {
    kind: "tool-without-answer",
    source: "#17663",
    steps: [
      CHAT,
      agent(nodeError("Error in sub-node Call flow")),
      called(
        "Call flow",
        "toolWorkflow",
        "ai_tool",
        nodeError('There was an error: "The workflow did not return a response"'),
      ),
    ],
    roots: ["Call flow"],
    symptoms: [AGENT],
    says: [/answer|response|set up|failed/],
  },
  one(
    "community-node",
    "oriondesign2015/n8n-nodes-evolution-api#3",
    ["Call part", "executeWorkflow", ownError("Unrecognized node type: n8n-nodes-evolution-api.httpBin")],
    /n8n-nodes-evolution-api\.httpBin/,
    /install/,
  ),
];
