/**
 * Sends real requests to a seeded n8n, and defines the expected findings about each.
 * When `sendScenarios` returns, every execution has reached its expected state, and each
 * expectation agrees with a naive reading of n8n's executions; a difference is thrown.
 * Scenarios are sent one after another, so that new executions belong to the current one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { canaries } from "./canaries.ts";
import { callApi, callEditor } from "./n8n-api.ts";
import type { ExecutionItem } from "./n8n-database.ts";
import { deepestFailure, holdsRequestId, linkedExecutions, type NaiveExecution } from "./naive-reader.ts";
import { mcpPath, mcpToolName, type Seeded, webhookPaths, workflowNames } from "./seed.ts";
import { type TestedN8n, webhookUrl } from "./tested-n8n.ts";
import type { Upstream } from "./upstream.ts";

/** A request that was sent, and the truth about it. */
export interface Scenario {
  name: string;
  requestId: string;
  expected: Expectation;
}

export interface Expectation {
  /** The outcome of the whole request, including its last retry. */
  outcome: "success" | "error" | "waiting" | "running" | "canceled";
  entryWorkflowName: string;
  /** The origin of the failure; only if the outcome is `error`. */
  failingNode?: { workflowName: string; nodeName: string };
  /** Distinct names of the sub-workflows that ran, sorted. */
  subWorkflowNames: string[];
  /** Whether an error workflow ran. */
  errorHandler: boolean;
  retry: boolean;
  /** The executions that the requests themselves started, by ascending id. */
  entryIds: string[];
  /** These and all linked executions, by ascending id. */
  executionIds: string[];
}

export interface ScenarioOptions {
  /** The number of items in the big payload, each about 5 kB in the public API's answer. Default: more than 20 MB. */
  bigItems?: number;
  /** False if that n8n does not reach the external service: requests that call it are not sent. */
  reachesUpstream?: boolean;
}

interface Plan {
  name: string;
  requestId: string;
  /** The number of executions it causes. */
  executions: number;
  /** Whether a workflow calls the external service. */
  callsUpstream?: true;
  send: () => Promise<unknown>;
  expected: Omit<Expectation, "entryIds" | "executionIds">;
}

interface Sent {
  plan: Plan;
  executionIds: string[];
}

/** The longest wait for a scenario's executions, in milliseconds. */
const settlePatience = 60_000;
const dates = { start: "2026-01-10T09:00:00Z", end: "2026-01-10T10:00:00Z", title: "Cena" };
const reversedDates = { ...dates, start: dates.end, end: dates.start };
const unfinished = ["new", "running"];

export async function sendScenarios(
  n8n: TestedN8n,
  seeded: Seeded,
  upstream: Upstream,
  options: ScenarioOptions = {},
): Promise<Scenario[]> {
  const sent: Sent[] = [];
  const { reachesUpstream = true } = options;
  for (const plan of plans(n8n, upstream, options)) {
    if (plan.callsUpstream === true && !reachesUpstream) continue;
    const before = await n8n.executions.newestId();
    await plan.send();
    const executions = await waitForExecutions(n8n, before, plan.executions, plan.expected.outcome);
    sent.push({ plan, executionIds: executions.map(({ id }) => id) });
  }
  const all = await n8n.executions.readAll();
  return sent.map((each) => toScenario(each, all, seeded, n8n.prefixes.name));
}

/** Names of the requests that involve the external service. */
export function namesThatCallUpstream(n8n: TestedN8n, upstream: Upstream): string[] {
  return plans(n8n, upstream, {}).flatMap(({ name, callsUpstream = false }) => (callsUpstream ? [name] : []));
}

function plans(n8n: TestedN8n, upstream: Upstream, options: ScenarioOptions): Plan[] {
  return [
    ...calendarPlans(n8n, upstream),
    ...orderPlans(n8n),
    ...statePlans(n8n, upstream),
    ...identityPlans(n8n),
    bigPlan(n8n, options.bigItems ?? 4_200),
    mcpPlan(n8n),
  ];
}

function calendarPlans(n8n: TestedN8n, upstream: Upstream): Plan[] {
  const succeeded = {
    outcome: "success" as const,
    entryWorkflowName: workflowNames.calendar,
    subWorkflowNames: [workflowNames.validateRange],
    errorHandler: false,
    retry: false,
  };
  const send = (requestId: string, range = dates) =>
    sendWebhook(n8n, webhookPaths.calendar, { context: { requestId }, ...range, ...bodySecrets });
  const success = (name: string, requestId: string): Plan => ({
    name,
    requestId,
    executions: 2,
    callsUpstream: true,
    send: () => send(requestId),
    expected: succeeded,
  });
  const failed = {
    ...succeeded,
    outcome: "error" as const,
    failingNode: { workflowName: workflowNames.calendar, nodeName: "Check" },
    errorHandler: true,
  };
  return [
    success("success with a sub-workflow", "req-100"),
    success("an id that begins with another id", "req-1001"),
    success("an id that holds its own time", timeOrderedId(new Date())),
    {
      name: "failure in the entry workflow",
      requestId: "req-entry-failure",
      executions: 3,
      send: () => send("req-entry-failure", reversedDates),
      expected: failed,
    },
    {
      name: "retry that succeeds",
      requestId: "req-retry",
      executions: 4,
      callsUpstream: true,
      send: () => failThenRetry(n8n, upstream, "req-retry", () => send("req-retry")),
      expected: { ...succeeded, errorHandler: true, retry: true },
    },
    {
      name: "an id sent twice",
      requestId: "req-twice",
      executions: 4,
      callsUpstream: true,
      send: async () => {
        await send("req-twice");
        await send("req-twice");
      },
      expected: succeeded,
    },
    {
      name: "an error answered as data",
      requestId: "req-error-as-data",
      executions: 2,
      send: () =>
        sendWebhook(n8n, webhookPaths.range, {
          context: { requestId: "req-error-as-data" },
          ...reversedDates,
        }),
      expected: { ...succeeded, entryWorkflowName: workflowNames.range },
    },
  ];
}

function orderPlans(n8n: TestedN8n): Plan[] {
  const expected = {
    outcome: "success" as const,
    entryWorkflowName: workflowNames.orders,
    subWorkflowNames: [workflowNames.fetchRate, workflowNames.priceOrder].sort(),
    errorHandler: false,
    retry: false,
  };
  const order = (name: string, requestId: string | number): Plan => ({
    name,
    requestId: String(requestId),
    executions: 3,
    send: () => sendWebhook(n8n, webhookPaths.orders, { requestId, sku: "book" }),
    expected,
  });
  return [
    order("success in nested sub-workflows", "req-nested"),
    order("a numeric id", 424242),
    order("an id with quotes", `req-"quoted" 'id'`),
    order("an id with slashes", "req/with/../slashes\\and\\back?x=1#y"),
    {
      name: "failure in a nested sub-workflow",
      requestId: "req-deep-failure",
      // Each of the three failed executions starts the error workflow.
      executions: 6,
      send: () => sendWebhook(n8n, webhookPaths.orders, { requestId: "req-deep-failure", sku: "unknown" }),
      expected: {
        ...expected,
        outcome: "error",
        failingNode: { workflowName: workflowNames.fetchRate, nodeName: "Fetch Rate" },
        errorHandler: true,
      },
    },
  ];
}

function statePlans(n8n: TestedN8n, upstream: Upstream): Plan[] {
  return [
    {
      ...plain("loop", "req-loop", workflowNames.reminder),
      send: () => sendWebhook(n8n, webhookPaths.reminder, { context: { requestId: "req-loop" }, count: 5 }),
    },
    {
      ...plain("waiting", "req-waiting", workflowNames.approval, "waiting"),
      send: () => sendWebhook(n8n, webhookPaths.approval, { context: { requestId: "req-waiting" } }),
    },
    {
      ...plain("canceled", "req-canceled", workflowNames.report, "canceled"),
      callsUpstream: true,
      send: () => startThenStop(n8n, upstream, "req-canceled"),
    },
    {
      ...plain("running, its progress stored", "req-running", workflowNames.report, "running"),
      callsUpstream: true,
      send: () => {
        upstream.hold("req-running");
        return sendWebhook(n8n, webhookPaths.report, { requestId: "req-running" });
      },
    },
    {
      ...plain("running, only its start stored", "req-running-start", workflowNames.export, "running"),
      callsUpstream: true,
      send: () => {
        upstream.hold("req-running-start");
        return sendWebhook(n8n, webhookPaths.export, { requestId: "req-running-start" });
      },
    },
  ];
}

/** Places and forms of ids. */
function identityPlans(n8n: TestedN8n): Plan[] {
  const unicodeId = "req-ñandú-漢字-🚀";
  return [
    {
      ...plain("an id only in the header", "req-header", workflowNames.headerId),
      send: () =>
        sendWebhook(n8n, webhookPaths.headerId, { note: "nothing" }, { "x-request-id": "req-header" }),
    },
    {
      ...plain("an id in the custom data", "req-custom", workflowNames.customData),
      send: () => sendWebhook(n8n, webhookPaths.customData, { reference: "req-custom" }),
    },
    {
      ...plain("Unicode id and workflow name", unicodeId, workflowNames.unicode),
      send: () => sendWebhook(n8n, webhookPaths.unicode, { requestId: unicodeId }),
    },
    ...webhookPaths.ambiguous.map((path) => ({
      ...plain(`workflow name that two share (${path})`, `req-${path}`, workflowNames.ambiguous),
      send: () => sendWebhook(n8n, path, { requestId: `req-${path}` }),
    })),
  ];
}

function bigPlan(n8n: TestedN8n, items: number): Plan {
  return {
    ...plain("a big payload", "req-big", workflowNames.bulk),
    send: () =>
      sendWebhook(n8n, webhookPaths.bulk, { context: { requestId: "req-big" }, items, bytes: 1_000 }),
  };
}

function mcpPlan(n8n: TestedN8n): Plan {
  return {
    ...plain("an MCP tool call", "req-mcp", workflowNames.mcpServer),
    executions: 2,
    send: () => callMcpTool(n8n, { Start: "2026-01-10", End: "2026-01-11", requestId: "req-mcp" }),
    expected: {
      outcome: "success",
      entryWorkflowName: workflowNames.mcpServer,
      subWorkflowNames: [workflowNames.validateRange],
      errorHandler: false,
      retry: false,
    },
  };
}

/** One execution of one workflow. */
function plain(
  name: string,
  requestId: string,
  entryWorkflowName: string,
  outcome: Expectation["outcome"] = "success",
): Omit<Plan, "send"> {
  const expected = { outcome, entryWorkflowName, subWorkflowNames: [], errorHandler: false, retry: false };
  return { name, requestId, executions: 1, expected };
}

const bodySecrets = {
  user: { name: "Ana", password: canaries.bodyPassword, token: canaries.bodyToken },
  integration: { apiKey: canaries.bodyApiKey, client_secret: canaries.bodyClientSecret },
};

const headerSecrets = {
  cookie: canaries.inboundCookie,
  "x-api-key": canaries.inboundApiKey,
  "proxy-authorization": canaries.inboundBasic,
  authorization: canaries.inboundAuthorization,
};

/** A failed workflow answers 500, which is no failure of sending. */
export async function sendWebhook(
  n8n: TestedN8n,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await fetch(webhookUrl(n8n, path), {
    method: "POST",
    headers: { "content-type": "application/json", ...headerSecrets, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200 && response.status !== 500) {
    throw new Error(`The webhook ${path} answered ${response.status}: ${text.slice(0, 200)}`);
  }
}

async function callMcpTool(n8n: TestedN8n, toolArguments: Record<string, string>): Promise<void> {
  const client = new Client({ name: "n8n-observer-tests", version: "1.0.0" });
  const url = new URL(`${n8n.baseUrl}/mcp/${n8n.prefixes.path}${mcpPath}`);
  await client.connect(new StreamableHTTPClientTransport(url));
  try {
    await client.callTool({ name: mcpToolName, arguments: toolArguments });
  } finally {
    await client.close();
  }
}

/** The first try fails because upstream does; then upstream recovers, and n8n retries the execution. */
async function failThenRetry(
  n8n: TestedN8n,
  upstream: Upstream,
  requestId: string,
  send: () => Promise<void>,
): Promise<void> {
  const before = await n8n.executions.newestId();
  upstream.fail(requestId);
  await send();
  const [entry] = await waitForExecutions(n8n, before, 3, "error");
  upstream.heal(requestId);
  await act(n8n, "retry", entry?.id ?? "");
}

async function startThenStop(n8n: TestedN8n, upstream: Upstream, requestId: string): Promise<void> {
  const before = await n8n.executions.newestId();
  upstream.hold(requestId);
  await sendWebhook(n8n, webhookPaths.report, { requestId });
  const [entry] = await waitForExecutions(n8n, before, 1, "running");
  // Stopped in the middle of the call to upstream, when its data is already stored.
  await sleep(500);
  // Upstream stays silent: if it answered now, n8n 1.100 would overwrite the cancellation with progress, and show
  // the execution as running for ever.
  await act(n8n, "stop", entry?.id ?? "");
}

/** Retries or stops an execution in the way that this n8n supports. */
async function act(n8n: TestedN8n, action: "retry" | "stop", executionId: string): Promise<void> {
  const { retriesByApi, stopsByApi } = n8n.abilities;
  const path = `/executions/${executionId}/${action}`;
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  if (action === "retry" ? retriesByApi : stopsByApi)
    await callApi(access, "POST", path, action === "retry" ? {} : undefined);
  else await callEditor(n8n, path);
}

/** Waits until `count` executions newer than `afterId` exist and all have reached `outcome`. */
export async function waitForExecutions(
  n8n: TestedN8n,
  afterId: number,
  count: number,
  outcome: Expectation["outcome"],
): Promise<ExecutionItem[]> {
  const deadline = Date.now() + settlePatience;
  let seen: ExecutionItem[] = [];
  while (Date.now() < deadline) {
    seen = await n8n.executions.listAfter(afterId);
    const onTheirWay = seen.filter(({ status }) => status !== outcome && unfinished.includes(status));
    if (seen.length === count && onTheirWay.length === 0) return seen;
    if (seen.length > count) break;
    await sleep(100);
  }
  throw new Error(`Expected ${count} executions to end as ${outcome}, but saw ${JSON.stringify(seen)}`);
}

function toScenario(
  { plan, executionIds }: Sent,
  all: NaiveExecution[],
  seeded: Seeded,
  prefix: string,
): Scenario {
  const own = all.filter(({ id }) => executionIds.includes(id));
  const entries = own.filter((each) => isEntry(each, seeded, plan.expected.entryWorkflowName));
  const entryIds = entries.map(({ id }) => id);
  const linkedIds = linkedExecutions(all, entryIds).map(({ id }) => id);
  const failure = plan.expected.outcome === "error" ? deepestFailure(own) : null;
  const last = own.filter((each) => entryIds.includes(each.id) || each.mode === "retry").at(-1);
  const seen = {
    executionIds: linkedIds,
    holdsRequestId: entries.every((each) => holdsRequestId(each, plan.requestId)),
    outcome: last?.status,
    failingNode: failure && { workflowName: failure.workflowName, nodeName: failure.lastNodeExecuted },
    subWorkflowNames: subWorkflowNames(own, entryIds),
    errorHandler: own.some(({ mode }) => mode === "error"),
    retry: own.some(({ mode }) => mode === "retry"),
  };
  const named = withPrefix(plan.expected, prefix);
  const { entryWorkflowName: _, ...expected } = named;
  requireSame(plan.name, seen, { failingNode: null, ...expected, executionIds, holdsRequestId: true });
  return { name: plan.name, requestId: plan.requestId, expected: { ...named, entryIds, executionIds } };
}

function withPrefix(expected: Plan["expected"], prefix: string): Plan["expected"] {
  const { failingNode, entryWorkflowName, subWorkflowNames } = expected;
  return {
    ...expected,
    entryWorkflowName: prefix + entryWorkflowName,
    subWorkflowNames: subWorkflowNames.map((name) => prefix + name),
    ...(failingNode && {
      failingNode: { ...failingNode, workflowName: prefix + failingNode.workflowName },
    }),
  };
}

function isEntry(execution: NaiveExecution, seeded: Seeded, workflowName: string): boolean {
  const ids = seeded.workflowIds[workflowName] ?? [];
  return ids.includes(execution.workflowId) && execution.mode === "webhook";
}

function subWorkflowNames(executions: NaiveExecution[], entryIds: string[]): string[] {
  const names = executions
    .filter(({ id, mode }) => mode === "integrated" && !entryIds.includes(id))
    .map(({ workflowName }) => workflowName);
  return [...new Set(names)].sort();
}

/** Compares fields in any order. */
function requireSame(name: string, seen: Record<string, unknown>, expected: Record<string, unknown>): void {
  for (const field of Object.keys(expected)) {
    const [left, right] = [JSON.stringify(seen[field]), JSON.stringify(expected[field])];
    if (left !== right) throw new Error(`Scenario "${name}": n8n says ${field} is ${left}, not ${right}`);
  }
}

/** A UUIDv7 (RFC 9562): its first 48 bits are the time in milliseconds. */
function timeOrderedId(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, "0");
  const random = crypto.randomUUID().slice(15);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${random}`;
}
