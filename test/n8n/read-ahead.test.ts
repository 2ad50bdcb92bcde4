/** An answer is received while it is processed: in order, with limited memory, and with its failure in place. */
import { expect, test } from "vitest";
import { readAhead } from "../../src/n8n/read-ahead.ts";

const PIECE_BYTES = 1024 * 1024;

/** @param count of pieces, each filled with its number */
async function* pieces(count: number, taken: number[] = [], failure?: Error): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < count; number += 1) {
    taken.push(number);
    yield new Uint8Array(PIECE_BYTES).fill(number);
  }
  if (failure !== undefined) throw failure;
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("everything has arrived while the first piece is processed", async () => {
  let hasArrived = false;
  const numbers: (number | undefined)[] = [];
  for await (const piece of readAhead(pieces(2), () => {
    hasArrived = true;
  })) {
    await turns(10);
    expect(hasArrived).toBe(true);
    numbers.push(piece[0]);
  }
  expect(numbers).toEqual([0, 1]);
});

test("pieces that have arrived are received before the first is processed", async () => {
  let hasArrived = false;
  const onReceived = (): void => {
    hasArrived = true;
  };
  for await (const _piece of readAhead(pieces(2), onReceived)) expect(hasArrived).toBe(true);
  expect(hasArrived).toBe(true);
});

test("a piece is delivered without waiting for a sender that pauses", async () => {
  const worked = Promise.withResolvers<void>();
  async function* pausing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
    await worked.promise;
    yield new Uint8Array(2);
  }
  const lengths: number[] = [];
  for await (const { length } of readAhead(pausing(), () => {})) {
    lengths.push(length);
    worked.resolve();
  }
  expect(lengths).toEqual([1, 2]);
});

test("at most three pieces are held", async () => {
  const taken: number[] = [];
  let worked = 0;
  for await (const _piece of readAhead(pieces(20, taken), () => {})) {
    worked += 1;
    await turns(10);
    expect(taken.length - worked).toBeLessThanOrEqual(3);
  }
  expect(worked).toBe(20);
});

test("a failure comes after what arrived before it", async () => {
  const numbers: (number | undefined)[] = [];
  let hasEnded = false;
  const read = async (): Promise<void> => {
    const end = (): void => {
      hasEnded = true;
    };
    for await (const piece of readAhead(pieces(2, [], new Error("it broke off")), end)) {
      await turns(10);
      numbers.push(piece[0]);
    }
  };
  await expect(read()).rejects.toThrow("it broke off");
  expect(numbers).toEqual([0, 1]);
  expect(hasEnded).toBe(true);
});

test("others get a turn between two pieces", async () => {
  let passed = 0;
  const timer = setInterval(() => {
    passed += 1;
  }, 0);
  for await (const _piece of readAhead(pieces(200), () => {}));
  clearInterval(timer);
  expect(passed).toBeGreaterThan(1);
});
