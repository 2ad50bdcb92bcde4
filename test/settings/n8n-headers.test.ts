/** `N8N_HEADERS`: what is sent to n8n, what is refused, and what redaction learns. */
import { describe, expect, test } from "vitest";
import { ownSecrets } from "../../src/settings/index.ts";
import { readN8nSettings } from "../../src/settings/instances.ts";
import { expectProblem, problemOf } from "../support/setting-problems.ts";

const N8N = { N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: "n8n-api-key-of-these-tests" };
const read = (N8N_HEADERS: unknown) => readN8nSettings({ ...N8N, N8N_HEADERS }).headers;
const ACCESS = { "cf-access-client-id": "abc.access", "cf-access-client-secret": "s3cr3t-of-the-tests" };

describe("headers are accepted", () => {
  test.each([
    ["not set", undefined, {}],
    ["one per line", "CF-Access-Client-Id: abc.access\nCF-Access-Client-Secret: s3cr3t-of-the-tests", ACCESS],
    [
      "with the line ends of Windows and empty lines",
      "\r\nX-One: 1\r\n\r\nX-Two: 2\r\n",
      { "x-one": "1", "x-two": "2" },
    ],
    [
      "as JSON",
      JSON.stringify({
        "CF-Access-Client-Id": "abc.access",
        "CF-Access-Client-Secret": "s3cr3t-of-the-tests",
      }),
      ACCESS,
    ],
    [
      "with colons, spaces and semicolons in the value",
      "Authorization: Basic dTpw; a=b: c",
      { authorization: "Basic dTpw; a=b: c" },
    ],
  ])("%s", (_name, value, expected) => {
    expect(read(value)).toEqual(expected);
  });
});

describe("headers are refused without quoting their value", () => {
  const SECRET = "hunter2hunter2";
  test.each([
    ["no colon", `CF-Access-Client-Id ${SECRET}`],
    ["no name", `: ${SECRET}`],
    ["a space in the name", `X Api: ${SECRET}`],
    ["no value", "X-Empty:"],
    ["Host", `Host: ${SECRET}`],
    ["the key's own header", `x-n8n-api-key: ${SECRET}`],
    ["a body length", `Content-Length: 5\nX-A: ${SECRET}`],
    ["another method", `X-HTTP-Method-Override: POST\nX-A: ${SECRET}`],
    ["a condition", `If-None-Match: ${SECRET}`],
    ["a part of the answer", "Range: bytes=0-1"],
    ["a non-ASCII letter", `X-A: ${SECRET}é`],
    ["a control character", `X-A: ${SECRET}\u0000x`],
    ["a line break in JSON", JSON.stringify({ "X-A": `${SECRET}\r\nX-N8N-API-KEY: other` })],
    ["a number in JSON", '{"X-A": 5}'],
    ["an array in JSON", `{"X-A": ["${SECRET}"]}`],
    ["broken JSON", `{"X-A": "${SECRET}`],
    ["one twice", `X-A: ${SECRET}\nx-a: ${SECRET}`],
    ["too many", Array.from({ length: 21 }, (_each, index) => `X-${index}: ${SECRET}`).join("\n")],
    ["too long", `X-A: ${SECRET.repeat(400)}`],
  ])("%s", (_name, value) => {
    expectProblem(() => read(value), "N8N_HEADERS");
    const { message, details } = problemOf(() => read(value));
    expect(message + JSON.stringify(details)).not.toContain(SECRET);
  });
});

describe("redaction learns", () => {
  test("each value, the part after its scheme, and the password of basic authentication", () => {
    const credential = btoa("gate:open-sesame-1");
    expect(
      ownSecrets({
        N8N_HEADERS: `Authorization: Basic ${credential}\nCF-Access-Client-Secret: s3cr3t-of-the-tests`,
      }),
    ).toEqual([`Basic ${credential}`, credential, "open-sesame-1", "s3cr3t-of-the-tests"]);
  });

  test("the whole of an unreadable setting", () => {
    expect(ownSecrets({ N8N_HEADERS: '{"X-A": "hunter2hunter2' })).toEqual(['{"X-A": "hunter2hunter2']);
  });
});

describe("N8N_API_PATH", () => {
  const path = (N8N_API_PATH: unknown) => readN8nSettings({ ...N8N, N8N_API_PATH }).apiPath;

  test.each([
    [undefined, undefined],
    ["/automation-api/v1", "/automation-api/v1"],
    ["/a/b.c/v1/", "/a/b.c/v1"],
  ])("%s is %s", (value, expected) => {
    expect(path(value)).toBe(expected);
  });

  test.each([
    "api/v1",
    "https://elsewhere.test/api",
    "//elsewhere.test",
    "/api/../rest",
    "/api/v1?x=1",
    "/api/%2e%2e",
    "/a b",
  ])("%s is refused", (value) => {
    expectProblem(() => path(value), "N8N_API_PATH");
  });
});

describe("N8N_EDITOR_URL", () => {
  const editor = (N8N_EDITOR_URL: unknown) => readN8nSettings({ ...N8N, N8N_EDITOR_URL }).editorUrl;

  test("defaults to n8n's address", () => {
    expect(editor(undefined)).toBe("https://n8n.test");
    expect(editor("https://automation.example.com/n8n/")).toBe("https://automation.example.com/n8n");
  });

  test("must be an address", () => {
    expectProblem(() => editor("javascript:alert(1)"), "N8N_EDITOR_URL", "javascript:alert(1)");
  });
});
