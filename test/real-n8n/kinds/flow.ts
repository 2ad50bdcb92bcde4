/**
 * Failures of the workflow itself: sub-workflows, error workflows, stops, time-outs, cancellation, answers to the
 * caller, and n8n's own end.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  callSubWorkflow,
  code,
  node,
  subWorkflowStart,
  type WorkflowNode,
  webhook,
} from "../workflow-parts.ts";
import { get, noOp, post, set, when } from "./parts.ts";
import { type PlannedKind, type Stage, wire } from "./stage.ts";

const FAILING = code("Look up price", "throw new Error('No price list for region EU')");

/** An expression, as n8n publishes no workflow that refers to one it cannot call. */
const callById = (name: string, id: string): WorkflowNode => callSubWorkflow(name, `={{ '${id}' }}`);

async function addChain(stage: Stage, prefix: string): Promise<string> {
  const third = await stage.addCalled(`${prefix} third`, { nodes: [subWorkflowStart(), FAILING] });
  const second = await stage.addCalled(`${prefix} second`, {
    nodes: [subWorkflowStart(), set("Take region", { region: "EU" }), callSubWorkflow("Ask prices", third)],
  });
  return await stage.addCalled(`${prefix} first`, {
    nodes: [subWorkflowStart(), callSubWorkflow("Price order", second)],
  });
}

const subWorkflowKinds: readonly PlannedKind[] = [
  {
    name: "sub-workflow-fails",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCalled("Prices", { nodes: [subWorkflowStart(), FAILING] });
      return { nodes: [set("Take order", { order: 5 }), callSubWorkflow("Price order", id), noOp("Done")] };
    },
    executions: 2,
  },
  {
    name: "sub-workflow-fails-three-deep",
    family: "failed",
    draft: async (stage) => ({ nodes: [callSubWorkflow("Handle order", await addChain(stage, "Deep"))] }),
    executions: 4,
  },
  {
    name: "sub-workflow-unpublished",
    family: "failed",
    draft: async (stage) => {
      const nodes = [subWorkflowStart(), noOp("Done")];
      const id = await stage.addCalled("Prices, a draft", { nodes }, { inactive: true });
      return { nodes: [callById("Price order", id)] };
    },
  },
  {
    name: "sub-workflow-missing",
    family: "failed",
    draft: { nodes: [callById("Price order", "NoSuchWorkflow01")] },
  },
  {
    name: "sub-workflow-refuses-caller",
    family: "failed",
    draft: async (stage) => {
      const nodes = [subWorkflowStart(), noOp("Done")];
      const id = await stage.addCalled("Prices of others", { nodes, settings: { callerPolicy: "none" } });
      return { nodes: [callById("Price order", id)] };
    },
    executions: 2,
  },
  {
    name: "sub-workflow-left-field-out",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCalled("Find customer", {
        nodes: [subWorkflowStart(), set("Tell", { name: "Ana" })],
      });
      return {
        nodes: [
          callSubWorkflow("Find customer", id),
          code("Write mail", "return [{ json: { to: $json.contact.email } }]"),
        ],
      };
    },
    executions: 2,
  },
  {
    name: "error-workflow-fails-too",
    family: "failed",
    draft: async (stage) => {
      const trigger = node("Error Trigger", "n8n-nodes-base.errorTrigger", 1);
      const alert = post("Post alert", `${stage.services.url}/refuse/403`);
      const id = await stage.addCalled("Alerts", { nodes: [trigger, alert] });
      return { nodes: [FAILING], settings: { errorWorkflow: id } };
    },
    executions: 2,
  },
  {
    name: "error-workflow-itself",
    family: "failed",
    draft: async (stage) => {
      const trigger = node("Error Trigger", "n8n-nodes-base.errorTrigger", 1);
      const alert = post("Post alert", `${stage.services.url}/refuse/403`);
      const id = await stage.addCalled("Alerts of stock", { nodes: [trigger, alert] });
      return { nodes: [FAILING], settings: { errorWorkflow: id } };
    },
    executions: 2,
    judged: "Alerts of stock",
  },
];

const SLOW = ({ services }: Stage): WorkflowNode => get("Fetch report", `${services.url}/slow/report`);

export const flowKinds: readonly PlannedKind[] = [
  ...subWorkflowKinds,
  {
    name: "stop-and-error",
    family: "failed",
    draft: {
      nodes: [
        when("Is paid", { left: "={{ $json.body.paid }}", type: "boolean", operation: "true" }),
        noOp("Ship"),
        node("Refuse order", "n8n-nodes-base.stopAndError", 1, { errorMessage: "Order 12 is not paid." }),
      ],
      connections: wire("Webhook > Is paid", "Is paid > Ship", "Is paid.1 > Refuse order"),
    },
    sent: [{ paid: false }],
  },
  {
    name: "stop-and-error-object",
    family: "failed",
    draft: {
      nodes: [
        node("Refuse order", "n8n-nodes-base.stopAndError", 1, {
          errorType: "errorObject",
          errorObject: '{ "code": "LIMIT", "message": "The credit limit is reached" }',
        }),
      ],
    },
  },
  {
    name: "workflow-timed-out",
    family: "failed",
    draft: (stage) => ({
      nodes: [set("Take day", { day: 5 }), SLOW(stage), noOp("Send report")],
      settings: { executionTimeout: 1 },
    }),
    goesOn: true,
  },
  {
    name: "canceled-by-hand",
    family: "failed",
    draft: (stage) => ({ nodes: [set("Take day", { day: 6 }), SLOW(stage), noOp("Send report")] }),
    goesOn: true,
    meanwhile: async (stage, { id }) => {
      await sleep(700);
      await stage.api("POST", `/executions/${id}/stop`);
    },
  },
  {
    name: "canceled-by-hand-progress-saved",
    family: "failed",
    draft: (stage) => ({
      nodes: [set("Take day", { day: 6 }), SLOW(stage), noOp("Send report")],
      settings: { saveExecutionProgress: true },
    }),
    goesOn: true,
    meanwhile: async (stage, { id }) => {
      await sleep(700);
      await stage.api("POST", `/executions/${id}/stop`);
    },
  },
  {
    name: "retried-later-with-success",
    family: "failed",
    draft: ({ services }) => {
      services.answer("/stock", { message: "Stock system is restarting" }, 500);
      return { nodes: [post("Reserve stock", `${services.url}/stock`)] };
    },
    executions: 2,
    judgesFirst: true,
    meanwhile: async (stage, { id }) => {
      await sleep(400);
      stage.services.answer("/stock", { reserved: true });
      await stage.api("POST", `/executions/${id}/retry`, { loadWorkflow: false });
    },
  },
  {
    name: "answer-is-no-json",
    family: "failed",
    draft: {
      nodes: [
        { ...webhook("answer-is-no-json", "lastNode"), ...responding("answer-is-no-json") },
        set("Take order", { order: "5" }),
        node("Answer", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "json",
          responseBody: '={ "order": {{ $json.order }}, "note": {{ $json.note }} }',
          options: {},
        }),
      ],
    },
  },
  {
    name: "sub-workflow-not-chosen",
    family: "failed",
    draft: { nodes: [callSubWorkflow("Price order", "={{ $json.body.workflow }}")] },
  },
];

/** A webhook that a later node answers. */
function responding(path: string): Pick<WorkflowNode, "parameters"> {
  return { parameters: { path, httpMethod: "POST", responseMode: "responseNode", options: {} } };
}

/** Played last: n8n is killed while it runs, and booted again. */
export const crashKind: PlannedKind = {
  name: "crashed",
  family: "failed",
  draft: (stage) => ({
    nodes: [
      set("Take day", { day: 7 }),
      get("Fetch report", `${stage.services.url}/slow/crash`),
      noOp("Send report"),
    ],
  }),
  goesOn: true,
  meanwhile: async ({ n8n }) => {
    await sleep(1_000);
    await n8n.crash();
  },
};
