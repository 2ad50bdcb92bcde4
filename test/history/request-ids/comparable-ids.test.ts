import { describe, expect, test } from "vitest";
import { createComparableIds } from "../../../src/history/request-ids/comparable-ids.ts";
import { compileRequestIdPaths } from "../../../src/history/request-ids/request-id-paths.ts";
import type { PathSegment } from "../../../src/json/path-text.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { readRequestIdPaths } from "../../../src/settings/index.ts";
import { createLocalIds } from "../../support/local-ids.ts";

const ids = createLocalIds();
const UUID = "0d5d4f2c-6a7b-4f0e-9c1d-2b3a4c5d6e7f";

describe("a known path", () => {
  test.each<PathSegment[]>([
    ["requestId"],
    ["body", "context", "requestId"],
    ["body", "orders", 3, "requestId"],
    ["headers", "x-request-id"],
    ["headers", "traceparent"],
    ["sessionId"],
    ["body", "session", "sessionId"],
    ["customData", "requestId"],
  ])("holds ids: %s, %s, %s", (...path) => {
    expect(ids.matches(path)).toBe(true);
  });

  test.each<PathSegment[]>([
    ["auth", "sessionId"],
    ["body", "otp", "requestId"],
    ["password", "requestId"],
    ["cookies", "sessionId"],
    ["headers", "cookie", "requestId"],
    ["headers", "authorization", "requestId"],
    ["secrets", 0, "requestId"],
    ["credentials", 1, "data", "requestId"],
  ])("holds none where redaction hides what stands there: %s, %s, %s", (...path) => {
    expect(ids.matches(path)).toBe(false);
  });

  test("is asked of redaction once, and no more of them are remembered than a payload may make up", () => {
    let asked = 0;
    const redact = createRedactor([]);
    const counting = createComparableIds(compileRequestIdPaths(readRequestIdPaths({})), (value) => {
      asked += 1;
      return redact(value);
    });
    for (let index = 0; index < 100; index += 1) counting.matches(["list", index, "requestId"]);
    const ofOne = asked;
    expect(ofOne).toBeLessThanOrEqual(2);
    for (let index = 0; index < 1_500; index += 1) counting.matches([`key ${index}`, "requestId"]);
    const before = asked;
    counting.matches(["key 1499", "requestId"]);
    expect(asked).toBe(before);
    counting.matches(["key 0", "requestId"]);
    expect(asked).toBeGreaterThan(before);
  });
});

test("a key that looks like a path decides nothing of that path", () => {
  for (const between of ["\n", ":", "4:", "\0"]) {
    const fresh = createLocalIds();
    expect(fresh.matches([`body${between}requestId`])).toBe(false);
    expect(fresh.matches(["body", "requestId"])).toBe(true);
  }
});

test("a key that holds a known path is one, unless redaction hides what it may have been made of", () => {
  const fresh = createLocalIds(["data.object.id", "auth.requestId", "fields.value.requestId"]);
  expect(fresh.matches(["body", "data.object.id"])).toBe(true);
  expect(fresh.isOpen(UUID, ["body", "data.object.id"])).toBe(true);
  expect(fresh.matches(["auth", "requestId"])).toBe(false);
  expect(fresh.matches(["auth.requestId"])).toBe(false);
  expect(fresh.isOpen(UUID, ["fields.value.requestId"])).toBe(false);
});

describe("without n8n:data", () => {
  test.each<[string, PathSegment[]]>([
    [UUID, ["requestId"]],
    ["4711", ["body", "requestId"]],
    [UUID, ["sessionId"]],
    [UUID, ["body", "orders", 3, "requestId"]],
    [UUID, [0, "requestId"]],
    [UUID, ["approval", "requestId"]],
    [UUID, ["body", "data", "requestId"]],
    [UUID, ["content", 0, "text", "requestId"]],
  ])("%s is open at %j", (text, path) => {
    expect(ids.isOpen(text, path)).toBe(true);
  });

  test.each<[string, string, PathSegment[]]>([
    ["a name", "jane-doe", ["requestId"]],
    [
      "a token that redaction knows by its form",
      `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}`,
      ["requestId"],
    ],
    ["a token without digits", "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", ["requestId"]],
    ["the telephone number of a chat", "34600111222", ["chatId"]],
    ["what its neighbour may tell to be a secret", UUID, ["headers", 0, "value", "requestId"]],
    ["what stands in a list of values", UUID, ["value", 0, "requestId"]],
    ["what stands in several values", UUID, ["values", 0, "requestId"]],
    ["what is a value by default", UUID, ["defaultValue", "requestId"]],
    ["what is a value for short", UUID, ["fieldVal", "requestId"]],
    ["what is deep in a value", UUID, ["field_val", "inner", 0, "requestId"]],
    ["what is an answer", UUID, ["respuestas", 0, "requestId"]],
    ["what stands in a pair", UUID, ["headers", 0, 1, "requestId"]],
    ["what stands in a pair of any list", UUID, ["list", 7, 1, "inner", "requestId"]],
    ["what stands in a list of names and values by turns", UUID, ["rawHeaders", 1, "sessionId"]],
  ])("%s is not", (_what, text, path) => {
    expect(ids.isOpen(text, path)).toBe(false);
  });
});
