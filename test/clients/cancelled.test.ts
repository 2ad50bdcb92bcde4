/**
 * Cancelled calls, seen through the running Worker: a user who cancels calls or pages can make new ones at once, and
 * n8n gets no more requests for them. A client that only half-closes its connection, or reads slowly, still gets its answer.
 */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_CONCURRENT_CALLS } from "../../src/wiring/concurrent-calls.ts";
import { closeAtEnd } from "../support/close-at-end.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { PageVisitor } from "../support/page-visitor.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { SERVICE_TOKEN, startTestWorker } from "../support/test-worker.ts";

/** Long enough for each call to have its place and to have reached n8n. */
const UNDER_WAY_MS = 1_500;
/** Far less than the 10 s for which a call waits for a place. */
const AT_ONCE_MS = 5_000;

const server = useRecordedWorker();

afterEach(() => {
  server.n8n.faults.clear();
});

const READ = toolCall("get_execution", { id: "34" });
const TRACE = toolCall("trace_request", { requestId: "req-deep-failure" });
const call = async (message = READ, signal?: AbortSignal): Promise<string> => {
  const init = { ...mcpPost(SERVICE_TOKEN, message), ...(signal && { signal }) };
  return await (await fetch(server.worker.mcpUrl, init)).text();
};

/** Starts as many calls as are allowed while n8n does not answer, and cancels them all. */
async function cancelAll(ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  server.n8n.faults.always({ kind: "hang" });
  const controller = new AbortController();
  const asked = Array.from({ length: MAX_CONCURRENT_CALLS }, () => ask(controller.signal));
  await sleep(UNDER_WAY_MS);
  controller.abort();
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
  server.n8n.faults.clear();
}

/** Whether the text is an answer about execution 34. A boolean, as a failing comparison would print the whole page. */
const isAnswer = (text: string): boolean => text.includes("Fetch Rate");

async function timed(ask: () => Promise<string>): Promise<{ text: string; milliseconds: number }> {
  const began = performance.now();
  const text = await ask();
  return { text, milliseconds: performance.now() - began };
}

describe("after a user has cancelled all calls that they may make at once, the next call is answered at once", () => {
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
    const visitor = await PageVisitor.signIn(server.worker.origin);
    await cancelAll(async (signal) => await visitor.open("/app/executions/34", signal));
    const { text, milliseconds } = await timed(async () => await visitor.open("/app/executions/34"));
    expect(isAnswer(text)).toBe(true);
    expect(milliseconds).toBeLessThan(AT_ONCE_MS);
  });

  test("pages that had begun to arrive", async () => {
    const visitor = await PageVisitor.signIn(server.worker.origin);
    await cancelAll(async (signal) => await visitor.open("/app/requests/req-deep-failure", signal));
    const { text, milliseconds } = await timed(async () => await visitor.open("/app/executions/34"));
    expect(isAnswer(text)).toBe(true);
    expect(milliseconds).toBeLessThan(AT_ONCE_MS);
  });
});

describe("a call that is not cancelled is answered", () => {
  const SLOW = { kind: "slow", milliseconds: 400 } as const;

  test("for a client that half-closes its connection after the request", async () => {
    server.n8n.faults.always(SLOW);
    const { headers, body, method } = mcpPost(SERVICE_TOKEN, READ);
    const { hostname, port, pathname, host } = new URL(server.worker.mcpUrl);
    const sent = { ...headers, Host: host, Connection: "close", "Content-Length": String(body.length) };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.end(`${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    let received = "";
    for await (const piece of socket.setEncoding("utf8")) received += String(piece);
    expect(isAnswer(received)).toBe(true);
  });

  test("with progress for a call, and in parts for a page", async () => {
    server.n8n.faults.always(SLOW);
    const message = toolCall("trace_request", { requestId: "req-retry", deep: true });
    const params = { ...message.params, _meta: { progressToken: "p" } };
    const visitor = await PageVisitor.signIn(server.worker.origin);
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

test("a call that shares a request with a cancelled one is still answered", async () => {
  await using fresh = new AsyncDisposableStack();
  const other = closeAtEnd(fresh, await startTestWorker(server.n8n));
  server.n8n.faults.always({ kind: "slow", milliseconds: 6_000 });
  const ask = async (args: object, signal?: AbortSignal): Promise<string> => {
    const message = toolCall("trace_request", { requestId: "req-deep-failure", ...args });
    const init = { ...mcpPost(SERVICE_TOKEN, message), ...(signal && { signal }) };
    return await (await fetch(other.mcpUrl, init)).text();
  };
  const controller = new AbortController();
  const givenUp = ask({}, controller.signal);
  givenUp.catch(() => {});
  await sleep(100);
  // Another window makes it another scan.
  const answer = ask({ startedAfter: "2020-01-01T00:00:00Z" });
  await sleep(UNDER_WAY_MS / 3);
  controller.abort();
  await sleep(4_000);
  server.n8n.faults.clear();
  expect(await answer).toContain('"status":"success"');
});
