/**
 * Clients that give up, seen through the running Worker: whoever cancels calls or pages has their places back at once, and
 * n8n is asked no more for them. Who merely sends no more, and who reads a slow stream, still gets the answer.
 */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MAX_CONCURRENT_CALLS } from "../../src/wiring/concurrent-calls.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { PageVisitor } from "../support/page-visitor.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

/** As long as it takes until each call has its place, and n8n the first requests. */
const UNDER_WAY_MS = 1_500;
/** Far less than a call waits for a place, which is 10 s. */
const AT_ONCE_MS = 5_000;

let n8n: RecordedN8n;
let worker: TestWorker;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  worker = await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey });
});
afterAll(async () => {
  await worker.stop();
  await n8n.close();
});
afterEach(() => {
  n8n.faults.clear();
});

const READ = toolCall("get_execution", { id: "34" });
const TRACE = toolCall("trace_request", { requestId: "req-deep-failure" });
const call = async (message = READ, signal?: AbortSignal): Promise<string> => {
  const init = { ...mcpPost(SERVICE_TOKEN, message), ...(signal && { signal }) };
  return await (await fetch(worker.mcpUrl, init)).text();
};

/** Begins so many at an n8n that does not answer, and cancels them all. */
async function cancelAll(ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  n8n.faults.always({ kind: "hang" });
  const controller = new AbortController();
  const asked = Array.from({ length: MAX_CONCURRENT_CALLS }, () => ask(controller.signal));
  await sleep(UNDER_WAY_MS);
  controller.abort();
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
  n8n.faults.clear();
}

/** Of execution 34: what is missing from it would be a page, or a stream, of many lines. */
const isAnswer = (text: string): boolean => text.includes("Fetch Rate");

async function timed(ask: () => Promise<string>): Promise<{ text: string; milliseconds: number }> {
  const began = performance.now();
  const text = await ask();
  return { text, milliseconds: performance.now() - began };
}

describe("after as many cancelled calls as a user may have at the same time, the next is answered at once", () => {
  test.each([
    ["reads of an execution", READ],
    ["traces", TRACE],
  ])("%s", async (_name, message) => {
    await cancelAll(async (signal) => await call(message, signal));
    const { text, milliseconds } = await timed(async () => await call());
    expect(isAnswer(text)).toBe(true);
    expect(milliseconds).toBeLessThan(AT_ONCE_MS);
  });

  test("pages", async () => {
    const visitor = await PageVisitor.signIn(worker.origin);
    await cancelAll(async (signal) => await visitor.open("/app/executions/34", signal));
    const { text, milliseconds } = await timed(async () => await visitor.open("/app/executions/34"));
    expect(isAnswer(text)).toBe(true);
    expect(milliseconds).toBeLessThan(AT_ONCE_MS);
  });

  test("pages whose answer had begun to arrive", async () => {
    const visitor = await PageVisitor.signIn(worker.origin);
    await cancelAll(async (signal) => await visitor.open("/app/requests/req-deep-failure", signal));
    const { text, milliseconds } = await timed(async () => await visitor.open("/app/executions/34"));
    expect(isAnswer(text)).toBe(true);
    expect(milliseconds).toBeLessThan(AT_ONCE_MS);
  });
});

describe("what is not cancelled is answered", () => {
  const SLOW = { kind: "slow", milliseconds: 400 } as const;

  test("a client that closes its half of the connection after the request", async () => {
    n8n.faults.always(SLOW);
    const { headers, body, method } = mcpPost(SERVICE_TOKEN, READ);
    const { hostname, port, pathname, host } = new URL(worker.mcpUrl);
    const sent = { ...headers, Host: host, Connection: "close", "Content-Length": String(body.length) };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.end(`${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    let received = "";
    for await (const piece of socket.setEncoding("utf8")) received += String(piece);
    expect(isAnswer(received)).toBe(true);
  });

  test("a call that reports progress, and a page that is sent in parts", async () => {
    n8n.faults.always(SLOW);
    const message = toolCall("trace_request", { requestId: "req-retry", deep: true });
    const params = { ...message.params, _meta: { progressToken: "p" } };
    const visitor = await PageVisitor.signIn(worker.origin);
    const [text, page] = await Promise.all([
      call({ ...message, params }),
      visitor.open("/app/requests/req-deep-failure?deep=yes"),
    ]);
    expect(text).toContain("notifications/progress");
    expect(text).toContain('"outcome"');
    expect(page).toContain('class="progress card"');
    expect(page.trimEnd()).toMatch(/<\/html>$/);
  });
});

test("who shares the first question to an n8n with one who gives up has the answer all the same", async () => {
  await using fresh = new AsyncDisposableStack();
  const other = fresh.adopt(await startTestWorker(n8n), async (started) => await started.stop());
  n8n.faults.always({ kind: "slow", milliseconds: 6_000 });
  const ask = async (args: object, signal?: AbortSignal): Promise<string> => {
    const message = toolCall("trace_request", { requestId: "req-deep-failure", ...args });
    const init = { ...mcpPost(SERVICE_TOKEN, message), ...(signal && { signal }) };
    return await (await fetch(other.mcpUrl, init)).text();
  };
  const controller = new AbortController();
  const givenUp = ask({}, controller.signal);
  givenUp.catch(() => {});
  await sleep(100);
  // With another window, it is another scan.
  const answer = ask({ startedAfter: "2020-01-01T00:00:00Z" });
  await sleep(UNDER_WAY_MS / 3);
  controller.abort();
  await sleep(4_000);
  n8n.faults.clear();
  expect(await answer).toContain('"status":"success"');
});
