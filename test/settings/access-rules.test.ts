import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupsNamedIn, readAccessRules, settingProblems } from "../../src/settings/index.ts";
import { problemOf } from "../support/setting-problems.ts";

const OIDC = {
  OIDC_ISSUER: "https://id.example.com",
  OIDC_CLIENT_ID: "client",
  OIDC_CLIENT_SECRET: "client-secret",
};
const N8N = { N8N_BASE_URL: "https://n8n.example.com", N8N_API_KEY: "key-of-the-tests" };
const TOKENS = { SERVICE_TOKENS: `pager ${"a".repeat(64)} n8n:read` };
const rule = (changes: object = {}) => ({
  who: { groups: ["support"] },
  see: { workflows: { tags: ["orders"] } },
  scopes: ["n8n:read"],
  ...changes,
});
const read = (rules: unknown, settings: object = {}) =>
  readAccessRules({
    ...N8N,
    ...OIDC,
    ...TOKENS,
    ACCESS_RULES: typeof rules === "string" ? rules : JSON.stringify(rules),
    ...settings,
  });

const ADA = "11111111-2222-3333-4444-555555555555/AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee";
const OWN_ID = `oidc-${"aB".repeat(21)}C`;

test("without the setting there are no rules", () => {
  expect(readAccessRules(N8N)).toBeUndefined();
});

test("a rule is read as written", () => {
  expect(
    read([
      rule({ who: { emails: ["Ada@Example.com"], ids: [ADA], tokens: ["pager"] }, see: "all" }),
      rule({ see: { instances: ["default"] }, scopes: ["n8n:read", "n8n:data"] }),
      rule({ who: { everybody: true } }),
      // Our own ids are HMACs, so their case matters.
      rule({ who: { ids: [OWN_ID] } }),
    ]),
  ).toEqual([
    {
      who: { emails: ["ada@example.com"], ids: [ADA.toLowerCase()], tokens: ["pager"] },
      see: {},
      scopes: ["n8n:read"],
    },
    { who: { groups: ["support"] }, see: { instances: ["default"] }, scopes: ["n8n:read", "n8n:data"] },
    rule({ who: { everybody: true } }),
    rule({ who: { ids: [OWN_ID] } }),
  ]);
});

test("rules that Cloudflare passes as a value are read like the same text", () => {
  const rules = [rule()];
  expect(readAccessRules({ ...N8N, ...OIDC, ACCESS_RULES: rules })).toEqual(read(rules));
  const wrong = { ...N8N, ...OIDC, ACCESS_RULES: { everybody: true } };
  expect(() => readAccessRules(wrong)).toThrow("ACCESS_RULES");
});

test("an empty list of rules grants nothing to anybody", () => {
  expect(read([])).toEqual([]);
});

describe("the error names the place of", () => {
  test.each([
    ["not JSON", "[{", "is not valid JSON"],
    ["no list", {}, "it is not a list of rules"],
    ["a member twice", '[{"scopes":[],"scopes":[]}]', "has a member twice"],
    ["no who", [{ ...rule(), who: undefined }], "rule 1.who"],
    ["no who at all", [{ see: "all", scopes: ["n8n:read"] }], "rule 1.who is missing"],
    ["no see, no scopes", [{ who: { everybody: true } }], "rule 1.see is missing; rule 1.scopes is missing"],
    ["nobody", [rule({ who: {} })], "rule 1.who names nobody"],
    ["an empty name", [rule({ who: { groups: [""] } })], "rule 1.who.groups[1] is empty"],
    ["a long name", [rule({ who: { groups: ["g".repeat(301)] } })], "rule 1.who.groups[1] is too long"],
    ["many names", [rule({ who: { groups: Array(1_001).fill("g") } })], "rule 1.who.groups has too many"],
    ["many rules", Array(201).fill(rule()), "it has too many rules"],
    ["an empty list", [rule(), rule({ who: { groups: [] } })], "rule 2.who.groups is an empty list"],
    [
      "everybody together with others",
      [rule({ who: { everybody: true, groups: ["a"] } })],
      "names everybody together with others",
    ],
    ["everybody not", [rule({ who: { everybody: false } })], "rule 1.who.everybody is not true"],
    ["an invalid address", [rule({ who: { emails: ["*@example.com"] } })], "rule 1.who.emails[1]"],
    ["an invalid id", [rule({ who: { ids: ["ada"] } })], "rule 1.who.ids[1] has a malformed id"],
    ["an empty see", [rule({ see: {} })], "rule 1.see names nothing"],
    ["no workflows", [rule({ see: { workflows: {} } })], "rule 1.see.workflows names no workflows"],
    [
      "a list that is a text",
      [rule({ see: { workflows: { tags: "orders" } } })],
      "rule 1.see.workflows.tags is not a list",
    ],
    [
      "an unknown member",
      [rule({ see: { workflows: { tag: ["orders"] } } })],
      "rule 1.see.workflows has an unknown member",
    ],
    [
      "an unknown scope",
      [rule({ scopes: ["n8n:write"] })],
      "rule 1.scopes[1] is not one of n8n:read, n8n:data",
    ],
    ["n8n:data without n8n:read", [rule({ scopes: ["n8n:data"] })], "rule 1.scopes lacks n8n:read"],
    [
      "an unknown n8n",
      [rule({ see: { instances: ["prod"] } })],
      "names an unknown n8n (number 1 of see.instances) in rule 1",
    ],
    [
      "an unknown token",
      [rule({ who: { tokens: ["nobody"] } })],
      "names an unknown token (number 1 of who.tokens) in rule 1",
    ],
    [
      "a token after a known one",
      [rule({ who: { tokens: ["pager", "nobody"] } })],
      "names an unknown token (number 2 of who.tokens) in rule 1",
    ],
  ])("%s", (_what, rules, problem) => {
    expect(() => read(rules)).toThrow(problem);
  });
});

test("each error explains what a rule has", () => {
  for (const rules of ["[{", [{}]])
    expect(problemOf(() => read(rules)).details.solution).toContain("A rule has who, see and scopes");
});

test("five of many errors are listed, and the others counted", () => {
  const listedOf = (faults: number) => {
    const rules = Array(faults).fill(rule({ who: { everybody: false } }));
    return problemOf(() => read(rules)).message.match(/rule \d|\d more/g);
  };
  const five = [1, 2, 3, 4, 5].map((number) => `rule ${number}`);
  expect(listedOf(5)).toEqual(five);
  expect(listedOf(7)).toEqual([...five, "2 more"]);
});

describe("without an OpenID provider,", () => {
  const readAlone = (who: object) =>
    readAccessRules({ ...N8N, ...TOKENS, ACCESS_RULES: JSON.stringify([rule({ who })]) });

  test.each([
    { groups: ["support"] },
    { emails: ["ada@example.com"] },
    { domains: ["example.com"] },
    { ids: [ADA] },
    { tokens: ["pager"], ids: [ADA] },
  ])("rules for its users are refused: %j", (who) => {
    expect(() => readAlone(who)).toThrow("in rule 1");
  });

  test.each([{ tokens: ["pager"] }, { everybody: true }])("other rules are accepted: %j", (who) => {
    expect(readAlone(who)).toEqual([rule({ who })]);
  });
});

test("an error never quotes the value, and every check of the settings reports it", () => {
  const secret = "s3cret-of-somebody";
  const source = {
    ...N8N,
    ACCESS_RULES: JSON.stringify([rule({ scopes: [secret], who: { emails: [secret] } })]),
  };
  const problems = settingProblems(source, "http://localhost:8787");
  expect(problems.map(({ setting }) => setting)).toContain("ACCESS_RULES");
  expect(JSON.stringify(problems)).not.toContain(secret);
});

test("of a user's groups, those named in rules are kept, too", () => {
  const source = { ...N8N, ...OIDC, ALLOWED_GROUPS: "staff", DATA_GROUPS: "on-call" };
  expect([...groupsNamedIn(source)]).toEqual(["staff", "on-call"]);
  const rules = JSON.stringify([rule({ who: { everybody: true } }), rule()]);
  expect([...groupsNamedIn({ ...source, ACCESS_RULES: rules })]).toEqual(["staff", "on-call", "support"]);
});

test("any text is accepted or refused with our own message", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.array(fc.anything()).map((all) => JSON.stringify(all)),
      ),
      (text) => {
        try {
          read(text);
        } catch (error) {
          expect(String(error)).toContain("ACCESS_RULES");
        }
      },
    ),
    { numRuns: 300 },
  );
});
