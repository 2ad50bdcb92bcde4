/** After a change, only the changed stretch is read again, with its surroundings and in whole words. */
import { describe, expect, test } from "vitest";
import { ChangedStretch } from "../../src/redaction/changed-stretch.ts";
import { createRedactor } from "../../src/redaction/redact.ts";

const words = (count: number): string => "an ordinary word of it ".repeat(count);
/** Too long to be read again as a whole. */
const LONG = words(2_000);

/** Records a change as a rule would. */
function recordChange(before: string, after: string): { stretch: ChangedStretch; narrowed: string } {
  const stretch = new ChangedStretch();
  stretch.addChange(before, after);
  return { stretch, narrowed: stretch.narrow(after) };
}

describe("the stretch of a long text", () => {
  test("is its end when only the end changed", () => {
    const { stretch, narrowed } = recordChange(`${LONG}secret`, `${LONG}[MARK]`);
    expect(narrowed.length).toBeLessThan(5_000);
    expect(narrowed.endsWith("an ordinary word of it [MARK]")).toBe(true);
    expect(stretch.whole(narrowed)).toBe(`${LONG}[MARK]`);
  });

  test.each(["from the front", "from the back"])(
    "includes everything between two changes made %s",
    (order) => {
      const between = words(500);
      const text = (one: string, two: string): string => `${LONG}${one} ${between}${two} ${LONG}`;
      const first = order === "from the front" ? text("1", "two") : text("one", "2");
      const stretch = new ChangedStretch();
      stretch.addChange(text("one", "two"), first);
      stretch.addChange(first, text("1", "2"));
      const narrowed = stretch.narrow(text("1", "2"));
      expect(narrowed).toContain(`1 ${between}2 `);
      expect(narrowed.length).toBeLessThan(between.length + 6_000);
    },
  );

  test("cuts no word in two", () => {
    const { narrowed } = recordChange(`${LONG}secret ${LONG}`, `${LONG}[MARK] ${LONG}`);
    expect(narrowed.split(" ").filter((word) => word !== "")).toSatisfy((all: string[]) =>
      all.every((word) => ["an", "ordinary", "word", "of", "it", "[MARK]"].includes(word)),
    );
  });

  test("puts its own changes back into the whole text, round after round", () => {
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
  expect(recordChange(`${short}secret ${short}`, `${short}[MARK] ${short}`).narrowed).toBe(
    `${short}[MARK] ${short}`,
  );
});

test("secrets far into a long text are redacted as in a short one", () => {
  const secrets = `password: hunter2-Xq9 token=${"a1B2".repeat(8)} `;
  const redact = createRedactor([]);
  const alone = String(redact(secrets).value);
  expect(alone).not.toMatch(/hunter2|a1B2/);
  expect(redact(`${LONG}\n${secrets}\n${LONG}`).value).toBe(`${LONG}\n${alone}\n${LONG}`);
});
