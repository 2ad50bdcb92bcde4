/** Works on a few items at a time, in order, and starts no more after a failure. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mapConcurrently } from "../../src/platform/bounded-concurrency.ts";

const pause = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

async function* later<One>(all: Iterable<One>): AsyncGenerator<One> {
  for (const one of all) {
    await pause(1);
    yield one;
  }
}

describe.each([
  ["a list", <One>(all: One[]): Iterable<One> | AsyncIterable<One> => all],
  ["an async iterable", later],
])("of %s", (_name, from) => {
  test("all items are processed in order, at most so many at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (turns, most) => {
          const begun: number[] = [];
          let [open, mostOpen] = [0, 0];
          const results = await mapConcurrently(from([...turns.entries()]), most, async ([place, turn]) => {
            begun.push(place);
            open += 1;
            mostOpen = Math.max(mostOpen, open);
            await pause(turn);
            open -= 1;
            return `${place}: ${turn}`;
          });
          expect(results).toEqual(turns.map((turn, place) => `${place}: ${turn}`));
          expect(begun).toEqual([...turns.keys()]);
          expect(mostOpen).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("nothing more begins after a failure, and running work finishes first", async () => {
    const events: string[] = [];
    const all = mapConcurrently(from([0, 1, 2, 3, 4, 5]), 3, async (one) => {
      events.push(`begin ${one}`);
      await pause(one === 1 ? 3 : 9);
      if (one === 1) throw new Error("The first failure.");
      if (one === 2) throw new Error("A later one.");
      events.push(`end ${one}`);
    });
    await expect(all).rejects.toThrow("The first failure.");
    expect(events).toEqual(["begin 0", "begin 1", "begin 2", "end 0"]);
  });
});

test("the source is closed after a failure", async () => {
  let isClosed = false;
  function* numbers(): Generator<number> {
    try {
      for (let number = 0; ; number += 1) yield number;
    } finally {
      isClosed = true;
    }
  }
  const all = mapConcurrently(numbers(), 2, async (number) => {
    await pause(1);
    if (number === 5) throw new Error("It fails.");
  });
  await expect(all).rejects.toThrow("It fails.");
  expect(isClosed).toBe(true);
});

test("a failure of the source is a failure of the whole", async () => {
  const done: number[] = [];
  async function* failing(): AsyncGenerator<number> {
    yield 1;
    throw new Error("There is no more.");
  }
  const all = mapConcurrently(failing(), 2, async (number) => {
    await pause(3);
    done.push(number);
  });
  await expect(all).rejects.toThrow("There is no more.");
  expect(done).toEqual([1]);
});
