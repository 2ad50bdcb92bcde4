/**
 * The workflows of the safety checks.
 * Afterwards all are published, and their webhooks answer. Secrets come only with the requests.
 */
import type { RunningN8n } from "../boot.ts";
import { chained, createWorkflow, waitForWebhook } from "../seed.ts";
import { code, node, type WorkflowNode, webhook } from "../workflow-parts.ts";

export const safetyPaths = {
  keep: "safety-keep",
  token: "safety-token",
  rows: "safety-rows",
  charge: "safety-charge",
  lookup: "safety-lookup",
  gate: "safety-gate",
} as const;

/** Node names that only sound like secrets. */
export const tellingNodes = { token: "Get access token", password: "Check password" } as const;
export const failingNodes = { charge: "Charge card", lookup: "Look up" } as const;

/** Ids assigned by n8n. */
export type SafetyWorkflows = Readonly<Record<keyof typeof safetyPaths, string>>;

const SAVED = { saveDataErrorExecution: "all", saveDataSuccessExecution: "all" };

export async function seedSafety(n8n: RunningN8n, upstreamUrl: string): Promise<SafetyWorkflows> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const create = async (name: string, nodes: WorkflowNode[], settings = {}): Promise<string> =>
    await createWorkflow(n8n, access, {
      ...chained(name, ...nodes),
      settings: { ...SAVED, ...settings },
    });
  const errorWorkflow = await create("Safety Error Handler", [
    node("Error Trigger", "n8n-nodes-base.errorTrigger", 1),
    code("Format Alert", "return [{ json: { alert: $json.execution.error.message } }]"),
  ]);
  const workflows = {
    keep: await create("safety.keep", [
      webhook(safetyPaths.keep, "lastNode"),
      code("Keep", "return [{ json: { kept: true } }]"),
    ]),
    token: await create("safety.token", [
      webhook(safetyPaths.token, "lastNode"),
      code(tellingNodes.token, "return $json.body.items.map((json) => ({ json }))"),
      code(tellingNodes.password, "return [{ json: { checked: $input.all().length } }]"),
    ]),
    rows: await create("safety.rows", [
      webhook(safetyPaths.rows, "onReceived"),
      code("Split", SPLIT_BY_THREE),
    ]),
    charge: await create(
      "safety.charge",
      [webhook(safetyPaths.charge, "onReceived"), charge(`${upstreamUrl}/charges`)],
      { errorWorkflow },
    ),
    lookup: await create(
      "safety.lookup",
      [webhook(safetyPaths.lookup, "onReceived"), code(failingNodes.lookup, THROW_LOOKUP)],
      { errorWorkflow },
    ),
    gate: await create("safety.gate", [
      webhook(safetyPaths.gate, "onReceived"),
      code("Open gate", THROW_IF_REFUSED),
    ]),
  };
  for (const path of Object.values(safetyPaths)) await waitForWebhook(n8n, path);
  return workflows;
}

const SPLIT_BY_THREE =
  "const rows = $json.body.rows; return Array.from({ length: Math.ceil(rows.length / 3) }, (_, index) => { const [a, b, c] = rows.slice(index * 3); return { json: { a, b, c } }; })";

/** Code as people write it, which names a person in its error. */
const THROW_LOOKUP =
  "const { name, ssn } = $json.body; throw new Error('lookup failed for ' + name + ' (SSN ' + ssn + ')')";

/** A workflow that fails or succeeds at the request's choice. */
const THROW_IF_REFUSED =
  "if ($json.body.isRefused) throw new Error('The gate is closed'); return [{ json: { open: true } }]";

function charge(url: string): WorkflowNode {
  return node(failingNodes.charge, "n8n-nodes-base.httpRequest", 4.2, {
    method: "POST",
    url,
    sendBody: true,
    specifyBody: "json",
    jsonBody: "={{ JSON.stringify($json.body) }}",
    options: {},
  });
}
