/** Documents as real APIs send them, as a value and as the text of an error: secrets are redacted, the rest stays. */
import { expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { DOCUMENTS } from "./corpus/documents/index.ts";
import { jsonSpellings } from "./corpus/documents/written-document.ts";

const redact = createRedactor([]);
const redactedJson = (value: unknown): string => JSON.stringify(redact(value).value);

test.each(DOCUMENTS)("$name", ({ document, secrets, ordinary }) => {
  const value = redactedJson({ body: document });
  const text = redactedJson({ message: `The service answered: ${JSON.stringify(document)}` });
  const includes = (json: string, each: string): boolean =>
    jsonSpellings(each).some((spelling) => json.includes(spelling));
  expect(secrets.filter((each) => !includes(JSON.stringify(document), each))).toEqual([]);
  expect(secrets.filter((each) => includes(value, each) || includes(text, each))).toEqual([]);
  expect(ordinary.filter((each) => !includes(value, each))).toEqual([]);
});

test("the documents hold enough secrets to be a meaningful sample", () => {
  expect(DOCUMENTS.length).toBeGreaterThan(75);
  expect(DOCUMENTS.flatMap(({ secrets }) => secrets).length).toBeGreaterThan(270);
});
