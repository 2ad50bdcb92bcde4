/**
 * Personal n8n keys over HTTP: no tool, prompt, resource, completion or page names a workflow that the caller's key does
 * not list, n8n is asked with the caller's key, and a wrong, revoked or foreign key gives its user a clear error.
 */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { catchConsoleLines } from "../support/console-lines.ts";
import { type McpMessage, readMessage, toolCall } from "../support/mcp-post.ts";
import {
  everyQuestion,
  LIST_EXECUTIONS,
  listedExecutions,
  SHOWS_DEFINITIONS,
  WINDOW,
  WORKFLOWS,
} from "./every-question.ts";
import { HOST, N8N } from "./mcp-call.ts";
import {
  consentToProvider,
  Deployment,
  passTime,
  refresh,
  settingsFor,
  signInAs,
  signInAtProvider,
  tokensOf,
} from "./oidc/deployment.ts";
import { askOperator } from "./operator/client.ts";
import { type Account, type Asked, n8nWithAccounts, OTHER_N8N, READING } from "./own-keys.ts";
import { read, signIn } from "./page/visitor.ts";
import { N8N_API_KEY, N8N_ORIGIN, PASSPHRASE, PUBLIC_URL, SERVICE_TOKEN, TEST_BINDINGS } from "./secrets.ts";
import { Browser, destinationOf, handleOf } from "./sign-in/browser.ts";
import { authorizeUrl, exchangeCode, openConsent, registeredClientId } from "./sign-in/client.ts";

const KEY = {
  ada: "n8n-key-of-ada-0123456789",
  grace: "n8n-key-of-grace-0123456789",
  writing: "n8n-key-that-writes-0123456789",
};
const OWN = {
  ada: [WORKFLOWS.calendar, WORKFLOWS.orders],
  grace: [WORKFLOWS.bulk, WORKFLOWS.server],
} as const;
type Person = keyof typeof OWN;
const PEOPLE = ["ada", "grace"] as const;
const hiddenFrom = (who: Person) =>
  Object.values(WORKFLOWS).filter(({ id }) => !OWN[who].some((own) => own.id === id));

const PERSONAL = { ...N8N, N8N_KEYS: "personal", SERVICE_TOKENS: "" };
const lines = catchConsoleLines();
let accounts: Map<string, Account>;
let asked: Asked[];
let deployment: Deployment;

beforeEach(() => {
  accounts = new Map<string, Account>([
    [KEY.ada, { workflows: OWN.ada.map(({ id }) => id) }],
    [KEY.grace, { workflows: OWN.grace.map(({ id }) => id) }],
    [KEY.writing, { workflows: null, scopes: [...READING, "workflow:create", "workflow:delete"] }],
  ]);
  ({ asked } = n8nWithAccounts(accounts));
  deployment = new Deployment({
    ...settingsFor("realProvider"),
    ...PERSONAL,
    ACCESS_PASSPHRASE: PASSPHRASE,
    DATA_EMAILS: "ada@example.com, grace@example.com",
  });
});
afterEach(() => reset());

const FIELD = "key.default";

/** Signs in with the passphrase and a personal key. @returns the client id and the answer to the form */
async function give(key: string, fields: Record<string, string> = {}): Promise<[string, Response]> {
  const clientId = await registeredClientId({}, deployment.send);
  const browser = new Browser(deployment.send);
  const handle = await openConsent(browser, clientId);
  const form = { handle, decision: "approve", passphrase: PASSPHRASE, scope: "n8n:data", [FIELD]: key };
  return [clientId, await browser.post({ ...form, ...fields })];
}

const issued = z.object({ access_token: z.string(), refresh_token: z.string() });

async function tokensWith(key: string, fields: Record<string, string> = {}) {
  const [clientId, answer] = await give(key, fields);
  const code = destinationOf(answer).searchParams.get("code") ?? "";
  const response = await exchangeCode(clientId, code, {}, deployment.send);
  return { clientId, ...issued.parse(await response.json()) };
}

const tokenWith = async (key: string): Promise<string> => (await tokensWith(key)).access_token;

const say = async (token: string, message: McpMessage): Promise<string> =>
  JSON.stringify(await readMessage(await deployment.post(token, message)));
const call = async (token: string, name: string, args: object = {}): Promise<string> =>
  await say(token, toolCall(name, args));

const executionsOf = async (token: string) => listedExecutions(JSON.parse(await say(token, LIST_EXECUTIONS)));

describe("workflows that a key does not list are not shown", () => {
  test.each(PEOPLE)("to %s, whatever others have asked before", { timeout: 120_000 }, async (who) => {
    const other = who === "ada" ? "grace" : "ada";
    const all = await executionsOf((await tokensWith(KEY.writing, { insist: "yes" })).access_token);
    const others = await tokenWith(KEY[other]);
    for (const name of ["summarize_failures", "query_executions"]) await call(others, name, WINDOW);
    const token = await tokenWith(KEY[who]);
    const own = await executionsOf(token);
    expect(own.length).toBeGreaterThan(0);
    const ids = OWN[who].map(({ id }): string => id);
    for (const { workflowId } of own) expect(ids).toContain(workflowId);
    for (const message of everyQuestion(all)) {
      const question = JSON.stringify(message);
      const answer = await say(token, message);
      expect(answer, question).not.toContain(KEY.ada);
      for (const { id, name } of hiddenFrom(who)) {
        expect(answer, question).not.toContain(name);
        // A requested id is repeated, and a visible definition contains the ids of workflows it calls.
        if (!question.includes(id) && !SHOWS_DEFINITIONS.test(question))
          expect(answer, question).not.toContain(id);
      }
    }
  });

  test.each(PEOPLE)("on the page, to %s", { timeout: 60_000 }, async (who) => {
    const browser = new Browser(deployment.send);
    await signIn(browser, "/app", { [FIELD]: KEY[who] });
    const all = await executionsOf((await tokensWith(KEY.writing, { insist: "yes" })).access_token);
    const own = await executionsOf(await tokenWith(KEY[who]));
    const paths = [...all.slice(0, 20), ...own.slice(0, 3)].map(({ id }) => `/app/executions/${id}`);
    let shown = "";
    for (const path of ["/app", "/app/failures?hours=8000", "/app/requests/req-100", ...paths])
      shown += await read(browser, path);
    expect(OWN[who].some(({ name }) => shown.includes(name))).toBe(true);
    for (const { name } of hiddenFrom(who)) expect(shown).not.toContain(name);
  });
});

test("a caller's requests use their own key, and the operator's key only feeds the index", async () => {
  const token = await tokenWith(KEY.ada);
  const [execution] = await executionsOf(token);
  asked.length = 0;
  await call(token, "get_execution_details", { executionId: execution?.id });
  await call(token, "get_workflow", { workflowId: WORKFLOWS.calendar.id });
  await call(token, "list_workflows");
  const single = asked.filter(({ path }) => !path.endsWith("/executions"));
  expect(single.length).toBeGreaterThan(2);
  for (const { key, path } of single) expect(key, path).toBe(KEY.ada);
});

test("a trace reads a failed execution with the caller's key, though others have just read it", async () => {
  const isFailed = ({ status }: Readonly<Record<string, unknown>>): boolean => status === "error";
  const token = await tokenWith(KEY.ada);
  const failed = (await executionsOf(token)).find(isFailed);
  const trace = async (of: string) => await call(of, "trace_request", { requestId: failed?.id });
  await trace((await tokensWith(KEY.writing, { insist: "yes" })).access_token);
  asked.length = 0;
  await trace(token);
  const single = asked.filter(({ path }) => path.endsWith(`/executions/${failed?.id}`));
  expect(single.map(({ key }) => key)).toContain(KEY.ada);
});

test.each(["req-entry-failure", "req-deep-failure"])(
  "a known trace of %s reads its failure only with the caller's key",
  async (requestId) => {
    const token = await tokenWith(KEY.ada);
    const trace = async () => await call(token, "trace_request", { requestId });
    await trace();
    asked.length = 0;
    const answer = await trace();
    const failed = /"failure":\{"executionId":"(\d+)"/.exec(answer)?.[1];
    const looks = asked.filter(({ path }) => path.endsWith(`/executions/${failed}`));
    expect(new Set(looks.map(({ key }) => key))).toEqual(new Set([KEY.ada]));
  },
);

test("a search shows no payload that the key may not read, even if the index knows it", async () => {
  const words = { words: "error", ...WINDOW };
  const token = await tokenWith(KEY.ada);
  const found = await call(token, "search_executions", words);
  const hits = [...found.matchAll(/"executionId":"(\d+)"/g)].map(([, id]) => id);
  expect(hits.length).toBeGreaterThan(0);
  expect(
    asked.filter(({ key, path }) => key === KEY.ada && path.endsWith(`/executions/${hits[0]}`)),
  ).not.toEqual([]);
  accounts.set(KEY.ada, { workflows: OWN.ada.map(({ id }) => id), hidesExecutions: true });
  expect(await call(token, "search_executions", words)).not.toContain(`"executionId":"${hits[0]}"`);
});

describe("at sign-in", () => {
  test.each([
    ["no entry", "", "Give an API key of yours"],
    ["an invalid key", "short", "This is no API key of n8n"],
    ["a key that n8n does not know", "n8n-key-of-nobody-0123", "n8n does not accept this key"],
    ["a key that writes", KEY.writing, "This key can do more than read: workflow:create, workflow:delete"],
  ])("%s is refused with a reason, and is not in the page", async (_what, key, words) => {
    const [, answer] = await give(key);
    expect(answer.status).toBe(400);
    const page = await answer.text();
    expect(page).toContain(words);
    if (key !== "") expect(page).not.toContain(key);
    expect(lines.join("\n")).not.toContain(KEY.writing);
  });

  test("a missing scope and an unavailable n8n give different errors", async () => {
    accounts.set("n8n-key-without-scopes", { workflows: [], status: 403 });
    accounts.set("n8n-key-of-a-silent-n8n", { workflows: [], status: 502 });
    expect(await (await give("n8n-key-without-scopes"))[1].text()).toContain("lacks the scope workflow:list");
    expect(await (await give("n8n-key-of-a-silent-n8n"))[1].text()).toContain("The key could not be tried");
  });

  test("n8n is asked about a key only after the user has authenticated", async () => {
    const [, answer] = await give(KEY.ada, { passphrase: "a wrong passphrase" });
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain(KEY.ada);
    await consentToProvider(deployment, new Browser(deployment.send), { [FIELD]: KEY.ada });
    expect(asked).toEqual([]);
  });

  test("a key that can write is accepted on request, and still only reads", async () => {
    const { access_token: token } = await tokensWith(KEY.writing, { insist: "yes" });
    expect(await call(token, "list_workflows")).toContain(WORKFLOWS.bulk.name);
    expect(await call(token, "check_connection")).toContain("can do more than read");
  });

  test("a writing key is accepted if n8n does not report scopes, which the check mentions", async () => {
    accounts.set(KEY.writing, { workflows: null, scopes: null });
    const { access_token: token } = await tokensWith(KEY.writing);
    expect(await call(token, "list_workflows")).toContain(WORKFLOWS.bulk.name);
    const check = await call(token, "check_connection");
    expect(check).toContain("This n8n does not show which scopes a key has");
    expect(check).not.toContain("can do more than read");
  });

  test("a key of another n8n is refused at its field", async () => {
    const n8ns = { here: { baseUrl: N8N_ORIGIN, apiKey: N8N_API_KEY }, there: OTHER_N8N };
    deployment.settings = {
      ...deployment.settings,
      N8N_BASE_URL: "",
      N8N_API_KEY: "",
      N8N_INSTANCES: JSON.stringify(n8ns),
    };
    accounts.set(KEY.grace, { workflows: null, isElsewhere: true });
    const [, answer] = await give("", { "key.here": KEY.ada, "key.there": KEY.ada });
    expect(answer.status).toBe(400);
    const page = await answer.text();
    const fault = "n8n does not accept this key: it was deleted or has expired, or belongs to another n8n.";
    expect(page.split(fault)).toHaveLength(2);
    expect(page.indexOf(fault)).toBeGreaterThan(page.indexOf('name="key.there"'));
    expect(page).not.toContain(KEY.ada);
    const { access_token: token } = await tokensWith("", { "key.here": KEY.ada, "key.there": KEY.grace });
    asked.length = 0;
    await call(token, "list_workflows", { instance: "here" });
    expect(await call(token, "list_workflows", { instance: "there" })).toContain(WORKFLOWS.bulk.name);
    const keysAt = (host: string) => new Set(asked.filter((one) => one.host === host).map(({ key }) => key));
    expect(keysAt(new URL(OTHER_N8N.baseUrl).host)).not.toContain(KEY.ada);
    expect(keysAt(new URL(N8N_ORIGIN).host)).not.toContain(KEY.grace);
    expect(keysAt(new URL(N8N_ORIGIN).host)).toContain(KEY.ada);
  });

  test("at an organisation a refused key is asked for again", async () => {
    const refused = await signInAs(deployment, "ada", { [FIELD]: "n8n-key-of-nobody-0123" });
    expect(refused.answer.status).toBe(400);
    const page = await refused.answer.text();
    expect(page).toContain("n8n does not accept this key");
    const again = { handle: handleOf(page), decision: "organisation", [FIELD]: KEY.ada };
    const start = destinationOf(await refused.browser.post(again));
    const callback = await signInAtProvider(start, "ada");
    const left = await refused.browser.open(callback);
    expect(destinationOf(left).searchParams.get("code")).not.toBeNull();
  });

  test("two users of the passphrase do not end each other's sign-in", async () => {
    const clientId = await registeredClientId({}, deployment.send);
    const tokens: string[] = [];
    for (const key of [KEY.ada, KEY.grace]) {
      const browser = new Browser(deployment.send);
      const handle = await openConsent(browser, clientId);
      const form = { handle, decision: "approve", passphrase: PASSPHRASE, [FIELD]: key };
      const left = await browser.post(form);
      const code = destinationOf(left).searchParams.get("code") ?? "";
      tokens.push(
        issued.parse(await (await exchangeCode(clientId, code, {}, deployment.send)).json()).access_token,
      );
    }
    for (const token of tokens)
      expect((await deployment.post(token, toolCall("list_workflows", {}))).status).toBe(200);
  });
});

describe("after sign-in", () => {
  test("a revoked key gives its user a clear error, and others keep their access", async () => {
    const [ada, grace] = [await tokenWith(KEY.ada), await tokenWith(KEY.grace)];
    const [execution] = await executionsOf(ada);
    accounts.delete(KEY.ada);
    const answer = await call(ada, "get_execution_details", { executionId: execution?.id });
    expect(answer).toContain("N8N_UNAUTHORIZED");
    expect(answer).toContain("n8n does not accept your API key");
    expect(answer).toContain("connect again in your app");
    expect(answer).not.toContain("N8N_API_KEY");
    expect(await call(grace, "list_workflows")).toContain(WORKFLOWS.bulk.name);
    expect(await call(ada, "check_connection")).toContain("n8n does not accept your API key");
  });

  test("a revoked key sees nothing of the index after a minute", async () => {
    const token = await tokenWith(KEY.ada);
    await executionsOf(token);
    accounts.delete(KEY.ada);
    passTime(61_000);
    const answer = await call(token, "query_executions", { groupBy: ["workflow"], ...WINDOW });
    expect(answer).toContain("N8N_UNAUTHORIZED");
  });

  test("a key is sent only to the address it was given for", async () => {
    const token = await tokenWith(KEY.ada);
    deployment.settings = { ...deployment.settings, N8N_BASE_URL: "https://other-n8n.example" };
    const answer = await deployment.post(token, toolCall("list_workflows", {}));
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain("Sign in again");
  });

  test("a sign-in without keys has no access once keys are required", async () => {
    const { settings } = deployment;
    deployment.settings = { ...settings, N8N_KEYS: "shared" };
    const without = await tokenWith("");
    deployment.settings = settings;
    expect((await deployment.post(without, toolCall("list_workflows", {}))).status).toBe(401);
  });

  test("a sign-in at an organisation keeps its keys at a refresh", async () => {
    const tokens = await tokensOf(deployment, "ada", { [FIELD]: KEY.ada });
    passTime(31 * 60_000);
    const fetched = vi.mocked(globalThis.fetch).mock.calls;
    const before = fetched.length;
    const again = issued.parse(await (await refresh(deployment, tokens)).json());
    const paths = fetched
      .slice(before)
      .map(([input]) => new URL(input instanceof Request ? input.url : input));
    expect(paths.map(({ pathname }) => pathname)).toContain("/token");
    expect(await call(again.access_token, "list_workflows")).toContain(WORKFLOWS.orders.name);
    expect(asked.at(-1)?.key).toBe(KEY.ada);
  });

  test("a personal key is redacted everywhere, and is in no log, store or object", async () => {
    const token = await tokenWith(KEY.ada);
    await executionsOf(token);
    const answer = await call(token, "trace_request", { requestId: KEY.ada });
    expect(answer).not.toContain(KEY.ada);
    expect(lines.join("\n")).not.toContain(KEY.ada);
    expect(lines.find((line) => line.startsWith('{"event":"tool_call"'))).toContain('"ownKey":true');
    const { keys } = await env.OAUTH_KV.list();
    const stored = await Promise.all(
      keys.map(async ({ name, metadata }) => [name, metadata, await env.OAUTH_KV.get(name)]),
    );
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(KEY.ada);
  });
});

describe("with incompatible settings", () => {
  test.each([
    ["ACCESS_RULES", '[{"who":{"everybody":true},"see":"all","scopes":["n8n:read"]}]'],
    ["SERVICE_TOKENS", TEST_BINDINGS.SERVICE_TOKENS],
    ["OIDC_ENTERPRISE_MANAGED", "on"],
  ])("%s: nobody gets access", async (name, value) => {
    deployment.settings = { ...deployment.settings, [name]: value };
    const token = name === "SERVICE_TOKENS" ? SERVICE_TOKEN.readAndData : "owner:grant:secret";
    const answer = await deployment.post(token, toolCall("list_workflows", {}));
    expect(answer.ok).toBe(false);
    const browser = new Browser(deployment.send);
    const page = await browser.open(authorizeUrl(await registeredClientId({}, deployment.send)));
    expect(page.status).toBe(503);
    expect(await page.text()).toContain(`is personal together with ${name}`);
  });
});

test("the start page mentions personal keys only when they are required", async () => {
  const read = async () =>
    await (await deployment.send(new Request(`${PUBLIC_URL}/`, { headers: { ...HOST } }))).text();
  expect(await read()).toContain("You also give an n8n API key of yours, with which n8n is read for you.");
  deployment.settings = { ...deployment.settings, N8N_KEYS: "shared" };
  expect(await read()).not.toContain("API key of yours");
});

test("the operator's report says that n8n decides", async () => {
  const report = await (await deployment.send(askOperator("access", { email: "ada@example.com" }))).json();
  expect(report).toMatchObject({ keys: "personal", hasRules: false, instances: [] });
});
