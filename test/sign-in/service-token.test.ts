import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ServiceToken } from "../../src/settings/index.ts";
import { admitService, findServiceToken } from "../../src/sign-in/service-token.ts";

function entry(name: string, token: string): ServiceToken {
  return { name, sha256: createHash("sha256").update(token).digest("hex"), scopes: ["n8n:read"] };
}

const entries = [entry("first", "token-one"), entry("second", "token-two"), entry("third", "tökén-three")];

test.each([
  ["token-one", "first"],
  ["token-two", "second"],
  ["tökén-three", "third"],
])("%s is the token of %s", async (token, name) => {
  expect((await findServiceToken(token, entries))?.name).toBe(name);
});

test.each(["", "token-thre", "token-one ", "TOKEN-ONE", "first", entry("x", "token-one").sha256])(
  "%o matches no service token",
  async (token) => {
    expect(await findServiceToken(token, entries)).toBeUndefined();
  },
);

test("without entries there are no service tokens", async () => {
  expect(await findServiceToken("token-one", [])).toBeUndefined();
});

test("a service has an id that no person can have", async () => {
  expect(admitService(entry("owner", "token-one"), {})).toEqual({
    caller: { userId: "service-owner", via: "service-token", access: { kind: "all" } },
    scopes: ["n8n:read"],
  });
});
