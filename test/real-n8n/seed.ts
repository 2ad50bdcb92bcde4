/**
 * Creates and activates the workflows that the scenarios use, over n8n's public API.
 * Promises: every workflow named here exists afterwards, active unless said otherwise; sub-workflows and error
 * workflows are activated before the ones that call them where this n8n can activate them, and the webhooks
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
/** What n8n makes of the tool node's name `tool.valida_rango`. */
export const mcpToolName = "tool_valida_rango";
const tagNames = ["production", "familyhub", "sub-workflow"] as const;

/** Ids as n8n gave them. */
export interface Seeded {
  /** Workflow name, without a prefix → its ids, more than one where the name is ambiguous. */
  workflowIds: Record<string, string[]>;
  tagIds: Record<string, string>;
}

export interface Definition {
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings?: Record<string, unknown>;
  inactive?: boolean;
  /** It has no trigger but a caller's. */
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

  // Tags belong to the whole n8n, and have no room for a prefix: where there is one, there are none.
  const tagIds = n8n.prefixes.name === "" ? await tagWorkflows(access, workflowIds) : {};
  for (const path of Object.values(webhookPaths).flat()) await waitForWebhook(n8n, path);
  return { workflowIds, tagIds };
}

/**
 * n8n registers webhooks a moment after it has answered the activation. Asking by GET starts nothing: the answer
 * is 404 in any case, and says whether the path is known by another method.
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

/** Only triggers that are called over HTTP have a `path`. */
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

function errorHandler(): Definition {
  const alert =
    "return [{ json: { alert: $json.workflow.name + ' failed at ' + $json.execution.lastNodeExecuted, executionId: $json.execution.id } }]";
  return {
    name: workflowNames.errorHandler,
    nodes: [node("Error Trigger", "n8n-nodes-base.errorTrigger", 1), code("Format Alert", alert)],
    connections: chain("Error Trigger", "Format Alert"),
    calledOnly: true,
  };
}

/** The guide's sub-workflow: its error format is data, so that the execution itself is a success. */
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
    name: workflowNames.fetchRate,
    nodes: [subWorkflowStart(), code("Fetch Rate", body)],
    connections: chain("Start", "Fetch Rate"),
    calledOnly: true,
  };
}

function priceOrder(fetchRateId: string): Definition {
  return {
    name: workflowNames.priceOrder,
    nodes: [
      subWorkflowStart(),
      callSubWorkflow("Get Rate", fetchRateId),
      code("Price", "return [{ json: { ...$json, total: 100 * $json.rate } }]"),
    ],
    connections: chain("Start", "Get Rate", "Price"),
    calledOnly: true,
  };
}

function calendar(validateRangeId: string, upstreamUrl: string): Definition {
  const normalize =
    "const body = $json.body; return [{ json: { requestId: body.context.requestId, Start: body.start, End: body.end, title: body.title, user: body.user } }]";
  // The thrown message carries a Bearer value, as messages of HTTP libraries do.
  const check = `if ($json.status === "error") throw new Error("INVALID_DATE_RANGE: " + $json.data.text + " (sent with Authorization: ${canaries.errorMessageBearer})"); return $input.all()`;
  return {
    name: workflowNames.calendar,
    nodes: [
      webhook(webhookPaths.calendar, "lastNode"),
      code("Normalize", normalize),
      callSubWorkflow("Valida Rango", validateRangeId),
      code("Check", check),
      httpCall("Create Event", `${upstreamUrl}/events`),
      code("Respond", "return [{ json: { ok: true, event: $json.body } }]"),
    ],
    connections: chain("Webhook", "Normalize", "Valida Rango", "Check", "Create Event", "Respond"),
  };
}

function orders(priceOrderId: string): Definition {
  return {
    name: workflowNames.orders,
    nodes: [
      webhook(webhookPaths.orders, "lastNode"),
      code("Read Order", "return [{ json: { requestId: $json.body.requestId, sku: $json.body.sku } }]"),
      callSubWorkflow("Price Order", priceOrderId),
      code("Respond", "return $input.all()"),
    ],
    connections: chain("Webhook", "Read Order", "Price Order", "Respond"),
  };
}

/** Answers what the sub-workflow answers, an error in data included, and ends as a success. */
function rangeCheck(validateRangeId: string): Definition {
  const read =
    "const body = $json.body; return [{ json: { requestId: body.context.requestId, Start: body.start, End: body.end } }]";
  return {
    name: workflowNames.range,
    nodes: [
      webhook(webhookPaths.range, "lastNode"),
      code("Read Range", read),
      callSubWorkflow("Valida Rango", validateRangeId),
    ],
    connections: chain("Webhook", "Read Range", "Valida Rango"),
  };
}

/** Calls upstream, which can hold its answer: the execution runs for as long as a test needs it to. */
function report(upstreamUrl: string): Definition {
  return {
    name: workflowNames.report,
    nodes: [
      webhook(webhookPaths.report, "onReceived"),
      code("Read Report", "return [{ json: { requestId: $json.body.requestId } }]"),
      httpCall("Render Report", `${upstreamUrl}/reports`),
    ],
    connections: chain("Webhook", "Read Report", "Render Report"),
    settings: { saveExecutionProgress: true },
  };
}

/**
 * As `report`, with n8n's default: what a node put out is stored only when the execution ends. Until then the
 * webhook's payload stands in `executionData.nodeExecutionStack` alone, and `runData` is empty.
 */
function exportStart(upstreamUrl: string): Definition {
  return {
    name: workflowNames.export,
    nodes: [
      webhook(webhookPaths.export, "onReceived"),
      code("Read Export", "return [{ json: { requestId: $json.body.requestId } }]"),
      httpCall("Write Export", `${upstreamUrl}/exports`),
    ],
    connections: chain("Webhook", "Read Export", "Write Export"),
  };
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
  return {
    name: workflowNames.approval,
    nodes: [
      webhook(webhookPaths.approval, "onReceived"),
      { ...wait, webhookId: randomUUID() },
      code("After", "return $input.all()"),
    ],
    connections: chain("Webhook", "Wait", "After"),
  };
}

/** Each item is about 2.5 × `bytes` bytes long in UTF-8, and the answer holds every item twice. */
function bulk(): Definition {
  const generate =
    'const body = $json.body; return Array.from({ length: body.items ?? 100 }, (_, index) => ({ json: { index, requestId: body.context.requestId, blob: "é漢".repeat((body.bytes ?? 1000) / 2) } }))';
  return {
    name: workflowNames.bulk,
    nodes: [
      webhook(webhookPaths.bulk, "onReceived"),
      code("Generate", generate),
      code("Copy", "return $input.all()"),
    ],
    connections: chain("Webhook", "Generate", "Copy"),
  };
}

/** The only place of the request id is the header `x-request-id`. */
function headerId(): Definition {
  return {
    name: workflowNames.headerId,
    nodes: [webhook(webhookPaths.headerId, "lastNode"), code("Pong", "return [{ json: { pong: true } }]")],
    connections: chain("Webhook", "Pong"),
  };
}

/** The id arrives under a name that nobody looks at, and is told to n8n as custom data. */
function customData(): Definition {
  const tell =
    '$execution.customData.set("requestId", $json.body.reference); return [{ json: { noted: true } }]';
  return {
    name: workflowNames.customData,
    nodes: [webhook(webhookPaths.customData, "lastNode"), code("Note", tell)],
    connections: chain("Webhook", "Note"),
  };
}

function unicode(): Definition {
  return {
    name: workflowNames.unicode,
    nodes: [
      webhook(webhookPaths.unicode, "lastNode"),
      code("Añadir «señal» 漢", "return [{ json: { enviado: true, saludo: '¡Olé! 漢字 🚀' } }]"),
    ],
    connections: chain("Webhook", "Añadir «señal» 漢"),
  };
}

function inactive(): Definition {
  return {
    name: workflowNames.inactive,
    nodes: [webhook("legacy-import", "lastNode"), code("Import", "return $input.all()")],
    connections: chain("Webhook", "Import"),
    inactive: true,
  };
}

function ambiguous(path: string): Definition {
  return {
    name: workflowNames.ambiguous,
    nodes: [webhook(path, "lastNode"), code("Echo", "return [{ json: { echoed: true } }]")],
    connections: chain("Webhook", "Echo"),
  };
}

function mcpServer(validateRangeId: string): Definition {
  const trigger = node("MCP Server Trigger", "@n8n/n8n-nodes-langchain.mcpTrigger", 2, {
    path: mcpPath,
    authentication: "none",
  });
  const tool = node("tool.valida_rango", "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, {
    description: toolDescription,
    workflowId: { __rl: true, mode: "id", value: validateRangeId },
    workflowInputs: workflowInputs({
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

/** n8n's resource mapper: each input is filled by the calling model. */
function workflowInputs(fields: Record<string, string>): Record<string, unknown> {
  const names = Object.keys(fields);
  return {
    mappingMode: "defineBelow",
    value: Object.fromEntries(
      Object.entries(fields).map(([name, meaning]) => [
        name,
        `={{ $fromAI('${name}', '${meaning}', 'string') }}`,
      ]),
    ),
    matchingColumns: [],
    schema: names.map((name) => ({
      id: name,
      displayName: name,
      type: "string",
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
