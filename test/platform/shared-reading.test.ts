import { describe, expect, test, vi } from "vitest";
import { SharedReading, SharedReadings } from "../../src/platform/shared-reading.ts";

/** Records readings; each ends when it is resolved. */
function createReadings() {
  const begun: PromiseWithResolvers<number>[] = [];
  const read = async () => {
    const reading = Promise.withResolvers<number>();
    begun.push(reading);
    return await reading.promise;
  };
  return { begun, read };
}

describe("a shared reading", () => {
  test("is made once for simultaneous callers, and shared until its time is up", async () => {
    const { begun, read } = createReadings();
    const shared = new SharedReading<number>({ sharedMs: 60, isKept: true });
    const both = [shared.get(0, read), shared.get(60, read)];
    begun[0]?.resolve(1);
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(await shared.get(60, read)).toBe(1);
    const later = shared.get(61, read);
    begun[1]?.resolve(2);
    expect(await later).toBe(2);
    expect(begun).toHaveLength(2);
  });

  test("is made anew after the clock was set back, since its age is unknown", async () => {
    const shared = new SharedReading<number>({ sharedMs: 60, isKept: true });
    expect(await shared.get(3_600_000, async () => 1)).toBe(1);
    expect(await shared.get(0, async () => 2)).toBe(2);
  });

  test("that is not kept is over when it ends, and is not joined by late callers", async () => {
    const { begun, read } = createReadings();
    const shared = new SharedReading<number>({ sharedMs: 60, isKept: false });
    const first = shared.get(0, read);
    const late = shared.get(61, read);
    begun[0]?.resolve(1);
    expect(await first).toBe(1);
    const joined = shared.get(62, read);
    begun[1]?.resolve(2);
    expect(await Promise.all([late, joined])).toEqual([2, 2]);
    const next = shared.get(63, read);
    begun[2]?.resolve(3);
    expect(await next).toBe(3);
  });

  test("that takes longer than its lifetime is joined, and then kept for as long again", async () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const { begun, read } = createReadings();
      const shared = new SharedReading<number>({ sharedMs: 60, isKept: true });
      const first = shared.get(0, read);
      const late = shared.get(90, read);
      vi.setSystemTime(100);
      begun[0]?.resolve(1);
      expect(await Promise.all([first, late])).toEqual([1, 1]);
      expect(await shared.get(200, read)).toBe(1);
      const anew = shared.get(201, read);
      begun[1]?.resolve(2);
      expect(await anew).toBe(2);
      expect(begun).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is known once it has arrived, while it is shared", async () => {
    const { begun, read } = createReadings();
    const shared = new SharedReading<number>({ sharedMs: 60, isKept: true });
    expect(shared.known(0)).toBeUndefined();
    const first = shared.get(0, read);
    expect(shared.known(0)).toBeUndefined();
    begun[0]?.resolve(1);
    await first;
    expect([-61, -60, 60, 61].map((now) => shared.known(now))).toEqual([undefined, 1, 1, undefined]);
    expect(begun).toHaveLength(1);
  });

  test("that failed goes to those who waited, and is not kept", async () => {
    const { begun, read } = createReadings();
    const shared = new SharedReading<number>({ sharedMs: 60, isKept: true });
    const both = Promise.allSettled([shared.get(0, read), shared.get(1, read)]);
    begun[0]?.reject(new Error("n8n is away"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = shared.get(2, read);
    begun[1]?.resolve(2);
    expect(await again).toBe(2);
  });
});

describe("shared readings by key", () => {
  test("are made once per key, and the oldest are dropped", async () => {
    const readings = new SharedReadings<string>({ sharedMs: 60, most: 2 });
    let made = 0;
    const get = async (key: string) =>
      await readings.get(key, 0, async () => {
        made += 1;
        return `${key} ${made}`;
      });
    expect(await Promise.all(["a", "a", "b", "a"].map(get))).toEqual(["a 1", "a 1", "b 2", "a 1"]);
    expect(await get("c")).toBe("c 3");
    expect(await get("b")).toBe("b 2");
    expect(await get("a")).toBe("a 4");
    expect(["a", "b", "c", "d"].map((key) => readings.known(key, 60))).toEqual([
      "a 4",
      undefined,
      "c 3",
      undefined,
    ]);
  });

  test("count as new when made again, so they are dropped last", async () => {
    const readings = new SharedReadings<number>({ sharedMs: 60, most: 2 });
    await readings.get("often", 0, async () => 1);
    await readings.get("once", 50, async () => 1);
    await readings.get("often", 100, async () => 2);
    await readings.get("new", 101, async () => 3);
    expect(["often", "once", "new"].map((key) => readings.known(key, 102))).toEqual([2, undefined, 3]);
  });
});
