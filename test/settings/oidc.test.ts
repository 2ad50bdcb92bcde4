/** The settings of the OpenID provider. */
import { describe, expect, test } from "vitest";
import { readOidcSettings, settingProblems } from "../../src/settings/index.ts";
import { expectProblem } from "../support/setting-problems.ts";

const GOOD = {
  OIDC_ISSUER: "https://id.example.com",
  OIDC_CLIENT_ID: "client",
  OIDC_CLIENT_SECRET: "hunter2-hunter2",
};
const read = (changes: Record<string, string | undefined> = {}) => readOidcSettings({ ...GOOD, ...changes });

test("without these settings there is no provider", () => {
  expect(readOidcSettings({})).toBeUndefined();
  expect(readOidcSettings({ OIDC_ISSUER: "  " })).toBeUndefined();
});

test("optional settings have defaults", () => {
  expect(read()).toEqual({
    issuer: "https://id.example.com/",
    clientId: "client",
    clientSecret: "hunter2-hunter2",
    scopes: ["openid", "profile", "email"],
    groupsClaim: "groups",
    trustsEmail: false,
    isManaged: false,
    sessionSeconds: 24 * 3600,
  });
});

describe("an incomplete provider", () => {
  test.each(Object.keys(GOOD))("without %s is refused, naming the setting", (name) => {
    expectProblem(() => read({ [name]: "" }), name, "hunter2");
  });

  test.each([
    "OIDC_SCOPES",
    "OIDC_GROUPS_CLAIM",
    "OIDC_TRUST_EMAIL",
    "OIDC_SESSION_HOURS",
    "OIDC_ENTERPRISE_MANAGED",
  ])("with only %s is refused", (name) => {
    expectProblem(() => readOidcSettings({ [name]: "openid" }), "OIDC_ISSUER");
  });

  test("is among the problems on the start page", () => {
    const problems = settingProblems({ ...GOOD, OIDC_CLIENT_ID: "" }, "http://localhost/");
    expect(problems.map(({ setting }) => setting)).toContain("OIDC_CLIENT_ID");
  });
});

describe("OIDC_ISSUER", () => {
  test.each([
    ["https://tenant.eu.auth0.com/", "https://tenant.eu.auth0.com/"],
    ["https://id.example.com/realms/main", "https://id.example.com/realms/main"],
    ["http://localhost:9000", "http://localhost:9000/"],
    ["http://127.0.0.1:9000", "http://127.0.0.1:9000/"],
    [
      "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
      "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
    ],
  ])("%s is accepted", (issuer, expected) => {
    expect(read({ OIDC_ISSUER: issuer })?.issuer).toBe(expected);
  });

  test.each([
    "http://id.elsewhere.test",
    "http://localhost.elsewhere.test",
    "ftp://id.elsewhere.test",
    "id.elsewhere.test",
    "https://u:p@id.elsewhere.test",
    "https://id.elsewhere.test/?a=b",
    "https://id.elsewhere.test/#a",
    "https://id.elsewhere.test/.well-known/openid-configuration",
    "https://login.microsoftonline.com/common/v2.0",
    "https://login.microsoftonline.com/organizations/v2.0",
    "https://login.microsoftonline.com/consumers/v2.0",
  ])("%s is refused", (issuer) => {
    expectProblem(() => read({ OIDC_ISSUER: issuer }), "OIDC_ISSUER", issuer);
  });
});

test.each(["with space", "line\nbreak", "clé"])("OIDC_CLIENT_SECRET %j is refused", (secret) => {
  expectProblem(() => read({ OIDC_CLIENT_SECRET: `hunter2-${secret}` }), "OIDC_CLIENT_SECRET", "hunter2");
});

test("a short OIDC_CLIENT_SECRET is refused, since it would match other text", () => {
  expectProblem(() => read({ OIDC_CLIENT_SECRET: "hunter2" }), "OIDC_CLIENT_SECRET", "hunter2");
});

describe("OIDC_SCOPES", () => {
  test.each(["openid email groups", "openid,email, groups", "openid\nemail groups openid"])(
    "%j is a list",
    (scopes) => {
      expect(read({ OIDC_SCOPES: scopes })?.scopes).toEqual(["openid", "email", "groups"]);
    },
  );

  test.each(["email profile", 'openid "email"', "openid \u00e9"])("%j is refused", (scopes) => {
    expectProblem(() => read({ OIDC_SCOPES: scopes }), "OIDC_SCOPES");
  });
});

describe("OIDC_TRUST_EMAIL", () => {
  test('is "on" or "off"', () => {
    expect(read({ OIDC_TRUST_EMAIL: "on" })?.trustsEmail).toBe(true);
    expectProblem(() => read({ OIDC_TRUST_EMAIL: "yes" }), "OIDC_TRUST_EMAIL");
  });

  test.each([
    "https://login.microsoftonline.com/t/v2.0",
    "https://sts.windows.net/t/",
    "https://login.microsoftonline.us/t/v2.0",
  ])("cannot be on at %s, where addresses are not verified", (issuer) => {
    expectProblem(() => read({ OIDC_ISSUER: issuer, OIDC_TRUST_EMAIL: "on" }), "OIDC_TRUST_EMAIL");
  });
});

test("OIDC_SESSION_HOURS is a number of hours", () => {
  expect(read({ OIDC_SESSION_HOURS: "8" })?.sessionSeconds).toBe(8 * 3600);
});
