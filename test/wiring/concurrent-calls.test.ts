/** Who may run how many calls at the same time, and who comes when. */
import { afterEach, describe, expect, test, vi } from "vitest";
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

afterEach(() => {
  vi.useRealTimers();
});

/** What is thrown, without waiting for as long as a caller has to. */
async function admitted(refused: Promise<unknown>): Promise<unknown> {
  const thrown = refused.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return await thrown;
}

/** Asks for so many calls, and returns those that have begun. */
function begin(admit: Admit, calls: number): unknown[] {
  const begun: unknown[] = [];
  for (let call = 0; call < calls; call += 1)
    admit("anna").then(
      (place) => begun.push(place),
      () => {},
    );
  return begun;
}

describe("a user whose calls took long lately", () => {
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

  test("beside another, rests after each call, the longer the longer it took", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, MAX_UNTHROTTLED_MS);
    await call(admit, TOOK_MS);
    expect(await restOf(admit)).toBe(3 * TOOK_MS);
  });

  test("rests as long where a call waited for something in n8n after it took long", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    const place = await admit("anna");
    place.noteRead(MUCH);
    await vi.advanceTimersByTimeAsync(10_000);
    const paused = place.pause(10);
    await vi.advanceTimersByTimeAsync(10);
    place.leave();
    expect(await restOf(admit)).toBeGreaterThanOrEqual(4_000 - 10);
    await paused;
  });

  test("rests no more once that is long ago", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, MAX_UNTHROTTLED_MS);
    await vi.advanceTimersByTimeAsync(4 * MAX_UNTHROTTLED_MS);
    await call(admit, MAX_UNTHROTTLED_MS);
    expect(await restOf(admit)).toBe(0);
  });

  test("has one in hand, once it was half of what needs no rest", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, MAX_UNTHROTTLED_MS / 2 + 100);
    const begun = begin(admit, MAX_BESIDE_OTHERS);
    await vi.advanceTimersByTimeAsync(300);
    expect(begun).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(MAX_UNTHROTTLED_MS);
    expect(begun).toHaveLength(2);
  });

  test("alone, never rests", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await call(admit, MAX_UNTHROTTLED_MS);
    await call(admit, MAX_UNTHROTTLED_MS);
    expect(await restOf(admit)).toBe(0);
  });

  test("does not rest where n8n took long to answer, and sent little", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    for (let calls = 0; calls < 5; calls += 1) await call(admit, 6_000, 20_000);
    expect(await restOf(admit)).toBe(0);
  });

  test("rests as much as reading may have taken", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, 20_000, 2_500_000);
    expect(await restOf(admit)).toBe(4 * (3_500 - MAX_UNTHROTTLED_MS));
  });

  test("rests no longer because the clock was set back", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    (await admit("bert")).leave();
    await call(admit, 20_000);
    (await admit("bert")).leave();
    vi.setSystemTime(Date.now() - 3_600_000);
    // The rest begins anew, and three seconds after that Bert is no longer here.
    expect(await restOf(admit)).toBeLessThanOrEqual(PRESENT_MS + 200);
    expect(await restOf(admit)).toBe(0);
  });

  test("rests no longer than ever when the clock was set back beside another", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, 20_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await restOf(admit)).toBe(4_000);
  });

  test("is still known as such once they were away for a little", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, 20_000);
    await vi.advanceTimersByTimeAsync(PRESENT_MS);
    await admit("bert");
    expect(await restOf(admit)).toBe(4_000 - PRESENT_MS);
  });

  test("rests four seconds at most", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    await call(admit, 20_000);
    expect(await restOf(admit)).toBe(4_000);
  });
});

describe("long work", () => {
  const LONG_MS = 1_000;
  /** Milliseconds that giving way takes after so much work. */
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

  test("gives way while a call of another runs, for longer than it worked", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    const ofBert = await admit("bert");
    // The first pause ended 60 ms before.
    expect(await givenWay(admit, 5)).toBeGreaterThan(4 * 5);
    ofBert.leave();
    expect(await givenWay(admit, 5)).toBe(0);
  });

  test("that is not long yet gives nobody way", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    await admit("bert");
    expect(await givenWay(admit, 5, 150)).toBe(0);
  });

  test("goes on at once where nobody else is", async () => {
    vi.useFakeTimers();
    expect(await givenWay(createAdmit(), 5)).toBe(0);
  });
});

describe("calls at the same time", () => {
  test("are let in up to a number, and the next one once another has ended", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    const running = await Promise.all(
      Array.from({ length: MAX_CONCURRENT_CALLS }, async () => await admit("anna")),
    );
    const admitted = vi.fn();
    admit("anna").then(admitted, () => {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(admitted).not.toHaveBeenCalled();
    running[0]?.leave();
    await vi.advanceTimersByTimeAsync(100);
    expect(admitted).toHaveBeenCalledOnce();
  });

  test("of others do not count", async () => {
    const admit = createAdmit();
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna");
    await expect(admit("bert")).resolves.toHaveProperty("leave");
  });

  test("are few beside another user, who counts as here for a while after a call", async () => {
    vi.useFakeTimers();
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

  test("begin in the order in which they came", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    const running = await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, () => admit("anna")));
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
    [", also where the clock was set back", [-3_600_000, -3_597_000]],
  ])("that are gone hold up nobody behind them%s", async (_when, times) => {
    const frozen = vi.fn(async () => await new Promise<never>(() => {}));
    let now = 0;
    const sleepers: (() => void)[] = [];
    const sleep = async (): Promise<void> => await new Promise((resolve) => sleepers.push(resolve));
    const admit = createAdmit({
      now: () => now,
      sleep: async () => await (frozen.mock.calls.length === 0 ? frozen() : sleep()),
    });
    const running = await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, () => admit("anna")));
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

  test("that find no place are refused after ten seconds", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna");
    await expect(admitted(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("whose clients have gone give their places back by time", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna");
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    await expect(admit("anna")).resolves.toHaveProperty("leave");
  });

  test("whose clients have gone give their places back as soon after the clock was set back", async () => {
    vi.useFakeTimers();
    const admit = createAdmit();
    for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) await admit("anna");
    vi.setSystemTime(Date.now() - 3_600_000);
    await expect(admitted(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    await expect(admitted(admit("anna"))).resolves.toHaveProperty("leave");
  });

  describe("that wait for something to happen in n8n", () => {
    const WAIT_MS = 30_000;
    const enter = async (admit: Admit, calls: number) =>
      await Promise.all(Array.from({ length: calls }, async () => await admit("anna")));
    /** As many as there may be, each of which pauses at once. */
    async function waiting(admit: Admit, calls: number): Promise<void> {
      for (let call = 0; call < calls; call += 1) (await admit("anna")).pause(WAIT_MS).catch(() => {});
    }

    test("leave their places to others of their user", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit, MAX_CONCURRENT_CALLS)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("keep their places where too many wait already", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      await waiting(admit, MAX_PAUSED_CALLS + MAX_CONCURRENT_CALLS);
      await expect(admitted(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("and have gone on make room for others that wait", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      for (let call = 0; call < MAX_PAUSED_CALLS; call += 1) {
        const place = await admit("anna");
        await Promise.all([place.pause(10), vi.advanceTimersByTimeAsync(10)]);
        place.leave();
      }
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit, MAX_CONCURRENT_CALLS)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("and whose clients have gone make room for others that wait", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      for (let call = 0; call < MAX_PAUSED_CALLS; call += 1) {
        const place = await admit("anna");
        place.pause(WAIT_MS).catch(() => {});
        place.leave();
      }
      await waiting(admit, MAX_PAUSED_CALLS);
      await expect(enter(admit, MAX_CONCURRENT_CALLS)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("are still counted once their user seems to have gone", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      await waiting(admit, MAX_PAUSED_CALLS);
      await vi.advanceTimersByTimeAsync(PRESENT_MS);
      (await admit("bert")).leave();
      await vi.advanceTimersByTimeAsync(PRESENT_MS);
      await waiting(admit, MAX_CONCURRENT_CALLS);
      await expect(admitted(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("have a place again when they go on, and wait for it", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      const wentOn = vi.fn();
      const waits = await admit("anna");
      waits.pause(WAIT_MS).then(wentOn, () => {});
      const others = await enter(admit, MAX_CONCURRENT_CALLS);
      await vi.advanceTimersByTimeAsync(WAIT_MS + 1_000);
      expect(wentOn).not.toHaveBeenCalled();
      others[0]?.leave();
      await vi.advanceTimersByTimeAsync(100);
      expect(wentOn).toHaveBeenCalledOnce();
      await expect(admitted(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
    });

    test("have no place again when they go on if their client has gone", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      for (let call = 0; call < MAX_CONCURRENT_CALLS; call += 1) {
        const place = await admit("anna");
        const paused = place.pause(WAIT_MS);
        place.leave();
        await Promise.all([paused, vi.advanceTimersByTimeAsync(WAIT_MS)]);
        await Promise.all([place.pause(WAIT_MS), vi.advanceTimersByTimeAsync(WAIT_MS)]);
      }
      await expect(enter(admit, MAX_CONCURRENT_CALLS)).resolves.toHaveLength(MAX_CONCURRENT_CALLS);
    });

    test("leave the line for it if their client goes meanwhile", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      const waits = await admit("anna");
      const paused = waits.pause(WAIT_MS);
      const others = await enter(admit, MAX_CONCURRENT_CALLS);
      await vi.advanceTimersByTimeAsync(WAIT_MS + 1_000);
      waits.leave();
      others[0]?.leave();
      await Promise.all([paused, vi.advanceTimersByTimeAsync(1_000)]);
      await expect(admit("anna")).resolves.toHaveProperty("leave");
    });

    test("go on all the same where no place comes free", async () => {
      vi.useFakeTimers();
      const admit = createAdmit();
      const waits = await admit("anna");
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
    const admit = createAdmit();
    const [first] = await Promise.all(
      Array.from({ length: MAX_CONCURRENT_CALLS }, async () => await admit("anna")),
    );
    first?.leave();
    first?.leave();
    await admit("anna");
    await expect(admitted(admit("anna"))).resolves.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("that are ended twice keep the next of their user waiting for no time, beside another", async () => {
    const admit = createAdmit();
    await admit("bert");
    const place = await admit("anna");
    place.leave();
    place.leave();
    await expect(admit("anna")).resolves.toHaveProperty("leave");
  }, 2_000);
});
