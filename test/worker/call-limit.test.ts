/** How many calls a user may make, by the binding as the runtime has it. */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { CALL_LIMIT_PERIOD_SECONDS } from "../../src/tools/admit-call.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

/** In wrangler.toml. */
const LIMIT = 100;
/** Far more than the calls of a test take. */
const NEEDED_MS = 7_000;

const answer = z.object({
  result: z.looseObject({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({ status: z.string(), data: z.unknown() }),
  }),
});

async function call(token: string, name = "no_such_tool"): Promise<z.infer<typeof answer>["result"]> {
  const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Host: new URL(PUBLIC_URL).host,
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  });
  expect(response.status).toBe(200);
  const [, message = ""] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  return answer.parse(JSON.parse(message)).result;
}

/** Windows begin at whole tens of seconds. Waits for the next one when this one is nearly over. */
async function haveTime(): Promise<void> {
  const period = CALL_LIMIT_PERIOD_SECONDS * 1_000;
  const left = period - (Date.now() % period);
  if (left < NEEDED_MS) await new Promise((resolve) => setTimeout(resolve, left));
}

async function admitted(userId: string, calls: number): Promise<number> {
  const outcomes = Array.from({ length: calls }, () => env.CALL_LIMIT.limit({ key: userId }));
  return (await Promise.all(outcomes)).filter(({ success }) => success).length;
}

test("what is over is answered in the envelope, with the time to come back; another user is not affected", async () => {
  await haveTime();
  expect(await admitted("service-reader", LIMIT - 1)).toBe(LIMIT - 1);
  expect(await call(SERVICE_TOKEN.readOnly)).toMatchObject({
    structuredContent: { data: { code: "TOOL_NOT_FOUND" } },
  });
  expect(await call(SERVICE_TOKEN.readOnly)).toMatchObject({
    isError: true,
    structuredContent: {
      status: "error",
      data: {
        code: "RATE_LIMITED",
        details: {
          retryAfter: CALL_LIMIT_PERIOD_SECONDS,
          solution: expect.stringContaining(`${CALL_LIMIT_PERIOD_SECONDS} seconds`),
        },
      },
    },
  });
  expect(await call(SERVICE_TOKEN.readAndData)).toMatchObject({
    structuredContent: { data: { code: "TOOL_NOT_FOUND" } },
  });
}, 30_000);

test("the binding is there", async () => {
  expect(await env.CALL_LIMIT.limit({ key: "somebody" })).toEqual({ success: true });
});
