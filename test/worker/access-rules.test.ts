/**
 * Six people and services under access rules, over HTTP: what each of them gets by every tool, prompt, resource and
 * completion, and what the picture draws of it, names no workflow that no rule gives them; and what changes in the rules, in n8n or in a group, is seen.
 */
import { reset } from "cloudflare:test";
import { env, withEnv } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { mapConcurrently } from "../../src/platform/bounded-concurrency.ts";
import { toPicture } from "../../src/views/waterfall/to-picture.ts";
import { type McpMessage, mcpPost, readMessage, toolCall } from "../support/mcp-post.ts";
import { HOST, N8N } from "./mcp-call.ts";
import { Deployment, settingsFor, signInToPage, tokensOf } from "./oidc/deployment.ts";
import { OPERATOR_TOKEN, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";

/** Of the recorded n8n: five workflows with tags, and their executions. */
const WORKFLOWS = {
  calendar: { id: "Qv3Rd7pPcY8cxR8J", name: "calendar.create" },
  orders: { id: "pIfdWBL4LVeXyfEI", name: "orders.process" },
  server: { id: "1XeIfz7HPI4BwIKP", name: "MCP Server FamilyHub" },
  range: { id: "4dOdfXPSHkVuH7yn", name: "SWF_Valida_Rango_Fechas" },
  bulk: { id: "gpY1EVl3IMuwjwT5", name: "bulk.import" },
} as const;
type Workflow = keyof typeof WORKFLOWS;
const NAMES = Object.keys(WORKFLOWS).filter((name): name is Workflow => name in WORKFLOWS);

const READ = ["n8n:read"];
const DATA = ["n8n:read", "n8n:data"];
const RULES = [
  { who: { emails: ["ada@example.com"] }, see: "all", scopes: DATA },
  { who: { groups: ["staff"] }, see: { workflows: { tags: ["production"] } }, scopes: READ },
  { who: { tokens: ["nightly"] }, see: { workflows: { tags: ["familyhub"] } }, scopes: DATA },
  { who: { tokens: ["reader"] }, see: { workflows: { names: ["orders.*"] } }, scopes: DATA },
  { who: { tokens: ["nightly"] }, see: { workflows: { ids: [WORKFLOWS.bulk.id] } }, scopes: READ },
];

/** Who sees which of the five; all else is hidden from them. */
const SEEN: Readonly<Record<string, readonly Workflow[]>> = {
  ada: NAMES,
  grace: ["calendar", "orders"],
  nightly: ["calendar", "server", "range", "bulk"],
  reader: ["orders"],
};

const lines: string[] = [];
let deployment: Deployment;

beforeEach(() => {
  lines.length = 0;
  for (const method of ["log", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
  deployment = new Deployment({
    ...settingsFor("realProvider"),
    ...N8N,
    OIDC_SCOPES: "openid email groups",
    DATA_EMAILS: "ada@example.com, grace@example.com",
    ACCESS_RULES: JSON.stringify(RULES),
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const tokenOf = async (who: string): Promise<string> => {
  if (who === "nightly") return SERVICE_TOKEN.readAndData;
  if (who === "reader") return SERVICE_TOKEN.readOnly;
  return (await tokensOf(deployment, who, { scope: "n8n:data" })).access_token;
};

/** The tools read the settings of the Worker, not of the request. */
async function post(token: string, message: McpMessage): Promise<Response> {
  const request = new Request(`${PUBLIC_URL}/mcp`, mcpPost(token, message, HOST));
  const settings = { ...env, ...deployment.settings };
  return z.instanceof(Response).parse(await withEnv(settings, () => deployment.send(request)));
}

const say = async (token: string, message: McpMessage): Promise<unknown> =>
  await readMessage(await post(token, message));
const call = async (token: string, name: string, args: object = {}): Promise<string> =>
  JSON.stringify(await say(token, toolCall(name, args)));

const listed = z.object({
  result: z.object({
    structuredContent: z.object({
      data: z.object({ executions: z.array(z.looseObject({ id: z.string(), workflowId: z.string() })) }),
    }),
  }),
});

async function executionsOf(token: string): Promise<readonly { id: string; workflowId: string }[]> {
  const answer = await say(token, toolCall("get_workflow_executions", { limit: 100 }));
  return listed.parse(answer).result.structuredContent.data.executions;
}

const SHOWS_DEFINITIONS = /map_mcp_server|audit_workflow|check_tool_contract|diff_workflow/;

const resource = (uri: string): McpMessage => ({ method: "resources/read", params: { uri } });
const prompt = (name: string, given: object): McpMessage => ({
  method: "prompts/get",
  params: { name, arguments: given },
});

const withStructure = z.looseObject({
  result: z.looseObject({ structuredContent: z.looseObject({ data: z.unknown() }) }),
});

/** What the view draws, which is fed with the structured content; undefined where there is nothing to draw. */
function drawn(answer: unknown) {
  const { data } = withStructure.safeParse(answer);
  return data && toPicture({ ...data.result.structuredContent });
}

/** Every tool about each of the executions and workflows, and what is there besides tools. */
function questions(executions: readonly { id: string; workflowId: string }[]): McpMessage[] {
  const ofEach = [...Map.groupBy(executions, ({ workflowId }) => workflowId).values()].flatMap((own) =>
    own.slice(0, 2),
  );
  const window = { startedAfter: "2026-11-20T00:00:00.000Z", startedBefore: "2026-11-21T00:00:00.000Z" };
  return [
    ...ofEach.flatMap(({ id }) => [
      toolCall("get_execution", { id }),
      toolCall("trace_request", { requestId: id }),
      toolCall("explain_failure", { executionId: id }),
      toolCall("compare_executions", { id }),
      toolCall("explain_agent_run", { executionId: id }),
      toolCall("get_execution_details", { executionId: id }),
      toolCall("get_execution_by_node", { id, nodeName: "Webhook" }),
      resource(`n8n://execution/${id}`),
      resource(`n8n://trace/${id}`),
      prompt("why_did_the_agent", { execution: id }),
    ]),
    ...Object.values(WORKFLOWS).flatMap(({ id: workflowId, name }) => [
      resource(`n8n://workflow/${encodeURIComponent(name)}`),
      prompt("review_mcp_server", { workflow: name }),
      toolCall("get_workflow", { workflowId }),
      toolCall("diff_workflow", { workflowId }),
      toolCall("audit_workflow", { workflowId }),
      toolCall("map_mcp_server", { workflowId }),
      toolCall("check_tool_contract", { workflowId }),
      toolCall("get_workflow_executions", { workflowId }),
    ]),
    toolCall("trace_request", { requestId: "req-100" }),
    toolCall("list_workflows", { active: true }),
    toolCall("list_workflows", { active: false }),
    toolCall("audit_workflow", {}),
    toolCall("map_mcp_server", {}),
    toolCall("summarize_failures", window),
    ...["workflow", "tag", "node", "errorClass"].map((group) =>
      toolCall("query_executions", { groupBy: [group], sortBy: "failures", ...window }),
    ),
    toolCall("search_executions", { words: "error", ...window }),
    toolCall("search_executions", { text: "erro", ...window }),
    toolCall("check_connection", {}),
    { method: "tools/list" },
    { method: "prompts/list" },
    { method: "resources/list" },
    { method: "resources/templates/list" },
    resource("ui://n8n-observer/waterfall.html"),
    prompt("what_happened", { request: "req-100" }),
    prompt("what_broke", { since: "2026-11-20" }),
    {
      method: "completion/complete",
      params: {
        ref: { type: "ref/prompt", name: "review_mcp_server" },
        argument: { name: "workflow", value: "" },
      },
    },
  ];
}

describe("nothing that is hidden shows", () => {
  test.each(Object.keys(SEEN))("to %s", { timeout: 120_000 }, async (who) => {
    const token = await tokenOf(who);
    const all = await executionsOf(await tokenOf("ada"));
    const hidden = NAMES.filter((name) => SEEN[who]?.includes(name) !== true).map((name) => WORKFLOWS[name]);
    const own = await executionsOf(token);
    const seenIds = new Set(SEEN[who]?.map((name): string => WORKFLOWS[name].id));
    if (who !== "ada") for (const { workflowId } of own) expect(seenIds).toContain(workflowId);
    expect(own.length).toBeGreaterThan(0);
    let pictures = 0;
    for (const message of questions(all)) {
      const asked = decodeURIComponent(JSON.stringify(message));
      const answered = await say(token, message);
      const picture = drawn(answered);
      if (picture !== undefined) pictures += 1;
      const answer = JSON.stringify([answered, picture]);
      for (const { id, name } of hidden) {
        // Here and below: what was asked for is repeated, whether there is such a workflow or not.
        if (!asked.includes(name)) expect(answer, asked).not.toContain(name);
        // A visible definition names the ids of what it calls.
        if (!asked.includes(id) && !SHOWS_DEFINITIONS.test(asked)) expect(answer, asked).not.toContain(id);
      }
    }
    expect(pictures).toBeGreaterThan(5);
  });

  test("to grace on the page for people", { timeout: 120_000 }, async () => {
    const settings = { ...env, ...deployment.settings };
    const browser = new Browser(async (request) =>
      z.instanceof(Response).parse(await withEnv(settings, () => deployment.send(request))),
    );
    await signInToPage(browser, "grace");
    const executions = await executionsOf(await tokenOf("ada"));
    const workflowIds = new Map(executions.map(({ id, workflowId }) => [workflowId, id]));
    const ids = Object.values(WORKFLOWS).flatMap(({ id }) => workflowIds.get(id) ?? []);
    const pages = ["", "/failures?since=2026-11-20", "/search?text=error", "/requests/req-100"];
    for (const id of ids) pages.push(`/executions/${id}`, `/executions/${id}/agents`, `/requests/${id}`);
    const read = async (page: string) => await (await browser.open(`${PUBLIC_URL}/app${page}`)).text();
    const all = (await mapConcurrently(pages, 2, read)).join("\n");
    expect(all).toContain(WORKFLOWS.orders.name);
    for (const { id, name } of [WORKFLOWS.server, WORKFLOWS.range, WORKFLOWS.bulk]) {
      expect(all).not.toContain(name);
      expect(all).not.toContain(id);
    }
  });

  test("to somebody whom no rule means, who does not even get in", async () => {
    expect((await post(SERVICE_TOKEN.busy, { method: "tools/list" })).status).toBe(401);
    await expect(tokenOf("unverified")).rejects.toThrow();
  });
});

test("a workflow that may be read, but not its payload, is refused in words", async () => {
  const token = await tokenOf("nightly");
  const bulk = (await executionsOf(token)).find(({ workflowId }) => workflowId === WORKFLOWS.bulk.id);
  const server = (await executionsOf(token)).find(({ workflowId }) => workflowId === WORKFLOWS.server.id);
  expect(await call(token, "get_execution_details", { executionId: bulk?.id })).toContain(
    "INSUFFICIENT_SCOPE",
  );
  expect(await call(token, "get_execution", { id: bulk?.id })).toContain('"status":"success"');
  expect(await call(token, "get_execution_details", { executionId: server?.id })).toContain(
    '"status":"success"',
  );
});

test("the log of a call has the rules that meant the caller, and no other line does", async () => {
  await call(await tokenOf("nightly"), "list_workflows");
  const [line] = lines.filter((each) => each.startsWith('{"event":"tool_call"'));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ tool: "list_workflows", rules: [3, 5] });
});

test("the operator is told who sees what, and by which rule", async () => {
  const ask = async (who: object) => {
    const request = new Request(`${PUBLIC_URL}/operator/access`, {
      method: "POST",
      headers: { ...HOST, Authorization: `Bearer ${OPERATOR_TOKEN}`, "Content-Type": "application/json" },
      body: JSON.stringify(who),
    });
    const settings = { ...env, ...deployment.settings };
    return z.instanceof(Response).parse(await withEnv(settings, () => deployment.send(request)));
  };
  expect(await (await ask({ group: "staff" })).json()).toMatchObject({
    hasRules: true,
    scopes: READ,
    rules: [{ number: 2 }],
    instances: [
      {
        instance: "default",
        all: false,
        workflows: [
          { id: WORKFLOWS.calendar.id, name: WORKFLOWS.calendar.name, data: false },
          { id: WORKFLOWS.orders.id, data: false },
        ],
        unreported: [],
      },
    ],
  });
  expect(await (await ask({ email: "ada@example.com" })).json()).toMatchObject({
    instances: [{ all: true }],
  });
  const odd = {
    who: { tokens: ["busy"] },
    see: { workflows: { ids: [WORKFLOWS.bulk.id, "gone"] } },
    scopes: READ,
  };
  const wrong = {
    ...odd,
    see: { workflows: { tags: ["production", "Production"], names: ["orders.*", "x*"] } },
  };
  const { settings } = deployment;
  for (const [rules, names, unmatched] of [
    // Given by ids alone, workflows are looked up for their names.
    [[odd], [WORKFLOWS.bulk.name], ["ids gone"]],
    [[wrong], [WORKFLOWS.calendar.name, WORKFLOWS.orders.name], ["tags Production", "names x*"]],
  ] as const) {
    deployment.settings = { ...settings, ACCESS_RULES: JSON.stringify(rules) };
    expect(await (await ask({ token: "busy" })).json()).toMatchObject({
      instances: [{ workflows: names.map((name) => ({ name })), unmatched }],
    });
  }
  deployment.settings = settings;
  expect(await (await ask({ token: "busy" })).json()).toMatchObject({ rules: [], instances: [] });
});

test("a changed rule counts at the next call", async () => {
  const token = await tokenOf("reader");
  expect(await call(token, "list_workflows")).toContain(WORKFLOWS.orders.name);
  const other = RULES.map((rule) =>
    rule.who.tokens?.[0] === "reader" ? { ...rule, see: { workflows: { names: ["bulk.*"] } } } : rule,
  );
  deployment.settings = { ...deployment.settings, ACCESS_RULES: JSON.stringify(other) };
  const answer = await call(token, "list_workflows");
  expect(answer).toContain(WORKFLOWS.bulk.name);
  expect(answer).not.toContain(WORKFLOWS.orders.name);
  deployment.settings = { ...deployment.settings, ACCESS_RULES: "[]" };
  expect((await post(token, toolCall("list_workflows", {}))).status).toBe(401);
});

const workflowPage = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/** From now on n8n lists its workflows so. */
function changeWorkflows(change: (listed: string) => string): void {
  const fetchReally = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const answer = await fetchReally(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.endsWith("/workflows")) return answer;
    // With n8n's own headers, a longer body would be cut to the length of the one before.
    return new Response(change(await answer.text()), { headers: { "Content-Type": "application/json" } });
  });
}

test("of the workflows that n8n does not save, each is told their own, also when all are known from another", async () => {
  changeWorkflows((listed) => {
    const page = workflowPage.parse(JSON.parse(listed));
    const unsaved: readonly string[] = [WORKFLOWS.orders.id, WORKFLOWS.server.id];
    const data = page.data.map((one) =>
      unsaved.includes(one.id) ? { ...one, settings: { saveDataSuccessExecution: "none" } } : one,
    );
    return JSON.stringify({ ...page, data });
  });
  const ask = async (who: string) =>
    await call(await tokenOf(who), "trace_request", { requestId: "req-never-sent" });
  expect(await ask("ada")).toContain(WORKFLOWS.orders.name);
  for (const answer of [await ask("nightly"), await ask("nightly")]) {
    expect(answer).toContain(WORKFLOWS.server.name);
    expect(answer).not.toContain(WORKFLOWS.orders.name);
  }
  expect(await ask("ada")).toContain(WORKFLOWS.orders.name);
});

test("a tag that was taken off in n8n counts within a minute", async () => {
  const token = await tokenOf("nightly");
  expect(await call(token, "list_workflows")).toContain(WORKFLOWS.server.name);
  changeWorkflows((listed) => listed.replaceAll('"familyhub"', '"other"'));
  const now = Date.now() + 61_000;
  vi.spyOn(Date, "now").mockImplementation(() => now);
  const answer = await call(token, "list_workflows");
  expect(answer).not.toContain(WORKFLOWS.server.name);
  expect(answer).toContain(WORKFLOWS.bulk.name);
});

test("with wrong rules nobody gets anything", async () => {
  deployment.settings = { ...deployment.settings, ACCESS_RULES: '[{"who":{}}]' };
  const response = await post(SERVICE_TOKEN.readAndData, toolCall("list_workflows", {}));
  expect(response.status).toBeGreaterThanOrEqual(500);
  expect(await response.text()).not.toContain(WORKFLOWS.orders.name);
});

test("a rule by folders, which this n8n does not tell, gives nothing, and the check says so", async () => {
  const rule = { who: { tokens: ["nightly"] }, see: { workflows: { folders: ["Team"] } }, scopes: DATA };
  deployment.settings = { ...deployment.settings, ACCESS_RULES: JSON.stringify([rule]) };
  expect(await call(SERVICE_TOKEN.readAndData, "list_workflows")).toContain('"workflows":[]');
  const check = await call(SERVICE_TOKEN.readAndData, "check_connection");
  expect(check).toContain("An access rule selects workflows by folders, which this n8n does not report");
  expect(check).not.toContain("Team");
});
