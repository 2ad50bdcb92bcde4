/**
 * Texts as people and machines send them: tickets, mails, chats, SMS, logs, configuration, scripts, dumps, and the
 * texts of workflows. Each stands in an answer as a value, and as JSON in the text of an error.
 */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { jsonSpellings } from "./corpus/documents/written-document.ts";
import documents from "./corpus/text-documents.json" with { type: "json" };

/** Secrets that no text near them marks as such, or that only somebody who knows the program would recognize. */
const KNOWN_MISSES: ReadonlySet<string> = new Set(
  "4012888888881881 Mavi.deniz9 dock-Pw-22 bash-pw-82 bash-pw-84 go-ck-125 prop-tok-236 log-ck-278 wf-key-322 brown-fox-55 R7KX2 209331 *449021# kt-key-412 sw-pw-415 sb-key-441 vault-pw-442 mx-pw-457 448210 cP11y dovePw22 cyPw11 rfPw44".split(
    " ",
  ),
);

const redact = createRedactor(["a-secret-of-this-test"]);
const shown = (value: unknown): string => JSON.stringify(redact(value).value);

describe.each(documents)("$name", ({ document, secrets, ordinary }) => {
  const value = shown({ body: document });
  const message = shown({ message: `The service answered: ${JSON.stringify(document)}` });
  const isShown = (text: string): boolean =>
    jsonSpellings(text).some((each) => value.includes(each) || message.includes(each));

  test("all secrets but the known misses are redacted", () => {
    expect(secrets.filter(isShown)).toEqual(secrets.filter((secret) => KNOWN_MISSES.has(secret)));
  });

  test("ordinary values stay", () => {
    expect(ordinary.filter((text) => !jsonSpellings(text).some((each) => value.includes(each)))).toEqual([]);
  });
});
