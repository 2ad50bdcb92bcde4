/**
 * Texts as people and machines send them: tickets, mails, chats, SMS, logs, configuration, scripts, dumps, and the
 * texts of workflows. Each stands in an answer as a value, and as JSON in the text of an error.
 */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import documents from "./corpus/text-documents.json" with { type: "json" };

/** What nothing near it tells, or only somebody who knows the program. */
const KNOWN_MISSES: ReadonlySet<string> = new Set(
  "4012888888881881 Mavi.deniz9 dock-Pw-22 bash-pw-82 bash-pw-84 go-ck-125 prop-tok-236 log-ck-278 wf-key-322 brown-fox-55 R7KX2 209331 *449021# kt-key-412 sw-pw-415 sb-key-441 vault-pw-442 mx-pw-457 448210 cP11y dovePw22 cyPw11 rfPw44".split(
    " ",
  ),
);

const redact = createRedactor(["a-secret-of-this-test"]);
const shown = (value: unknown): string => JSON.stringify(redact(value).value);
const spellings = (text: string): string[] => {
  const inJson = JSON.stringify(text).slice(1, -1);
  return [text, inJson, JSON.stringify(inJson).slice(1, -1)];
};

describe.each(documents)("$name", ({ document, secrets, ordinary }) => {
  const value = shown({ body: document });
  const message = shown({ message: `The service answered: ${JSON.stringify(document)}` });
  const isShown = (text: string): boolean =>
    spellings(text).some((each) => value.includes(each) || message.includes(each));

  test("secrets go", () => {
    expect(secrets.filter(isShown)).toEqual(secrets.filter((secret) => KNOWN_MISSES.has(secret)));
  });

  test("what is ordinary stays", () => {
    expect(ordinary.filter((text) => !spellings(text).some((each) => value.includes(each)))).toEqual([]);
  });
});
