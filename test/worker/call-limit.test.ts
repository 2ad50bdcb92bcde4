/** How many calls a user may make, by the binding as the runtime has it. */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { CALL_LIMIT_PERIOD_SECONDS } from "../../src/tools/admit-call.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

/** In wrangler.toml. */
const LIMIT = 100;
/** Made at the turn of two periods, at most as many as two of them allow get through. */
const CALLS = 3 * LIMIT;

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

test("what is over is answered in the envelope, with the time to come back; another user is not affected", async () => {
  const answers = await Promise.all(Array.from({ length: CALLS }, () => call(SERVICE_TOKEN.readOnly)));
  const refused = answers.filter(
    ({ structuredContent }) =>
      z.looseObject({ code: z.string() }).parse(structuredContent.data).code === "RATE_LIMITED",
  );
  expect(refused.length).toBeGreaterThanOrEqual(CALLS - 2 * LIMIT);
  expect(refused.length).toBeLessThanOrEqual(CALLS - LIMIT);
  expect(refused[0]).toMatchObject({
    isError: true,
    structuredContent: {
      status: "error",
      data: {
        code: "RATE_LIMITED",
        details: { retryAfter: CALL_LIMIT_PERIOD_SECONDS, solution: expect.stringContaining("10 seconds") },
      },
    },
  });
  expect(await call(SERVICE_TOKEN.readAndData)).toMatchObject({
    structuredContent: { data: { code: "TOOL_NOT_FOUND" } },
  });
});

test("the binding is there", async () => {
  expect(await env.CALL_LIMIT.limit({ key: "somebody" })).toEqual({ success: true });
});
