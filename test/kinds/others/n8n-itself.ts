/** The runner of code, answers to callers, n8n itself. */
import { BASE, failing, nodeError, type OtherCase, ownError, WEBHOOK } from "./case.ts";

export const webhooks: readonly OtherCase[] = [
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

export const runner: readonly OtherCase[] = [
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

export const itself: readonly OtherCase[] = [
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
      WEBHOOK,
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
