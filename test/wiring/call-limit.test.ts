/** How many calls a user may make: how the rate-limit binding is used, what is counted, and what happens if it fails. */
import { readFile } from "node:fs/promises";
import type { RateLimit } from "@cloudflare/workers-types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { readJsonBody } from "../../src/mcp/json-body.ts";
import { CALL_LIMIT_PERIOD_SECONDS, createCallLimits } from "../../src/wiring/call-limit.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";

const URL = "https://observer.example/mcp";
const noted = vi.fn();
const BERT = { userId: "bert", noteRefused: noted };

beforeEach(() => {
  vi.useFakeTimers();
  noted.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

const refusing: RateLimit = { limit: async () => ({ success: false }) };

type Options = Parameters<typeof createCallLimits>[0];
type Limited = (request: Request, caller: typeof BERT) => Promise<Response | undefined>;
const limiting = (options: Options): Limited => {
  const limit = createCallLimits(options).ofRequest;
  return async (asked, caller) => await limit(await readJsonBody(asked), caller);
};
const limitWith = (limit: RateLimit) => limiting({ limit, log: () => {} });

const request = (message = toolCall("trace_request", {}), headers: Record<string, string> = {}): Request =>
  new Request(URL, mcpPost("token", message, headers));
const batch = (...messages: readonly object[]): Request =>
  new Request(URL, { ...mcpPost("token", toolCall("x", {})), body: JSON.stringify(messages) });
const call = (id: number) => ({ jsonrpc: "2.0", id, ...toolCall("trace_request", {}) });

/** The answer, without its delay. */
async function answerTo(asked: Promise<Response | undefined>): Promise<unknown> {
  await vi.runAllTimersAsync();
  return await (await asked)?.json();
}

test("the period equals the one in wrangler.toml", async () => {
  const [, period] =
    /name = "CALL_LIMIT"[^[]*period = (\d+)/.exec(await readFile(inProject("wrangler.toml"), "utf8")) ?? [];
  expect(Number(period)).toBe(CALL_LIMIT_PERIOD_SECONDS);
});

test("each user is counted separately", async () => {
  const asked: string[] = [];
  const limited = limitWith({ limit: async ({ key }) => ({ success: asked.push(key) < 2 }) });
  expect(await limited(request(), { ...BERT, userId: "anna" })).toBeUndefined();
  expect(await answerTo(limited(request(), BERT))).toMatchObject({ result: { isError: true } });
  expect(asked).toEqual(["anna", "bert"]);
});

describe("a refusal", () => {
  test("is the tool's answer, with the time to retry", async () => {
    const answer = await answerTo(limitWith(refusing)(request(), BERT));
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        resultType: "complete",
        isError: true,
        content: [{ type: "text", text: expect.stringContaining("RATE_LIMITED") }],
        structuredContent: {
          status: "error",
          data: expect.objectContaining({
            code: "RATE_LIMITED",
            details: expect.objectContaining({ retryAfter: CALL_LIMIT_PERIOD_SECONDS }),
          }),
          meta: { timestamp: expect.stringMatching(/:\d\dZ$/) },
        },
      },
    });
  });

  test("is JSON text for a client without structured content", async () => {
    const answer = await answerTo(limitWith(refusing)(request(), BERT));
    expect(JSON.stringify(answer)).toContain('\\"code\\":\\"RATE_LIMITED\\"');
    const modern = { "MCP-Protocol-Version": "2025-11-25" };
    const rendered = await answerTo(limitWith(refusing)(request(undefined, modern), BERT));
    expect(JSON.stringify(rendered)).toContain('"text":"RATE_LIMITED: ');
  });

  test("is delayed, so that retrying at once gains nothing", async () => {
    const answered = vi.fn();
    limitWith(refusing)(request(), BERT).then(answered, () => {});
    await vi.advanceTimersByTimeAsync(2_999);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toHaveBeenCalledOnce();
  });

  test("is logged once per period and user, with the tool", async () => {
    const limited = limitWith(refusing);
    for (let index = 0; index < 3; index += 1) await answerTo(limited(request(), BERT));
    expect(noted.mock.calls).toEqual([["trace_request"]]);
    await answerTo(limited(request(), { ...BERT, userId: "anna" }));
    expect(noted).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(CALL_LIMIT_PERIOD_SECONDS * 1_000);
    await answerTo(limited(request(), BERT));
    expect(noted).toHaveBeenCalledTimes(3);
  });

  test("is noted again after the clock was set back", async () => {
    const limited = limitWith(refusing);
    await answerTo(limited(request(), BERT));
    vi.setSystemTime(Date.now() - 3_600_000);
    await answerTo(limited(request(), BERT));
    expect(noted).toHaveBeenCalledTimes(2);
  });

  test("of a resource is a JSON-RPC error", async () => {
    const asked = limitWith(refusing)(request({ method: "resources/read", params: { uri: "x:y" } }), BERT);
    expect(await answerTo(asked)).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining("Wait") },
    });
  });
});

describe("counting", () => {
  const broken = () => new Request(URL, { ...mcpPost("token", toolCall("x", {})), body: "{" });

  test("separates calls, what a client sends when it connects, and everything else", async () => {
    const asked: string[] = [];
    const limited = limitWith({ limit: async ({ key }) => ({ success: asked.push(key) > 0 }) });
    const others = ["tools/list", "initialize", "made_up", "made_up_too"].map((method) =>
      request({ method }),
    );
    for (const one of [request(), ...others, broken(), new Request(URL)])
      expect(await limited(one, BERT)).toBeUndefined();
    expect(asked).toEqual([
      "bert",
      ...["tools/list", "initialize", "other", "other", "other", "GET"].map((kind) => `bert\n${kind}`),
    ]);
  });

  test("gives an error for other methods, and status 429 where no answer is possible", async () => {
    const limited = limitWith(refusing);
    expect(await answerTo(limited(request({ method: "tools/list" }), BERT))).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining("Wait 60 seconds") },
    });
    for (const one of [broken(), new Request(URL)]) {
      const refused = limited(one, BERT);
      await vi.runAllTimersAsync();
      expect((await refused)?.status).toBe(429);
      expect((await refused)?.headers.get("retry-after")).toBe("60");
    }
    expect(noted.mock.calls).toEqual([[""]]);
  });

  test("stops for a batch above the maximum", async () => {
    const limit = vi.fn(refusing.limit);
    const messages = Array.from({ length: 20_000 }, (_, index) => call(index));
    await answerTo(limitWith({ limit })(batch(...messages), BERT));
    expect(limit.mock.calls.length).toBeLessThanOrEqual(1_000);
  });

  test("treats a batch of a million as one that is just too large", async () => {
    const parse = await readJsonBody(
      new Request(URL, { ...mcpPost("token", toolCall("x", {})), body: `[${"1,".repeat(1_000_000)}1]` }),
    );
    expect(parse.parsedBody).toHaveLength(101);
  });

  test("includes each call of a batch, and a refused batch is answered completely", async () => {
    const asked: string[] = [];
    const limited = limitWith({ limit: async ({ key }) => ({ success: asked.push(key) <= 4 }) });
    expect(await limited(batch(call(1), call(2), call(3)), BERT)).toBeUndefined();
    const answers = await answerTo(limited(batch(call(4), call(5)), BERT));
    expect(answers).toMatchObject([
      { id: 4, result: {} },
      { id: 5, result: {} },
    ]);
  });
});

test("calls from a page count by their tools, together with a client's calls", async () => {
  const asked: string[] = [];
  const limit = { limit: async ({ key }: { key: string }) => ({ success: asked.push(key) <= 3 }) };
  const { ofTools } = createCallLimits({ limit, log: () => {} });
  expect(await ofTools(["trace_request", "get_execution"], BERT)).toBeUndefined();
  const refused = ofTools(["get_execution", "trace_request"], BERT);
  await vi.runAllTimersAsync();
  expect(await refused).toMatchObject({ code: "RATE_LIMITED" });
  expect(asked).toEqual(Array(4).fill("bert"));
  expect(noted.mock.calls).toEqual([["get_execution"]]);
});

test("a failing limiter blocks nobody, and is logged without its message", async () => {
  const log: unknown[] = [];
  const broken: RateLimit = {
    limit: async () => {
      throw new Error("a fault with a secret in it");
    },
  };
  const limited = limiting({ limit: broken, log: (line) => log.push(line) });
  expect(await limited(request(), BERT)).toBeUndefined();
  expect(log).toMatchObject([{ event: "call-limit-failed", name: "Error" }]);
  expect(JSON.stringify(log)).not.toContain("secret");
});
