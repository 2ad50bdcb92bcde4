/**
 * Our own spans, as the platform receives them while tools run on the recorded n8n: exactly those of the table, with
 * its attributes, and without request ids, payloads, keys, tokens or URLs.
 */
import { runDurableObjectAlarm } from "cloudflare:test";
import { exports, tracing } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { SPANS } from "../../src/platform/spans.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { HOST } from "./mcp-call.ts";
import { indexOf } from "./only-n8n.ts";
import { resetAfterEach } from "./reset.ts";
import { N8N_API_KEY, N8N_ORIGIN, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
}

const REQUEST_ID = "req-100";
/** A plain word, so that only the code keeps it out of an attribute. */
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
resetAfterEach();

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
  await runDurableObjectAlarm(indexOf());
}

test("spans and attributes are exactly those of the table", async () => {
  await useEverything();
  const unknown = spans.flatMap(({ name, attributes }) => {
    const row: Readonly<Record<string, unknown>> =
      Object.entries(SPANS).find(([known]) => known === name)?.[1].attributes ?? {};
    return Object.keys(attributes).filter((key) => !Object.hasOwn(row, key));
  });
  expect(unknown).toEqual([]);
  const recorded = new Set(
    spans.flatMap(({ name, attributes }) => Object.keys(attributes).map((key) => `${name} ${key}`)),
  );
  const expected = Object.entries(SPANS).flatMap(([name, { attributes }]) =>
    Object.keys(attributes).map((key) => `${name} ${key}`),
  );
  // The only n8n here has no name that a call could give.
  const withoutInstance = expected.filter((each) => each !== "n8n_observer.tool n8n.instance");
  expect([...recorded].toSorted()).toEqual(withoutInstance.toSorted());
});

test("spans contain a call's tool, outcome and costs", async () => {
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

test("a failure of n8n is recorded by its code, for a call and for the index", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const index = indexOf();
  await index.wake();
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError(`${CANARY} is away`));
  await call("get_execution", { id: "34" });
  await runDurableObjectAlarm(index);
  expect(named("n8n_observer.tool")[0]?.attributes["call.outcome"]).toBe("N8N_UNREACHABLE");
  expect(named("n8n_observer.n8n_request")[0]?.attributes["n8n.outcome"]).toBe("N8N_UNREACHABLE");
  const ofStep = { "index.operation": "step", "index.outcome": "N8N_UNREACHABLE" };
  // While the call retries, the alarm may have begun the step by itself.
  await vi.waitFor(() =>
    expect(named("n8n_observer.index").map(({ attributes }) => attributes)).toContainEqual(
      expect.objectContaining(ofStep),
    ),
  );
});

test("no span contains a request id, search text, payload, key, token or URL", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await useEverything();
  const values = spans.flatMap(({ attributes }) => Object.values(attributes)).map(String);
  expect(values.length).toBeGreaterThan(50);
  const text = values.join("\n");
  for (const secret of [REQUEST_ID, CANARY, N8N_API_KEY, SERVICE_TOKEN.readAndData, new URL(N8N_ORIGIN).host])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/[/?&=%]/);
  expect(text).not.toMatch(canaryPattern);
});
