import { expect, test } from "vitest";
import { type AccessRule, SCOPES } from "../../src/settings/index.ts";
import { accessOf, type Subject } from "../../src/sign-in/access-rules.ts";

const rule = (who: AccessRule["who"], scopes: AccessRule["scopes"] = ["n8n:read"]): AccessRule => ({
  who,
  see: {},
  scopes,
});
const RULES = [
  rule({ groups: ["support", "on-call"] }),
  rule({ emails: ["ada@example.com"], domains: ["example.org"] }, ["n8n:read", "n8n:data"]),
  rule({ tokens: ["pager"] }),
  rule({ ids: ["tenant/object", "oidc-ada"] }),
];
const person = (identity: Partial<NonNullable<Subject["identity"]>>, userId = "oidc-x"): Subject => ({
  userId,
  identity: { groups: [], ...identity },
});

test.each<[string, Subject, readonly number[] | undefined]>([
  ["by a group", person({ groups: ["staff", "on-call"] }), [1]],
  ["by an address, and a group", person({ email: "ada@example.com", groups: ["support"] }), [1, 2]],
  ["by a domain", person({ email: "x@example.org", domain: "example.org" }), [2]],
  ["by an object", person({ objectId: "tenant/object" }), [4]],
  ["by the id of their subject", person({}, "oidc-ada"), [4]],
  ["to a token by its name", { token: "pager" }, [3]],
  ["to nobody else", person({ email: "ada@example.com.evil", groups: ["Support"] }), undefined],
  ["to no person named like a token", person({ groups: ["pager"] }, "service-pager"), undefined],
  ["to no token named like a group", { token: "support" }, undefined],
  ["to nobody with just the passphrase", {}, undefined],
])("access is granted %s", (_who, subject, expected) => {
  const access = expected && { kind: "rules", numbers: expected };
  expect(accessOf(subject, SCOPES, RULES)?.access).toEqual(access);
});

test("everybody includes tokens and the passphrase", () => {
  for (const subject of [{}, { token: "pager" }, person({})])
    expect(accessOf(subject, SCOPES, [rule({ everybody: true })])?.access).toEqual({
      kind: "rules",
      numbers: [1],
    });
});

test("scopes are those given by both a rule and the grant", () => {
  expect(accessOf(person({ email: "ada@example.com" }), SCOPES, RULES)?.scopes).toEqual(SCOPES);
  expect(accessOf(person({ email: "ada@example.com" }), ["n8n:read"], RULES)?.scopes).toEqual(["n8n:read"]);
  expect(accessOf(person({ groups: ["support"] }), SCOPES, RULES)?.scopes).toEqual(["n8n:read"]);
});

test("without rules everybody has full access, with an empty list nobody has any", () => {
  expect(accessOf({}, SCOPES, undefined)).toEqual({ access: { kind: "all" }, scopes: SCOPES });
  expect(accessOf({}, SCOPES, [])).toBeUndefined();
});
