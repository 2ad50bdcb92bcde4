/** `N8N_INSTANCES`: what is read, what is refused without being quoted, and what redaction learns. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { duplicateKeys } from "../../src/settings/duplicate-keys.ts";
import {
  instancesSharingKey,
  limitsOfInstance,
  namesOfInstances,
  ownSecrets,
  readInstances,
  settingProblems,
  wordForInstance,
} from "../../src/settings/index.ts";
import { MAX_INSTANCES } from "../../src/settings/instances.ts";
import { expectProblem, problemOf } from "../support/setting-problems.ts";

const KEY = "n8n-api-key-of-these-tests";
const SECRET = "hunter2hunter2";
const PROD = { baseUrl: "https://n8n.test/", apiKey: KEY };
const STAGING = { baseUrl: "https://staging.n8n.test", apiKey: `${KEY}-2` };
const REMOTE = "https://observer.example.com/mcp";

const sourceOf = (instances: unknown, others: Record<string, string> = {}) => ({
  N8N_INSTANCES: typeof instances === "string" ? instances : JSON.stringify(instances),
  ...others,
});
const read = (instances: unknown, others?: Record<string, string>) =>
  readInstances(sourceOf(instances, others));

describe("reading", () => {
  test('N8N_BASE_URL alone defines the instance "default"', () => {
    const instances = readInstances({ N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: KEY });
    expect([...instances]).toEqual([
      ["default", expect.objectContaining({ name: "default", baseUrl: "https://n8n.test", apiKey: KEY })],
    ]);
    expect(namesOfInstances({ N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: KEY })).toEqual([]);
  });

  test("each instance has its own address, key, path, headers and editor, in order", () => {
    const full = {
      ...STAGING,
      apiPath: "/automation/v1/",
      headers: { "CF-Access-Client-Id": "abc.access" },
      editorUrl: "https://editor.n8n.test/",
    };
    const instances = read({ staging: full, prod: PROD });
    expect([...instances.keys()]).toEqual(["staging", "prod"]);
    expect(instances.get("staging")).toMatchObject({
      name: "staging",
      ...STAGING,
      apiPath: "/automation/v1",
      headers: { "cf-access-client-id": "abc.access" },
      editorUrl: "https://editor.n8n.test",
    });
    expect(instances.get("prod")).toMatchObject({
      baseUrl: "https://n8n.test",
      headers: {},
      editorUrl: "https://n8n.test",
    });
  });

  test("limits and location are the instance's own, or else the general ones", () => {
    const own = { ...PROD, maxConcurrent: 2, requestsPerMinute: 300, locationHint: "weur" };
    const general = { N8N_MAX_CONCURRENT: "9", N8N_LOCATION_HINT: "enam" };
    const instances = read({ prod: own, staging: STAGING }, general);
    expect(instances.get("prod")).toMatchObject({
      limits: { maxConcurrent: 2, requestsPerMinute: 300 },
      locationHint: "weur",
    });
    expect(instances.get("staging")).toMatchObject({
      limits: { maxConcurrent: 9, requestsPerMinute: 2_400 },
      locationHint: "enam",
    });
    const source = sourceOf({ prod: own, staging: STAGING }, general);
    expect(limitsOfInstance(source, "prod").maxConcurrent).toBe(2);
    expect(limitsOfInstance(source, "gone").maxConcurrent).toBe(9);
    expect(limitsOfInstance({ N8N_MAX_CONCURRENT: "9" }, "prod").maxConcurrent).toBe(9);
  });

  test("a change of settings is not hidden by what was read before", () => {
    const of = (apiKey: string, limit: string) => {
      const prod = read({ prod: { ...PROD, apiKey } }, { N8N_MAX_CONCURRENT: limit }).get("prod");
      return [prod?.apiKey, prod?.limits.maxConcurrent];
    };
    expect(of(KEY, "3")).toEqual([KEY, 3]);
    expect(of(KEY, "5")).toEqual([KEY, 5]);
    expect(of(`${KEY}-new`, "5")).toEqual([`${KEY}-new`, 5]);
    expect(() => of("short", "5")).toThrow();
    expect(of(KEY, "3")).toEqual([KEY, 3]);
  });

  test("instances may share an origin, and those with the same key are reported", () => {
    const instances = read({
      a: { baseUrl: "https://n8n.test/a", apiKey: KEY },
      b: { baseUrl: "https://n8n.test/b", apiKey: KEY },
      c: { baseUrl: "https://n8n.test/c", apiKey: `${KEY}-3` },
    });
    expect(instancesSharingKey(instances.values())).toEqual([["a", "b"]]);
  });
});

describe("an error that does not repeat the value is given for", () => {
  const messageOf = (instances: unknown, others?: Record<string, string>): string => {
    const problem = problemOf(() => read(instances, others));
    const shown = { message: problem.message, ...problem.details };
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|n8n-api-key/);
    // The whole message can be shown: redaction finds nothing that looks like a secret.
    expect(createRedactor(ownSecrets(sourceOf(instances, others)), {})(shown).value).toEqual(shown);
    return problem.message;
  };

  test.each<[string, unknown, RegExp]>([
    ["no JSON", `{"prod": ${SECRET}`, /is not valid JSON\./],
    ["a text", JSON.stringify(SECRET), /is not a JSON object/],
    ["a list", [PROD], /is not a JSON object|invalid name/],
    ["null", "null", /is not a JSON object/],
    ["nobody", {}, /names no instance/],
    ["an instance that is a text", { prod: SECRET }, /no JSON object for prod/],
    ["a name with capitals", { prod: PROD, Staging: STAGING }, /invalid name \(number 2\)/],
    ["a name that is a secret", { [SECRET.toUpperCase()]: PROD }, /invalid name \(number 1\)/],
    ["an empty name", { "": PROD }, /invalid name/],
    ["a name with a space", { "the one": PROD }, /invalid name/],
    ["a name that is a number", { "2": PROD }, /invalid name/],
    ["a name that ends in a hyphen", { "prod-": PROD }, /invalid name/],
    ["a name of 31 letters", { ["a".repeat(31)]: PROD }, /invalid name/],
    ["an unknown member", { prod: { ...PROD, key: SECRET } }, /an unknown member in prod \(number 3\)/],
    ["a key that is a number", { prod: { ...PROD, apiKey: 5 } }, /wrong kind of value for apiKey of prod/],
    [
      "headers that are a text",
      { prod: { ...PROD, headers: SECRET } },
      /wrong kind of value for headers of prod/,
    ],
    [
      "a header that is a number",
      { prod: { ...PROD, headers: { "X-A": 5 } } },
      /wrong kind of value for headers/,
    ],
    [
      "limits that are texts",
      { prod: { ...PROD, maxConcurrent: "2" } },
      /wrong kind of value for maxConcurrent/,
    ],
    ["no address", { prod: { apiKey: KEY } }, /baseUrl of prod in N8N_INSTANCES is missing/],
    ["no key", { prod: { baseUrl: "https://n8n.test" } }, /apiKey of prod in N8N_INSTANCES is missing/],
    ["a key that is too short", { prod: { ...PROD, apiKey: "short" } }, /apiKey of prod .* too short/],
    [
      "http elsewhere",
      { prod: { ...PROD, baseUrl: `http://${SECRET}.test` } },
      /baseUrl of prod .* not a usable address/,
    ],
    [
      "a forbidden header",
      { prod: { ...PROD, headers: { Host: SECRET } } },
      /headers of prod .* may not set host/,
    ],
    ["an invalid path", { prod: { ...PROD, apiPath: "../rest" } }, /apiPath of prod/],
    ["an invalid editor", { prod: { ...PROD, editorUrl: "javascript:1" } }, /editorUrl of prod/],
    [
      "a limit out of range",
      { prod: { ...PROD, maxConcurrent: 101 } },
      /maxConcurrent of prod .* not a whole number from 1 to 100/,
    ],
    ["half a request", { prod: { ...PROD, requestsPerMinute: 20.5 } }, /requestsPerMinute of prod/],
    ["an invalid location", { prod: { ...PROD, locationHint: "moon" } }, /locationHint of prod/],
    [
      "one address twice",
      { prod: PROD, twin: { ...STAGING, baseUrl: "https://N8N.test:443/api/v1/" } },
      /gives prod and twin one address \(baseUrl\)/,
    ],
    [
      "one address, by its path",
      {
        prod: { ...PROD, baseUrl: "https://n8n.test/a" },
        twin: { ...STAGING, baseUrl: "https://n8n.test", apiPath: "/a/api/v1" },
      },
      /gives prod and twin one address/,
    ],
    [
      "one editor twice",
      { prod: PROD, twin: { ...STAGING, editorUrl: "https://n8n.test" } },
      /gives prod and twin one address \(editorUrl\)/,
    ],
    [
      "a name twice",
      `{"prod":${JSON.stringify(PROD)},"prod":${JSON.stringify(STAGING)}}`,
      /names prod twice/,
    ],
    [
      "a name twice in another spelling",
      `{"prod":${JSON.stringify(PROD)},"pr\\u006fd":${JSON.stringify(STAGING)}}`,
      /names prod twice/,
    ],
    [
      "a key twice",
      `{"prod":{"baseUrl":"https://n8n.test","apiKey":"${KEY}","apiKey":"${SECRET}"}}`,
      /has apiKey of prod twice/,
    ],
    [
      "a header twice",
      `{"prod":{"baseUrl":"https://n8n.test","apiKey":"${KEY}","headers":{"X-A":"1","X-A":"${SECRET}"}}}`,
      /has a member of prod twice/,
    ],
  ])("%s", (_name, instances, message) => {
    expect(messageOf(instances)).toMatch(message);
    expectProblem(() => read(instances), "N8N_INSTANCES");
  });

  test("more than 20 instances", () => {
    const named = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_one, index) => [
          `n${index}`,
          { baseUrl: `https://n${index}.test`, apiKey: `${KEY}${index}` },
        ]),
      );
    expect(read(named(MAX_INSTANCES)).size).toBe(MAX_INSTANCES);
    expect(messageOf(named(MAX_INSTANCES + 1))).toContain("more than 20 instances");
  });

  test("both N8N_BASE_URL and N8N_INSTANCES", () => {
    expect(messageOf({ prod: PROD }, { N8N_BASE_URL: "https://old.test", N8N_API_KEY: SECRET })).toBe(
      "The setting N8N_INSTANCES is set together with N8N_BASE_URL, N8N_API_KEY.",
    );
    expect(messageOf({ prod: PROD }, { N8N_HEADERS: `X-A: ${SECRET}` })).toContain("N8N_HEADERS");
  });

  test("a wrong general limit, once and under its own name", () => {
    const problems = settingProblems(
      {
        ...sourceOf({ prod: PROD, staging: STAGING }),
        N8N_MAX_CONCURRENT: "many",
        PUBLIC_URL: "https://o.test",
      },
      REMOTE,
    );
    expect(problems.map(({ setting }) => setting)).toEqual(["N8N_MAX_CONCURRENT"]);
  });

  test("a malformed value among the problems of all settings", () => {
    const problems = settingProblems({ N8N_INSTANCES: "{", PUBLIC_URL: "https://o.test" }, REMOTE);
    expect(problems).toEqual([
      {
        setting: "N8N_INSTANCES",
        problem: "The setting N8N_INSTANCES is not valid JSON.",
        solution: expect.any(String),
      },
    ]);
  });
});

describe("redaction learns", () => {
  test("the keys and headers of all instances, including parts of a header", () => {
    const basic = `Basic ${btoa("user:password-of-the-proxy")}`;
    const secrets = ownSecrets(
      sourceOf({ prod: { ...PROD, headers: { Authorization: basic } }, staging: STAGING }),
    );
    for (const secret of [KEY, `${KEY}-2`, basic, "password-of-the-proxy"]) expect(secrets).toContain(secret);
    expect(secrets).not.toContain("https://staging.n8n.test");
  });

  test.each([
    ["cut off", `{"prod":{"baseUrl":"https://n8n.test","apiKey":"${SECRET}"`],
    ["with a name twice", `{"prod":{"apiKey":"${SECRET}"},"prod":{"apiKey":"other"}}`],
    ["with an unknown member", JSON.stringify({ prod: { ...PROD, password: SECRET } })],
  ])("each value of a malformed setting: %s", (_name, raw) => {
    const secrets = ownSecrets({ N8N_INSTANCES: raw });
    expect(secrets).toContain(SECRET);
    // Names of members are part of the error messages.
    expect(secrets).not.toContain("password");
  });
});

describe("duplicate keys of", () => {
  test.each<[string, string[][]]>([
    ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', []],
    ['{"a":1,"a":2}', [["a"]]],
    ['{"a":{"b":1,"c":2,"b":{}}}', [["a", "b"]]],
    ['{"a":"a\\":1,\\"a","b":"{"}', []],
    ['{"a":[{"x":1,"x":1}],"a":0}', [["a", "x"], ["a"]]],
    ['{ "a" : "a" , "\\u0061" : 1 }', [["a"]]],
    ["[]", []],
    ["5", []],
  ])("%s", (json, expected) => {
    expect(duplicateKeys(json)).toEqual(expected);
  });
});

test("messages about a single n8n's settings are reworded for an instance", () => {
  expect(wordForInstance("Set N8N_API_KEY, see N8N_BASE_URL and EXN8N_HEADERSX.", "prod")).toBe(
    "Set apiKey of prod in N8N_INSTANCES, see baseUrl of prod in N8N_INSTANCES and EXN8N_HEADERSX.",
  );
});
