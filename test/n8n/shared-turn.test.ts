/** Requests that belong together share one turn, within its limits. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Slot } from "../../src/n8n/slot.ts";
import { SharedTurn } from "../../src/n8n/slot.ts";
import { SLOT_REUSE_MS } from "../../src/platform/time-limits.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A turn with this many slots and requests; records what is taken and held. */
function turnOf(given: { slots: number; requests: number } | null) {
  const asked: string[] = [];
  let held = 0;
  const newSlot = (): Slot => {
    held += 1;
    const end = (): void => {
      held -= 1;
    };
    return { pause: async () => {}, end };
  };
  const turn = new SharedTurn(
    async () => {
      asked.push("slot");
      return newSlot();
    },
    async (_maxWaitMs, requests) => {
      asked.push(`turn for ${requests}`);
      if (given === null) throw new Error("refused");
      const others = Array.from({ length: given.slots - 1 }, newSlot);
      return { slots: [newSlot(), ...others], requests: given.requests };
    },
  );
  return { asked, turn, held: () => held };
}

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const state = { isSettled: false };
  void promise.then(() => {
    state.isSettled = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return state.isSettled;
};

test("three requests share one turn, and the third waits for one of two slots", async () => {
  const { asked, turn, held } = turnOf({ slots: 2, requests: 3 });
  turn.expect(3);
  const [first, second, third] = [turn.take(1_000), turn.take(1_000), turn.take(1_000)];
  const slot = await first;
  await second;
  expect(await settled(third)).toBe(false);
  slot.end();
  // Ending a slot again has no effect.
  slot.end();
  (await third).end();
  (await second).end();
  expect(asked).toEqual(["turn for 3"]);
  turn.end();
  expect(held()).toBe(0);
});

test("requests beyond the turn take a slot of their own", async () => {
  const { asked, turn, held } = turnOf({ slots: 1, requests: 1 });
  turn.expect(2);
  const slots = [await turn.take(1_000), await turn.take(1_000), await turn.take(1_000)];
  expect(asked).toEqual(["turn for 2", "slot", "slot"]);
  for (const slot of slots) slot.end();
  turn.end();
  (await turn.take(1_000)).end();
  expect(asked).toEqual(["turn for 2", "slot", "slot", "slot"]);
  expect(held()).toBe(0);
});

describe("a slot", () => {
  test("that no further request needs is returned at once", async () => {
    const { turn, held } = turnOf({ slots: 2, requests: 2 });
    turn.expect(2);
    const [first, second] = [await turn.take(1_000), await turn.take(1_000)];
    first.end();
    expect(held()).toBe(1);
    second.end();
    expect(held()).toBe(0);
  });

  test("for a request that never comes is returned at the end of the turn", async () => {
    const { turn, held } = turnOf({ slots: 2, requests: 3 });
    turn.expect(3);
    (await turn.take(1_000)).end();
    expect(held()).toBe(2);
    turn.end();
    expect(held()).toBe(0);
  });

  test("that is old takes no further request, so waiting ones take their own", async () => {
    const { asked, turn, held } = turnOf({ slots: 1, requests: 3 });
    turn.expect(3);
    const first = await turn.take(60_000);
    const others = [turn.take(60_000), turn.take(60_000)];
    vi.setSystemTime(Date.now() + SLOT_REUSE_MS + 1);
    first.end();
    for (const other of others) (await other).end();
    expect(asked).toEqual(["turn for 3", "slot", "slot"]);
    expect(held()).toBe(0);
  });
});

test("a refused turn fails only the requests that wait for it", async () => {
  const { asked, turn } = turnOf(null);
  turn.expect(3);
  const both = [turn.take(1_000), turn.take(1_000)];
  for (const one of both) await expect(one).rejects.toThrow("refused");
  await turn.take(1_000);
  expect(asked).toEqual(["turn for 3", "slot"]);
});
