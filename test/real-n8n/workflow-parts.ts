/**
 * Short builders of n8n's nodes and connections. Pure: builds JSON for `POST /api/v1/workflows`.
 */
import { randomUUID } from "node:crypto";
import { canaries } from "./canaries.ts";

export interface WorkflowNode {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  webhookId?: string;
  onError?: "continueRegularOutput" | "continueErrorOutput";
  /** The predecessor of `onError`. */
  continueOnFail?: boolean;
  retryOnFail?: boolean;
  maxTries?: number;
  /** Milliseconds. */
  waitBetweenTries?: number;
  alwaysOutputData?: boolean;
  disabled?: boolean;
  /** Credential type → credential. */
  credentials?: Record<string, { id: string; name: string }>;
}

/** n8n's own form: source node → connection type → output → targets. */
export type Connections = Record<string, Record<string, { node: string; type: string; index: number }[][]>>;

export function node(
  name: string,
  type: string,
  typeVersion: number,
  parameters: Record<string, unknown> = {},
): WorkflowNode {
  return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}

/** `lastNode` answers with the last node's items, `onReceived` immediately. */
export function webhook(path: string, responseMode: "lastNode" | "onReceived"): WorkflowNode {
  const parameters = { path, httpMethod: "POST", responseMode, options: {} };
  return { ...node("Webhook", "n8n-nodes-base.webhook", 2, parameters), webhookId: randomUUID() };
}

export function code(name: string, jsCode: string): WorkflowNode {
  return node(name, "n8n-nodes-base.code", 2, { jsCode });
}

/** The first node of a sub-workflow, which accepts any input. */
export function subWorkflowStart(): WorkflowNode {
  return node("Start", "n8n-nodes-base.executeWorkflowTrigger", 1.1, { inputSource: "passthrough" });
}

export function callSubWorkflow(name: string, workflowId: string): WorkflowNode {
  return node(name, "n8n-nodes-base.executeWorkflow", 1.2, {
    workflowId: { __rl: true, mode: "id", value: workflowId },
    workflowInputs: { mappingMode: "defineBelow", value: {} },
    mode: "once",
    options: { waitForSubWorkflow: true },
  });
}

/** Posts its items as JSON, with two secret headers and an ordinary one; keeps the answer's headers too. */
export function httpCall(name: string, url: string): WorkflowNode {
  return node(name, "n8n-nodes-base.httpRequest", 4.2, {
    method: "POST",
    url,
    sendHeaders: true,
    headerParameters: {
      parameters: [
        { name: "Authorization", value: canaries.nodeAuthorizationHeader },
        { name: "X-Api-Key", value: canaries.nodeApiKeyHeader },
        { name: "X-Trace", value: "visible-header" },
      ],
    },
    sendBody: true,
    specifyBody: "json",
    jsonBody: "={{ JSON.stringify($json) }}",
    // Milliseconds, longer than any test, so that a call held by upstream stays open.
    options: { timeout: 1_800_000, response: { response: { fullResponse: true } } },
  });
}

/** An IF node: output 0 if the expression is true, output 1 if it is false. */
export function condition(name: string, expression: string): WorkflowNode {
  const test = {
    id: randomUUID(),
    leftValue: expression,
    rightValue: true,
    operator: { type: "boolean", operation: "true", singleValue: true },
  };
  return node(name, "n8n-nodes-base.if", 2.2, {
    conditions: {
      options: { caseSensitive: true, typeValidation: "loose", version: 2 },
      combinator: "and",
      conditions: [test],
    },
  });
}

/** n8n's resource mapper: the inputs of a called workflow with their types, and the values given to them. */
export function mappedInputs(
  inputs: readonly { readonly name: string; readonly type: string }[],
  value: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return {
    mappingMode: "defineBelow",
    value,
    matchingColumns: [],
    schema: inputs.map(({ name, type }) => ({
      id: name,
      displayName: name,
      type,
      required: false,
      defaultMatch: false,
      display: true,
      canBeUsedToMatch: true,
      removed: false,
    })),
    attemptToConvertTypes: false,
    convertFieldsToString: false,
  };
}

/** Connects the first output of each node to the next one. */
export function chain(...names: string[]): Connections {
  const connections: Connections = {};
  for (const [position, name] of names.entries()) {
    const next = names[position + 1];
    if (next !== undefined) connections[name] = { main: [[target(next)]] };
  }
  return connections;
}

/** Connects a node's outputs, in order, to one node each. */
export function branch(name: string, ...targets: string[]): Connections {
  return { [name]: { main: targets.map((next) => [target(next)]) } };
}

function target(name: string): { node: string; type: string; index: number } {
  return { node: name, type: "main", index: 0 };
}
