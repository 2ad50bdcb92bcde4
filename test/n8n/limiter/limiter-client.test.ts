/** The limiter's client, when the Durable Object fails. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTakeTurn } from "../../../src/n8n/limiter/limiter-client.ts";
import { slotsOf } from "../../../src/n8n/slot.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A namespace whose object gives these answers in turn, and the waiting times it was asked for. */
function namespaceOf(answers: (() => unknown)[]) {
  const waits: number[] = [];
  const stub = {
    takeTurn: async (_userId: string, maxWaitMs: number) => {
      waits.push(maxWaitMs);
      return await answers.shift()?.();
    },
    pause: async () => await answers.shift()?.(),
  };
  return { namespace: { getByName: () => stub } as unknown as Parameters<typeof createTakeTurn>[0], waits };
}

const fail = (): never => {
  throw new Error("a fault with a secret in it");
};
const beReset = (): never => {
  throw Object.assign(new Error("a new version"), { durableObjectReset: true });
};

function givenSlot() {
  const given = {
    ended: 0,
    slots: [{ [Symbol.dispose]: () => {} }],
    requests: 1,
    retryAfter: 0,
    [Symbol.dispose]: () => {
      given.ended += 1;
    },
  };
  return given;
}

test.each([
  ["fails", [fail], 1],
  ["is reset each time", [beReset, beReset, beReset], 3],
])("if the object %s, n8n is not asked, and the log omits the message", async (_how, answers, times) => {
  const log: unknown[] = [];
  const { namespace, waits } = namespaceOf(answers);
  const taken = slotsOf(
    createTakeTurn({ namespace, instance: "n8n", log: (line) => log.push(line) }, "anna"),
  )(1_000);
  const refused = expect(taken).rejects.toMatchObject({ code: "RATE_LIMITED", details: { retryAfter: 5 } });
  await vi.runAllTimersAsync();
  await refused;
  expect(waits).toHaveLength(times);
  expect(log).toMatchObject([{ event: "n8n-limiter-failed" }]);
  expect(JSON.stringify(log)).not.toContain("secret");
});

test("an object that was reset is asked again with the remaining time, and a slot ends once", async () => {
  const given = givenSlot();
  const waitThenBeReset = async (): Promise<never> => {
    await vi.advanceTimersByTimeAsync(400);
    return beReset();
  };
  const { namespace, waits } = namespaceOf([waitThenBeReset, () => given]);
  const taken = await slotsOf(createTakeTurn({ namespace, instance: "n8n", log: () => {} }, "anna"))(1_000);
  expect(waits).toEqual([1_000, 600]);
  expect(given.ended).toBe(0);
  taken.end();
  expect(given.ended).toBe(1);
});

test("an answer of n8n is reported even if the pause could not be", async () => {
  const log: unknown[] = [];
  const { namespace } = namespaceOf([givenSlot, fail]);
  const slot = await slotsOf(
    createTakeTurn({ namespace, instance: "n8n", log: (line) => log.push(line) }, "anna"),
  )(1_000);
  await expect(slot.pause(7)).resolves.toBeUndefined();
  expect(log).toMatchObject([{ event: "n8n-limiter-failed" }]);
});
