/**
 * One caller repeatedly requests an execution full of texts that are slow to redact, while another user calls
 * a small tool. Measures how long each waits, on a Worker and an n8n of their own.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { connectModern } from "./agent-client.ts";
import { listenOnLoopback, stopServer } from "./loopback-server.ts";
import { startTestWorker } from "./test-worker.ts";

const API_KEY = "key-of-the-stall";
const OTHER_TOKEN = "service-token-of-another-user-0123456789";
const SLOW_TOKEN = "service-token-of-the-slow-user-0123456789";
const STARTED = "2026-01-01T00:00:00.000Z";

const LISTED = {
  ...{ id: "1", finished: true, mode: "webhook", retryOf: null, retrySuccessId: null, status: "success" },
  ...{ startedAt: STARTED, stoppedAt: STARTED, workflowId: "w1", waitTill: null },
};

/** An execution with these rows, three to an item. */
function executionOf(row: string, rows: number): string {
  const items = Array.from({ length: Math.ceil(rows / 3) }, () => ({ json: { a: row, b: row, c: row } }));
  const run = {
    startTime: Date.parse(STARTED),
    executionTime: 5,
    executionIndex: 0,
    executionStatus: "success",
    source: [],
  };
  const runData = { Webhook: [{ ...run, data: { main: [items] } }] };
  const workflowData = {
    id: "w1",
    name: "bulk",
    nodes: [{ name: "Webhook", type: "n8n-nodes-base.webhook", parameters: {} }],
    connections: {},
  };
  return JSON.stringify({
    ...LISTED,
    data: { startData: {}, resultData: { runData, lastNodeExecuted: "Webhook" } },
    workflowData,
    customData: {},
  });
}

async function startN8n(execution: string): Promise<{ readonly baseUrl: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(/\/executions\/1$/.test(pathname) ? execution : '{"data":[],"nextCursor":null}');
  });
  return {
    baseUrl: await listenOnLoopback(server),
    [Symbol.asyncDispose]: async () => await stopServer(server),
  };
}

export interface StallOptions {
  readonly row: string;
  readonly rows: number;
  /** How long the other user calls, first alone and then beside the slow one. */
  readonly milliseconds: number;
}

export interface Stall {
  /** Milliseconds from each call of the slow caller to its answer. */
  readonly slow: readonly number[];
  /** The same for the other user's calls, alone and beside the slow one. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

/** A user may make a hundred calls in ten seconds. */
const PAUSE_MS = 130;

async function repeat(until: number, call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return times;
}

/** @throws Error when a call is answered with an error */
export async function measureStall({ row, rows, milliseconds }: StallOptions): Promise<Stall> {
  await using n8n = await startN8n(executionOf(row, rows));
  const worker = await startTestWorker(
    { baseUrl: n8n.baseUrl, apiKey: API_KEY },
    { other: OTHER_TOKEN, slow: SLOW_TOKEN },
    // High enough for the limiter not to affect the measurement.
    { settings: { N8N_REQUESTS_PER_MINUTE: "6000" } },
  );
  try {
    const [slow, other] = await Promise.all([
      connectModern(worker.mcpUrl, SLOW_TOKEN, "auto"),
      connectModern(worker.mcpUrl, OTHER_TOKEN, "auto"),
    ]);
    const call = async (client: typeof slow, tool: string, args: Record<string, unknown>): Promise<void> => {
      const { isError, text } = await client.call(tool, args);
      if (isError) throw new Error(`${tool}: ${text.slice(0, 300)}`);
    };
    const callOther = async (): Promise<void> => await call(other, "list_workflows", {});
    const callSlow = async (): Promise<void> =>
      await call(slow, "get_execution_by_node", { id: "1", nodeName: "Webhook", limit: 100 });
    // The first calls include compilation, and are not measured.
    await callOther();
    await callSlow();
    const alone = await repeat(performance.now() + milliseconds, callOther);
    const until = performance.now() + milliseconds;
    const [beside, slowTimes] = await Promise.all([repeat(until, callOther), repeat(until, callSlow)]);
    await Promise.all([slow.close(), other.close()]);
    return { slow: slowTimes, alone, beside };
  } finally {
    await worker.stop();
  }
}
