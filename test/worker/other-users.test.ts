/** One user's handles are worthless to another: two users of one organisation, and a service, over HTTP. */
import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { catchConsoleLines } from "../support/console-lines.ts";
import { readMessage, toolCall } from "../support/mcp-post.ts";
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

const lines = catchConsoleLines();
let deployment: Deployment;

beforeEach(() => {
  deployment = new Deployment({
    ...settingsFor("realProvider"),
    ...N8N,
    DATA_EMAILS: "ada@example.com, grace@example.com",
  });
});
afterEach(() => reset());

const tokenOf = async (login: string): Promise<string> =>
  (await tokensOf(deployment, login, DATA)).access_token;

async function call(
  token: string,
  name: string,
  args: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await deployment.post(token, toolCall(name, args), headers);
  expect(response.status).toBe(200);
  return z.object({ result }).parse(await readMessage(response)).result.structuredContent.data;
}

/** Begins a trace that has more to read, so that its id is useful. */
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

/** Without the requested id, which differs in any two answers. */
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
    "of $tool is as unknown as an invented one, and stays valid for its owner",
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

  test("of the same person works in another client", async () => {
    const id = await beginTrace(await tokenOf("ada"));
    expect(await call(await tokenOf("ada"), "trace_request", { traceId: id })).toMatchObject({ traceId: id });
  });

  test("is not opened by claiming to be that user", async () => {
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

describe("the knowledge of n8n's executions", () => {
  test("is shared: the next user reads nothing again", async () => {
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

describe("an MCP session id", () => {
  test("is never issued, and one that is sent has no effect", async () => {
    const token = await tokenOf("ada");
    const initialize = {
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "a client", version: "1" },
      },
    };
    const answer = await deployment.post(token, initialize, { "Mcp-Session-Id": "someone-else's" });
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
        ...HOST,
        "Mcp-Session-Id": "someone-else's",
      },
    });
    expect((await deployment.send(request)).status).toBe(405);
  });

  test("does not replace a token", async () => {
    for (const headers of [{ Authorization: "" }, { Authorization: "Bearer x", "Mcp-Session-Id": "any" }]) {
      const response = await deployment.post("", { method: "tools/list" }, headers);
      expect(response.status).toBe(401);
    }
  });
});
