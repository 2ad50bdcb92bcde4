/**
 * An n8n of which each answer is made by the test: for what the recorded one never says. It hands out pages
 * of the executions given, newest first, with n8n's own cursors.
 */
import { type Fetch, N8nClient } from "../../src/n8n/client.ts";
import { cursorBelow, readExecutionCursor } from "../../src/n8n/execution-cursor.ts";

export interface FakeExecution {
  readonly id: string;
  readonly startedAt?: string;
  readonly [key: string]: unknown;
}

export interface FakeN8n {
  readonly client: N8nClient;
  /** Path and query of each request, in order. */
  readonly requests: string[];
  /** May answer a request in place of the usual answer. */
  intercept: (url: URL) => Response | undefined;
}

/** An ordinary execution whose webhook was given this request id. */
export function fakeExecution(
  id: number,
  requestId: string,
  facts: Record<string, unknown> = {},
): FakeExecution {
  const json = { body: { requestId } };
  const run = {
    startTime: 1,
    executionTime: 1,
    executionIndex: 0,
    executionStatus: "success",
    source: [],
    data: { main: [[{ json }]] },
  };
  return {
    id: String(id),
    workflowId: "w1",
    status: "success",
    mode: "webhook",
    startedAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
    stoppedAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000 + 500).toISOString(),
    workflowData: { name: "orders", nodes: [{ name: "Webhook", type: "n8n-nodes-base.webhook" }] },
    data: { resultData: { runData: { Webhook: [run] }, lastNodeExecuted: "Webhook" } },
    customData: {},
    ...facts,
  };
}

export const jsonAnswer = (value: unknown): Response =>
  new Response(typeof value === "string" ? value : JSON.stringify(value), {
    headers: { "content-type": "application/json" },
  });

export function createFakeN8n(executions: readonly FakeExecution[]): FakeN8n {
  const requests: string[] = [];
  const newestFirst = [...executions].sort((a, b) => Number(b.id) - Number(a.id));
  const list = (url: URL): Response => {
    const status = url.searchParams.get("status");
    const cursor = readExecutionCursor(url.searchParams.get("cursor") ?? "");
    const limit = cursor?.limit ?? Number(url.searchParams.get("limit"));
    const all = newestFirst
      .filter((one) => (status === null ? one.status !== "running" : one.status === status))
      .filter((one) => cursor === undefined || Number(one.id) < Number(cursor.lastId));
    const page = all.slice(0, limit);
    const nextCursor = all.length > limit ? cursorBelow(page.at(-1)?.id ?? "", limit) : null;
    return jsonAnswer({ data: page, nextCursor });
  };
  const answer = (url: URL): Response => {
    const id = /\/executions\/(\d+)$/.exec(url.pathname)?.[1];
    if (id === undefined) return list(url);
    const found = executions.find((one) => one.id === id);
    return found === undefined ? new Response("{}", { status: 404 }) : jsonAnswer(found);
  };
  const fake: FakeN8n = {
    requests,
    intercept: () => undefined,
    client: new N8nClient({ baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" }, (async (
      address,
    ) => {
      const url = new URL(address);
      requests.push(url.pathname + url.search);
      return fake.intercept(url) ?? answer(url);
    }) satisfies Fetch),
  };
  return fake;
}
