/**
 * The spans of our own, as the platform gets them while tools run on the recorded n8n: each of the table, each
 * attribute of its row, and in none of them a request id, a payload, a key, a token or a URL.
 */

import { reset, runDurableObjectAlarm } from "cloudflare:test";
import { env, exports, tracing } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SPANS } from "../../src/platform/spans.ts";
import { historyIndexName } from "../../src/wiring/history-index-name.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { HOST } from "./mcp-call.ts";
import { onlyN8nOf } from "./only-n8n.ts";
import { N8N_API_KEY, N8N_ORIGIN, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
}

const REQUEST_ID = "req-100";
/** A word, so that nothing but the code keeps it out of an attribute. */
const CANARY = "canary4711";

const spans: Recorded[] = [];

beforeEach(() => {
  spans.length = 0;
  const enterSpan = tracing.enterSpan.bind(tracing);
  vi.spyOn(tracing, "enterSpan").mockImplementation((name, run, ...rest) =>
    enterSpan(
      name,
      (span, ...args) => {
        const attributes: Record<string, unknown> = {};
        spans.push({ name, attributes });
        vi.spyOn(span, "isTraced", "get").mockReturnValue(true);
        const setAttribute = span.setAttribute.bind(span);
        vi.spyOn(span, "setAttribute").mockImplementation((key, value) => {
          attributes[key] = value;
          return setAttribute(key, value);
        });
        return run(span, ...args);
      },
      ...rest,
    ),
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

async function call(name: string, args: Record<string, unknown>): Promise<void> {
  const init = mcpPost(SERVICE_TOKEN.readAndData, toolCall(name, args), HOST);
  const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, init);
  expect(response.status).toBe(200);
  await response.text();
}

const named = (name: keyof typeof SPANS): Recorded[] => spans.filter((span) => span.name === name);

async function useEverything(): Promise<void> {
  await call("trace_request", { requestId: REQUEST_ID });
  await call("trace_request", { requestId: CANARY });
  await call("search_executions", { words: CANARY });
  await call("get_execution", { id: "34" });
  await call("get_execution", { id: "999999" });
  await call("summarize_failures", {});
  await call(CANARY, { [CANARY]: CANARY });
  await runDurableObjectAlarm(env.HISTORY_INDEX.getByName(historyIndexName(env, onlyN8nOf(env))));
}

test("each span and attribute is one of the table, and each of the table is there", async () => {
  await useEverything();
  const unknown = spans.flatMap(({ name, attributes }) => {
    const row: Readonly<Record<string, unknown>> =
      Object.entries(SPANS).find(([known]) => known === name)?.[1].attributes ?? {};
    return Object.keys(attributes).filter((key) => !Object.hasOwn(row, key));
  });
  expect(unknown).toEqual([]);
  const seen = new Set(
    spans.flatMap(({ name, attributes }) => Object.keys(attributes).map((key) => `${name} ${key}`)),
  );
  const expected = Object.entries(SPANS).flatMap(([name, { attributes }]) =>
    Object.keys(attributes).map((key) => `${name} ${key}`),
  );
  // The one n8n here has no name that a call could give.
  const withoutInstance = expected.filter((each) => each !== "n8n_observer.tool n8n.instance");
  expect([...seen].toSorted()).toEqual(withoutInstance.toSorted());
});

test("they say what a call was, how it ended and what it took", async () => {
  await call("get_execution", { id: "34" });
  await call("get_execution", { id: "999999" });
  expect(named("n8n_observer.tool").map(({ attributes }) => attributes)).toEqual([
    expect.objectContaining({ "tool.name": "get_execution", "call.outcome": "success" }),
    expect.objectContaining({ "tool.name": "get_execution", "call.outcome": "EXECUTION_NOT_FOUND" }),
  ]);
  const [request] = named("n8n_observer.n8n_request");
  expect(request?.attributes).toMatchObject({ "n8n.scope": "execution:read", "n8n.outcome": "success" });
  expect(request?.attributes["n8n.bytes_read"]).toBeGreaterThan(100);
});

test("n8n's failures are told by their code, of a call and of the index by itself", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const index = env.HISTORY_INDEX.getByName(historyIndexName(env, onlyN8nOf(env)));
  await index.wake();
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError(`${CANARY} is away`));
  await call("get_execution", { id: "34" });
  await runDurableObjectAlarm(index);
  expect(named("n8n_observer.tool")[0]?.attributes["call.outcome"]).toBe("N8N_UNREACHABLE");
  expect(named("n8n_observer.n8n_request")[0]?.attributes["n8n.outcome"]).toBe("N8N_UNREACHABLE");
  const ofStep = { "index.operation": "step", "index.outcome": "N8N_UNREACHABLE" };
  // While the call tries again, the alarm may have begun the step by itself.
  await vi.waitFor(() =>
    expect(named("n8n_observer.index").map(({ attributes }) => attributes)).toContainEqual(
      expect.objectContaining(ofStep),
    ),
  );
});

test("none holds a request id, what was searched for, a payload, a key, a token or a URL", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await useEverything();
  const values = spans.flatMap(({ attributes }) => Object.values(attributes)).map(String);
  expect(values.length).toBeGreaterThan(50);
  const said = values.join("\n");
  for (const secret of [REQUEST_ID, CANARY, N8N_API_KEY, SERVICE_TOKEN.readAndData, new URL(N8N_ORIGIN).host])
    expect(said).not.toContain(secret);
  expect(said).not.toMatch(/[/?&=%]/);
  expect(said).not.toMatch(canaryPattern);
});
