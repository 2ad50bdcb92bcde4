/** How many calls a user may make, with the runtime's own rate-limit binding. */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { CALL_LIMIT_PERIOD_SECONDS } from "../../src/wiring/call-limit.ts";
import { mcpPost, readMessage, toolCall } from "../support/mcp-post.ts";
import { HOST } from "./mcp-call.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

/** As in wrangler.toml. */
const LIMIT = 300;
/** Far more time than the calls of a test take. */
const NEEDED_MS = 7_000;

const answer = z.object({
  result: z.looseObject({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({ status: z.string(), data: z.unknown() }),
  }),
});

type Result = z.infer<typeof answer>["result"];

async function call(token: string, name = "no_such_tool"): Promise<Result> {
  const response = await exports.default.fetch(`${PUBLIC_URL}/mcp`, mcpPost(token, toolCall(name, {}), HOST));
  expect(response.status).toBe(200);
  return answer.parse(await readMessage(response)).result;
}

const PERIOD_MS = CALL_LIMIT_PERIOD_SECONDS * 1_000;

/** Rate-limit windows begin at full minutes. */
const leftOfWindow = (): number => PERIOD_MS - (Date.now() % PERIOD_MS);

async function nextWindow(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, leftOfWindow()));
}

async function admitted(userId: string, calls: number): Promise<number> {
  const outcomes = Array.from({ length: calls }, () => env.CALL_LIMIT.limit({ key: userId }));
  return (await Promise.all(outcomes)).filter(({ success }) => success).length;
}

const windowOf = (time: number): number => Math.floor(time / PERIOD_MS);

interface Seen {
  readonly admitted: number;
  readonly last: Result;
  readonly over: Result;
  readonly ofAnother: Result;
}

/** Must fit into one window, and is repeated in a fresh one otherwise. */
async function exhaust(): Promise<Seen> {
  if (leftOfWindow() < NEEDED_MS) await nextWindow();
  const began = windowOf(Date.now());
  const seen = {
    admitted: await admitted("service-busy", LIMIT - 1),
    last: await call(SERVICE_TOKEN.busy),
    over: await call(SERVICE_TOKEN.busy),
    ofAnother: await call(SERVICE_TOKEN.readAndData),
  };
  if (windowOf(Date.now()) === began) return seen;
  await nextWindow();
  return await exhaust();
}

test("a call above the limit gets an error with the time to retry, and other users are unaffected", async () => {
  // The Worker's first answer is slow, so it gets a window of its own.
  await call(SERVICE_TOKEN.readAndData);
  const seen = await exhaust();
  expect(seen.admitted).toBe(LIMIT - 1);
  expect(seen.last).toMatchObject({ structuredContent: { data: { code: "TOOL_NOT_FOUND" } } });
  expect(seen.over).toMatchObject({
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
  expect(seen.ofAnother).toMatchObject({ structuredContent: { data: { code: "TOOL_NOT_FOUND" } } });
});

test("the binding exists", async () => {
  expect(await env.CALL_LIMIT.limit({ key: "somebody" })).toEqual({ success: true });
});
