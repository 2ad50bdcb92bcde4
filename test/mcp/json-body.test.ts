/** A body is read once, and bodies that the libraries would reject are left to them. */
import { describe, expect, test } from "vitest";
import { readJsonBody } from "../../src/mcp/json-body.ts";

const URL = "https://observer.example/mcp";
const MEBIBYTE = 1024 * 1024;

const post = (body: string, headers: Record<string, string> = {}): Request =>
  new Request(URL, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

const withLength = (body: string): Request =>
  post(body, { "content-length": String(Buffer.byteLength(body)) });

describe.each([
  ["with a length", withLength],
  ["without a length", post],
] as const)("a body %s", (_name, make) => {
  test("is parsed", async () => {
    expect((await readJsonBody(make('{"method":"tools/call"}'))).parsedBody).toEqual({
      method: "tools/call",
    });
  });

  test.each(["", "{", '{"a":1}x'])("is left as it was if it is not JSON: %j", async (body) => {
    const read = await readJsonBody(make(body));
    expect(read).not.toHaveProperty("parsedBody");
    expect(await read.request.text()).toBe(body);
    expect(read.request.headers.get("content-type")).toBe("application/json");
  });

  test("is not parsed if it is too large, and can still be read", async () => {
    const body = JSON.stringify("x".repeat(4 * MEBIBYTE));
    const read = await readJsonBody(make(body));
    expect(read).not.toHaveProperty("parsedBody");
    expect(read.request.bodyUsed).toBe(false);
  });
});

test("a request without a body is left alone", async () => {
  const request = new Request(URL);
  expect(await readJsonBody(request)).toEqual({ request });
});
