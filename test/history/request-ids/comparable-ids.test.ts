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
  ])("holds no ids where redaction hides the value: %s, %s, %s", (...path) => {
    expect(ids.matches(path)).toBe(false);
  });

  test("asks redaction once, and the cache of paths is bounded", () => {
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

test("a key that looks like a joined path has no effect on that path", () => {
  for (const between of ["\n", ":", "4:", "\0"]) {
    const fresh = createLocalIds();
    expect(fresh.matches([`body${between}requestId`])).toBe(false);
    expect(fresh.matches(["body", "requestId"])).toBe(true);
  }
});

test("a key that contains a known path counts as one, unless redaction hides a part of it", () => {
  const fresh = createLocalIds(["data.object.id", "auth.requestId", "fields.value.requestId"]);
  expect(fresh.matches(["body", "data.object.id"])).toBe(true);
  expect(fresh.isOpen(UUID, ["body", "data.object.id"])).toBe(true);
  expect(fresh.matches(["auth", "requestId"])).toBe(false);
  expect(fresh.matches(["auth.requestId"])).toBe(false);
  expect(fresh.isOpen(UUID, ["fields.value.requestId"])).toBe(false);
});

describe("for a caller without n8n:data", () => {
  test.each<[string, PathSegment[]]>([
    [UUID, ["requestId"]],
    ["4711", ["body", "requestId"]],
    [UUID, ["sessionId"]],
    [UUID, ["body", "orders", 3, "requestId"]],
    [UUID, [0, "requestId"]],
    [UUID, ["approval", "requestId"]],
    [UUID, ["body", "data", "requestId"]],
    [UUID, ["content", 0, "text", "requestId"]],
  ])("%s is shown at %j", (text, path) => {
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
    ["the phone number of a chat", "34600111222", ["chatId"]],
    ["a value whose neighbor may name it a secret", UUID, ["headers", 0, "value", "requestId"]],
    ["a value in a list of values", UUID, ["value", 0, "requestId"]],
    ["a value in several values", UUID, ["values", 0, "requestId"]],
    ["a default value", UUID, ["defaultValue", "requestId"]],
    ["an abbreviated value", UUID, ["fieldVal", "requestId"]],
    ["a value deep inside another", UUID, ["field_val", "inner", 0, "requestId"]],
    ["an answer to a form", UUID, ["respuestas", 0, "requestId"]],
    ["a value in a pair", UUID, ["headers", 0, 1, "requestId"]],
    ["a value in a pair of any list", UUID, ["list", 7, 1, "inner", "requestId"]],
    ["a value in a list of alternating names and values", UUID, ["rawHeaders", 1, "sessionId"]],
  ])("%s is not shown", (_what, text, path) => {
    expect(ids.isOpen(text, path)).toBe(false);
  });
});
