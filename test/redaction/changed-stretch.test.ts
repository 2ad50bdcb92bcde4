/** What is read again after a mark was made: what changed, with what is around it, and never less than a word. */
import { describe, expect, test } from "vitest";
import { ChangedStretch } from "../../src/redaction/changed-stretch.ts";
import { createRedactor } from "../../src/redaction/redact.ts";

const words = (count: number): string => "an ordinary word of it ".repeat(count);
/** Longer than what is read again as a whole. */
const LONG = words(2_000);

/** As a step would: says what became of the text. */
function changedTo(before: string, after: string): { stretch: ChangedStretch; narrowed: string } {
  const stretch = new ChangedStretch();
  stretch.addChange(before, after);
  return { stretch, narrowed: stretch.narrow(after) };
}

describe("of a long text", () => {
  test("the end alone is left, where the end alone changed", () => {
    const { stretch, narrowed } = changedTo(`${LONG}secret`, `${LONG}[MARK]`);
    expect(narrowed.length).toBeLessThan(5_000);
    expect(narrowed.endsWith("an ordinary word of it [MARK]")).toBe(true);
    expect(stretch.whole(narrowed)).toBe(`${LONG}[MARK]`);
  });

  test.each(["from the front", "from the back"])("what is between two changes, made %s, is left", (order) => {
    const between = words(500);
    const text = (one: string, two: string): string => `${LONG}${one} ${between}${two} ${LONG}`;
    const first = order === "from the front" ? text("1", "two") : text("one", "2");
    const stretch = new ChangedStretch();
    stretch.addChange(text("one", "two"), first);
    stretch.addChange(first, text("1", "2"));
    const narrowed = stretch.narrow(text("1", "2"));
    expect(narrowed).toContain(`1 ${between}2 `);
    expect(narrowed.length).toBeLessThan(between.length + 6_000);
  });

  test("no word is cut in two", () => {
    const { narrowed } = changedTo(`${LONG}secret ${LONG}`, `${LONG}[MARK] ${LONG}`);
    expect(narrowed.split(" ").filter((word) => word !== "")).toSatisfy((all: string[]) =>
      all.every((word) => ["an", "ordinary", "word", "of", "it", "[MARK]"].includes(word)),
    );
  });

  test("what was done to the stretch stands in the whole, round after round", () => {
    const between = words(1_000);
    const stretch = new ChangedStretch();
    const changed = `${LONG}[1] ${between}[2] ${LONG}`;
    stretch.addChange(`${LONG}one ${between}[2] ${LONG}`, `${LONG}[1] ${between}[2] ${LONG}`);
    stretch.addChange(`${LONG}[1] ${between}two ${LONG}`, changed);
    const narrowed = stretch.narrow(changed);
    stretch.addChange(narrowed, narrowed.replace("[2]", "[3]"));
    const again = stretch.narrow(narrowed.replace("[2]", "[3]"));
    expect(again.length).toBeLessThan(narrowed.length);
    expect(stretch.whole(again)).toBe(`${LONG}[1] ${between}[3] ${LONG}`);
  });
});

test("a short text is read again as a whole", () => {
  const short = words(300);
  expect(changedTo(`${short}secret ${short}`, `${short}[MARK] ${short}`).narrowed).toBe(
    `${short}[MARK] ${short}`,
  );
});

test("redaction far into a long text finds what it finds in a short one", () => {
  const secrets = `password: hunter2-Xq9 token=${"a1B2".repeat(8)} `;
  const redact = createRedactor([]);
  const alone = String(redact(secrets).value);
  expect(alone).not.toMatch(/hunter2|a1B2/);
  expect(redact(`${LONG}\n${secrets}\n${LONG}`).value).toBe(`${LONG}\n${alone}\n${LONG}`);
});
