/** The n8n client against a server that misbehaves: the right error, in bounded time, and nothing but GET. */
import { createServer, type RequestListener, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ErrorCode, ObserverError } from "../../src/errors.ts";
import { N8nClient, type RequestOptions } from "../../src/n8n/client.ts";
import { OUTLINE } from "../../src/n8n/read-plans.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";

/** Where a time-out is what is expected. */
const SHORT = { timeoutMs: 150 };
/** Where it is not: enough for a local server on a busy machine. */
const LONG = { timeoutMs: 5_000 };
/** No call takes longer than its time-out and some scheduling. */
const BOUND_MS = 2_500;

let n8n: RecordedN8n;
let client: N8nClient;
const servers: Server[] = [];

beforeAll(async () => {
  n8n = await startRecordedN8n();
  client = new N8nClient(n8n);
});
beforeEach(() => {
  n8n.faults.clear();
  n8n.requests.length = 0;
});
afterEach(async () => {
  expect(n8n.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
afterAll(async () => {
  await n8n.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

async function drain(elements: AsyncGenerator<unknown>): Promise<unknown> {
  for (let next = await elements.next(); ; next = await elements.next()) if (next.done) return next.value;
}

/** Every way to ask, and the scope it needs. */
const CALLS: readonly [string, string, (from: N8nClient, options: RequestOptions) => Promise<unknown>][] = [
  ["listWorkflows", "workflow:list", (from, options) => from.listWorkflows({ limit: 5 }, options)],
  ["readWorkflow", "workflow:read", (from, options) => from.readWorkflow("abc", options)],
  ["listExecutions", "execution:list", (from, options) => from.listExecutions({ limit: 5 }, options)],
  [
    "streamExecutions",
    "execution:list",
    (from, options) => drain(from.streamExecutions({ limit: 5 }, options)),
  ],
  ["readExecutionItem", "execution:read", (from, options) => from.readExecutionItem("1", options)],
  ["readExecution", "execution:read", (from, options) => from.readExecution("1", OUTLINE, options)],
  ["discoverScopes", "none", (from, options) => from.discoverScopes(options)],
];

async function errorOf(call: () => Promise<unknown>): Promise<ObserverError> {
  const began = performance.now();
  try {
    await call();
  } catch (error) {
    expect(performance.now() - began).toBeLessThan(BOUND_MS);
    if (error instanceof ObserverError) {
      expect(error.details.solution.length).toBeGreaterThan(20);
      return error;
    }
    throw error;
  }
  throw new Error("Nothing went wrong.");
}

const FAULTS: readonly [string, Fault, ErrorCode][] = [
  ["401", { kind: "status", status: 401 }, "N8N_UNAUTHORIZED"],
  ["403", { kind: "status", status: 403 }, "N8N_FORBIDDEN"],
  ["400", { kind: "status", status: 400 }, "N8N_BAD_RESPONSE"],
  ["418", { kind: "status", status: 418 }, "N8N_BAD_RESPONSE"],
  ["201", { kind: "status", status: 201 }, "N8N_BAD_RESPONSE"],
  ["204", { kind: "status", status: 204, body: "" }, "N8N_BAD_RESPONSE"],
  ["429", { kind: "status", status: 429 }, "N8N_RATE_LIMITED"],
  ["500", { kind: "status", status: 500 }, "N8N_UNREACHABLE"],
  ["502 as a web page", { kind: "status", status: 502, body: "<h1>Bad gateway</h1>" }, "N8N_UNREACHABLE"],
  ["503", { kind: "status", status: 503 }, "N8N_UNREACHABLE"],
  ["a web page", { kind: "html" }, "N8N_BAD_RESPONSE"],
  ["broken JSON", { kind: "broken-json" }, "N8N_BAD_RESPONSE"],
  ["a body that is cut off", { kind: "cut" }, "N8N_UNREACHABLE"],
  ["no answer", { kind: "hang" }, "N8N_TIMEOUT"],
  ["a late answer", { kind: "slow", milliseconds: 500 }, "N8N_TIMEOUT"],
  ["an empty body", { kind: "status", status: 200, body: "" }, "N8N_BAD_RESPONSE"],
  ["another shape", { kind: "status", status: 200, body: { hello: "world" } }, "N8N_BAD_RESPONSE"],
  ["null", { kind: "status", status: 200, body: "null" }, "N8N_BAD_RESPONSE"],
  ["an array", { kind: "status", status: 200, body: "[]" }, "N8N_BAD_RESPONSE"],
];

describe.each(CALLS)("%s", (_name, scope, call) => {
  test.each(FAULTS)("on %s", async (_fault, fault, code) => {
    n8n.faults.always(fault);
    const error = await errorOf(() => call(client, code === "N8N_TIMEOUT" ? SHORT : LONG));
    expect(error.code).toBe(code);
    // The words of the other side are not passed on.
    expect(error.message + JSON.stringify(error.details)).not.toMatch(/Recorded n8n|hello|gateway/);
  });

  test("names the scope that the key lacks", async () => {
    n8n.faults.always({ kind: "status", status: 403 });
    const error = await errorOf(() => call(client, LONG));
    if (scope !== "none") expect(error).toMatchObject({ details: { expected: scope } });
    expect(error.message).toContain(scope);
  });

  test("never follows a redirect: the key does not travel", async () => {
    const received: string[] = [];
    const elsewhere = await serve((request, response) => {
      received.push(request.url ?? "");
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"data":[],"nextCursor":null}');
    });
    n8n.faults.always({ kind: "redirect", to: `${elsewhere}/api/v1/executions` });
    const error = await errorOf(() => call(client, LONG));
    expect(error.code).toBe("N8N_BAD_RESPONSE");
    expect(error.details.field).toBe("N8N_BASE_URL");
    expect(received).toEqual([]);
  });

  test("on a body that stalls after its head", async () => {
    const stalling = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":[');
    });
    const error = await errorOf(() => call(new N8nClient({ baseUrl: stalling, apiKey: "key" }), SHORT));
    expect(error.code).toBe("N8N_TIMEOUT");
  });

  test("on a body that drips without end", async () => {
    const dripping = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    });
    const error = await errorOf(() => call(new N8nClient({ baseUrl: dripping, apiKey: "key" }), SHORT));
    expect(error.code).toBe("N8N_TIMEOUT");
  });

  test("on a port where nobody listens", async () => {
    const error = await errorOf(() =>
      call(new N8nClient({ baseUrl: "http://127.0.0.1:1", apiKey: "key" }), LONG),
    );
    expect(error.code).toBe("N8N_UNREACHABLE");
    expect(error.details.field).toBe("N8N_BASE_URL");
  });

  test("sends the key in its header only", async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    let url = "";
    const noting = await serve((request, response) => {
      headers = request.headers;
      url = request.url ?? "";
      response.writeHead(500).end();
    });
    await errorOf(() => call(new N8nClient({ baseUrl: noting, apiKey: "the-key" }), LONG));
    expect(headers["x-n8n-api-key"]).toBe("the-key");
    const { "x-n8n-api-key": _key, ...others } = headers;
    expect(JSON.stringify(others) + url).not.toContain("the-key");
  });
});

describe("404", () => {
  test.each([
    ["an execution", "EXECUTION_NOT_FOUND", () => client.readExecution("999999", OUTLINE)],
    ["an execution without data", "EXECUTION_NOT_FOUND", () => client.readExecutionItem("999999")],
    ["a workflow", "WORKFLOW_NOT_FOUND", () => client.readWorkflow("doesNotExist")],
  ])("of %s says so", async (_name, code, call) => {
    expect((await errorOf(call)).code).toBe(code);
  });

  test.each([
    ["list of workflows", () => client.listWorkflows({ limit: 1 })],
    ["list of executions", () => client.listExecutions({ limit: 1 })],
    ["list of executions with data", () => drain(client.streamExecutions({ limit: 1 }))],
  ])("of a %s means that the address is wrong", async (_name, call) => {
    n8n.faults.always({ kind: "status", status: 404 });
    expect(await errorOf(call)).toMatchObject({
      code: "N8N_BAD_RESPONSE",
      details: { field: "N8N_BASE_URL" },
    });
  });

  test("of the scopes means that this n8n does not tell them", async () => {
    n8n.faults.always({ kind: "status", status: 404 });
    expect(await client.discoverScopes()).toBeUndefined();
  });
});

test.each([
  ["7", 7],
  ["0.2", 1],
  ["-3", 10],
  ["Wed, 21 Oct 2026 07:28:00 GMT", 10],
  [undefined, 10],
])("429 with retry-after %s waits %i seconds", async (header, seconds) => {
  const headers = header === undefined ? {} : { "retry-after": header };
  n8n.faults.always({ kind: "status", status: 429, headers });
  const error = await errorOf(() => client.listExecutions({ limit: 1 }));
  expect(error.details.retryAfter).toBe(seconds);
  expect(error.details.solution).toContain(`${seconds} seconds`);
});

describe("ids stay in one segment", () => {
  const CONFINED = [
    "../workflows",
    "1/../../x",
    "1?includeData=true",
    "1#fragment",
    "%2e%2e",
    "..%2f..",
    "1\\..\\..\\x",
    "1;x",
    " ",
    "漢字 🚀",
    "…/…",
  ];

  test.each(CONFINED)("%s", async (id) => {
    await errorOf(() => client.readWorkflow(id));
    await errorOf(() => client.readExecutionItem(id));
    await errorOf(() => client.readExecution(id, OUTLINE));
    expect(n8n.requests.map(({ path }) => path)).toEqual([
      `/api/v1/workflows/${encodeURIComponent(id)}`,
      `/api/v1/executions/${encodeURIComponent(id)}`,
      `/api/v1/executions/${encodeURIComponent(id)}?includeData=true`,
    ]);
  });

  test.each([
    ["empty", ""],
    ["a dot", "."],
    ["two dots", ".."],
    ["10,000 characters", "1".repeat(10_000)],
    ["half a character", "\ud800"],
  ])("%s never leaves", async (_name, id) => {
    expect((await errorOf(() => client.readWorkflow(id))).code).toBe("VALIDATION_ERROR");
    expect((await errorOf(() => client.readExecution(id, OUTLINE))).code).toBe("VALIDATION_ERROR");
    expect(n8n.requests).toEqual([]);
  });

  test("cursors, names and tags stay in the query", async () => {
    const hostile = "x&includeData=true#/../../workflows?limit=0";
    await errorOf(() => client.listExecutions({ limit: 5, cursor: hostile, workflowId: hostile }));
    await errorOf(() => client.listWorkflows({ limit: 5, cursor: hostile, name: hostile, tags: hostile }));
    const sent = n8n.requests.map(({ path }) => new URL(path, n8n.baseUrl));
    expect(sent.map(({ pathname, hash }) => pathname + hash)).toEqual([
      "/api/v1/executions",
      "/api/v1/workflows",
    ]);
    expect(sent[0]?.searchParams.getAll("limit")).toEqual(["5"]);
    expect(sent[0]?.searchParams.get("workflowId")).toBe(hostile);
    expect(sent[0]?.searchParams.has("includeData")).toBe(false);
    expect(sent[1]?.searchParams.get("name")).toBe(hostile);
  });
});

test("a list that is far too large for a list is not read to its end", async () => {
  let sent = 0;
  const flooding = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"data":[');
    const chunk = " ".repeat(1024 * 1024);
    const flood = (): void => {
      while (sent < 200 && !response.destroyed) {
        sent += 1;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", flood);
    flood();
  });
  const slow = { timeoutMs: 10_000 };
  const error = await errorOf(() =>
    new N8nClient({ baseUrl: flooding, apiKey: "key" }).listExecutions({ limit: 1 }, slow),
  );
  expect(error.code).toBe("N8N_BAD_RESPONSE");
  expect(sent).toBeLessThan(100);
});

test("an answer may come without an encoding, with a charset, or as another kind of JSON", async () => {
  for (const type of ["application/json", "application/json;charset=UTF-8", "application/problem+json"]) {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end('{"data":[],"nextCursor":null}');
    });
    const answer = await new N8nClient({ baseUrl, apiKey: "key" }).listExecutions({ limit: 1 });
    expect(answer).toEqual({ executions: [], nextCursor: null });
  }
});

test("has no method that could write", () => {
  const methods = Object.getOwnPropertyNames(N8nClient.prototype).filter((name) => name !== "constructor");
  expect(methods.filter((name) => !/^(list|read|stream|discover)/.test(name))).toEqual([]);
});
