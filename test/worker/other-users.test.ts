/** What one user's handles are worth to another: two people of one organisation, and a service, over HTTP. */

import { reset } from "cloudflare:test";
import { env, withEnv } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type McpMessage, mcpPost, readMessage, toolCall } from "../support/mcp-post.ts";
import { HOST, N8N } from "./mcp-call.ts";
import { Deployment, settingsFor, tokensOf } from "./oidc/deployment.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

const DATA = { scope: "n8n:data" };

const result = z.object({
  structuredContent: z.looseObject({ status: z.string(), data: z.looseObject({}) }),
});
const callLine = z.object({ event: z.literal("tool_call"), bytesRead: z.number() });
const trace = z.looseObject({ traceId: z.string(), coverage: z.looseObject({ complete: z.boolean() }) });
const search = z.looseObject({ searchId: z.string() });

const lines: string[] = [];
let deployment: Deployment;

beforeEach(() => {
  lines.length = 0;
  for (const method of ["log", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
  deployment = new Deployment({
    ...settingsFor("realProvider"),
    ...N8N,
    DATA_EMAILS: "ada@example.com, grace@example.com",
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const tokenOf = async (login: string): Promise<string> =>
  (await tokensOf(deployment, login, DATA)).access_token;

/** The tools read the settings of the Worker, not of the request. */
async function post(
  token: string,
  message: McpMessage,
  headers: Record<string, string> = {},
): Promise<Response> {
  const request = new Request(`${PUBLIC_URL}/mcp`, mcpPost(token, message, { ...HOST, ...headers }));
  const answer = withEnv({ ...env, ...N8N }, () => deployment.send(request));
  return z.instanceof(Response).parse(await answer);
}

async function call(
  token: string,
  name: string,
  args: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await post(token, toolCall(name, args), headers);
  expect(response.status).toBe(200);
  return z.object({ result }).parse(await readMessage(response)).result.structuredContent.data;
}

/** A trace that has more to read, so that its id is worth something. */
async function beginTrace(token: string): Promise<string> {
  const begun = trace.parse(
    await call(token, "trace_request", { requestId: "req-100", limit: 5, deep: true }),
  );
  expect(begun.coverage.complete).toBe(false);
  return begun.traceId;
}

async function beginSearch(token: string): Promise<string> {
  return search.parse(await call(token, "search_executions", { text: "req-1001", limit: 5 })).searchId;
}

/** Without what differs in any two answers: the id that was asked for. */
function withoutId(answer: Record<string, unknown>, id: string): string {
  return JSON.stringify(answer).replaceAll(id, "<id>");
}

describe("another user's handle", () => {
  const HANDLES = [
    {
      tool: "trace_request",
      begin: beginTrace,
      args: (traceId: string) => ({ traceId }),
      madeUp: () => `trace_${crypto.randomUUID()}`,
    },
    {
      tool: "search_executions",
      begin: beginSearch,
      args: (searchId: string) => ({ text: "req-1001", searchId }),
      madeUp: () => `search_${crypto.randomUUID()}`,
    },
  ];

  test.each(HANDLES)(
    "of $tool is as unknown as one that is made up, and stays its owner's",
    async (handle) => {
      const { tool, begin, args, madeUp } = handle;
      const [ada, grace] = [await tokenOf("ada"), await tokenOf("grace")];
      const id = await begin(ada);
      const nothing = madeUp();
      const known = withoutId(await call(ada, tool, args(nothing)), nothing);
      expect(known).toContain("TRACE_NOT_FOUND");
      for (const stranger of [grace, SERVICE_TOKEN.readAndData])
        expect(withoutId(await call(stranger, tool, args(id)), id)).toBe(known);
      expect(await call(ada, tool, args(id))).not.toHaveProperty("code");
    },
  );

  test("is the same person's in another client", async () => {
    const id = await beginTrace(await tokenOf("ada"));
    expect(await call(await tokenOf("ada"), "trace_request", { traceId: id })).toMatchObject({ traceId: id });
  });

  test("is not opened by saying to be them", async () => {
    const { props } = z
      .object({ props: z.object({ userId: z.string() }) })
      .parse(await deployment.whoIs(await tokenOf("ada")));
    const id = await beginTrace(await tokenOf("ada"));
    const grace = await tokenOf("grace");
    for (const name of [
      "X-User-Id",
      "X-Forwarded-User",
      "Cf-Access-Authenticated-User-Email",
      "Mcp-Session-Id",
    ]) {
      const answer = await call(grace, "trace_request", { traceId: id }, { [name]: props.userId });
      expect(answer).toMatchObject({ code: "TRACE_NOT_FOUND" });
    }
  });
});

describe("what is known of n8n's executions", () => {
  test("is the same for all: whoever asks next reads none of it again", async () => {
    const [ada, grace] = [await tokenOf("ada"), await tokenOf("grace")];
    const bytesRead = async (token: string): Promise<number> => {
      await call(token, "trace_request", { requestId: "req-100" });
      return callLine.parse(JSON.parse(lines.findLast((line) => line.includes('"tool_call"')) ?? ""))
        .bytesRead;
    };
    const first = await bytesRead(ada);
    expect(await bytesRead(grace)).toBeLessThan(first / 2);
  });
});

describe("a session handle of MCP", () => {
  test("is given to nobody, and one that is sent means nothing", async () => {
    const token = await tokenOf("ada");
    const initialize = {
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "a client", version: "1" },
      },
    };
    const answer = await post(token, initialize, { "Mcp-Session-Id": "someone-else's" });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("Mcp-Session-Id")).toBe(false);
    await answer.text();
  });

  test.each(["GET", "DELETE"])("opens no stream and ends nothing by %s", async (method) => {
    const request = new Request(`${PUBLIC_URL}/mcp`, {
      method,
      headers: {
        Authorization: `Bearer ${await tokenOf("ada")}`,
        Accept: "text/event-stream",
        Host: new URL(PUBLIC_URL).host,
        "Mcp-Session-Id": "someone-else's",
      },
    });
    expect((await deployment.send(request)).status).toBe(405);
  });

  test("without a token is none, and neither is another user's", async () => {
    for (const headers of [{ Authorization: "" }, { Authorization: "Bearer x", "Mcp-Session-Id": "any" }]) {
      const response = await post("", { method: "tools/list" }, headers);
      expect(response.status).toBe(401);
    }
  });
});
