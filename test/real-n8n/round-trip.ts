/**
 * The round trip of the git format: the export of `get_workflow` is imported into the same n8n, and a second export
 * has the same bytes. And the history: `diff_workflow` reports the changes made by the API.
 * Only this test writes, never the observer.
 */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import { abilitiesOf } from "./abilities.ts";
import type { RunningN8n } from "./boot.ts";
import { type ApiAccess, callApi } from "./n8n-api.ts";
import { branch, chain, code, condition, httpCall, node, webhook } from "./workflow-parts.ts";

const created = z.looseObject({ id: z.string() });
const page = z.looseObject({
  text: z.string(),
  nextOffset: z.number().nullable(),
  length: z.number(),
  sha256: z.string(),
});
const importable = z.looseObject({ name: z.string() });
const stored = z.looseObject({
  name: z.string(),
  nodes: z.array(
    z.looseObject({
      name: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      credentials: z.record(z.string(), z.object({ id: z.string().nullable(), name: z.string() })).optional(),
    }),
  ),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()),
});

const CREDENTIAL_TYPE = "httpHeaderAuth";
const PINNED = "pinned-data-must-not-be-shown";

/** A workflow with everything that an export might lose or change. */
export interface Odd {
  readonly id: string;
  /** The credential of its HTTP node; there is another one of the same type. */
  readonly credentialId: string;
}

export async function createOddWorkflow(n8n: RunningN8n): Promise<Odd> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  await createCredential(access, "Another account");
  const credentialId = await createCredential(access, "Cuenta «ñandú» 漢字");
  const credentials = { [CREDENTIAL_TYPE]: { id: credentialId, name: "Cuenta «ñandú» 漢字" } };
  const authentication = { authentication: "genericCredentialType", genericAuthType: CREDENTIAL_TYPE };
  const call = httpCall("Get access token", "https://example.invalid/token");
  const nodes = [
    { ...webhook("odd", "lastNode"), notes: "línea 1\nline 2 \u2028 🚀", notesInFlow: true },
    { ...condition("¿Válido?", "={{ $json.body.ok }}"), executeOnce: false },
    {
      ...call,
      parameters: { ...call.parameters, ...authentication },
      credentials,
      retryOnFail: true,
      maxTries: 3,
      onError: "continueErrorOutput",
    },
    { ...httpCall("Disabled call", "https://example.invalid/"), disabled: true, credentials },
    code("Código", 'const a = "漢字 🚀 \\u00e9";\n// {"password": "no"}\nreturn [{ json: { a, b: `x` } }];'),
    {
      ...node("Nota", "n8n-nodes-base.stickyNote", 1, {
        content: "# Título «ñandú»\n\n- [ ] `{{ $json }}`\n",
        height: 240,
      }),
      position: [-320.5, -160],
    },
    code("Failed", "return $input.all();"),
  ];
  const connections = {
    ...chain("Webhook", "¿Válido?"),
    ...branch("¿Válido?", "Get access token", "Disabled call"),
    ...branch("Get access token", "Código", "Failed"),
  };
  const { takesPinnedData, takesCallerPolicy } = abilitiesOf(n8n.installation.version);
  const { id } = created.parse(
    await callApi(access, "POST", "/workflows", {
      name: "ida y vuelta «ñandú» 漢字 🚀",
      nodes,
      connections,
      settings: {
        executionOrder: "v1",
        timezone: "Europe/Madrid",
        ...(takesCallerPolicy ? { callerPolicy: "workflowsFromSameOwner" } : {}),
        saveDataErrorExecution: "all",
        executionTimeout: 3600,
      },
      ...(takesPinnedData ? { pinData: { Webhook: [{ json: { secret: PINNED } }] } } : {}),
      staticData: { lastId: 7 },
    }),
  );
  return { id, credentialId };
}

async function createCredential(access: ApiAccess, name: string): Promise<string> {
  const data = { name: "X-Odd", value: randomUUID() };
  return created.parse(await callApi(access, "POST", "/credentials", { name, type: CREDENTIAL_TYPE, data }))
    .id;
}

/** The text, joined from all of its pages. */
async function exportText(client: AgentClient, workflowId: string): Promise<string> {
  let text = "";
  let offset: number | null = 0;
  while (offset !== null) {
    const { envelope } = await client.call("get_workflow", { workflowId, format: "git", offset });
    const part: z.infer<typeof page> = page.parse(envelope.data);
    text += part.text;
    offset = part.nextOffset;
  }
  return text;
}

/** @returns the id of the import */
export async function checkRoundTrip(client: AgentClient, n8n: RunningN8n, id: string): Promise<string> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const text = await exportText(client, id);
  if (text.includes(PINNED)) throw new Error("pinned data is in the export");
  const imported = created.parse(
    await callApi(access, "POST", "/workflows", importable.parse(JSON.parse(text))),
  );
  const again = await exportText(client, imported.id);
  if (again !== text) throw new Error(`the export of the import differs:\n${firstDifference(text, again)}`);
  const { envelope } = await client.call("diff_workflow", { workflowId: imported.id, against: text });
  if (envelope.data.same !== true) throw new Error(`diff_workflow: ${envelope.message}`);
  return imported.id;
}

function firstDifference(a: string, b: string): string {
  const [left, right] = [a.split("\n"), b.split("\n")];
  const line = left.findIndex((each, index) => each !== right[index]);
  return `line ${line + 1}: ${left[line]} / ${right[line]}`;
}

/** The import must use the original credential, not just any of its type. */
export async function checkCredential(
  n8n: RunningN8n,
  importId: string,
  { credentialId }: Odd,
): Promise<void> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const { nodes } = stored.parse(await callApi(access, "GET", `/workflows/${importId}`));
  const used = nodes.find(({ name }) => name === "Get access token")?.credentials?.[CREDENTIAL_TYPE];
  if (used?.id !== credentialId) throw new Error(`the import uses ${JSON.stringify(used)}`);
}

/** Changes one workflow by the API, and asks for the difference. */
export async function checkHistory(client: AgentClient, n8n: RunningN8n, { id }: Odd): Promise<string> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  // Not the export, as n8n would take the marks in it for changed values.
  const before = stored.parse(await callApi(access, "GET", `/workflows/${id}`));
  const changed = {
    name: "ida",
    settings: before.settings,
    nodes: before.nodes.map((each) =>
      each.name === "Failed"
        ? { ...each, name: "Respond", parameters: { jsCode: "return [];" } }
        : each.name === "Nota"
          ? { ...each, position: [0, 500] }
          : each,
    ),
    connections: {
      ...before.connections,
      ...branch("Get access token", "Código", "Respond"),
      ...chain("Código", "Respond"),
    },
  };
  await callApi(access, "PUT", `/workflows/${id}`, changed);
  const { envelope } = await client.call("diff_workflow", { workflowId: id });
  const { nodes, connections } = z
    .looseObject({ nodes: z.record(z.string(), z.unknown()), connections: z.record(z.string(), z.unknown()) })
    .parse(envelope.data);
  const expected = {
    nodes: {
      added: [],
      removed: [],
      renamed: [{ old: "Failed", new: "Respond" }],
      moved: ["Nota"],
      changed: [
        {
          node: "Respond",
          changes: [{ path: "parameters.jsCode", old: "return $input.all();", new: "return [];" }],
        },
      ],
    },
    connections: { added: ["Código ⟶ Respond"], removed: [], reordered: [] },
  };
  const answer = JSON.stringify({ nodes, connections });
  if (answer !== JSON.stringify(expected)) throw new Error(`the differences are ${answer}`);
  return envelope.message ?? "";
}
