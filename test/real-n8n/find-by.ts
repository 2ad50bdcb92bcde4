/**
 * The identifiers of a request that people have, on a real n8n: its URL in the editor, the ids of its executions, the chat's
 * session, the traceparent, a value of custom data. Each of them leads to the same tree as the plain request id.
 * The request has a sub-workflow, so that the tree of a wrong execution would differ.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import type { RunningN8n } from "./boot.ts";
import { newestExecutionId } from "./n8n-database.ts";
import { sendWebhook, waitForExecutions } from "./scenarios.ts";
import { chained, createWorkflow, waitForWebhook } from "./seed.ts";
import { webhookUrl } from "./tested-n8n.ts";
import { same, type TraceData, traceRequest } from "./trace-checks.ts";
import { callSubWorkflow, code, node, subWorkflowStart, webhook } from "./workflow-parts.ts";

const PATH = "orders-held";

const withUrl = z.looseObject({ executionUrl: z.string() });

interface Held {
  readonly requestId: string;
  /** Kind of identifier → its value. */
  readonly forms: Readonly<Record<string, string>>;
}

/** @param editorUrl the editor's URL according to the Worker */
export async function checkFindBy(client: AgentClient, n8n: RunningN8n, editorUrl: string): Promise<string> {
  await seedOrders(n8n);
  const { requestId, forms } = await sendOrder(n8n, editorUrl);
  const plain = await traceRequest(client, { requestId });
  same("roles", rolesOf(plain.data), ["entry", "sub_workflow"]);
  same(
    "the address of its executions",
    withUrl.parse(plain.data).executionUrl,
    `${editorUrl}/workflow/{workflowId}/executions/{executionId}`,
  );
  for (const [what, held] of Object.entries(forms)) {
    const { data, message } = await traceRequest(client, { requestId: held });
    same(`${what}: the tree (${message})`, treeOf(data), treeOf(plain.data));
    same(`${what}: coverage`, data.coverage.complete, true);
  }
  return `${Object.keys(forms).length} ways to one tree`;
}

const rolesOf = ({ executions }: TraceData): string[] => executions.map(({ role }) => role);

const treeOf = ({ outcome, executions }: TraceData): unknown => ({
  outcome,
  executions: executions.map(({ id, role, parentId, status }) => ({ id, role, parentId, status })),
});

async function seedOrders(n8n: RunningN8n): Promise<void> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const called = await createWorkflow(n8n, access, {
    ...chained("orders.price", subWorkflowStart(), code("Price", "return [{ json: { price: 5 } }]")),
    calledOnly: true,
  });
  const remember = node("Remember", "n8n-nodes-base.executionData", 1, {
    operation: "save",
    dataToSave: { values: [{ key: "orderNumber", value: "={{ $json.body.order }}" }] },
  });
  const held = chained(
    "orders.held",
    webhook(PATH, "lastNode"),
    remember,
    callSubWorkflow("Ask Price", called),
  );
  await createWorkflow(n8n, access, held);
  await waitForWebhook(n8n, PATH);
  await waitForSubWorkflow(n8n);
}

/** n8n publishes a workflow a moment after its answer, and until then a call of it may fail. */
async function waitForSubWorkflow(n8n: RunningN8n): Promise<void> {
  const body = JSON.stringify({ order: "C-before-all" });
  const headers = { "content-type": "application/json" };
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(webhookUrl(n8n, PATH), { method: "POST", headers, body });
    await response.text();
    if (response.ok) return;
    await sleep(100);
  }
  throw new Error("The sub-workflow cannot be called.");
}

async function sendOrder(n8n: RunningN8n, editorUrl: string): Promise<Held> {
  const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
  const [requestId, sessionId, order, traceId] = [`req-${hex(6)}`, `chat-${hex(6)}`, `C-${hex(5)}`, hex(16)];
  const traceparent = `00-${traceId}-${hex(8)}-01`;
  const before = newestExecutionId(n8n);
  await sendWebhook(n8n, PATH, { requestId, sessionId, order }, { traceparent });
  const executions = await waitForExecutions(n8n, before, 2, "success");
  const [entry, called] = executions.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
  const workflowId = executions.find(({ id }) => id === entry)?.workflowId;
  if (entry === undefined || called === undefined || workflowId === undefined)
    throw new Error(`n8n made ${executions.length} executions of the order`);
  const address = `${editorUrl}/workflow/${workflowId}`;
  return {
    requestId,
    forms: {
      "its address": `${address}/executions/${entry}`,
      "its address with a node": `${address}/executions/${entry}/0f9d?tab=logs`,
      "its address in the debugger": `${address}/debug/${entry}`,
      "its execution id": entry,
      "the sub-workflow's execution id": called,
      "the session": sessionId,
      "the traceparent": traceparent,
      "the trace id": traceId,
      "custom data": order,
    },
  };
}
