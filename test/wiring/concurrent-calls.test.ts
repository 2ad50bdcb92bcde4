/** How many calls of a user run at the same time, and in which order they begin. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENT_PATIENCE_MS } from "../../src/platform/time-limits.ts";
import {
  createAdmit,
  MAX_BESIDE_OTHERS,
  MAX_CONCURRENT_CALLS,
  MAX_PAUSED_CALLS,
  MAX_UNTHROTTLED_MS,
} from "../../src/wiring/concurrent-calls.ts";
import { PRESENT_MS } from "../../src/wiring/isolate-thread.ts";

type Admit = ReturnType<typeof createAdmit>;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** With a call of Bert's, so that Anna is not alone. */
async function createBesideBert(): Promise<Admit> {
  const admit = createAdmit();
  await admit("bert");
  return admit;
}

const enter = async (admit: Admit, calls = MAX_CONCURRENT_CALLS) =>
  await Promise.all(Array.from({ length: calls }, async () => await admit("anna")));

/** The result or error, without its delay. */
async function outcomeOf(refused: Promise<unknown>): Promise<unknown> {
  const thrown = refused.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return await thrown;
}

/** Requests calls, and returns those that have begun. */
function begin(admit: Admit, calls: number): unknown[] {
  const begun: unknown[] = [];
  for (let call = 0; call < calls; call += 1)
    admit("anna").then(
      (place) => begun.push(place),
      () => {},
    );
  return begun;
}

describe("a user whose recent calls took long", () => {
  const TOOK_MS = 100;
  const MUCH = 1_000_000_000;
  async function call(admit: Admit, milliseconds: number, bytesRead = MUCH): Promise<void> {
    const place = await admit("anna");
    place.noteRead(bytesRead);
    await vi.advanceTimersByTimeAsync(milliseconds);
    place.leave();
  }
  /** Milliseconds until the next call begins. */
  async function restOf(admit: Admit): Promise<number> {
    const asked = Date.now();
    const begun = admit("anna").then(() => Date.now());
    await vi.advanceTimersByTimeAsync(5_000);
    return (await begun) - asked;
  }

  test("rests after each call beside another user, longer after longer calls", async () => {
    const admit = await createBesideBert();
    await call(admit, MAX_UNTHROTTLED_MS);
    await call(admit, TOOK_MS);
    expect(await restOf(admit)).toBe(3 * TOOK_MS);
  });

  test("rests as long if a call paused after taking long", async () => {
    const admit = await createBesideBert();
    const place = await admit("anna");
    place.noteRead(MUCH);
    await vi.advanceTimersByTimeAsync(10_000);
    const paused = place.pause(10);
    await vi.advanceTimersByTimeAsync(10);
    place.leave();
    expect(await restOf(admit)).toBeGreaterThanOrEqual(4_000 - 10);
    await paused;
  });

  test("stops resting once that is long ago", async () => {
    const admit = await createBesideBert();
    await call(admit, MAX_UNTHROTTLED_MS);
    await vi.advanceTimersByTimeAsync(4 * MAX_UNTHROTTLED_MS);
    await call(admit, MAX_UNTHROTTLED_MS);
    expect(await restOf(admit)).toBe(0);
  });

  test("may run one call after using half of what needs no rest", async () => {
    const admit = await createBesideBert();
    await call(admit, MAX_UNTHROTTLED_MS / 2 + 100);
    const begun = begin(admit, MAX_BESIDE_OTHERS);
    await vi.advanceTimersByTimeAsync(300);
    expect(begun).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(MAX_UNTHROTTLED_MS);
    expect(begun).toHaveLength(2);
  });

  test("never rests while alone", async () => {
    const admit = createAdmit();
    await call(admit, MAX_UNTHROTTLED_MS);
    await call(admit, MAX_UNTHROTTLED_MS);
    expect(await restOf(admit)).toBe(0);
  });

  test("does not rest if n8n answered slowly but sent little", async () => {
    const admit = await createBesideBert();
    for (let calls = 0; calls < 5; calls += 1) await call(admit, 6_000, 20_000);
    expect(await restOf(admit)).toBe(0);
  });

  test("rests according to the time that reading may have taken", async () => {
    const admit = await createBesideBert();
    await call(admit, 20_000, 2_500_000);
    expect(await restOf(admit)).toBe(4 * (3_500 - MAX_UNTHROTTLED_MS));
  });

  test("rests no longer after the clock was set back", async () => {
    const admit = createAdmit();
    (await admit("bert")).leave();
    await call(admit, 20_000);
    (await admit("bert")).leave();
    vi.setSystemTime(Date.now() - 3_600_000);
    // The rest begins anew, and after three seconds Bert no longer counts as present.
    expect(await restOf(admit)).toBeLessThanOrEqual(PRESENT_MS + 200);
    expect(await restOf(admit)).toBe(0);
  });

  test("rests no longer than the maximum after the clock was set back beside another", async () => {
    const admit = await createBesideBert();
    await call(admit, 20_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await restOf(admit)).toBe(4_000);
  });

  test("still has to rest after a short absence", async () => {
    const admit = await createBesideBert();
    await call(admit, 20_000);
    await vi.advanceTimersByTimeAsync(PRESENT_MS);
    await admit("bert");
    expect(await restOf(admit)).toBe(4_000 - PRESENT_MS);
  });

  test("rests at most four seconds", async () => {
    const admit = await createBesideBert();
    await call(admit, 20_000);
    expect(await restOf(admit)).toBe(4_000);
  });
});

describe("long work", () => {
  const LONG_MS = 1_000;
  /** Milliseconds for which work of this length yields. */
  async function givenWay(admit: Admit, workedMs: number, beforeMs = LONG_MS): Promise<number> {
    const place = await admit("anna");
    await vi.advanceTimersByTimeAsync(beforeMs);
    const first = place.giveWay();
    await vi.advanceTimersByTimeAsync(100);
    await first;
    vi.setSystemTime(Date.now() + workedMs);
    const asked = Date.now();
    const second = place.giveWay().then(() => Date.now());
    await vi.advanceTimersByTimeAsync(100);
    return (await second) - asked;
  }

  test("yields to another user's call, for longer than it worked", async () => {
    const admit = createAdmit();
    const ofBert = await admit("bert");
    // The first pause ended 60 ms ago.
    expect(await givenWay(admit, 5)).toBeGreaterThan(4 * 5);
    ofBert.leave();
    expect(await givenWay(admit, 5)).toBe(0);
  });

  test("does not yield before it is long", async () => {
    const admit = await createBesideBert();
    expect(await givenWay(admit, 5, 150)).toBe(0);
  });

  test("does not yield when no other user is present", async () => {
    expect(await givenWay(createAdmit(), 5)).toBe(0);
  });
});

describe("concurrent calls", () => {
  test("begin up to the maximum, and the next when one has ended", async () => {
    const admit = createAdmit();
    const running = await enter(admit);
    const admitted = vi.fn();
    admit("anna").then(admitted, () => {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(admitted).not.toHaveBeenCalled();
    running[0]?.leave();
    await vi.advanceTimersByTimeAsync(100);
    expect(admitted).toHaveBeenCalledOnce();
  });

  test("of other users do not count", async () => {
    const admit = createAdmit();
    await enter(admit);
    await expect(admit("bert")).resolves.toHaveProperty("leave");
  });

  test("are limited beside another user, who counts as present for a while after a call", async () => {
    const admit = createAdmit();
    (await admit("bert")).leave();
    const begun = begin(admit, MAX_CONCURRENT_CALLS);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toHaveLength(MAX_BESIDE_OTHERS);
    await vi.advanceTimersByTimeAsync(PRESENT_MS - 1_300);
    expect(begun).toHaveLength(MAX_BESIDE_OTHERS);
    await vi.advanceTimersByTimeAsync(600);
    expect(begun).toHaveLength(MAX_CONCURRENT_CALLS);
  });

  test("begin in order of arrival", async () => {
    const admit = createAdmit();
    const running = await enter(admit);
    const order: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      admit("anna").then(
        () => order.push(call),
        () => {},
      );
      await vi.advanceTimersByTimeAsync(150);
    }
    for (const place of running) {
      place.leave();
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  test.each([
    ["", [3_000]],
    [", even after the clock was set back", [-3_600_000, -3_597_000]],
  ])("are not held up by abandoned ones%s", async (_when, times) => {
    vi.useRealTimers();
    const frozen = vi.fn(async () => await new Promise<never>(() => {}));
    let now = 0;
    const sleepers: (() => void)[] = [];
    const sleep = async (): Promise<void> => await new Promise((resolve) => sleepers.push(resolve));
    const admit = createAdmit({
      now: () => now,
      sleep: async () => await (frozen.mock.calls.length === 0 ? frozen() : sleep()),
    });
    const running = await enter(admit);
    admit("anna").catch(() => {});
    const next = admit("anna");
    running[0]?.leave();
    for (const time of times) {
      now = time;
      for (const wake of sleepers.splice(0)) wake();
      await new Promise(setImmediate);
    }
    await expect(next).resolves.toHaveProperty("leave");
  });

  test("are refused after ten seconds without a place", async () => {
    const admit = createAdmit();
    await enter(admit);
    await expect(outcomeOf(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("give their places back in time if their clients have gone", async () => {
    const admit = createAdmit();
    await enter(admit);
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    await expect(admit("anna")).resolves.toHaveProperty("leave");
  });

  test("give their places back as soon after the clock was set back", async () => {
    const admit = createAdmit();
    await enter(admit);
    vi.setSystemTime(Date.now() - 3_600_000);
    await expect(outcomeOf(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    await expect(outcomeOf(admit("anna"))).resolves.toHaveProperty("leave");
  });

  describe("that wait for an event in n8n", () => {
    const WAIT_MS = 30_000;
    /** Begins calls, each of which pauses at once. */
    async function waiting(admit: Admit, calls: number): Promise<void> {
      for (let call = 0; call < calls; call += 1) (await admit("anna")).pause(WAIT_MS).catch(() => {});
    }

    test("leave their places to others of their user", async () => {
      const admit = createAdmit();
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("keep their places if too many wait already", async () => {
      const admit = createAdmit();
      await waiting(admit, MAX_PAUSED_CALLS + MAX_CONCURRENT_CALLS);
      await expect(outcomeOf(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("make room for other waiting calls once they continue", async () => {
      const admit = createAdmit();
      for (let call = 0; call < MAX_PAUSED_CALLS; call += 1) {
        const place = await admit("anna");
        await Promise.all([place.pause(10), vi.advanceTimersByTimeAsync(10)]);
        place.leave();
      }
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("make room for other waiting calls if their clients have gone", async () => {
      const admit = createAdmit();
      for (let call = 0; call < MAX_PAUSED_CALLS; call += 1) {
        const place = await admit("anna");
        place.pause(WAIT_MS).catch(() => {});
        place.leave();
      }
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("still count after their user seems to have left", async () => {
      const admit = createAdmit();
      await waiting(admit, MAX_PAUSED_CALLS);
      await vi.advanceTimersByTimeAsync(PRESENT_MS);
      (await admit("bert")).leave();
      await vi.advanceTimersByTimeAsync(PRESENT_MS);
      await waiting(admit, MAX_CONCURRENT_CALLS);
      await expect(outcomeOf(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("wait for a place when they continue", async () => {
      const admit = createAdmit();
      const wentOn = vi.fn();
      const waits = await admit("anna");
      waits.pause(WAIT_MS).then(wentOn, () => {});
      const others = await enter(admit);
      await vi.advanceTimersByTimeAsync(WAIT_MS + 1_000);
      expect(wentOn).not.toHaveBeenCalled();
      others[0]?.leave();
      await vi.advanceTimersByTimeAsync(100);
      expect(wentOn).toHaveBeenCalledOnce();
      await expect(outcomeOf(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("get no place when they continue if their client has gone", async () => {
      const admit = createAdmit();
      for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) {
        const place = await admit("anna");
        const paused = place.pause(WAIT_MS);
        place.leave();
        await Promise.all([paused, vi.advanceTimersByTimeAsync(WAIT_MS)]);
        await Promise.all([place.pause(WAIT_MS), vi.advanceTimersByTimeAsync(WAIT_MS)]);
      }
      await expect(enter(admit)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("leave the queue for a place if their client goes meanwhile", async () => {
      const admit = createAdmit();
      const waits = await admit("anna");
      const paused = waits.pause(WAIT_MS);
      const others = await enter(admit);
      await vi.advanceTimersByTimeAsync(WAIT_MS + 1_000);
      waits.leave();
      others[0]?.leave();
      await Promise.all([paused, vi.advanceTimersByTimeAsync(1_000)]);
      await expect(admit("anna")).resolves.toHaveProperty("leave");
    });

    test("continue even if no place becomes free", async () => {
      const admit = createAdmit();
      const waits = await admit("anna");
      const wentOn = vi.fn();
      waits.pause(WAIT_MS).then(wentOn, () => {});
      await vi.advanceTimersByTimeAsync(WAIT_MS - 1_000);
      await enter(admit);
      await vi.advanceTimersByTimeAsync(12_000);
      expect(wentOn).toHaveBeenCalledOnce();
    });
  });

  test("end once, however often they are ended", async () => {
    const admit = createAdmit();
    const [first] = await enter(admit);
    first?.leave();
    first?.leave();
    await admit("anna");
    await expect(outcomeOf(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("ended twice do not delay the next one beside another user", async () => {
    const admit = await createBesideBert();
    const place = await admit("anna");
    place.leave();
    place.leave();
    await expect(admit("anna")).resolves.toHaveProperty("leave");
  }, 2_000);
});
