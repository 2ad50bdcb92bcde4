/** Sub-workflows, agents and their parts, the runner of code, answers to callers, n8n itself. */
import { AI, apiError, BASE, failing, nodeError, type OtherCase, ownError, WEBHOOK } from "./case.ts";

const CHAT = { name: "When chat message received", type: `${AI}chatTrigger`, sent: [[{ chatInput: "hi" }]] };
const AGENT = "AI Agent";
const agent = (error: Readonly<Record<string, unknown>>, parameters = {}) => ({
  ...failing(AGENT, `${AI}agent`, error, parameters),
  after: ["When chat message received"],
});
const hung = (name: string, type: string, connection: string, error: Readonly<Record<string, unknown>>) => ({
  ...failing(name, `${AI}${type}`, error),
  connection,
  after: [AGENT],
});
/** A model or tool that an agent asked, and that failed. */
const asked = (...given: Parameters<typeof hung>) => ({
  ...hung(...given),
  asked: { messages: ["Human: hi"] },
});
const idle = (name: string, type: string, connection: string) => ({
  name,
  type: `${AI}${type}`,
  connection,
  after: [AGENT],
});

const agents: readonly OtherCase[] = [
  {
    kind: "memory-without-session",
    source: "#19778",
    steps: [
      CHAT,
      agent({ ...nodeError("Error in sub-node Simple Memory") }),
      hung(
        "Simple Memory",
        "memoryBufferWindow",
        "ai_memory",
        nodeError("No session ID found", {
          description:
            "Expected to find the session ID in an input field called 'sessionId' (this is what the chat trigger node outputs).",
        }),
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
      agent({ ...nodeError("Error in sub-node Simple Memory") }),
      hung(
        "Simple Memory",
        "memoryBufferWindow",
        "ai_memory",
        nodeError("Key parameter is empty", {
          description: "Provide a key to use as session ID in the 'Key' parameter",
        }),
      ),
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
      asked(
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
      asked(
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
      hung("MCP Client", "mcpClientTool", "ai_tool", nodeError("Could not connect to your MCP server")),
    ],
    roots: ["MCP Client"],
    symptoms: [AGENT],
    says: [/MCP|connect|reach|set up/],
  },
];

const calls: readonly OtherCase[] = [
  {
    kind: "caller-refused",
    source: "#24562, words of n8n 1",
    steps: [
      WEBHOOK,
      failing(
        "excute cal workflow",
        "executeWorkflow",
        ownError("The sub-workflow (mcv_welcome_offer_data_calculation) cannot be called by this workflow"),
      ),
    ],
    roots: ["excute cal workflow"],
    says: [/sub-workflow/, /allow/],
  },
  {
    kind: "no-start",
    source: "#16128",
    steps: [
      WEBHOOK,
      failing(
        "Execute Workflow",
        "executeWorkflow",
        ownError("Missing node to start execution", {
          description:
            "Please make sure the workflow you're calling contains an Execute Workflow Trigger node",
        }),
      ),
    ],
    roots: ["Execute Workflow"],
    says: [/sub-workflow/, /trigger/],
  },
  {
    kind: "does-not-exist",
    source: "n8n workflow-execute-additional-data",
    steps: [
      WEBHOOK,
      failing(
        "Execute Workflow",
        "executeWorkflow",
        ownError("Workflow does not exist.", { extra: { workflowId: "x1" } }),
      ),
    ],
    roots: ["Execute Workflow"],
    says: [/sub-workflow/, /exist/],
  },
  {
    kind: "tool-without-answer",
    source: "#17663",
    steps: [
      CHAT,
      agent(nodeError("Error in sub-node Call flow")),
      asked(
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
  {
    kind: "community-node",
    source: "oriondesign2015/n8n-nodes-evolution-api#3",
    steps: [
      WEBHOOK,
      failing(
        "Call part",
        "executeWorkflow",
        ownError("Unrecognized node type: n8n-nodes-evolution-api.httpBin"),
      ),
    ],
    roots: ["Call part"],
    says: [/n8n-nodes-evolution-api\.httpBin/, /install/],
  },
];

const webhooks: readonly OtherCase[] = [
  {
    kind: "respond-without-webhook",
    source: "n8n-nodes-base RespondToWebhook",
    steps: [
      { name: "Schedule Trigger", type: `${BASE}scheduleTrigger`, sent: [[{}]] },
      failing(
        "Respond to Webhook",
        "respondToWebhook",
        nodeError("No Webhook node found in the workflow", {
          description:
            "Insert a Webhook node to your workflow and set the “Respond” parameter to “Using Respond to Webhook Node”",
        }),
      ),
    ],
    roots: ["Respond to Webhook"],
    says: [/Webhook/, /no |not/i],
  },
  {
    kind: "unused-respond",
    source: "n8n-nodes-base Webhook",
    steps: [
      {
        ...failing("Webhook", "webhook", {
          name: "WorkflowConfigurationError",
          message: "Unused Respond to Webhook node found in the workflow",
          messages: [],
          context: {},
        }),
        after: [],
      },
      { name: "Answer", type: `${BASE}respondToWebhook` },
    ],
    roots: ["Webhook", "Answer"],
    says: [/Respond to Webhook/, /not|unused/i],
  },
];

const runner: readonly OtherCase[] = [
  {
    kind: "runner-away",
    source: "#36989, #37043, #37068",
    steps: [
      WEBHOOK,
      failing(
        "Code in JavaScript",
        "code",
        ownError("Task request timed out", {
          description:
            "Your Code node task was not matched to a runner within the timeout period (waited 60 seconds).",
          extra: { elapsedSeconds: 60 },
        }),
        { jsCode: "return items;" },
      ),
    ],
    roots: ["Code in JavaScript"],
    says: [/runner/],
  },
  {
    kind: "runner-away-before",
    source: "#23831, #24689, #25171, #32523: words of n8n 2.1",
    steps: [
      WEBHOOK,
      failing(
        "Create Data Packet for Clay",
        "code",
        ownError("Task request timed out after 60 seconds", {
          description: "Your Code node task was not matched to a runner within the timeout period.",
        }),
        { jsCode: "return items;" },
      ),
    ],
    roots: ["Create Data Packet for Clay"],
    says: [/runner/],
  },
  {
    kind: "runner-memory",
    source: "#32475",
    steps: [
      WEBHOOK,
      failing(
        "Insert all",
        "code",
        ownError("Node ran out of memory", {
          description: "This usually happens when there are too many items to process.",
        }),
        { jsCode: "return items;" },
      ),
    ],
    roots: ["Insert all"],
    says: [/memory/],
  },
  {
    kind: "runner-limit",
    source: "n8n task-runner",
    steps: [
      WEBHOOK,
      failing("Long loop", "code", ownError("Task execution timed out after 300 seconds"), {
        jsCode: "while (true) {}",
      }),
    ],
    roots: ["Long loop"],
    says: [/too long|longer|time/],
  },
  {
    kind: "runner-silent",
    source: "n8n task-runner",
    steps: [
      WEBHOOK,
      failing("Long loop", "code", ownError("Task execution aborted because runner became unresponsive"), {
        jsCode: "while (true) {}",
      }),
    ],
    roots: ["Long loop"],
    says: [/runner/],
  },
];

const itself: readonly OtherCase[] = [
  {
    kind: "has-issues",
    source: "#29608",
    steps: [
      { name: "Webhook", type: `${BASE}webhook` },
      { name: "Airtable", type: `${BASE}airtable` },
    ],
    facts: {
      status: "error",
      data: {
        resultData: {
          error: ownError(
            "The workflow has issues and cannot be executed for that reason. Please fix them first.",
          ),
          runData: {},
        },
      },
    },
    roots: [],
    says: [/not set up|parameter|issues/],
  },
  {
    kind: "no-node-at-all",
    source: "#12159",
    steps: [
      { name: "Start", type: `${BASE}executeWorkflowTrigger` },
      { name: "Set", type: `${BASE}set` },
    ],
    facts: {
      status: "error",
      data: {
        resultData: {
          error: ownError("Cannot read properties of undefined (reading 'disabled')"),
          runData: {},
        },
      },
    },
    roots: [],
    says: [/does not say at which node/],
  },
  {
    kind: "debug-helper",
    source: "#13815",
    steps: [
      CHAT,
      failing("Debug", "debugHelper", { message: "Node has thrown an error" }, { category: "throwError" }),
    ],
    roots: ["Debug"],
    says: [/purpose|debug/i],
  },
  {
    kind: "command-fails",
    source: "n8n-nodes-base ExecuteCommand",
    steps: [
      WEBHOOK,
      failing("Run", "executeCommand", nodeError("Command failed: /bin/planted.sh"), {
        command: "/bin/planted.sh",
      }),
    ],
    roots: ["Run"],
    says: [/command/],
  },
  {
    kind: "form-order",
    source: "n8n-nodes-base Form",
    steps: [WEBHOOK, failing("Form", "form", nodeError("Form Trigger node must be set before this node"))],
    roots: ["Form"],
    says: [/Form Trigger/],
  },
];

export const partCases: readonly OtherCase[] = [...agents, ...calls, ...webhooks, ...runner, ...itself];
