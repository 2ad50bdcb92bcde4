/** How many calls a user may make: what the code says of the binding, and where the binding fails. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { CALL_LIMIT_PERIOD_SECONDS, createAdmit } from "../../src/tools/admit-call.ts";

test("the period is the one of wrangler.toml", async () => {
  const [, period] =
    /name = "CALL_LIMIT"[^[]*period = (\d+)/.exec(await readFile(inProject("wrangler.toml"), "utf8")) ?? [];
  expect(Number(period)).toBe(CALL_LIMIT_PERIOD_SECONDS);
});

test("each user is counted for themselves", async () => {
  const asked: string[] = [];
  const limit: RateLimit = { limit: async ({ key }) => ({ success: asked.push(key) < 2 }) };
  const admit = createAdmit(limit);
  await admit("anna", () => {});
  await expect(admit("bert", () => {})).rejects.toMatchObject({
    code: "RATE_LIMITED",
    details: { retryAfter: CALL_LIMIT_PERIOD_SECONDS },
  });
  expect(asked).toEqual(["anna", "bert"]);
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
