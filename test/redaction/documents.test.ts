/** Documents as real APIs send them, as a value and as the text of an error: what is secret goes, the rest stays. */
import { expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { DOCUMENTS } from "./corpus/documents/index.ts";

const redact = createRedactor([]);
const shownOf = (value: unknown): string => JSON.stringify(redact(value).value);

/** A text as it is, in JSON, and in JSON in a text. */
function spellings(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  return [text, once, JSON.stringify(once).slice(1, -1)];
}

test.each(DOCUMENTS)("$name", ({ document, secrets, ordinary }) => {
  const value = shownOf({ body: document });
  const text = shownOf({ message: `The service answered: ${JSON.stringify(document)}` });
  const stands = (shown: string, each: string): boolean =>
    spellings(each).some((spelling) => shown.includes(spelling));
  expect(secrets.filter((each) => !stands(JSON.stringify(document), each))).toEqual([]);
  expect(secrets.filter((each) => stands(value, each) || stands(text, each))).toEqual([]);
  expect(ordinary.filter((each) => !stands(value, each))).toEqual([]);
});

test("there are enough of them to mean something", () => {
  expect(DOCUMENTS.length).toBeGreaterThan(75);
  expect(DOCUMENTS.flatMap(({ secrets }) => secrets).length).toBeGreaterThan(270);
});
