/** Task runners, webhook responses, and n8n itself. */
import { BASE, failing, nodeError, one, ownError, type ReportedCase } from "./case.ts";

export const webhooks: readonly ReportedCase[] = [
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

const RETURN_ITEMS = { jsCode: "return items;" };
const ENDLESS = { jsCode: "while (true) {}" };

export const runner: readonly ReportedCase[] = [
  one(
    "runner-away",
    "#36989, #37043, #37068",
    [
      "Code in JavaScript",
      "code",
      ownError("Task request timed out", {
        description:
          "Your Code node task was not matched to a runner within the timeout period (waited 60 seconds).",
        extra: { elapsedSeconds: 60 },
      }),
      RETURN_ITEMS,
    ],
    /runner/,
  ),
  one(
    "runner-away-before",
    "#23831, #24689, #25171, #32523: words of n8n 2.1",
    [
      "Create Data Packet for Clay",
      "code",
      ownError("Task request timed out after 60 seconds", {
        description: "Your Code node task was not matched to a runner within the timeout period.",
      }),
      RETURN_ITEMS,
    ],
    /runner/,
  ),
  one(
    "runner-memory",
    "#32475",
    [
      "Insert all",
      "code",
      ownError("Node ran out of memory", {
        description: "This usually happens when there are too many items to process.",
      }),
      RETURN_ITEMS,
    ],
    /memory/,
  ),
  one(
    "runner-limit",
    "n8n task-runner",
    ["Long loop", "code", ownError("Task execution timed out after 300 seconds"), ENDLESS],
    /too long|longer|time/,
  ),
  one(
    "runner-silent",
    "n8n task-runner",
    ["Long loop", "code", ownError("Task execution aborted because runner became unresponsive"), ENDLESS],
    /runner/,
  ),
];

/** An execution that failed before any node ran. */
const failedBeforeStart = (message: string) => ({
  status: "error",
  data: { resultData: { error: ownError(message), runData: {} } },
});

export const itself: readonly ReportedCase[] = [
  {
    kind: "has-issues",
    source: "#29608",
    steps: [
      { name: "Webhook", type: `${BASE}webhook` },
      { name: "Airtable", type: `${BASE}airtable` },
    ],
    facts: failedBeforeStart(
      "The workflow has issues and cannot be executed for that reason. Please fix them first.",
    ),
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
    facts: failedBeforeStart("Cannot read properties of undefined (reading 'disabled')"),
    roots: [],
    says: [/does not say at which node/],
  },
  one(
    "debug-helper",
    "#13815",
    ["Debug", "debugHelper", { message: "Node has thrown an error" }, { category: "throwError" }],
    /purpose|debug/i,
  ),
  one(
    "command-fails",
    "n8n-nodes-base ExecuteCommand",
    [
      "Run",
      "executeCommand",
      nodeError("Command failed: /bin/planted.sh"),
      {
        command: "/bin/planted.sh",
      },
    ],
    /command/,
  ),
  one(
    "form-order",
    "n8n-nodes-base Form",
    ["Form", "form", nodeError("Form Trigger node must be set before this node")],
    /Form Trigger/,
  ),
];
