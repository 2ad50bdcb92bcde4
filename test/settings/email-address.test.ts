import { describe, expect, test } from "vitest";
import { parseDomain, parseEmailAddress } from "../../src/settings/email-address.ts";
import { threadSeconds } from "../support/thread-seconds.ts";

describe("an email address", () => {
  test.each([
    ["ada@example.com", "example.com"],
    ["ADA@EXAMPLE.COM", "example.com"],
    ["ada.lovelace+n8n@mail.example.co.uk", "mail.example.co.uk"],
    ["o'hara@xn--exmple-cua.com", "xn--exmple-cua.com"],
    [`${"a".repeat(64)}@example.com`, "example.com"],
    ["ada@example.x1", "example.x1"],
    ["ada@example.1x", "example.1x"],
    [`ada@${"a.".repeat(125)}com`, `${"a.".repeat(125)}com`],
  ])("%s is accepted in lower case", (text, domain) => {
    expect(parseEmailAddress(text)).toEqual({ address: text.toLowerCase(), domain });
  });

  test.each([
    "",
    "@",
    "@example.com",
    "ada",
    "ada@",
    "ada@example",
    "ada@.com",
    "ada@example..com",
    "ada@example.com.",
    "ada@-example.com",
    "ada@example-.com",
    "ada@exa_mple.com",
    "ada@127.0.0.1",
    "ada@127.0.0.10",
    "ada@[127.0.0.1]",
    "a@b@example.com",
    '"a@b"@example.com',
    "Ada <ada@example.com>",
    "ada@example.com,grace@example.com",
    "ada@example.com ",
    " ada@example.com",
    "ada@evil.org\n@example.com",
    "ada@example.com\0",
    ".ada@example.com",
    "ada.@example.com",
    "a..a@example.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
    `ada@${"a.".repeat(125)}coma`,
    // Letters that look like others, or become others in lower case.
    "ada@ex\u0430mple.com",
    "ada@\uff45xample.com",
    "\u212aate@example.com",
    "ada@\u212aate.com",
    "ada@example\u3002com",
    "ada@example.com\u200b",
    "ada\u202e@example.com",
  ])("%j is invalid", (text) => {
    expect(parseEmailAddress(text)).toBeUndefined();
  });

  test("a very long text is refused quickly", () => {
    const text = `${"a.".repeat(500_000)}@example.com`;
    const seconds = threadSeconds(() => expect(parseEmailAddress(text)).toBeUndefined());
    expect(seconds).toBeLessThan(1);
  });
});

describe("a domain", () => {
  test("is accepted in lower case", () => {
    expect(parseDomain("Example.COM")).toBe("example.com");
  });
  test.each(["", "com", "@example.com", "*.example.com", "example.com/", "example.com:443", "1.2.3.4"])(
    "%j is invalid",
    (text) => {
      expect(parseDomain(text)).toBeUndefined();
    },
  );
});
