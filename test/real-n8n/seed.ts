/**
 * Creates and activates the workflows of the scenarios by n8n's public API.
 * Afterwards every workflow named here exists, active unless stated otherwise; sub-workflows and error
 * workflows are activated before their callers if this n8n can activate them, and the webhooks
 * answer. Shapes follow the naming of the FamilyHub guide.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { canaries } from "./canaries.ts";
import { type ApiAccess, callApi } from "./n8n-api.ts";
import { type TestedN8n, webhookUrl } from "./tested-n8n.ts";
import {
  branch,
  type Connections,
  callSubWorkflow,
  chain,
  code,
  condition,
  httpCall,
  mappedInputs,
  node,
  subWorkflowStart,
  type WorkflowNode,
  webhook,
} from "./workflow-parts.ts";

export const workflowNames = {
  errorHandler: "Global Error Handler",
  validateRange: "SWF_Valida_Rango_Fechas",
  fetchRate: "SWF_Fetch_Rate",
  priceOrder: "SWF_Price_Order",
  calendar: "calendar.create",
  orders: "orders.process",
  reminder: "reminder.send",
  approval: "approval.wait",
  bulk: "bulk.import",
  report: "report.build",
  export: "export.start",
  headerId: "ping.header",
  customData: "audit.custom",
  range: "range.check",
  unicode: "notificación.envío «ñandú» 漢字 🚀 / ..%2F?#",
  inactive: "legacy.import",
  ambiguous: "duplicate.name",
  mcpServer: "MCP Server FamilyHub",
} as const;

/** Path of each entry workflow's webhook, under `/webhook/`. */
export const webhookPaths = {
  calendar: "calendar-create",
  orders: "orders-process",
  reminder: "reminder-send",
  approval: "approval",
  bulk: "bulk-import",
  report: "report-build",
  export: "export-start",
  headerId: "ping-header",
  customData: "audit-custom",
  range: "range-check",
  unicode: "unicode-name",
  ambiguous: ["duplicate-one", "duplicate-two"],
} as const;

export const mcpPath = "familyhub-mcp";
/** n8n's tool name for the node `tool.valida_rango`. */
export const mcpToolName = "tool_valida_rango";
const tagNames = ["production", "familyhub", "sub-workflow"] as const;

/** Ids assigned by n8n. */
export interface Seeded {
  /** Workflow name without prefix → its ids, several if the name is ambiguous. */
  workflowIds: Record<string, string[]>;
  tagIds: Record<string, string>;
}

export interface Definition {
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings?: Record<string, unknown>;
  inactive?: boolean;
  /** It can only be called by other workflows. */
  calledOnly?: boolean;
}

/** The longest wait for a webhook after its workflow's activation, in milliseconds. */
const webhookPatience = 20_000;

const created = z.object({ id: z.string() });

export async function seedWorkflows(n8n: TestedN8n, upstreamUrl: string): Promise<Seeded> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const workflowIds: Record<string, string[]> = {};
  const add = async (definition: Definition): Promise<string> => {
    const id = await createWorkflow(n8n, access, definition);
    workflowIds[definition.name] = [...(workflowIds[definition.name] ?? []), id];
    return id;
  };

  const settings = { errorWorkflow: await add(errorHandler()) };
  const validateRangeId = await add({ ...validateRange(), settings });
  const fetchRateId = await add({ ...fetchRate(), settings });
  const priceOrderId = await add({ ...priceOrder(fetchRateId), settings });
  await add({ ...calendar(validateRangeId, upstreamUrl), settings });
  await add({ ...orders(priceOrderId), settings });
  await add(rangeCheck(validateRangeId));
  await add(mcpServer(validateRangeId));
  await add(report(upstreamUrl));
  await add(exportStart(upstreamUrl));
  for (const definition of plainWorkflows()) await add(definition);

  // Tags belong to the whole n8n and have no prefix, so with a prefix there are none.
  const tagIds = n8n.prefixes.name === "" ? await tagWorkflows(access, workflowIds) : {};
  for (const path of Object.values(webhookPaths).flat()) await waitForWebhook(n8n, path);
  return { workflowIds, tagIds };
}

/**
 * n8n registers webhooks a moment after it has answered the activation. A GET starts nothing: the answer
 * is always 404, and says whether the path exists for another method.
 */
export async function waitForWebhook(n8n: TestedN8n, path: string): Promise<void> {
  const deadline = Date.now() + webhookPatience;
  while (Date.now() < deadline) {
    const response = await fetch(webhookUrl(n8n, path));
    if ((await response.text()).includes("not registered for GET requests")) return;
    await sleep(50);
  }
  throw new Error(`The webhook ${path} was not registered within ${webhookPatience} ms.`);
}

export async function createWorkflow(
  { abilities, prefixes }: TestedN8n,
  access: ApiAccess,
  definition: Definition,
): Promise<string> {
  const { connections } = definition;
  const name = prefixes.name + definition.name;
  const nodes = definition.nodes.map((each, index) => ({
    ...each,
    parameters: withPathPrefix(each.parameters, prefixes.path),
    position: [index * 200, 0],
  }));
  const settings = { executionOrder: "v1", ...definition.settings };
  const { id } = created.parse(
    await callApi(access, "POST", "/workflows", { name, nodes, connections, settings }),
  );
  const cannot = definition.calledOnly && !abilities.publishesCalled;
  if (!definition.inactive && !cannot) await callApi(access, "POST", `/workflows/${id}/activate`);
  return id;
}

/** Only triggers called over HTTP have a `path`. */
function withPathPrefix(parameters: Record<string, unknown>, prefix: string): Record<string, unknown> {
  return typeof parameters.path === "string" ? { ...parameters, path: prefix + parameters.path } : parameters;
}

async function tagWorkflows(
  access: ApiAccess,
  workflowIds: Record<string, string[]>,
): Promise<Record<string, string>> {
  const tagIds: Record<string, string> = {};
  for (const name of tagNames) {
    tagIds[name] = created.parse(await callApi(access, "POST", "/tags", { name })).id;
  }
  const tagged: Record<string, (typeof tagNames)[number][]> = {
    [workflowNames.calendar]: ["production", "familyhub"],
    [workflowNames.orders]: ["production"],
    [workflowNames.validateRange]: ["sub-workflow", "familyhub"],
    [workflowNames.mcpServer]: ["familyhub"],
  };
  for (const [workflowName, names] of Object.entries(tagged)) {
    const tags = names.map((name) => ({ id: tagIds[name] }));
    for (const id of workflowIds[workflowName] ?? []) {
      await callApi(access, "PUT", `/workflows/${id}/tags`, tags);
    }
  }
  return tagIds;
}

/** A workflow whose nodes are connected in their order. */
export function chained(name: string, ...nodes: WorkflowNode[]): Definition {
  return { name, nodes, connections: chain(...nodes.map((each) => each.name)) };
}

function errorHandler(): Definition {
  const alert =
    "return [{ json: { alert: $json.workflow.name + ' failed at ' + $json.execution.lastNodeExecuted, executionId: $json.execution.id } }]";
  return {
    ...chained(
      workflowNames.errorHandler,
      node("Error Trigger", "n8n-nodes-base.errorTrigger", 1),
      code("Format Alert", alert),
    ),
    calledOnly: true,
  };
}

/** The guide's sub-workflow, whose errors are data, so that the execution itself succeeds. */
function validateRange(): Definition {
  const meta = "meta: { timestamp: new Date().toISOString() }";
  const success = `return [{ json: { status: "success", data: { message: "El rango de fechas es válido.", start_date: $json.Start, end_date: $json.End }, ${meta}, requestId: $json.requestId, user: $json.user } }]`;
  const failure = `return [{ json: { status: "error", data: { code: "INVALID_DATE_RANGE", text: "La fecha de inicio debe ser anterior a la fecha de fin.", details: { field_start: $json.Start, field_end: $json.End, condition: "Start < End" } }, ${meta} } }]`;
  const [valid, invalid] = ["Success: Rango Válido", "Error: Fechas Inválidas"];
  return {
    name: workflowNames.validateRange,
    nodes: [
      subWorkflowStart(),
      condition("Validar fechas", "={{ $json.Start < $json.End }}"),
      code(valid, success),
      code(invalid, failure),
    ],
    connections: { ...chain("Start", "Validar fechas"), ...branch("Validar fechas", valid, invalid) },
    calledOnly: true,
  };
}

function fetchRate(): Definition {
  const body = `if ($json.sku === "unknown") throw new Error('Rate service refused sku "' + $json.sku + '"'); return [{ json: { ...$json, rate: 1.21 } }]`;
  return {
    ...chained(workflowNames.fetchRate, subWorkflowStart(), code("Fetch Rate", body)),
    calledOnly: true,
  };
}

function priceOrder(fetchRateId: string): Definition {
  return {
    ...chained(
      workflowNames.priceOrder,
      subWorkflowStart(),
      callSubWorkflow("Get Rate", fetchRateId),
      code("Price", "return [{ json: { ...$json, total: 100 * $json.rate } }]"),
    ),
    calledOnly: true,
  };
}

function calendar(validateRangeId: string, upstreamUrl: string): Definition {
  const normalize =
    "const body = $json.body; return [{ json: { requestId: body.context.requestId, Start: body.start, End: body.end, title: body.title, user: body.user } }]";
  // The thrown message contains a Bearer value, as messages of HTTP libraries do.
  const check = `if ($json.status === "error") throw new Error("INVALID_DATE_RANGE: " + $json.data.text + " (sent with Authorization: ${canaries.errorMessageBearer})"); return $input.all()`;
  return chained(
    workflowNames.calendar,
    webhook(webhookPaths.calendar, "lastNode"),
    code("Normalize", normalize),
    callSubWorkflow("Valida Rango", validateRangeId),
    code("Check", check),
    httpCall("Create Event", `${upstreamUrl}/events`),
    code("Respond", "return [{ json: { ok: true, event: $json.body } }]"),
  );
}

function orders(priceOrderId: string): Definition {
  return chained(
    workflowNames.orders,
    webhook(webhookPaths.orders, "lastNode"),
    code("Read Order", "return [{ json: { requestId: $json.body.requestId, sku: $json.body.sku } }]"),
    callSubWorkflow("Price Order", priceOrderId),
    code("Respond", "return $input.all()"),
  );
}

/** Returns the sub-workflow's answer, even an error in its data, and succeeds. */
function rangeCheck(validateRangeId: string): Definition {
  const read =
    "const body = $json.body; return [{ json: { requestId: body.context.requestId, Start: body.start, End: body.end } }]";
  return chained(
    workflowNames.range,
    webhook(webhookPaths.range, "lastNode"),
    code("Read Range", read),
    callSubWorkflow("Valida Rango", validateRangeId),
  );
}

/** Calls upstream, which can hold its answer, so that the execution runs as long as a test needs. */
function report(upstreamUrl: string): Definition {
  return {
    ...chained(
      workflowNames.report,
      webhook(webhookPaths.report, "onReceived"),
      code("Read Report", "return [{ json: { requestId: $json.body.requestId } }]"),
      httpCall("Render Report", `${upstreamUrl}/reports`),
    ),
    settings: { saveExecutionProgress: true },
  };
}

/**
 * Like `report`, with n8n's default of storing the output of nodes only when the execution ends. Until then the
 * webhook's payload is only in `executionData.nodeExecutionStack`, and `runData` is empty.
 */
function exportStart(upstreamUrl: string): Definition {
  return chained(
    workflowNames.export,
    webhook(webhookPaths.export, "onReceived"),
    code("Read Export", "return [{ json: { requestId: $json.body.requestId } }]"),
    httpCall("Write Export", `${upstreamUrl}/exports`),
  );
}

/** Workflows that call nothing. */
function plainWorkflows(): Definition[] {
  return [
    reminder(),
    approval(),
    bulk(),
    headerId(),
    customData(),
    unicode(),
    inactive(),
    ...webhookPaths.ambiguous.map(ambiguous),
  ];
}

function reminder(): Definition {
  const explode =
    'const body = $json.body; return Array.from({ length: body.count ?? 5 }, (_, index) => ({ json: { index, requestId: body.context.requestId, to: "user" + index + "@example.com", text: "x".repeat(body.size ?? 20) } }))';
  return {
    name: workflowNames.reminder,
    nodes: [
      webhook(webhookPaths.reminder, "onReceived"),
      code("Explode", explode),
      node("Loop", "n8n-nodes-base.splitInBatches", 3, { batchSize: 2, options: {} }),
      code("Send", "return $input.all().map((item) => ({ json: { ...item.json, sent: true } }))"),
      code("Done", "return [{ json: { sent: $input.all().length } }]"),
    ],
    connections: {
      ...chain("Webhook", "Explode", "Loop"),
      ...branch("Loop", "Done", "Send"),
      ...chain("Send", "Loop"),
    },
  };
}

function approval(): Definition {
  const wait = node("Wait", "n8n-nodes-base.wait", 1.1, { resume: "webhook", options: {} });
  return chained(
    workflowNames.approval,
    webhook(webhookPaths.approval, "onReceived"),
    { ...wait, webhookId: randomUUID() },
    code("After", "return $input.all()"),
  );
}

/** Each item is about 2.5 × `bytes` bytes long in UTF-8, and the answer holds every item twice. */
function bulk(): Definition {
  const generate =
    'const body = $json.body; return Array.from({ length: body.items ?? 100 }, (_, index) => ({ json: { index, requestId: body.context.requestId, blob: "é漢".repeat((body.bytes ?? 1000) / 2) } }))';
  return chained(
    workflowNames.bulk,
    webhook(webhookPaths.bulk, "onReceived"),
    code("Generate", generate),
    code("Copy", "return $input.all()"),
  );
}

/** The request id is only in the header `x-request-id`. */
function headerId(): Definition {
  return chained(
    workflowNames.headerId,
    webhook(webhookPaths.headerId, "lastNode"),
    code("Pong", "return [{ json: { pong: true } }]"),
  );
}

/** The id arrives under an unknown key, and is stored as custom data. */
function customData(): Definition {
  const tell =
    '$execution.customData.set("requestId", $json.body.reference); return [{ json: { noted: true } }]';
  return chained(workflowNames.customData, webhook(webhookPaths.customData, "lastNode"), code("Note", tell));
}

function unicode(): Definition {
  return chained(
    workflowNames.unicode,
    webhook(webhookPaths.unicode, "lastNode"),
    code("Añadir «señal» 漢", "return [{ json: { enviado: true, saludo: '¡Olé! 漢字 🚀' } }]"),
  );
}

function inactive(): Definition {
  return {
    ...chained(
      workflowNames.inactive,
      webhook("legacy-import", "lastNode"),
      code("Import", "return $input.all()"),
    ),
    inactive: true,
  };
}

function ambiguous(path: string): Definition {
  return chained(
    workflowNames.ambiguous,
    webhook(path, "lastNode"),
    code("Echo", "return [{ json: { echoed: true } }]"),
  );
}

function mcpServer(validateRangeId: string): Definition {
  const trigger = node("MCP Server Trigger", "@n8n/n8n-nodes-langchain.mcpTrigger", 2, {
    path: mcpPath,
    authentication: "none",
  });
  const tool = node("tool.valida_rango", "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, {
    description: toolDescription,
    workflowId: { __rl: true, mode: "id", value: validateRangeId },
    workflowInputs: inputsByModel({
      Start: "fecha de inicio",
      End: "fecha de fin",
      requestId: "correlación",
    }),
  });
  return {
    name: workflowNames.mcpServer,
    nodes: [{ ...trigger, webhookId: randomUUID() }, tool],
    connections: {
      [tool.name]: { ai_tool: [[{ node: trigger.name, type: "ai_tool", index: 0 }]] },
    },
  };
}

/** Inputs that the calling model fills in. */
function inputsByModel(meanings: Readonly<Record<string, string>>): Record<string, unknown> {
  const inputs = Object.keys(meanings).map((name) => ({ name, type: "string" }));
  const values = Object.entries(meanings).map(([name, meaning]) => [
    name,
    `={{ $fromAI('${name}', '${meaning}', 'string') }}`,
  ]);
  return mappedInputs(inputs, Object.fromEntries(values));
}

const toolDescription = `---
description: Valida un rango de fechas.
how_to_use:
  inputs:
    - name: Start
      type: string
      required: true
      description: Fecha de inicio (ISO 8601).
    - name: End
      type: string
      required: true
      description: Fecha de fin (ISO 8601).
    - name: requestId
      type: string
      required: false
      description: Id de correlación de la petición.
  outputs:
    status: string (success/error)
    data: object
    meta:
      timestamp: string (ISO 8601)
when_to_use: Cuando se necesita validar un rango de fechas.
---`;
