/** How many calls a user may make: what the code says of the binding, and where the binding fails. */
import { readFile } from "node:fs/promises";
import { afterEach, expect, test, vi } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { CALL_LIMIT_PERIOD_SECONDS, createAdmit } from "../../src/tools/admit-call.ts";

test("the period is the one of wrangler.toml", async () => {
  const [, period] =
    /name = "CALL_LIMIT"[^[]*period = (\d+)/.exec(await readFile(inProject("wrangler.toml"), "utf8")) ?? [];
  expect(Number(period)).toBe(CALL_LIMIT_PERIOD_SECONDS);
});

afterEach(() => {
  vi.useRealTimers();
});

/** What is thrown, without waiting for as long as a caller has to. */
async function settled(refused: Promise<void>): Promise<unknown> {
  const thrown = refused.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return await thrown;
}

test("each user is counted for themselves", async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const limit: RateLimit = { limit: async ({ key }) => ({ success: asked.push(key) < 2 }) };
  const admit = createAdmit(limit);
  await admit("anna", () => {});
  await expect(settled(admit("bert", () => {}))).resolves.toMatchObject({
    code: "RATE_LIMITED",
    details: { retryAfter: CALL_LIMIT_PERIOD_SECONDS },
  });
  expect(asked).toEqual(["anna", "bert"]);
});

test("a refusal comes late: who calls again at once has to wait all the same", async () => {
  vi.useFakeTimers();
  const told = vi.fn();
  createAdmit({ limit: async () => ({ success: false }) })("anna", () => {}).catch(told);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toHaveBeenCalledOnce();
});

test("a counter that fails stops nobody, and the log tells it, without the message", async () => {
  const log: unknown[] = [];
  const broken: RateLimit = {
    limit: async () => {
      throw new Error("a fault with a secret in it");
    },
  };
  await createAdmit(broken)("anna", (line) => log.push(line));
  expect(log).toMatchObject([{ event: "call-limit-failed", name: "Error" }]);
  expect(JSON.stringify(log)).not.toContain("secret");
});
