import { describe, expect, test } from "vitest";
import {
  beginChain,
  extendChain,
  isSuperseded,
  MAXIMUM_SUPERSEDED,
  type TokenChain,
} from "../../../src/sign-in/tokens/token-chain.ts";

/** A chain after these refreshes, each with the token presented and the one issued. */
function chainOf(...refreshes: readonly (readonly [string, string])[]): TokenChain {
  let chain = beginChain("first");
  for (const [presented, issued] of refreshes) {
    const extended = extendChain(chain, presented, issued);
    if (extended === undefined) throw new Error(`${presented} was refused`);
    chain = extended;
  }
  return chain;
}

describe("a refresh token", () => {
  test("is valid until its successor is used, however often the answer was lost", () => {
    const chain = chainOf(["first", "second"], ["first", "third"], ["first", "fourth"]);
    expect(isSuperseded(chain, "first")).toBe(false);
    expect(extendChain(chain, "first", "fifth")).toBeDefined();
  });

  test("is superseded once its successor was used", () => {
    const chain = chainOf(["first", "second"], ["second", "third"]);
    expect(extendChain(chain, "first", "x")).toBeUndefined();
    expect(isSuperseded(chain, "first")).toBe(true);
    expect([isSuperseded(chain, "second"), isSuperseded(chain, "third")]).toEqual([false, false]);
  });

  test("stays superseded", () => {
    const chain = chainOf(["first", "2"], ["2", "3"], ["3", "4"], ["4", "5"], ["5", "6"]);
    expect(["first", "2", "3", "4", "5", "6"].map((token) => isSuperseded(chain, token))).toEqual([
      ...[true, true, true, true],
      ...[false, false],
    ]);
  });

  test("that was never issued is invalid, and proves nothing", () => {
    const chain = chainOf(["first", "second"]);
    expect(extendChain(chain, "nonsense", "x")).toBeUndefined();
    expect(isSuperseded(chain, "nonsense")).toBe(false);
  });
});

describe("of two successors of one token", () => {
  const chain = chainOf(["first", "owner's"], ["first", "thief's"]);

  test.each(["owner's", "thief's"])(
    "%s continues if the library accepts it, and the other is superseded",
    (one) => {
      const other = one === "owner's" ? "thief's" : "owner's";
      const extended = extendChain(chain, one, "next");
      expect(extended).toBeDefined();
      expect(isSuperseded(extended ?? chain, other)).toBe(true);
      expect(isSuperseded(extended ?? chain, "first")).toBe(true);
    },
  );

  test("the older one, if the library rejects it, was superseded by the newer", () => {
    expect(isSuperseded(chain, "owner's")).toBe(true);
  });

  test("the newest, if the library rejects it, may just not be stored yet", () => {
    expect(isSuperseded(chain, "thief's")).toBe(false);
  });
});

test("a chain is bounded and drops the oldest", () => {
  const numbers = Array.from({ length: MAXIMUM_SUPERSEDED + 10 }, (_, number) => String(number));
  const steps = numbers.map((token, number) => [token, String(number + 1)] as const);
  const chain = chainOf(["first", "0"], ...steps);
  expect(chain.superseded.length).toBe(MAXIMUM_SUPERSEDED);
  expect([isSuperseded(chain, "first"), isSuperseded(chain, "100")]).toEqual([false, true]);
  const answersLost = Array.from({ length: 100 }, (_, number) => ["first", String(number)] as const);
  expect(chainOf(...answersLost).successors.length).toBeLessThanOrEqual(20);
  expect(isSuperseded(chainOf(...answersLost), "0")).toBe(true);
});
