/** How many calls a user may make: what the code says of the binding, and where the binding fails. */
import { readFile } from "node:fs/promises";
import type { RateLimit } from "@cloudflare/workers-types";
import { afterEach, describe, expect, test, vi } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { CLIENT_PATIENCE_MS } from "../../src/platform/time-limits.ts";
import { CALL_LIMIT_PERIOD_SECONDS, createAdmit } from "../../src/wiring/admit-call.ts";
import { MAX_CONCURRENT_CALLS, MAX_PAUSED_CALLS } from "../../src/wiring/concurrent-calls.ts";

test("the period is the one of wrangler.toml", async () => {
  const [, period] =
    /name = "CALL_LIMIT"[^[]*period = (\d+)/.exec(await readFile(inProject("wrangler.toml"), "utf8")) ?? [];
  expect(Number(period)).toBe(CALL_LIMIT_PERIOD_SECONDS);
});

afterEach(() => {
  vi.useRealTimers();
});

/** What is thrown, without waiting for as long as a caller has to. */
async function admitted(refused: Promise<unknown>): Promise<unknown> {
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
  await expect(admitted(admit("bert", () => {}))).resolves.toMatchObject({
    code: "RATE_LIMITED",
    details: { retryAfter: CALL_LIMIT_PERIOD_SECONDS },
  });
  expect(asked).toEqual(["anna", "bert"]);
});

test("a refusal comes late: who calls again at once has to wait all the same", async () => {
  vi.useFakeTimers();
  const refused = vi.fn();
  createAdmit({ limit: async () => ({ success: false }) })("anna", () => {}).catch(refused);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(refused).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(refused).toHaveBeenCalledOnce();
});

test("a counter that fails stops nobody, and the log says so, without the message", async () => {
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

describe("calls at the same time", () => {
  const unlimited: RateLimit = { limit: async () => ({ success: true }) };

  test("are let in up to a number, and the next one once another has ended", async () => {
    vi.useFakeTimers();
    const admit = createAdmit(unlimited);
    const running = await Promise.all(
      Array.from({ length: MAX_CONCURRENT_CALLS }, async () => await admit("anna", () => {})),
    );
    const admitted = vi.fn();
    admit("anna", () => {}).then(admitted, () => {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(admitted).not.toHaveBeenCalled();
    running[0]?.leave();
    await vi.advanceTimersByTimeAsync(100);
    expect(admitted).toHaveBeenCalledOnce();
  });

  test("of others do not count", async () => {
    const admit = createAdmit(unlimited);
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna", () => {});
    await expect(admit("bert", () => {})).resolves.toHaveProperty("leave");
  });

  test("that find no place are refused after ten seconds", async () => {
    vi.useFakeTimers();
    const admit = createAdmit(unlimited);
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna", () => {});
    await expect(admitted(admit("anna", () => {}))).resolves.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("whose clients have gone give their places back by time", async () => {
    vi.useFakeTimers();
    const admit = createAdmit(unlimited);
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna", () => {});
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    await expect(admit("anna", () => {})).resolves.toHaveProperty("leave");
  });

  describe("that wait for something to happen in n8n", () => {
    const WAIT_MS = 30_000;
    const enter = async (admit: ReturnType<typeof createAdmit>, calls: number) =>
      await Promise.all(Array.from({ length: calls }, async () => await admit("anna", () => {})));
    /** As many as there may be, each of which pauses at once. */
    async function waiting(admit: ReturnType<typeof createAdmit>, calls: number): Promise<void> {
      for (let call = 0; call < calls; call += 1)
        (await admit("anna", () => {})).pause(WAIT_MS).catch(() => {});
    }

    test("leave their places to others of their user", async () => {
      vi.useFakeTimers();
      const admit = createAdmit(unlimited);
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit, MAX_CONCURRENT_CALLS)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("keep their places where too many wait already", async () => {
      vi.useFakeTimers();
      const admit = createAdmit(unlimited);
      await waiting(admit, MAX_PAUSED_CALLS + MAX_CONCURRENT_CALLS);
      await expect(admitted(admit("anna", () => {}))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("have a place again when they go on, and wait for it", async () => {
      vi.useFakeTimers();
      const admit = createAdmit(unlimited);
      const wentOn = vi.fn();
      const waits = await admit("anna", () => {});
      waits.pause(WAIT_MS).then(wentOn, () => {});
      const others = await enter(admit, MAX_CONCURRENT_CALLS);
      await vi.advanceTimersByTimeAsync(WAIT_MS + 1_000);
      expect(wentOn).not.toHaveBeenCalled();
      others[0]?.leave();
      await vi.advanceTimersByTimeAsync(100);
      expect(wentOn).toHaveBeenCalledOnce();
      await expect(admitted(admit("anna", () => {}))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("go on all the same where no place comes free", async () => {
      vi.useFakeTimers();
      const admit = createAdmit(unlimited);
      const waits = await admit("anna", () => {});
      const wentOn = vi.fn();
      waits.pause(WAIT_MS).then(wentOn, () => {});
      await vi.advanceTimersByTimeAsync(WAIT_MS - 1_000);
      await enter(admit, MAX_CONCURRENT_CALLS);
      await vi.advanceTimersByTimeAsync(12_000);
      expect(wentOn).toHaveBeenCalledOnce();
    });
  });

  test("end once, however often they are ended", async () => {
    vi.useFakeTimers();
    const admit = createAdmit(unlimited);
    const [first] = await Promise.all(
      Array.from({ length: MAX_CONCURRENT_CALLS }, async () => await admit("anna", () => {})),
    );
    first?.leave();
    first?.leave();
    await admit("anna", () => {});
    await expect(admitted(admit("anna", () => {}))).resolves.toMatchObject({ code: "RATE_LIMITED" });
  });
});
