import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileRequestIdPaths,
  formatKeptPath,
  MAX_KEPT_PATH,
} from "../../../src/history/request-ids/request-id-paths.ts";
import { formatPath, keysOf, type PathSegment } from "../../../src/json/path-text.ts";
import { readRequestIdPaths } from "../../../src/settings/index.ts";

const known = compileRequestIdPaths(readRequestIdPaths({}));
const own = compileRequestIdPaths(["order.number", "meta.trace-id", "a+b.c*d"]);

describe("a known path", () => {
  test.each<[string, PathSegment[]]>([
    ["the path itself", ["order", "number"]],
    ["the end of a longer one", ["body", "deep", "order", "number"]],
    ["with list positions", ["order", 3, "number"]],
    ["with a list position at the end", ["order", "number", 0]],
    ["in another case", ["Order", "NUMBER"]],
    ["with punctuation", ["meta", "Trace-Id"]],
    ["in one key with dots", ["body", "order.number"]],
    ["in keys split elsewhere", ["body", "a+b.c*d", 2]],
    ["with regular-expression characters", ["a+b", "c*d"]],
  ])("matches: %s", (_name, path) => {
    expect(own.matches(path)).toBe(true);
  });

  test.each<[string, PathSegment[]]>([
    ["its end alone", ["number"]],
    ["its beginning alone", ["order"]],
    ["with a name between", ["order", "of", "number"]],
    ["with a name after it", ["order", "number", "text"]],
    ["a name that merely ends alike", ["myorder", "number"]],
    ["a name that merely begins alike", ["order", "numbers"]],
    ["the end of a key with dots", ["my.order.number"]],
    ["a key that ends with a known one", ["body", "the.requestId"]],
    ["positions alone", [0, 1]],
    ["nothing", []],
    ["inside an MCP tool's structured content", ["structuredContent", "data", "order", "number"]],
    ["what a regular expression would match", ["aab", "ccd"]],
  ])("does not match: %s", (_name, path) => {
    expect(own.matches(path)).toBe(false);
  });

  test.each(readRequestIdPaths({}))("of the defaults: %s", (path) => {
    expect(known.matches(["somewhere", ...path.split(".")])).toBe(true);
  });
});

const segment = fc.oneof(
  fc.constantFrom("requestId", "REQUESTID", "body", "context", "headers", "x-request-id", "id"),
  fc.string(),
  fc.nat(9),
);

test("inside an MCP tool's structured content only a path that names it matches", () => {
  const named = compileRequestIdPaths(["structuredContent.ticket.requestId"]);
  expect(named.matches([0, "structuredContent", "ticket", "requestId"])).toBe(true);
  expect(named.matches(["structuredContent", "data", "requestId"])).toBe(false);
});

describe("the quick checks of keys and texts", () => {
  test("accept the last key of every path that matches", () => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (path) => {
        const last = path.findLast((one) => typeof one === "string");
        if (known.matches(path)) expect(last !== undefined && known.endWith(last)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("accept every JSON that contains a known path", () => {
    const path = fc.constantFrom(...readRequestIdPaths({})).map((text) => text.split("."));
    const nesting = fc.nat(3);
    fc.assert(
      fc.property(path, fc.string(), nesting, fc.boolean(), (names, id, depth, isUpper) => {
        const value = names.reduceRight<unknown>(
          (inner, name) => ({ [isUpper ? name.toUpperCase() : name]: inner }),
          id,
        );
        let text = JSON.stringify(value);
        for (let level = 0; level < depth; level += 1) text = JSON.stringify({ p: text });
        expect(known.mayStandIn(text)).toBe(true);
      }),
    );
  });

  test("reject other keys and texts", () => {
    expect([known.endWith("body"), known.endWith("id"), known.endWith("")]).toEqual([false, false, false]);
    expect(known.mayStandIn('{"request":{"id":1},"body":"context"}')).toBe(false);
    expect([own.mayStandIn('{"c*d":1}'), own.mayStandIn('{"ccd":1}')]).toEqual([true, false]);
  });
});

describe("a path as text", () => {
  test.each<[PathSegment[], string]>([
    [[], ""],
    [["a"], "a"],
    [["a", "b"], "a.b"],
    [["items", 3, "json"], "items[3].json"],
    [[0, 1, "a"], "[0][1].a"],
  ])("%j → %s", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });
});

describe("a stored path", () => {
  test("keeps the boundaries between keys", () => {
    const key = fc.oneof(segment, fc.constantFrom("data.object.id", "a[0]", "", '"', "[", "\\", "."));
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), (path) => {
        expect(keysOf(formatKeptPath(path))).toEqual(path.filter((one) => typeof one === "string"));
      }),
      { numRuns: 2_000 },
    );
  });

  test("does not confuse a dotted key of custom data with a known path", () => {
    expect(known.matches(keysOf(formatKeptPath(["customData", "order.requestId"])))).toBe(false);
    expect(known.matches(keysOf(formatKeptPath(["customData", "requestId"])))).toBe(true);
    expect(formatKeptPath(["body", "data.object.id", 0])).toBe('body["data.object.id"][0]');
  });

  const deep = (count: number): string[] => Array.from({ length: count }, (_one, index) => `level${index}`);

  test("is unchanged up to its maximum length", () => {
    const path = ["body", ...deep(60), 3, "requestId"];
    expect(formatPath(path).length).toBeGreaterThan(MAX_KEPT_PATH - 50);
    expect(formatKeptPath(path)).toBe(formatPath(path));
  });

  test.each([
    ["many keys", ["mcpToolCall", ...deep(500), "context", "requestId"]],
    ["many positions", ["mcpToolCall", ...Array.from({ length: 400 }, () => 7), "context", "requestId"]],
    ["a key of a megabyte", ["mcpToolCall", "k".repeat(1_000_000), 0, "context", "requestId"]],
    [
      "many long keys",
      ["mcpToolCall", ...deep(90).map((key) => key.padEnd(200, "漢")), "context", "requestId"],
    ],
  ])("with %s is shortened in the middle and still recognized as known", (_name, path: PathSegment[]) => {
    const kept = formatKeptPath(path);
    expect(kept.length).toBeLessThanOrEqual(MAX_KEPT_PATH);
    expect(kept).toMatch(/^mcpToolCall\..*….*\bcontext\.requestId$/);
    expect(known.matches(keysOf(kept))).toBe(true);
    expect(known.withoutPayload(kept)).toBe("*.context.requestId");
  });

  test("of no known path stays unknown when shortened, and never contains part of a key", () => {
    const key = `sk_live_${"4".repeat(400)}`;
    const kept = formatKeptPath(["body", key, "x", key]);
    expect(kept).toBe("body.….x.…");
    expect(known.matches(keysOf(kept))).toBe(false);
  });
});

describe("for a caller without n8n:data", () => {
  test.each([
    ["body.context.requestId", "body.context.requestId"],
    ["body.orders[3].requestId", "body.*.requestId"],
    ["Jane Roe.visits[0].ward 7.requestId", "*.requestId"],
    ["jane.roe@example.com.headers.X-Request-ID", "*.headers.X-Request-ID"],
    ["customData.Jane", "customData.*"],
    ['body["headers.X-Request-ID"]', "body.headers.X-Request-ID"],
    ['body["jane.requestId"].requestId', "body.*.requestId"],
    ["error.message", "error.message"],
    ["body[555].0791234567", "body.*"],
  ])("the path %s is shown as %s", (path, shown) => {
    expect(known.withoutPayload(path)).toBe(shown);
  });
});
