/** The n8n client against misbehaving servers: the right error in limited time, and only GET requests. */
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { JsonReadError } from "../../src/json/errors.ts";
import { createN8nClient, N8nClient } from "../../src/n8n/client.ts";
import { type ByteSink, type ExecutionReader, ExecutionWalk } from "../../src/n8n/execution-walk.ts";
import { OUTLINE } from "../../src/n8n/read-plans.ts";
import { N8nRequests, type RequestOptions } from "../../src/n8n/requests.ts";
import { type ErrorCode, ObserverError } from "../../src/platform/errors.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";

/** For calls that are expected to time out. */
const SHORT = { timeoutMs: 150 };
/** For other calls: enough for a local server on a busy machine. */
const LONG = { timeoutMs: 5_000 };
/** A call takes no longer than its timeout plus some scheduling. */
const BOUND_MS = 2_500;

let n8n: RecordedN8n;
let client: N8nClient;
const servers: Server[] = [];

beforeAll(async () => {
  n8n = await startRecordedN8n();
  client = createN8nClient(n8n);
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

/** A client of a server that begins to answer with JSON, and continues as given. */
async function clientAnsweredBy(
  answer: (response: ServerResponse) => void,
  headers: Readonly<Record<string, string>> = {},
): Promise<N8nClient> {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    answer(response);
  });
  return createN8nClient({ baseUrl, apiKey: "key" });
}

test("an unchanged list is parsed once, a changed one again", async () => {
  const execution = { workflowId: "w", status: "success", mode: "webhook" };
  let ids = ["8"];
  const asked = await clientAnsweredBy((response) =>
    response.end(JSON.stringify({ data: ids.map((id) => ({ ...execution, id })), nextCursor: null })),
  );
  const list = async () => (await asked.listExecutions({ limit: 5 })).executions;
  const [[first], [second]] = [await list(), await list()];
  expect(first).toMatchObject({ id: "8" });
  expect(second).toBe(first);
  ids = ["9", "8"];
  expect(await list()).toMatchObject([{ id: "9" }, { id: "8" }]);
});

/** Records how each execution ends. */
class Endings implements ExecutionReader {
  readonly ids: string[] = [];
  readonly unreadables: (string | null)[] = [];
  wantsKey(): boolean {
    return false;
  }
  value(): void {}
  roomForContainer(): number {
    return 0;
  }

  container(): void {}

  onSkipped(): void {}
  execution({ item }: Parameters<ExecutionReader["execution"]>[0]): void {
    this.ids.push(item.id);
  }
  unreadable(id: string | null): void {
    this.unreadables.push(id);
  }
}

const page = (reader: ExecutionReader = new Endings()): ByteSink => new ExecutionWalk("list", reader);
const alone = (reader: ExecutionReader = new Endings()): ByteSink => new ExecutionWalk("one", reader);

/** Accepts any bytes. */
class Bytes implements ByteSink {
  text = "";
  chunks = 0;
  ends = 0;
  readonly #decoder = new TextDecoder();
  write(chunk: Uint8Array): void {
    this.chunks += 1;
    this.text += this.#decoder.decode(chunk, { stream: true });
  }
  end(): void {
    this.ends += 1;
  }
}

/** Each method, and the scope it needs. */
const CALLS: readonly [string, string, (from: N8nClient, options: RequestOptions) => Promise<unknown>][] = [
  ["listWorkflows", "workflow:list", (from, options) => from.listWorkflows({ limit: 5 }, options)],
  ["readWorkflowName", "workflow:read", (from, options) => from.readWorkflowName("abc", options)],
  ["listExecutions", "execution:list", (from, options) => from.listExecutions({ limit: 5 }, options)],
  [
    "streamExecutions",
    "execution:list",
    (from, options) => from.streamExecutions({ limit: 5 }, page(), options),
  ],
  ["streamExecution", "execution:read", (from, options) => from.streamExecution("1", alone(), options)],
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

/** For a single execution these are reported to the reader, which knows the requested id. */
const UNREADABLE: readonly string[] = ["another shape", "an array"];

describe.each(CALLS)("%s", (name, scope, call) => {
  const faults = FAULTS.filter(([fault]) => name !== "streamExecution" || !UNREADABLE.includes(fault));

  test.each(faults)("gives the right error on %s", async (_fault, fault, code) => {
    n8n.faults.always(fault);
    const error = await errorOf(() => call(client, code === "N8N_TIMEOUT" ? SHORT : LONG));
    expect(error.code).toBe(code);
    // Texts from n8n are not passed on.
    expect(error.message + JSON.stringify(error.details)).not.toMatch(/Recorded n8n|hello|gateway/);
  });

  test("names the missing scope", async () => {
    n8n.faults.always({ kind: "status", status: 403 });
    const error = await errorOf(() => call(client, LONG));
    if (scope !== "none") expect(error).toMatchObject({ details: { expected: scope } });
    expect(error.message).toContain(scope);
  });

  test("never follows a redirect, so the key does not leave", async () => {
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

  test.each([{}, { "content-length": "100" }])(
    "times out on a body that stalls after its head, %o",
    async (length) => {
      const isClosed = Promise.withResolvers<void>();
      const stalling = await clientAnsweredBy((response) => {
        response.write('{"data":[');
        response.on("close", isClosed.resolve);
      }, length);
      const error = await errorOf(() => call(stalling, SHORT));
      expect(error.code).toBe("N8N_TIMEOUT");
      await isClosed.promise;
    },
  );

  test("times out on a body that drips without end", async () => {
    const dripping = await clientAnsweredBy((response) => {
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    });
    const error = await errorOf(() => call(dripping, SHORT));
    expect(error.code).toBe("N8N_TIMEOUT");
  });

  test("reports a port where nobody listens", async () => {
    const error = await errorOf(() =>
      call(createN8nClient({ baseUrl: "http://127.0.0.1:1", apiKey: "key" }), LONG),
    );
    expect(error.code).toBe("N8N_UNREACHABLE");
    expect(error.details.field).toBe("N8N_BASE_URL");
  });

  test("sends the key only in its header", async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    let url = "";
    const noting = await serve((request, response) => {
      headers = request.headers;
      url = request.url ?? "";
      response.writeHead(500).end();
    });
    await errorOf(() => call(createN8nClient({ baseUrl: noting, apiKey: "the-key" }), LONG));
    expect(headers["x-n8n-api-key"]).toBe("the-key");
    const { "x-n8n-api-key": _key, ...others } = headers;
    expect(JSON.stringify(others) + url).not.toContain("the-key");
  });
});

describe("404", () => {
  test.each([
    ["an execution", "EXECUTION_NOT_FOUND", () => client.readExecution("999999", OUTLINE)],
    ["an execution as a stream", "EXECUTION_NOT_FOUND", () => client.streamExecution("999999", alone())],
    ["an execution without data", "EXECUTION_NOT_FOUND", () => client.readExecutionItem("999999")],
    ["a workflow", "WORKFLOW_NOT_FOUND", () => client.readWorkflowName("doesNotExist")],
  ])("for %s is reported as not found", async (_name, code, call) => {
    expect((await errorOf(call)).code).toBe(code);
  });

  test.each([
    ["list of workflows", () => client.listWorkflows({ limit: 1 })],
    ["list of executions", () => client.listExecutions({ limit: 1 })],
    ["list of executions with data", () => client.streamExecutions({ limit: 1 }, page())],
  ])("for a %s means that the address is wrong", async (_name, call) => {
    n8n.faults.always({ kind: "status", status: 404 });
    expect(await errorOf(call)).toMatchObject({
      code: "N8N_BAD_RESPONSE",
      details: { field: "N8N_BASE_URL" },
    });
  });

  test("for the scopes means that this n8n does not report them", async () => {
    n8n.faults.always({ kind: "status", status: 404 });
    expect(await client.discoverScopes()).toBeUndefined();
  });
});

test.each([
  ["7", 7],
  ["0.2", 1],
  ["-3", 10],
  ["Wed, 21 Oct 2026 07:28:00 GMT", 20],
  ["Wed, 21 Oct 2026 07:27:00 GMT", 10],
  ["soon", 10],
  [undefined, 10],
])("429 with retry-after %s waits %i seconds", async (header, seconds) => {
  const date = "Wed, 21 Oct 2026 07:27:40 GMT";
  const headers = header === undefined ? {} : { "retry-after": header, date };
  n8n.faults.always({ kind: "status", status: 429, headers });
  const error = await errorOf(() => client.listExecutions({ limit: 1 }));
  expect(error.details.retryAfter).toBe(seconds);
  expect(error.details.solution).toContain(`Wait ${seconds === 1 ? "1 second" : `${seconds} seconds`}, `);
});

describe("an id stays within one path segment:", () => {
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
    await errorOf(() => client.readWorkflowName(id));
    await errorOf(() => client.readExecutionItem(id));
    await errorOf(() => client.readExecution(id, OUTLINE));
    await errorOf(() => client.streamExecution(id, alone()));
    expect(n8n.requests.map(({ path }) => path)).toEqual([
      `/api/v1/workflows/${encodeURIComponent(id)}?excludePinnedData=true`,
      `/api/v1/executions/${encodeURIComponent(id)}`,
      `/api/v1/executions/${encodeURIComponent(id)}?includeData=true`,
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
    expect((await errorOf(() => client.readWorkflowName(id))).code).toBe("VALIDATION_ERROR");
    expect((await errorOf(() => client.readExecution(id, OUTLINE))).code).toBe("VALIDATION_ERROR");
    expect((await errorOf(() => client.streamExecution(id, alone()))).code).toBe("VALIDATION_ERROR");
    expect(n8n.requests).toEqual([]);
  });

  test("cursors, names and tags stay in the query", async () => {
    const hostile = "x&includeData=true#/../../workflows?limit=0";
    await errorOf(() => client.listExecutions({ limit: 5, cursor: hostile, workflowId: hostile }));
    await errorOf(() => client.listWorkflows({ limit: 5, cursor: hostile, name: hostile, tags: hostile }));
    await errorOf(() => client.streamExecutions({ limit: 5, cursor: hostile, workflowId: hostile }, page()));
    const sent = n8n.requests.map(({ path }) => new URL(path, n8n.baseUrl));
    expect(sent.map(({ pathname, hash }) => pathname + hash)).toEqual([
      "/api/v1/executions",
      "/api/v1/workflows",
      "/api/v1/executions",
    ]);
    expect(sent[0]?.searchParams.getAll("limit")).toEqual(["5"]);
    expect(sent[0]?.searchParams.get("workflowId")).toBe(hostile);
    expect(sent[0]?.searchParams.has("includeData")).toBe(false);
    expect(sent[1]?.searchParams.get("name")).toBe(hostile);
    await client.listWorkflows({ limit: 5, name: "ü + half \ud800" });
    const last = new URL(n8n.requests.at(-1)?.path ?? "", n8n.baseUrl);
    expect(last.searchParams.get("name")).toBe("ü + half \ufffd");
    expect(sent[2]?.searchParams.getAll("limit")).toEqual(["5"]);
    expect(sent[2]?.searchParams.getAll("includeData")).toEqual(["true"]);
  });
});

describe("a stream", () => {
  const query = { limit: 3, workflowId: undefined, startedAfter: "2000-01-01T00:00:00.000Z" };

  test("requests the data, and nothing for undefined parameters", async () => {
    const endings = new Endings();
    await client.streamExecutions(query, page(endings), LONG);
    expect(endings.ids).toHaveLength(3);
    expect(n8n.requests.map(({ path }) => path)).toEqual([
      "/api/v1/executions?limit=3&startedAfter=2000-01-01T00%3A00%3A00.000Z&includeData=true",
    ]);
  });

  test("passes on every byte of a page, and one end", async () => {
    const bytes = new Bytes();
    await client.streamExecutions({ limit: 5 }, bytes, LONG);
    const path = "/api/v1/executions?limit=5&includeData=true";
    const answer = await fetch(n8n.baseUrl + path, { headers: { "X-N8N-API-KEY": n8n.apiKey } });
    expect(bytes.text).toBe(await answer.text());
    expect(bytes.ends).toBe(1);
  });

  test("passes on every byte of one execution, and one end", async () => {
    const { executions } = await client.listExecutions({ limit: 1 });
    const id = executions[0]?.id ?? "";
    const bytes = new Bytes();
    await client.streamExecution(id, bytes, LONG);
    expect(JSON.parse(bytes.text)).toMatchObject({ id, data: { resultData: {} } });
    expect(bytes.ends).toBe(1);
  });

  test("passes on what has arrived before the rest", async () => {
    const bytes = new Bytes();
    let whenFirstCame = "";
    const halting = await clientAnsweredBy((response) => {
      response.write('{"data":[');
      const rest = setInterval(() => {
        if (bytes.chunks === 0) return;
        clearInterval(rest);
        whenFirstCame = bytes.text;
        response.end("]}");
      }, 5);
      response.on("close", () => clearInterval(rest));
    });
    await halting.streamExecutions(query, bytes, LONG);
    expect([whenFirstCame, bytes.text]).toEqual(['{"data":[', '{"data":[]}']);
  });

  test.each<[string, Fault]>([
    ["is cut off", { kind: "cut" }],
    ["never comes", { kind: "status", status: 503 }],
  ])("has no end if the answer %s", async (_name, fault) => {
    n8n.faults.always(fault);
    const [list, one] = [new Bytes(), new Bytes()];
    await errorOf(() => client.streamExecutions(query, list, LONG));
    await errorOf(() => client.streamExecution("1", one, LONG));
    expect([list.ends, one.ends]).toEqual([0, 0]);
  });

  test("reports what came before the answer was cut off", async () => {
    n8n.faults.always({ kind: "cut" });
    const endings = new Endings();
    await errorOf(() => client.streamExecutions({ limit: 20 }, page(endings), LONG));
    expect(endings.ids.length).toBeGreaterThan(0);
    expect(endings.ids.length).toBeLessThan(20);
  });

  test("is cancelled when the sink cannot use it", async () => {
    let isGivenUp = false;
    const endless = await clientAnsweredBy((response) => {
      const more = setInterval(() => response.write("no JSON "), 5);
      response.on("close", () => {
        clearInterval(more);
        isGivenUp = true;
      });
    });
    const sink: ByteSink = {
      write() {
        throw new JsonReadError("Not JSON.");
      },
      end() {},
    };
    expect((await errorOf(() => endless.streamExecutions(query, sink, LONG))).code).toBe("N8N_BAD_RESPONSE");
    await expect.poll(() => isGivenUp).toBe(true);
  });

  test.each(['{"hello":"world"}', "[]"])(
    "of one execution with another shape reports it as unreadable: %s",
    async (body) => {
      n8n.faults.always({ kind: "status", status: 200, body });
      const endings = new Endings();
      await client.streamExecution("1", alone(endings), LONG);
      expect(endings).toMatchObject({ ids: [], unreadables: [null] });
    },
  );

  test("can contain an execution of any size", async () => {
    const size = 40 * 1024 * 1024;
    const sending = await clientAnsweredBy((response) => {
      response.write('{"id":"1","workflowId":"w","status":"success","mode":"webhook","data":{"text":"');
      const chunk = "x".repeat(1024 * 1024);
      for (let sent = 0; sent < size; sent += chunk.length) response.write(chunk);
      response.end('"}}');
    });
    const endings = new Endings();
    await sending.streamExecution("1", alone(endings), LONG);
    expect(endings.ids).toEqual(["1"]);
  });
});

test.each([{}, { "content-length": String(200 * 1024 * 1024 + 9) }])(
  "a list that is far too large is not read to its end, %o",
  async (length) => {
    let sent = 0;
    const flooding = await clientAnsweredBy((response) => {
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
    }, length);
    const slow = { timeoutMs: 10_000 };
    const error = await errorOf(() => flooding.listExecutions({ limit: 1 }, slow));
    expect(error.code).toBe("N8N_BAD_RESPONSE");
    expect(sent).toBeLessThan(100);
  },
);

test("a workflow over 8 MB is skipped and named, and the others are listed", async () => {
  const workflow = (id: string): Record<string, unknown> => ({
    id,
    name: id,
    active: true,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  });
  const large = { ...workflow("large"), nodes: [{ text: "x".repeat(9 * 1024 * 1024) }] };
  const sending = await clientAnsweredBy((response) =>
    response.end(JSON.stringify({ data: [workflow("a"), large, workflow("b")], nextCursor: "next" })),
  );
  const answer = await sending.listWorkflows({ limit: 3 }, LONG);
  expect(answer.workflows.map(({ id }) => id)).toEqual(["a", "b"]);
  expect([answer.unread, answer.nextCursor]).toEqual([["large"], "next"]);
});

test("content types may lack a charset, have one, or name another kind of JSON", async () => {
  for (const type of ["application/json", "application/json;charset=UTF-8", "application/problem+json"]) {
    const sending = await clientAnsweredBy((response) => response.end('{"data":[],"nextCursor":null}'), {
      "content-type": type,
    });
    const answer = await sending.listExecutions({ limit: 1 });
    expect(answer).toEqual({ executions: [], unrecognizedIds: [], nextCursor: null });
  }
});

test("the client has no method that could write", () => {
  const methods = [N8nClient, N8nRequests].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
  // `until`, `atMost`, `retrying`, `sharingTurn` and `with` return a client of the same kind.
  const isHarmless = (name: string): boolean =>
    /^(constructor$|list|read|stream|discover|until$|atMost$|retrying$|sharingTurn$|with$)/.test(name);
  expect(methods.filter((name) => !isHarmless(name))).toEqual([]);
  expect(client.until(new AbortController().signal)).toBeInstanceOf(N8nClient);
});
