/**
 * Requests with missing data on a real n8n: too large to display, not saved, deleted, beyond what one
 * call reads. Whatever is missing, no answer may be wrong.
 * It runs on an n8n of its own with a display limit of 100,000 bytes. Each case has a user of its
 * own, without earlier traces. A failed check quotes the whole answer.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { closeAtEnd } from "../support/close-at-end.ts";
import { bootN8n, type RunningN8n } from "./boot.ts";
import { copyExecution } from "./copy-executions.ts";
import { startFakeModel } from "./fake-model.ts";
import type { Log, N8nInstallation } from "./install.ts";
import { callApi } from "./n8n-api.ts";
import { newestExecutionId } from "./n8n-database.ts";
import { failingNode, neverFalseNames, neverFalsePaths, seedNeverFalse } from "./never-false-seed.ts";
import type { LaneReport } from "./report.ts";
import { sendWebhook, waitForExecutions } from "./scenarios.ts";
import { mcpPath, seedWorkflows, webhookPaths, workflowNames } from "./seed.ts";
import { checkOnlyGet, type TraceData, traceRequest } from "./trace-checks.ts";
import { startUpstream } from "./upstream.ts";
import type { Watch } from "./watch.ts";
import { startWatchedWorker } from "./watched-worker.ts";

/** The size of stored data above which this n8n does not return it, in bytes. */
const DISPLAY_LIMIT = 100_000;
/** More executions than one call reads by default. */
const NEWER_EXECUTIONS = 3_000;
/** The smallest time budget of `trace_request`, in milliseconds. */
const SHORTEST_BUDGET_MS = 1_000;
/** The delay of each page after the first in the case that is cut by time, in milliseconds; longer than the budget. */
const DELAY_MS = 2 * SHORTEST_BUDGET_MS;

interface Lane {
  n8n: RunningN8n;
  watch: Watch;
  /** A client of a new user. */
  newClient: () => Promise<AgentClient>;
}

interface Traced {
  data: TraceData;
  message: string;
  text: string;
}

interface Case {
  name: string;
  run: (lane: Lane) => Promise<string>;
}

const cases: Case[] = [
  { name: "an execution above n8n's display limit", run: checkTooLarge },
  { name: "a workflow that saves no successful execution", run: checkUnsaved },
  { name: "an execution that was deleted", run: checkDeleted },
  { name: "an agent that calls an MCP server of the same n8n, and then fails", run: checkAgent },
  { name: "an execution deleted between list and read", run: checkDeletedMeanwhile },
  { name: "a window cut by time", run: checkCutByTime },
  { name: `the far end of ${NEWER_EXECUTIONS} executions`, run: checkFarEnd },
];

export async function checkNeverFalse(
  installation: N8nInstallation,
  report: LaneReport,
  log: Log,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const environment = { EXECUTIONS_DATA_MAX_DISPLAY_SIZE: String(DISPLAY_LIMIT) };
  const n8n = closeAtEnd(resources, await bootN8n(installation, { log, environment }));
  const upstream = closeAtEnd(resources, await startUpstream());
  const model = closeAtEnd(resources, await startFakeModel());
  await seedWorkflows(n8n, upstream.url);
  await seedNeverFalse(n8n, model);
  const tokens = cases.map((_, index) => `never-false-token-of-user-${index}-0123456789`);
  const furtherTokens = Object.fromEntries(tokens.map((token, index) => [`user-${index}`, token]));
  const { watch, worker } = await startWatchedWorker(resources, n8n, {}, furtherTokens);
  for (const [index, { name, run }] of cases.entries()) {
    const newClient = async () => await connectModern(worker.mcpUrl, tokens[index] ?? "", "auto");
    await report.check(name, async () => await run({ n8n, watch, newClient }));
    watch.beforeEach();
  }
  await report.check("nothing but GET reached that n8n", () => checkOnlyGet(watch));
}

/** Sends one request and waits for its executions. @returns their ids, ascending */
async function send(
  n8n: RunningN8n,
  path: string,
  body: unknown,
  executions: number,
  outcome: "success" | "error" = "success",
): Promise<string[]> {
  const before = newestExecutionId(n8n);
  await sendWebhook(n8n, path, body);
  return (await waitForExecutions(n8n, before, executions, outcome)).map(({ id }) => id);
}

async function ask({ newClient }: Lane, args: Record<string, unknown>): Promise<Traced> {
  const client = await newClient();
  try {
    return await traceRequest(client, args);
  } finally {
    await client.close();
  }
}

function quote({ data, message }: Traced): string {
  const executions = data.executions.map(({ id, role, status }) => `${id} ${role} ${status}`);
  return `“${message}” ${JSON.stringify({ outcome: data.outcome, coverage: data.coverage, executions })}`;
}

/** @param rules rule → whether it holds */
function demand(traced: Traced, rules: Record<string, boolean>): string {
  const broken = Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
  if (broken.length > 0) throw new Error(`${broken.join("; ")}. The answer: ${quote(traced)}`);
  return traced.message;
}

/** What an answer says about its coverage, without the parts that repeat the request. */
function saidOfReach({ message, data: { coverage } }: Traced): string {
  return `${message} ${JSON.stringify(coverage)}`;
}

const isSure = ({ data }: Traced): boolean => data.outcome === "not_found" && data.coverage.complete;

async function checkTooLarge(lane: Lane): Promise<string> {
  const requestId = "req-one-megabyte";
  // n8n stores equal texts once, so this one must not repeat anything.
  const note = randomBytes(750_000).toString("base64");
  const [id = ""] = await send(lane.n8n, webhookPaths.headerId, { context: { requestId }, note }, 1);
  const traced = await ask(lane, { requestId });
  return demand(traced, {
    "it does not say not_found as if all had been read": !isSure(traced),
    "it says that data is too large to display": /too large|display/i.test(saidOfReach(traced)),
    "it names the execution": new RegExp(`\\b${id}\\b`).test(saidOfReach(traced)),
  });
}

async function checkUnsaved(lane: Lane): Promise<string> {
  const requestId = "req-unsaved";
  await sendWebhook(lane.n8n, neverFalsePaths.unsaved, { requestId });
  const traced = await ask(lane, { requestId });
  return demand(traced, {
    "it does not claim to have found it": traced.data.found === false,
    "it names the workflow that does not save":
      saidOfReach(traced).includes(neverFalseNames.unsaved) && /\bsav/i.test(saidOfReach(traced)),
  });
}

async function checkDeleted(lane: Lane): Promise<string> {
  const access = { baseUrl: lane.n8n.baseUrl, key: lane.n8n.writeKey };
  const body = { context: { requestId: "req-pruned-away" } };
  for (const id of await send(lane.n8n, webhookPaths.reminder, body, 1)) {
    await callApi(access, "DELETE", `/executions/${id}`);
  }
  const traced = await ask(lane, { requestId: "req-pruned-away" });
  return demand(traced, {
    "it does not claim to have found it": traced.data.found === false,
    "it says that executions are missing": /delet|keeps nothing|\bgaps?\b|missing/i.test(saidOfReach(traced)),
  });
}

async function checkAgent(lane: Lane): Promise<string> {
  const requestId = "req-agent";
  await waitForMcpServer(lane.n8n);
  const before = newestExecutionId(lane.n8n);
  await sendWebhook(lane.n8n, neverFalsePaths.agent, { context: { requestId } });
  // The agent's execution, the MCP server's, and that of the tool's sub-workflow.
  await waitForExecutions(lane.n8n, before, 3, "error");
  const traced = await ask(lane, { requestId });
  const { data } = traced;
  const entries = data.executions.filter(({ role }) => role === "entry");
  return demand(traced, {
    "its outcome is that of its entry": data.outcome === "error",
    "one entry, the agent's":
      entries.map(({ workflowName }) => workflowName).join() === neverFalseNames.agent,
    "the node after the agent failed": data.failure?.nodeName === failingNode,
    "the server that the agent called is traced": data.executions.some(
      ({ workflowName }) => workflowName === workflowNames.mcpServer,
    ),
  });
}

/** Waits for the server, which answers a moment after its workflow is published. */
async function waitForMcpServer({ baseUrl }: RunningN8n): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`${baseUrl}/mcp/${mcpPath}`, { method: "POST" });
    await response.text();
    if (response.status !== 404) return;
    await sleep(100);
  }
  throw new Error("The MCP server does not answer.");
}

/** An execution that is deleted after the observer listed it, and before it read it. */
async function checkDeletedMeanwhile(lane: Lane): Promise<string> {
  const { n8n, watch } = lane;
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const body = { context: { requestId: "req-vanishing" } };
  const [id = ""] = await send(n8n, webhookPaths.reminder, body, 1);
  let deleted = false;
  watch.beforeEach(async ({ path }) => {
    // Before the first page with data of listed executions; running ones are requested before listing.
    if (deleted || !path.includes("includeData=true") || path.includes("status=running")) return;
    deleted = true;
    await callApi(access, "DELETE", `/executions/${id}`);
  });
  const traced = await ask(lane, { requestId: "req-vanishing" });
  return demand(traced, {
    "the observer listed before it read": deleted,
    "it does not say not_found as if all had been read": !isSure(traced),
    "it says that an execution went meanwhile": /delet|gone|meanwhile|missing/i.test(saidOfReach(traced)),
  });
}

async function checkCutByTime(lane: Lane): Promise<string> {
  const requestId = "req-cut-by-time";
  await send(lane.n8n, webhookPaths.reminder, { context: { requestId } }, 1);
  await sendOrdinary(lane.n8n, 600);
  // Pages grow to hundreds of executions: only those after the first page are certainly out of reach.
  let pages = 0;
  lane.watch.beforeEach(async ({ path }) => {
    if (!path.includes("includeData=true") || path.includes("status=")) return;
    pages += 1;
    if (pages > 1) await sleep(DELAY_MS);
  });
  const client = await lane.newClient();
  try {
    const first = await traceRequest(client, { requestId, timeBudgetMs: SHORTEST_BUDGET_MS });
    const rules = {
      "history has more than one page": pages > 1,
      "what was not read to its end is not_found_yet": first.data.outcome === "not_found_yet",
    };
    const said = demand(first, rules);
    lane.watch.beforeEach();
    await demandFoundBy(client, first);
    return said;
  } finally {
    await client.close();
  }
}

async function checkFarEnd(lane: Lane): Promise<string> {
  const requestId = "req-far-end";
  await send(lane.n8n, webhookPaths.reminder, { context: { requestId } }, 1);
  await sendOrdinary(lane.n8n, NEWER_EXECUTIONS);
  const client = await lane.newClient();
  try {
    const first = await traceRequest(client, { requestId });
    const said = demand(first, { "it is not called not_found": first.data.outcome !== "not_found" });
    await demandFoundBy(client, first);
    return said;
  } finally {
    await client.close();
  }
}

async function sendOrdinary(n8n: RunningN8n, count: number): Promise<void> {
  const [id = ""] = await send(n8n, webhookPaths.headerId, { note: "An ordinary request." }, 1);
  copyExecution(n8n, id, count - 1);
}

/** Continuing the trace as the answer suggests finds the request in the end. */
async function demandFoundBy(client: AgentClient, first: Traced): Promise<void> {
  let traced = first;
  for (let calls = 0; calls < 20 && !traced.data.found && !traced.data.coverage.complete; calls += 1) {
    traced = await traceRequest(client, { traceId: traced.data.traceId });
  }
  demand(traced, { "going on with the traceId finds it": traced.data.found });
}
