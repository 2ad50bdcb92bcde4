/** The nodes of workflows by the guide. Pure: builds JSON for `POST /api/v1/workflows`. */
import { type Connections, mappedInputs, node, type WorkflowNode } from "../workflow-parts.ts";

/** One argument of a tool, as used in its ATDF, its node and its sub-workflow. */
export interface ToolArgument {
  name: string;
  type: "string" | "number" | "boolean" | "json";
  description: string;
  /** Makes the argument optional. */
  defaultValue?: string;
}

export interface ToolText {
  description: string;
  whenToUse: string;
  arguments: ToolArgument[];
}

/** The name in the guide and in the sub-workflow's trigger for n8n's `json`. */
const guideType = (type: ToolArgument["type"]): string => (type === "json" ? "object" : type);

/** The description of a tool as the guide requires it: a YAML block. */
function atdf({ description, whenToUse, arguments: taken }: ToolText): string {
  const inputs = taken.map(
    (each) => `    - name: ${each.name}
      type: ${guideType(each.type)}
      required: ${each.defaultValue === undefined}
      description: ${each.description}`,
  );
  return `---
version: 1.0.0
description: ${description}
how_to_use:
  inputs:
${inputs.join("\n")}
  outputs:
    status: string (success or error)
    data: object
    meta:
      timestamp: string (ISO 8601)
when_to_use: ${whenToUse}
---`;
}

/** A tool of a server, which calls a sub-workflow with the model's arguments. */
export function toolCall(name: string, workflowId: string, text: ToolText): WorkflowNode {
  const call = (each: ToolArgument): string => {
    const parts = [
      each.name,
      each.description,
      each.type,
      ...(each.defaultValue === undefined ? [] : [each.defaultValue]),
    ];
    return `={{ $fromAI(${parts.map((part) => `'${part}'`).join(", ")}) }}`;
  };
  return node(name, "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, {
    description: atdf(text),
    source: "database",
    workflowId: { __rl: true, mode: "id", value: workflowId },
    workflowInputs: mappedInputs(
      text.arguments,
      Object.fromEntries(text.arguments.map((each) => [each.name, call(each)])),
    ),
  });
}

/** A step that calls a sub-workflow and sends failures to its error output. */
export function subWorkflowCall(
  name: string,
  workflowId: string,
  inputs: Record<string, string>,
): WorkflowNode {
  const taken = Object.keys(inputs).map(
    (key): ToolArgument => ({ name: key, type: "string", description: key }),
  );
  return {
    ...node(name, "n8n-nodes-base.executeWorkflow", 1.2, {
      source: "database",
      workflowId: { __rl: true, mode: "id", value: workflowId },
      workflowInputs: mappedInputs(typed(taken), inputs),
      mode: "once",
      options: { waitForSubWorkflow: true },
    }),
    onError: "continueErrorOutput",
  };
}

/** The inputs with the types that n8n's resource mapper knows. */
const typed = (taken: readonly ToolArgument[]) =>
  taken.map(({ name, type }) => ({ name, type: guideType(type) }));

/** The first node of a sub-workflow, which declares its inputs. */
export function start(taken: ToolArgument[]): WorkflowNode {
  const values = typed(taken);
  return node("Start", "n8n-nodes-base.executeWorkflowTrigger", 1.1, {
    inputSource: "workflowInputs",
    workflowInputs: { values },
  });
}

/** A GET or POST that sends failures to its error output. */
export function criticalCall(name: string, method: "GET" | "POST", url: string): WorkflowNode {
  const body =
    method === "POST"
      ? { sendBody: true, specifyBody: "json", jsonBody: "={{ JSON.stringify($json) }}" }
      : {};
  return {
    ...node(name, "n8n-nodes-base.httpRequest", 4.2, { method, url, ...body, options: { timeout: 10_000 } }),
    onError: "continueErrorOutput",
  };
}

/** A sticky note. */
export function sticky(purpose: string, inputs: string, outputs: string): WorkflowNode {
  return node("Read Me", "n8n-nodes-base.stickyNote", 1, {
    content: `## Purpose\n${purpose}\n\n## Inputs\n${inputs}\n\n## Outputs\n${outputs}`,
    width: 420,
    height: 260,
  });
}

/** A Switch with one output per value, and a last one for all other values. */
export function switchOn(name: string, expression: string, values: string[]): WorkflowNode {
  return node(name, "n8n-nodes-base.switch", 3.2, {
    mode: "rules",
    rules: {
      values: values.map((value) => ({
        conditions: equals(expression, value),
        renameOutput: true,
        outputKey: value,
      })),
    },
    options: { fallbackOutput: "extra" },
  });
}

function equals(leftValue: string, rightValue: string): Record<string, unknown> {
  const operator = { type: "string", operation: "equals" };
  return {
    options: { caseSensitive: true, leftValue: "", typeValidation: "loose", version: 2 },
    combinator: "and",
    conditions: [{ id: `is-${rightValue}`, leftValue, rightValue, operator }],
  };
}

const meta = "meta: { timestamp: new Date().toISOString(), request_id: $('Start').first().json.request_id }";

export function successCode(data: string): string {
  return `return [{ json: { status: "success", data: ${data}, ${meta} } }];`;
}

export function errorCode(code: string, message: string, details = "{}"): string {
  return `return [{ json: { status: "error", data: { code: "${code}", message: "${message}", details: ${details} }, ${meta} } }];`;
}

/** Stores the request id as custom data, so that the execution can be found by it, and passes on the items. */
export const logRequestCode = `$execution.customData.set("requestId", String($json.request_id));
console.log("request " + $json.request_id);
return $input.all();`;

/** The connections of one node, by output. */
export function wire(...parts: [from: string, ...outputs: (string | null)[]][]): Connections {
  return Object.fromEntries(
    parts.map(([from, ...outputs]) => [
      from,
      { main: outputs.map((to) => (to === null ? [] : [{ node: to, type: "main", index: 0 }])) },
    ]),
  );
}

/** Connects tools to their server. */
export function giveTools(server: string, ...tools: string[]): Connections {
  return Object.fromEntries(
    tools.map((tool) => [tool, { ai_tool: [[{ node: server, type: "ai_tool", index: 0 }]] }]),
  );
}
