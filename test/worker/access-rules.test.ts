/**
 * Access rules over HTTP: no tool, prompt, resource, completion or picture names a workflow to a caller whom no rule
 * grants it, and changes of rules, tags or groups take effect.
 */
import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { mapConcurrently } from "../../src/platform/bounded-concurrency.ts";
import { toPicture } from "../../src/views/waterfall/to-picture.ts";
import { catchConsoleLines } from "../support/console-lines.ts";
import { type McpMessage, readMessage, toolCall } from "../support/mcp-post.ts";
import {
  everyQuestion,
  examplesOf,
  LIST_EXECUTIONS,
  type ListedExecution,
  listedExecutions,
  SHOWS_DEFINITIONS,
  WINDOW,
  WORKFLOWS,
} from "./every-question.ts";
import { N8N } from "./mcp-call.ts";
import { Deployment, passTime, settingsFor, signInToPage, tokensOf } from "./oidc/deployment.ts";
import { askOperator } from "./operator/client.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";

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

/** The workflows that each caller sees; all others are hidden. */
const SEEN: Readonly<Record<string, readonly Workflow[]>> = {
  ada: NAMES,
  grace: ["calendar", "orders"],
  nightly: ["calendar", "server", "range", "bulk"],
  reader: ["orders"],
};

const lines = catchConsoleLines();
let deployment: Deployment;

beforeEach(() => {
  deployment = new Deployment({
    ...settingsFor("realProvider"),
    ...N8N,
    OIDC_SCOPES: "openid email groups",
    DATA_EMAILS: "ada@example.com, grace@example.com",
    ACCESS_RULES: JSON.stringify(RULES),
  });
});
afterEach(() => reset());

const tokenOf = async (who: string): Promise<string> => {
  if (who === "nightly") return SERVICE_TOKEN.readAndData;
  if (who === "reader") return SERVICE_TOKEN.readOnly;
  return (await tokensOf(deployment, who, { scope: "n8n:data" })).access_token;
};

const say = async (token: string, message: McpMessage): Promise<unknown> =>
  await readMessage(await deployment.post(token, message));
const call = async (token: string, name: string, args: object = {}): Promise<string> =>
  JSON.stringify(await say(token, toolCall(name, args)));

const executionsOf = async (token: string) => listedExecutions(await say(token, LIST_EXECUTIONS));

const resource = (uri: string): McpMessage => ({ method: "resources/read", params: { uri } });
const prompt = (name: string, given: object): McpMessage => ({
  method: "prompts/get",
  params: { name, arguments: given },
});

const withStructure = z.looseObject({
  result: z.looseObject({ structuredContent: z.looseObject({ data: z.unknown() }) }),
});

/** What the view draws of the structured content; undefined if there is nothing to draw. */
function drawn(answer: unknown) {
  const { data } = withStructure.safeParse(answer);
  return data && toPicture({ ...data.result.structuredContent });
}

/** Every question of tools, resources and prompts. */
function questions(executions: readonly ListedExecution[]): McpMessage[] {
  return [
    ...everyQuestion(executions),
    ...examplesOf(executions).flatMap(({ id }) => [
      resource(`n8n://execution/${id}`),
      resource(`n8n://trace/${id}`),
      prompt("why_did_the_agent", { execution: id }),
    ]),
    ...Object.values(WORKFLOWS).flatMap(({ name }) => [
      resource(`n8n://workflow/${encodeURIComponent(name)}`),
      prompt("review_mcp_server", { workflow: name }),
    ]),
    ...["workflow", "tag", "node", "errorClass"].map((group) =>
      toolCall("query_executions", { groupBy: [group], sortBy: "failures", ...WINDOW }),
    ),
    resource("ui://n8n-observer/waterfall.html"),
    prompt("what_happened", { request: "req-100" }),
    prompt("what_broke", { since: "2026-11-20" }),
  ];
}

describe("no hidden workflow is shown", () => {
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
        // Values that were asked for are repeated, here and below, whether such a workflow exists or not.
        if (!asked.includes(name)) expect(answer, asked).not.toContain(name);
        // A visible definition contains the ids of workflows it calls.
        if (!asked.includes(id) && !SHOWS_DEFINITIONS.test(asked)) expect(answer, asked).not.toContain(id);
      }
    }
    expect(pictures).toBeGreaterThan(5);
  });

  test("to grace on the page for people", { timeout: 120_000 }, async () => {
    const browser = new Browser(deployment.send);
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

  test("to a caller without any rule, who is not admitted", async () => {
    expect((await deployment.post(SERVICE_TOKEN.busy, { method: "tools/list" })).status).toBe(401);
    await expect(tokenOf("unverified")).rejects.toThrow();
  });
});

test("payload of a workflow without n8n:data is refused with INSUFFICIENT_SCOPE", async () => {
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

test("only the log line of a call contains the rules that applied", async () => {
  await call(await tokenOf("nightly"), "list_workflows");
  const [line] = lines.filter((each) => each.startsWith('{"event":"tool_call"'));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ tool: "list_workflows", rules: [3, 5] });
});

test("the operator sees who may see what, and by which rule", async () => {
  const ask = async (who: object) => await deployment.send(askOperator("access", who));
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
    // Workflows granted by id only are looked up for their names.
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

test("the operator sees of a token no more than its own scopes, and nothing of one that is not there", async () => {
  const see = { workflows: { ids: [WORKFLOWS.orders.id] } };
  deployment.settings = {
    ...deployment.settings,
    ACCESS_RULES: JSON.stringify([{ who: { everybody: true }, see, scopes: DATA }]),
    SERVICE_TOKENS: `pager ${"a".repeat(64)} n8n:read`,
  };
  const ask = async (token: string) => await (await deployment.send(askOperator("access", { token }))).json();
  expect(await ask("pager")).toMatchObject({
    scopes: READ,
    rules: [{ number: 1 }],
    instances: [{ workflows: [{ id: WORKFLOWS.orders.id, data: false }] }],
  });
  expect(await ask("pagr")).toMatchObject({ scopes: [], rules: [], instances: [] });
});

test("a changed rule takes effect at the next call", async () => {
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
  expect((await deployment.post(token, toolCall("list_workflows", {}))).status).toBe(401);
});

const workflowPage = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/** Changes the list of workflows that n8n returns from now on. */
function changeWorkflows(change: (listed: string) => string): void {
  const fetchReally = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const answer = await fetchReally(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.endsWith("/workflows")) return answer;
    // n8n's own headers would cut a longer body to the original length.
    return new Response(change(await answer.text()), { headers: { "Content-Type": "application/json" } });
  });
}

test("each caller is told of their own unsaved workflows, even if another's are known", async () => {
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

test("a tag removed in n8n takes effect within a minute", async () => {
  const token = await tokenOf("nightly");
  expect(await call(token, "list_workflows")).toContain(WORKFLOWS.server.name);
  changeWorkflows((listed) => listed.replaceAll('"familyhub"', '"other"'));
  passTime(61_000);
  const answer = await call(token, "list_workflows");
  expect(answer).not.toContain(WORKFLOWS.server.name);
  expect(answer).toContain(WORKFLOWS.bulk.name);
});

test("malformed rules grant nothing to anybody", async () => {
  deployment.settings = { ...deployment.settings, ACCESS_RULES: '[{"who":{}}]' };
  const response = await deployment.post(SERVICE_TOKEN.readAndData, toolCall("list_workflows", {}));
  expect(response.status).toBeGreaterThanOrEqual(500);
  expect(await response.text()).not.toContain(WORKFLOWS.orders.name);
});

test("a rule by folders grants nothing if n8n does not report folders, and the check says so", async () => {
  const rule = { who: { tokens: ["nightly"] }, see: { workflows: { folders: ["Team"] } }, scopes: DATA };
  deployment.settings = { ...deployment.settings, ACCESS_RULES: JSON.stringify([rule]) };
  expect(await call(SERVICE_TOKEN.readAndData, "list_workflows")).toContain('"workflows":[]');
  const check = await call(SERVICE_TOKEN.readAndData, "check_connection");
  expect(check).toContain("An access rule selects workflows by folders, which this n8n does not report");
  expect(check).not.toContain("Team");
});
