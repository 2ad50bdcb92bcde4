/** Each rule, on the example book and on the book with one fault. */
import { describe, expect, test } from "vitest";
import { ruleReference } from "../../../scripts/reference/rule-reference.ts";
import { RULES } from "../../../src/features/audit-workflow/rules/index.ts";
import { WITHOUT_VARIANT } from "../../real-n8n/by-the-book/variants.ts";
import { auditBook, bookIds, newBook, variants } from "./audited-book.ts";

test("the example book has no finding, and all of it can be judged", () => {
  expect(auditBook(newBook())).toEqual({ findings: [], unjudged: [] });
});

describe("a variant that breaks one rule", () => {
  test.each(variants.map((variant) => [`${variant.rule}: ${variant.what}`, variant] as const))(
    "is found: %s",
    (_name, { rule, where, change, alsoBreaks = [] }) => {
      const book = newBook();
      change(book, bookIds);
      const { findings } = auditBook(book);
      expect(findings.filter((finding) => ![rule, ...alsoBreaks].includes(finding.rule))).toEqual([]);
      expect(findings).toContainEqual(
        expect.objectContaining({ rule, workflow: expect.objectContaining({ id: bookIds[where] }) }),
      );
    },
  );

  test("exists for each rule", () => {
    const broken = new Set(variants.map(({ rule }) => rule));
    expect(RULES.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual(WITHOUT_VARIANT);
  });
});

test("the rules have unique names, chapter by chapter", () => {
  const ids = RULES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const chapters = ids.map((id) => id.replace(/\/.*/, ""));
  expect(chapters.filter((chapter, index) => chapter !== chapters[index - 1])).toEqual([
    ...new Set(chapters),
  ]);
});

test("each rule is described in the documentation", () => {
  expect(ruleReference).not.toThrow();
});
