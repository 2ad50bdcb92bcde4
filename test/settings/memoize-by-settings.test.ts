/** Settings are parsed once for as long as they stay the same. */
import { expect, test } from "vitest";
import { ownSecrets, readInstances, readSignInSettings } from "../../src/settings/index.ts";
import { memoizeBySettings, text } from "../../src/settings/source.ts";

const HASH = "a".repeat(64);

test("settings are parsed again only when one that was read has changed", () => {
  let parsed = 0;
  const read = memoizeBySettings((source) => {
    parsed += 1;
    return text(source, "MODE") === "list" ? [text(source, "LIST")] : [];
  });
  expect(read({ MODE: "list", LIST: "a" })).toEqual(["a"]);
  expect(read({ MODE: "list", LIST: "a", OTHER: "b" })).toEqual(["a"]);
  expect(parsed).toBe(1);
  expect(read({ MODE: "list", LIST: "b" })).toEqual(["b"]);
  expect(read({ MODE: "list" })).toEqual([undefined]);
  expect(read({ LIST: "b" })).toEqual([]);
  // A setting that was not read.
  expect(read({ LIST: "c" })).toEqual([]);
  expect(parsed).toBe(4);
});

test("a failed read is repeated, and reuses nothing", () => {
  const good = { SERVICE_TOKENS: `anna ${HASH} n8n:read` };
  const bad = { SERVICE_TOKENS: `anna ${HASH} n8n:write` };
  expect(readSignInSettings(good).serviceTokens).toHaveLength(1);
  expect(() => readSignInSettings(bad)).toThrow("SERVICE_TOKENS");
  expect(() => readSignInSettings(bad)).toThrow("SERVICE_TOKENS");
  expect(readSignInSettings({}).serviceTokens).toEqual([]);
  expect(readSignInSettings(good).serviceTokens).toMatchObject([{ name: "anna" }]);
});

test("secrets inside a memoized reader follow the present settings", () => {
  const instances = (apiKey: string) => ({
    N8N_INSTANCES: JSON.stringify({ prod: { baseUrl: "https://n8n.test", apiKey } }),
  });
  expect(ownSecrets(instances("key-one-of-these-tests"))).toContain("key-one-of-these-tests");
  readInstances(instances("key-two-of-these-tests"));
  expect(ownSecrets(instances("key-two-of-these-tests"))).toContain("key-two-of-these-tests");
  expect(ownSecrets(instances("key-two-of-these-tests"))).not.toContain("key-one-of-these-tests");
});
