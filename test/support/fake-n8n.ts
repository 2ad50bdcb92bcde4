/**
 * An n8n whose answers a test makes, for cases that the recorded one does not have. It serves pages
 * of the given executions, newest first, with n8n's own cursors.
 */
import { createN8nClient, type N8nClient } from "../../src/n8n/client.ts";
import { cursorBelow, readExecutionCursor } from "../../src/n8n/execution-cursor.ts";
import type { Fetch, RequestEnvironment } from "../../src/n8n/requests.ts";

export interface FakeExecution {
  readonly id: string;
  readonly startedAt?: string | null;
  readonly [key: string]: unknown;
}

export interface FakeN8n {
  readonly client: N8nClient;
  /** For a client of the test's own. */
  readonly fetch: Fetch;
  /** Path and query of each request, in order. */
  readonly requests: string[];
  /** Ids of the executions whose data was sent, in order. */
  readonly sent: string[];
  /** The executions that n8n currently has. */
  executions: FakeExecution[];
  /** How it treats `startedAfter` and `startedBefore`. */
  dates: "ignored" | "filtered" | "refused";
  /** Null for an n8n 2. */
  old: OldWays | null;
  /** True if its cursors cannot be handmade. */
  hasOpaqueCursors: boolean;
  /** Ids of executions whose data it fails to return. */
  readonly broken: Set<string>;
  /** Maps each execution to the answer about it; by default itself. Must return the same object for the same one. */
  shown: (one: FakeExecution) => FakeExecution;
  /** The delay before each answer. */
  latencyMs: number;
  /** The highest number of open requests. */
  mostAtOnce: number;
  /** May return another answer to a request, or change what n8n has before it answers. */
  intercept: (url: URL) => Response | undefined | Promise<Response | undefined>;
}

/** The differences of an n8n 1.x. */
export interface OldWays {
  /** The statuses it filters by; others are refused with n8n's message. */
  readonly statuses: readonly string[];
  /** False if its lists have no status. */
  readonly listsStatus: boolean;
}

export const N8N_1_123: OldWays = {
  statuses: ["canceled", "error", "running", "success", "waiting"],
  listsStatus: true,
};
export const N8N_1_100: OldWays = { statuses: ["error", "success", "waiting"], listsStatus: false };

/** An ordinary execution whose webhook received this request id. */
export function fakeExecution(
  id: number,
  requestId: string,
  facts: Record<string, unknown> = {},
): FakeExecution {
  return {
    id: String(id),
    workflowId: "w1",
    status: "success",
    mode: "webhook",
    startedAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
    stoppedAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000 + 500).toISOString(),
    workflowData: { name: "orders", nodes: [{ name: "Webhook", type: "n8n-nodes-base.webhook" }] },
    data: webhookData({ body: { requestId } }),
    customData: {},
    ...facts,
  };
}

/** An execution in the queue of an n8n in queue mode, as n8n 2.40.5 returns it. */
export function queuedExecution(id: number, requestId: string): FakeExecution {
  const entry = { node: { name: "Webhook" }, data: { main: [[{ json: { body: { requestId } } }]] } };
  return fakeExecution(id, requestId, {
    status: "new",
    startedAt: null,
    stoppedAt: null,
    createdAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
    isQueued: true,
    data: { resultData: { runData: {} }, executionData: { nodeExecutionStack: [entry] } },
  });
}

/** The data of an execution whose only node sent these items. */
export function webhookData(...items: readonly unknown[]): unknown {
  const run = {
    startTime: 1,
    executionTime: 1,
    executionIndex: 0,
    executionStatus: "success",
    source: [],
    data: { main: [items.map((json) => ({ json }))] },
  };
  return { resultData: { runData: { Webhook: [run] }, lastNodeExecuted: "Webhook" } };
}

/** Executions with ids from 1, and request ids `r-<id>`. */
export const fakeHistory = (count: number): FakeExecution[] =>
  Array.from({ length: count }, (_one, index) => fakeExecution(index + 1, `r-${index + 1}`));

/** An answer with its length, as n8n sends it. */
export function jsonAnswer(value: unknown): Response {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  return new Response(text, { headers });
}

export const failure = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ message: "Not Found" }), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });

const refusal = (message: string): Response =>
  new Response(JSON.stringify({ message }), {
    status: 400,
    headers: { "content-type": "application/json" },
  });

/** True for a request for a page of executions with data, except one filtered by status. */
export const isDataPage = (url: URL): boolean =>
  isPage(url) && url.searchParams.get("includeData") === "true" && !url.searchParams.has("status");

/** True for a request for a page of executions without data, except one filtered by status. */
export const isList = (url: URL): boolean =>
  isPage(url) && !url.searchParams.has("includeData") && !url.searchParams.has("status");

const isPage = (url: URL): boolean => url.pathname.endsWith("/executions");

const urlsOf = (n8n: FakeN8n): URL[] => n8n.requests.map((request) => new URL(request, "http://n8n"));

export const listsOf = (n8n: FakeN8n): URLSearchParams[] =>
  urlsOf(n8n)
    .filter(isList)
    .map((url) => url.searchParams);

export const dataPagesOf = (n8n: FakeN8n): URLSearchParams[] =>
  urlsOf(n8n)
    .filter(isDataPage)
    .map((url) => url.searchParams);

/** Ids of the executions that were requested one by one. */
export const singlesOf = (n8n: FakeN8n): string[] =>
  urlsOf(n8n).flatMap((url) => /\/executions\/(\d+)$/.exec(url.pathname)?.[1] ?? []);

/** Clears the recorded requests. */
export function forgetRequests(n8n: FakeN8n): void {
  n8n.requests.length = 0;
  n8n.sent.length = 0;
}

const isInDates = (one: FakeExecution, { searchParams }: URL): boolean => {
  const startedAt = one.startedAt ?? "";
  const after = searchParams.get("startedAfter") ?? "";
  const before = searchParams.get("startedBefore") ?? "9";
  return startedAt >= after && startedAt <= before;
};

/** The execution as listed. */
function listed(execution: FakeExecution, old: OldWays | null): FakeExecution {
  if (old === null || old.listsStatus) return execution;
  const { status, ...rest } = execution;
  return { ...rest, finished: status === "success" };
}

/** Executions that n8n runs or holds, queued ones included, are only in the list of running executions. */
const isHidden = ({ status, isQueued }: FakeExecution, old: OldWays | null): boolean =>
  status === "running" || isQueued === true || (old !== null && status === "waiting");

function withoutData(execution: FakeExecution): FakeExecution {
  const { data: _data, workflowData: _workflowData, customData: _customData, ...facts } = execution;
  return facts;
}

/** The executions that n8n would list, in its order. */
function selected(fake: FakeN8n, url: URL): FakeExecution[] {
  const { searchParams } = url;
  const status = searchParams.get("status");
  const workflowId = searchParams.get("workflowId");
  return fake.executions
    .map(fake.shown)
    .filter((one) => (status === null ? true : one.status === status))
    .filter((one) => status === "running" || !isHidden(one, fake.old))
    .filter((one) => workflowId === null || one.workflowId === workflowId)
    .filter((one) => fake.dates !== "filtered" || isInDates(one, url))
    .sort((a, b) => Number(b.id) - Number(a.id));
}

const texts = new WeakMap<FakeExecution, string>();

/** Its JSON, cached, as megabytes are requested repeatedly. A changed execution must be a new object. */
function textOf(execution: FakeExecution): string {
  const text = texts.get(execution) ?? JSON.stringify(execution);
  texts.set(execution, text);
  return text;
}

function answerPage(fake: FakeN8n, url: URL): Response {
  const { searchParams } = url;
  const status = searchParams.get("status");
  const { old } = fake;
  if (old !== null && status !== null && !old.statuses.includes(status)) {
    const allowed = old.statuses.join(", ");
    return refusal(`request/query/status must be equal to one of the allowed values: ${allowed}`);
  }
  const hasDates = searchParams.has("startedAfter") || searchParams.has("startedBefore");
  if ((fake.dates === "refused" || old !== null) && hasDates)
    return refusal("Unknown query parameter 'startedAfter'");
  const opaque = fake.hasOpaqueCursors;
  const given = searchParams.get("cursor") ?? "";
  const cursor = readExecutionCursor(opaque ? atob(given.replace("opaque ", "")) : given);
  if (given !== "" && cursor === undefined) return failure(400);
  const limit = Math.min(250, cursor?.limit ?? Number(searchParams.get("limit") ?? 100));
  const all = selected(fake, url).filter(
    (one) => cursor === undefined || Number(one.id) < Number(cursor.lastId),
  );
  const page = all.slice(0, limit).map((one) => listed(one, old));
  const next = all.length > limit ? cursorBelow(page.at(-1)?.id ?? "", limit) : null;
  const nextCursor = next !== null && opaque ? `opaque ${btoa(next)}` : next;
  if (searchParams.get("includeData") !== "true")
    return jsonAnswer({ data: page.map(withoutData), nextCursor });
  if (page.some(({ id }) => fake.broken.has(id))) return failure(500);
  fake.sent.push(...page.map(({ id }) => id));
  return jsonAnswer(`{"data":[${page.map(textOf).join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`);
}

function answer(fake: FakeN8n, url: URL): Response {
  const id = /\/executions\/(\d+)$/.exec(url.pathname)?.[1];
  if (id === undefined) return answerPage(fake, url);
  const found = fake.executions.map(fake.shown).find((one) => one.id === id);
  if (found === undefined) return failure(404);
  if (url.searchParams.get("includeData") === "true" && fake.broken.has(id)) return failure(500);
  fake.sent.push(id);
  return jsonAnswer(textOf(found));
}

/** The same answer, which breaks off when the request is aborted. */
function watched(response: Response, signal: AbortSignal | null | undefined, onEnd: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    onEnd();
    return response;
  }
  const isGivenUp = new Promise<never>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
  isGivenUp.catch(() => {});
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await Promise.race([reader.read(), isGivenUp]);
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** @throws the signal's reason, as `fetch` does */
async function answering(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const abort = (): void => ended.reject(signal?.reason);
  const timer = setTimeout(ended.resolve, milliseconds);
  signal?.addEventListener("abort", abort);
  await ended.promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}

/** A client of this n8n, with parts of its environment replaced. */
export const clientOf = (
  { fetch }: Pick<FakeN8n, "fetch">,
  environment: Partial<RequestEnvironment> = {},
): N8nClient =>
  createN8nClient(
    { baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" },
    { fetch, ...environment },
  );

export function createFakeN8n(executions: readonly FakeExecution[]): FakeN8n {
  const open = new Set<symbol>();
  const fetchFromFake: Fetch = async (address, { signal }) => {
    const url = new URL(address);
    const request = Symbol(address);
    fake.requests.push(url.pathname + url.search);
    open.add(request);
    fake.mostAtOnce = Math.max(fake.mostAtOnce, open.size);
    if (fake.latencyMs > 0) await answering(fake.latencyMs, signal);
    return watched((await fake.intercept(url)) ?? answer(fake, url), signal, () => open.delete(request));
  };
  const fake: FakeN8n = {
    requests: [],
    sent: [],
    executions: [...executions],
    dates: "ignored",
    old: null,
    hasOpaqueCursors: false,
    broken: new Set(),
    shown: (one) => one,
    latencyMs: 0,
    mostAtOnce: 0,
    intercept: () => undefined,
    fetch: fetchFromFake,
    client: clientOf({ fetch: fetchFromFake }),
  };
  return fake;
}
