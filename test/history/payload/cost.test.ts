/** Reading a payload costs in proportion to its size, however its JSON is nested. */
import { describe, expect, test } from "vitest";
import { type CollectedIds, IdCollector } from "../../../src/history/payload/id-collector.ts";
import { createComparableIds } from "../../../src/history/request-ids/comparable-ids.ts";
import { compileRequestIdPaths } from "../../../src/history/request-ids/request-id-paths.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { readRequestIdPaths } from "../../../src/settings/index.ts";
import { createLocalIds } from "../../support/local-ids.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const RUN = { nodeName: "Webhook", index: 0, order: 0 };

function lookAtText(text: string): CollectedIds {
  const collector = new IdCollector(createLocalIds());
  collector.see(text, { run: RUN, item: null, path: ["body", "note"] });
  return collector.result();
}
const inLists = (levels: number, inner: string): string => "[".repeat(levels) + inner + "]".repeat(levels);
const inObjects = (levels: number, inner: string): string =>
  '{"a":'.repeat(levels) + inner + "}".repeat(levels);

describe("JSON held in a string", () => {
  test("with 20,000 levels around 20,000 values is not parsed, and makes the result partial", () => {
    const values = Array.from({ length: 20_000 }, (_one, index) => index);
    const text = inLists(20_000, JSON.stringify({ requestId: values }));
    const seconds = threadSeconds(() => {
      const { correlations, isPartial } = lookAtText(text);
      expect([correlations.size, isPartial]).toEqual([0, true]);
    });
    expect(seconds).toBeLessThan(1);
  });

  test("of any depth does not overflow the stack", () => {
    const { correlations, isPartial } = lookAtText(inObjects(100_000, '{"requestId":"deep-1"}'));
    expect([correlations.size, isPartial]).toEqual([0, true]);
  });

  test("is parsed to the same depth as an item, counted from the item's root", () => {
    for (const levels of [61, 62, 300]) {
      const isKnown = levels < 62;
      const { correlations, isPartial } = lookAtText(inLists(levels, '{"requestId":"deep-1"}'));
      expect([correlations.has("deep-1"), isPartial], `${levels} levels`).toEqual([isKnown, !isKnown]);
    }
  });
});

describe("ids at paths of their own", () => {
  /** Collects ids, and counts the characters of JSON that redaction was asked about. */
  function lookAtPaths(
    count: number,
    ...above: readonly string[]
  ): CollectedIds & { readonly asked: number } {
    let asked = 0;
    const redact = createRedactor([]);
    const ids = createComparableIds(compileRequestIdPaths(readRequestIdPaths({})), (value) => {
      asked += JSON.stringify(value).length;
      return redact(value);
    });
    const collector = new IdCollector(ids);
    for (let index = 0; index < count; index += 1) {
      const path = [...above, `order ${index}`, "requestId"];
      collector.see(`r-${index}`, { run: RUN, item: null, path });
    }
    return { ...collector.result(), asked };
  }
  const levels = (count: number): string[] => Array.from({ length: count }, () => "a");

  test("are all collected, up to 1,000", () => {
    const { correlations, isPartial } = lookAtPaths(1_000, "body", "orders");
    expect([correlations.size, isPartial]).toEqual([1_000, false]);
  });

  test.each([
    ["of ids", ["body"]],
    ["deep down", levels(60)],
    ["deeper than is read", levels(240)],
    ["below a redacted key", ["password", ...levels(60)]],
    ["below long keys", ["k".repeat(3_000)]],
    ["below keys that are too long", ["k".repeat(5_000)]],
  ])("are not all sent to redaction, and make the result partial: %s", (_what, above) => {
    const { asked, isPartial } = lookAtPaths(10_000, ...above);
    expect(isPartial).toBe(true);
    expect(asked).toBeLessThan(1_000_000);
  });

  test("cost nothing if their names cannot hold an id", () => {
    const collector = new IdCollector(createLocalIds());
    for (let index = 0; index < 10_000; index += 1)
      collector.see("r-1", {
        run: RUN,
        item: null,
        path: ["structuredContent", `order ${index}`, "requestId"],
      });
    expect(collector.result()).toMatchObject({ correlations: new Map(), isPartial: false });
  });
});
