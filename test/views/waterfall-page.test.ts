/** The page of the picture, as it is sent. test/browser/picture.test.ts tests what it does. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { WATERFALL_PAGE } from "../../src/views/waterfall-page.ts";

test("the page has at most 40 kB", () => {
  expect(new TextEncoder().encode(WATERFALL_PAGE).length).toBeLessThanOrEqual(40_000);
});

test("the page refers to no other resource, and can load none", () => {
  expect(WATERFALL_PAGE).not.toMatch(/src=|href=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|innerHTML/);
});

test("the page allows only its own script and style, by their digests", () => {
  const [, policy = ""] = /Content-Security-Policy" content="([^"]+)"/.exec(WATERFALL_PAGE) ?? [];
  const digestOf = (tag: string): string => {
    const [, text = ""] = new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(WATERFALL_PAGE) ?? [];
    return createHash("sha256").update(text).digest("base64");
  };
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${digestOf("script")}'`,
    `style-src 'sha256-${digestOf("style")}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});
