/**
 * Access rules by tags on a real n8n: five workflows in two tags, which call each other across tags, and six callers.
 * Each calls every tool about every workflow and execution, and requests every resource, prompt and completion. No answer
 * names anything that no rule gives them, and counts cover only theirs. Then a tag is moved, and a request is traced that
 * only a hidden workflow has received.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { closeAtEnd } from "../support/close-at-end.ts";
import { type McpMessage, mcpPost, readMessage, toolCall } from "../support/mcp-post.ts";
import { SERVICE_TOKEN, type TestWorker } from "../support/test-worker.ts";
import { bootN8n, type RunningN8n } from "./boot.ts";
import type { N8nInstallation } from "./install.ts";
import { callApi } from "./n8n-api.ts";
import type { LaneReport } from "./report.ts";
import { chained, createWorkflow, type Definition, waitForWebhook } from "./seed.ts";
import { webhookUrl } from "./tested-n8n.ts";
import { checkOnlyGet, same } from "./trace-checks.ts";
import type { Watch } from "./watch.ts";
import { startWatchedWorker } from "./watched-worker.ts";
import { callSubWorkflow, code, node, subWorkflowStart, webhook } from "./workflow-parts.ts";

const NAMES = ["orders.label", "orders.alarm", "pay.rate", "orders.intake", "pay.run"] as const;
type Name = (typeof NAMES)[number];
const tagOf = (name: Name): string => name.split(".")[0] ?? "";

/** A text that occurs only in the payload of a workflow's executions, and in the error of the failing one. */
const MARKS: Readonly<Record<Name, string>> = {
  "orders.label": "a blue label",
  "orders.alarm": "the siren is on",
  "pay.rate": "paid by the hour",
  "orders.intake": "two red chairs",
  "pay.run": "the vault is ajar",
};
const REQUEST = {
  orders: "req-of-orders-31",
  pay: "req-of-pay-31",
  hidden: "req-of-pay-77",
  never: "req-of-any-77",
};

const READ = ["n8n:read"];
const DATA = ["n8n:read", "n8n:data"];
const rulesBy = (intake: string) => [
  { who: { tokens: ["everything"] }, see: "all", scopes: DATA },
  { who: { tokens: ["clerk"] }, see: { workflows: { tags: ["orders"] } }, scopes: READ },
  {
    who: { tokens: ["packer"] },
    see: { workflows: { names: ["orders.in*", "orders.label"] } },
    scopes: DATA,
  },
  { who: { tokens: ["payroll", "mixed"] }, see: { workflows: { tags: ["pay"] } }, scopes: READ },
  { who: { tokens: ["mixed"] }, see: { workflows: { ids: [intake] } }, scopes: DATA },
  { who: { tokens: ["auditor"] }, see: { workflows: { names: ["pay.run"] } }, scopes: DATA },
];

/** The workflows whose executions each caller may see, and those whose payload too. */
const SEEN: Readonly<Record<string, { readonly read: readonly Name[]; readonly data: readonly Name[] }>> = {
  everything: { read: NAMES, data: NAMES },
  clerk: { read: ["orders.label", "orders.alarm", "orders.intake"], data: [] },
  packer: { read: ["orders.label", "orders.intake"], data: ["orders.label", "orders.intake"] },
  payroll: { read: ["pay.rate", "pay.run"], data: [] },
  mixed: { read: ["pay.rate", "pay.run", "orders.intake"], data: ["orders.intake"] },
  auditor: { read: ["pay.run"], data: ["pay.run"] },
};
const tokenOf = (who: string): string => `token-of-${who}-for-the-tests-0123456789`;

/** Sub-workflows and the error workflow first, as the others refer to their ids. */
const definitionOf = (name: Name, ids: ReadonlyMap<Name, string>): Definition => {
  const only = (does: string) => code("Do", does);
  // Split, so that the definition does not contain the mark itself.
  const mark = `${JSON.stringify(MARKS[name].split(" "))}.join(" ")`;
  const returns = (more: string) =>
    `return [{ json: { requestId: ($json.body ?? $json).requestId, ${more} } }]`;
  const idOf = (other: Name) => ids.get(other) ?? "";
  switch (name) {
    case "orders.label":
    case "pay.rate":
      return {
        ...chained(name, subWorkflowStart(), only(returns(`mark: ${mark}`)), code("End", returns(""))),
        calledOnly: true,
      };
    case "orders.alarm":
      return {
        ...chained(
          name,
          node("Error Trigger", "n8n-nodes-base.errorTrigger", 1),
          only(returns(`mark: ${mark}`)),
        ),
        calledOnly: true,
      };
    case "orders.intake":
      return chained(
        name,
        webhook("intake", "lastNode"),
        only(returns(`mark: ${mark}`)),
        code("Hand On", returns("")),
        callSubWorkflow("Rate", idOf("pay.rate")),
      );
    case "pay.run":
      return {
        ...chained(
          name,
          webhook("pay", "lastNode"),
          only(`if ($json.body.isQuiet) return []; ${returns("")}`),
          callSubWorkflow("Label", idOf("orders.label")),
          code("Pay", `throw new Error(${mark})`),
        ),
        settings: { errorWorkflow: idOf("orders.alarm") },
      };
  }
};

interface Seeded {
  readonly ids: ReadonlyMap<Name, string>;
  /** Sets the tags of a workflow. */
  readonly tag: (name: Name, tags: readonly string[]) => Promise<void>;
}

const withId = z.object({ id: z.string() });

async function seed(n8n: RunningN8n): Promise<Seeded> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const tagIds = new Map<string, string>();
  for (const name of new Set(NAMES.map(tagOf)))
    tagIds.set(name, withId.parse(await callApi(access, "POST", "/tags", { name })).id);
  const ids = new Map<Name, string>();
  const tag: Seeded["tag"] = async (name, tags) => {
    const tagList = tags.map((each) => ({ id: tagIds.get(each) }));
    await callApi(access, "PUT", `/workflows/${ids.get(name)}/tags`, tagList);
  };
  for (const name of NAMES) {
    ids.set(name, await createWorkflow(n8n, access, definitionOf(name, ids)));
    await tag(name, [tagOf(name)]);
  }
  for (const path of ["intake", "pay"]) await waitForWebhook(n8n, path);
  const post = async (path: string, body: object) =>
    await fetch(webhookUrl(n8n, path), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await post("intake", { requestId: REQUEST.orders });
  await post("pay", { requestId: REQUEST.pay });
  await post("pay", { requestId: REQUEST.hidden, isQuiet: true });
  return { ids, tag };
}

interface Execution {
  readonly id: string;
  readonly workflowId: string;
}
const executionsIn = z.object({
  data: z.object({ executions: z.array(z.object({ id: z.string(), workflowId: z.string() })) }),
});
/** Three requests: one calls a sub-workflow, one fails with a sub-workflow and an error workflow, one does neither. */
const EXECUTIONS = 6;

/** The answer to a caller as JSON, including structured content and text. */
type Say = (who: string, message: McpMessage) => Promise<string>;

const sayTo =
  (worker: TestWorker): Say =>
  async (who, message) => {
    const response = await fetch(worker.mcpUrl, mcpPost(tokenOf(who), message));
    if (response.status !== 200) throw new Error(`${who} got HTTP ${response.status}`);
    return JSON.stringify(await readMessage(response));
  };

const answered = z.object({ result: z.object({ structuredContent: z.looseObject({ data: z.unknown() }) }) });

/** The executions in a tool's answer. */
async function executionsOf(say: Say, who: string): Promise<readonly Execution[]> {
  const answer: unknown = JSON.parse(await say(who, toolCall("get_workflow_executions", { limit: 100 })));
  return executionsIn.parse(answered.parse(answer).result.structuredContent).data.executions;
}

/** Definitions refer to called workflows and error workflows by id. */
const SHOWS_DEFINITIONS = /map_mcp_server|audit_workflow|check_tool_contract|diff_workflow|"get_workflow"/;

function questionsAbout(ids: readonly string[], executions: readonly Execution[]): McpMessage[] {
  const prompt = (name: string, given: Record<string, string>): McpMessage => ({
    method: "prompts/get",
    params: { name, arguments: given },
  });
  const resource = (uri: string): McpMessage => ({ method: "resources/read", params: { uri } });
  const completion = (ref: object, name: string): McpMessage => ({
    method: "completion/complete",
    params: { ref, argument: { name, value: "" } },
  });
  return [
    ...executions.flatMap(({ id }) => [
      toolCall("get_execution", { id }),
      toolCall("trace_request", { requestId: id }),
      toolCall("explain_failure", { executionId: id }),
      toolCall("compare_executions", { id }),
      toolCall("explain_agent_run", { executionId: id }),
      toolCall("get_execution_details", { executionId: id }),
      toolCall("get_execution_by_node", { id, nodeName: "Do" }),
      resource(`n8n://execution/${id}`),
      resource(`n8n://trace/${id}`),
    ]),
    ...ids.flatMap((workflowId) => [
      toolCall("get_workflow", { workflowId }),
      toolCall("diff_workflow", { workflowId }),
      toolCall("audit_workflow", { workflowId }),
      toolCall("map_mcp_server", { workflowId }),
      toolCall("check_tool_contract", { workflowId }),
      toolCall("get_workflow_executions", { workflowId }),
    ]),
    ...Object.values(REQUEST).flatMap((requestId) => [
      toolCall("trace_request", { requestId }),
      toolCall("trace_request", { requestId, deep: true }),
    ]),
    toolCall("list_workflows", {}),
    toolCall("list_workflows", { tags: ["pay"] }),
    toolCall("audit_workflow", {}),
    toolCall("map_mcp_server", {}),
    toolCall("summarize_failures", {}),
    ...["workflow", "tag", "node", "errorClass", "status"].map((group) =>
      toolCall("query_executions", { groupBy: [group] }),
    ),
    toolCall("search_executions", { text: "the" }),
    toolCall("search_executions", { words: "vault" }),
    toolCall("check_connection", {}),
    { method: "tools/list" },
    { method: "prompts/list" },
    { method: "resources/list" },
    { method: "resources/templates/list" },
    resource("ui://n8n-observer/waterfall.html"),
    prompt("what_happened", { request: REQUEST.pay }),
    prompt("what_broke", { since: "yesterday" }),
    prompt("why_did_the_agent", { execution: "1" }),
    prompt("review_mcp_server", { workflow: "any" }),
    completion({ type: "ref/prompt", name: "review_mcp_server" }, "workflow"),
    completion({ type: "ref/resource", uri: "n8n://workflow/{workflowName}" }, "workflowName"),
  ];
}

/** Every text in an answer, at any depth. */
const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** @throws Error that names what is shown */
async function checkHidden(
  say: Say,
  who: string,
  { ids }: Seeded,
  all: readonly Execution[],
): Promise<string> {
  const { read = [], data = [] } = SEEN[who] ?? {};
  const hidden = NAMES.filter((name) => !read.includes(name));
  const hiddenIds = hidden.map((name) => ids.get(name) ?? "");
  const hiddenExecutions = all.filter(({ workflowId }) => hiddenIds.includes(workflowId)).map(({ id }) => id);
  // The error of a workflow that may be seen is not payload.
  const marks = NAMES.filter((name) => !(name === "pay.run" ? read : data).includes(name)).map(
    (name) => MARKS[name],
  );
  const questions = questionsAbout([...ids.values()], all);
  for (const question of questions) {
    const asked = JSON.stringify(question);
    const answer = await say(who, question);
    const isRefused = question.method === "prompts/get" && !answer.includes('"messages"');
    if (isRefused || answer.includes("RATE_LIMITED")) throw new Error(`${asked} was not answered: ${answer}`);
    const shows = [...hidden, ...marks].filter((word) => answer.includes(word));
    if (!SHOWS_DEFINITIONS.test(asked))
      shows.push(...hiddenIds.filter((id) => answer.includes(id) && !asked.includes(id)));
    const texts = textsIn(JSON.parse(answer));
    shows.push(
      ...hiddenExecutions.filter(
        (id) =>
          !asked.includes(`"${id}"`) &&
          !asked.includes(`/${id}"`) &&
          texts.some((text) => text === id || new RegExp(`executions?[ /]${id}\\b`).test(text)),
      ),
    );
    if (shows.length > 0) throw new Error(`${asked} shows ${shows.join(", ")}: ${answer}`);
  }
  return `${questions.length} questions`;
}

const countedIn = z.object({
  result: z.object({
    structuredContent: z.object({ data: z.object({ totals: z.object({ count: z.number() }) }) }),
  }),
});

/** Removes what differs with each call: the time and the arguments. */
const comparable = (answer: string, asked: string): string =>
  answer
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|trace_\w{16}/g, "ID")
    .replaceAll(new RegExp(`\\b${asked}\\b`, "g"), "ASKED");

/** A hidden and a missing id get the same words, and cause the same requests to n8n. */
async function checkSame(say: Say, watch: Watch, who: string, [ask, hidden, missing]: Pair): Promise<void> {
  const costOf = async (id: string) => {
    const before = watch.requests.length;
    const answer = comparable(await say(who, ask(id)), id);
    // The list of workflows is read once a minute, independent of the call.
    const requests = watch.requests.slice(before).filter(({ path }) => !path.includes("/workflows?"));
    return { answer, requests: requests.length };
  };
  same(JSON.stringify(ask(hidden)), await costOf(hidden), await costOf(missing));
}
type Pair = readonly [ask: (id: string) => McpMessage, hidden: string, missing: string];

/** A minute, plus a call. */
const SEEN_WITHIN_MS = 63_000;
const BETWEEN_LOOKS_MS = 2_000;

/** @throws Error when it does not happen in time */
async function waitUntil(isSo: () => Promise<boolean>): Promise<string> {
  const started = Date.now();
  while (!(await isSo())) {
    if (Date.now() - started > SEEN_WITHIN_MS) throw new Error("it was not seen within a minute");
    await sleep(BETWEEN_LOOKS_MS);
  }
  return `${Math.round((Date.now() - started) / 1_000)} s`;
}

export async function checkAccessRules(installation: N8nInstallation, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(resources, await bootN8n(installation, { log: console.log }));
  const seeded = await seed(n8n);
  const idOf = (name: Name) => seeded.ids.get(name) ?? "";
  const tokens = Object.fromEntries(Object.keys(SEEN).map((who) => [who, tokenOf(who)]));
  const settings = {
    ACCESS_RULES: JSON.stringify(rulesBy(idOf("orders.intake"))),
    N8N_REQUESTS_PER_MINUTE: "20000",
  };
  const { watch, worker } = await startWatchedWorker(resources, n8n, settings, tokens);
  const say = sayTo(worker);
  // The error workflow starts a moment after the failed execution has ended.
  await waitUntil(async () => (await executionsOf(say, "everything")).length === EXECUTIONS);
  const all = await executionsOf(say, "everything");
  for (const [who, { read }] of Object.entries(SEEN)) {
    const theirs = all.filter(({ workflowId }) => read.some((name) => idOf(name) === workflowId));
    await report.check(`${who}: lists and counts cover only their workflows`, async () => {
      same("executions", await executionsOf(say, who), theirs);
      const counts = JSON.parse(await say(who, toolCall("query_executions", { groupBy: ["workflow"] })));
      same("count", countedIn.parse(counts).result.structuredContent.data.totals.count, theirs.length);
    });
    await report.check(`${who}: nothing is shown that no rule gives them`, async () =>
      checkHidden(say, who, seeded, all),
    );
  }
  await report.check("a link into a hidden workflow says another workflow", async () => {
    for (const [who, requestId, role] of [
      ["clerk", REQUEST.orders, "sub_workflow"],
      ["payroll", REQUEST.pay, "error_handler"],
      ["packer", REQUEST.pay, "caller"],
    ] as const) {
      const answer = await say(who, toolCall("trace_request", { requestId }));
      for (const word of ["another workflow", role])
        if (!answer.includes(word)) throw new Error(`${who} does not see ${role}: ${answer}`);
    }
  });
  await report.check("payload is shown only to those to whom a rule gives it", async () => {
    const intake = all.find(({ workflowId }) => workflowId === idOf("orders.intake"))?.id;
    const question = toolCall("get_execution_details", { executionId: intake });
    for (const [who, isShown] of [
      ["mixed", true],
      ["packer", true],
      ["clerk", false],
    ] as const)
      same(who, (await say(who, question)).includes(MARKS["orders.intake"]), isShown);
  });
  await report.check("a hidden id is answered like a missing one", async () => {
    const hidden = all.find(({ workflowId }) => workflowId === idOf("pay.run"))?.id ?? "";
    const pairs: readonly Pair[] = [
      [(requestId) => toolCall("trace_request", { requestId }), REQUEST.hidden, REQUEST.never],
      [(requestId) => toolCall("trace_request", { requestId, deep: true }), REQUEST.hidden, REQUEST.never],
      [(id) => toolCall("get_execution", { id }), hidden, "987654"],
      [(executionId) => toolCall("explain_failure", { executionId }), hidden, "987654"],
      [(workflowId) => toolCall("get_workflow", { workflowId }), idOf("pay.run"), "abcdefghijklmnop"],
    ];
    for (const pair of pairs) await checkSame(say, watch, "clerk", pair);
    return `${pairs.length} pairs`;
  });
  await report.check("a caller without a rule gets nothing", async () => {
    const answer = await fetch(worker.mcpUrl, mcpPost(SERVICE_TOKEN, { method: "tools/list" }));
    same("status", answer.status, 401);
  });
  await report.check("a moved tag takes effect within a minute", async () => {
    const shows = async (who: string) =>
      (await say(who, toolCall("list_workflows", {}))).includes("orders.label");
    same("before", [await shows("clerk"), await shows("payroll")], [true, false]);
    await seeded.tag("orders.label", ["pay"]);
    return await waitUntil(async () => !(await shows("clerk")) && (await shows("payroll")));
  });
  await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
}
