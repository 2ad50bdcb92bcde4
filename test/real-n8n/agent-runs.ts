/**
 * Runs a kind of agent run on a real n8n.
 * When `runAgentKind` returns, all executions of the kind have ended, so that the counts of the model's server
 * belong to this kind.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";
import type { AgentKind } from "./agent-kinds.ts";
import type { RunningN8n } from "./boot.ts";
import { callApi } from "./n8n-api.ts";
import { type ExecutionItem, listExecutionsAfter, newestExecutionId } from "./n8n-database.ts";
import { sendWebhook } from "./scenarios.ts";
import type { ScriptedModel, Served } from "./scripted-model.ts";

export interface AgentRun {
  readonly kind: string;
  readonly served: Served;
  /** The execution with data, as n8n's public API returns it. */
  readonly answer: unknown;
}

/** The longest wait for its executions to end, in milliseconds. */
const PATIENCE_MS = 30_000;
const UNFINISHED: readonly string[] = ["new", "running"];

/** Its executions, oldest first. */
export async function runAgentKind(
  n8n: RunningN8n,
  model: ScriptedModel,
  kind: AgentKind,
): Promise<AgentRun[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const runs: AgentRun[] = [];
  for (const body of kind.bodies) {
    const before = newestExecutionId(n8n);
    model.takeServed();
    await sendWebhook(n8n, kind.name, body);
    const ended = await waitUntilAllEnded(n8n, before);
    const own = ended.find(({ workflowId }) => workflowId === kind.workflowId);
    if (own === undefined) throw new Error(`${kind.name} did not run.`);
    const answer = await callApi(access, "GET", `/executions/${own.id}?includeData=true`);
    runs.push({ kind: kind.name, served: model.takeServed(), answer });
  }
  return runs;
}

async function waitUntilAllEnded(n8n: RunningN8n, before: number): Promise<ExecutionItem[]> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const seen = listExecutionsAfter(n8n, before);
    if (seen.length > 0 && seen.every(({ status }) => !UNFINISHED.includes(status))) return seen;
    await sleep(50);
  }
  throw new Error(`Executions after ${before} did not end within ${PATIENCE_MS} ms.`);
}

export interface StatusServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** A service that answers with the status at the end of the path, and an error. */
export async function startStatusServer(): Promise<StatusServer> {
  const server = createServer((request, response) => {
    const status = Number(new URL(request.url ?? "/", "http://localhost").pathname.split("/").at(-1));
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Nothing for Ana" } }));
  });
  const url = await listenOnLoopback(server);
  return { url, close: async () => await stopServer(server) };
}
