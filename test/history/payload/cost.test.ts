/** What one post costs grows with its size, not with the square of it, however its JSON is nested. */
import { describe, expect, test } from "vitest";
import { Look, type LookResult } from "../../../src/history/payload/look.ts";
import { createLocalIds } from "../../support/local-ids.ts";

const RUN = { nodeName: "Webhook", index: 0, order: 0 };

function lookAtText(text: string): LookResult {
  const look = new Look(createLocalIds());
  look.see(text, { run: RUN, item: null, path: ["body", "note"] });
  return look.result();
}
const inLists = (levels: number, inner: string): string => "[".repeat(levels) + inner + "]".repeat(levels);
const inObjects = (levels: number, inner: string): string =>
  '{"a":'.repeat(levels) + inner + "}".repeat(levels);

describe("JSON held in a string", () => {
  test("of 20,000 levels around 20,000 values is not looked into, and says so", () => {
    const values = Array.from({ length: 20_000 }, (_one, index) => index);
    const began = performance.now();
    const { correlations, isPartial } = lookAtText(inLists(20_000, JSON.stringify({ requestId: values })));
    expect([correlations.size, isPartial]).toEqual([0, true]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test("of any depth leaves the stack standing", () => {
    const { correlations, isPartial } = lookAtText(inObjects(100_000, '{"requestId":"deep-1"}'));
    expect([correlations.size, isPartial]).toEqual([0, true]);
  });

  test("is looked into as deep as other JSON, together with what it stands in", () => {
    for (const [levels, isKnown] of [
      [100, true],
      [253, true],
      [254, false],
    ] as const) {
      const { correlations, isPartial } = lookAtText(inLists(levels, '{"requestId":"deep-1"}'));
      expect([correlations.has("deep-1"), isPartial], `${levels} levels`).toEqual([isKnown, !isKnown]);
    }
  });
});
