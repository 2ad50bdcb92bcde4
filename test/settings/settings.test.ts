/** Each setting, right and wrong. An error names the setting and its fix, and never quotes the value. */
import { describe, expect, test } from "vitest";
import {
  isLoopbackHost,
  ownSecrets,
  readHistoryIndexSettings,
  readOperatorSettings,
  readPublicUrl,
  readRedactionSettings,
  readRequestIdPaths,
  readSignInSettings,
  settingProblems,
} from "../../src/settings/index.ts";
import { readN8nLimits, readN8nSettings } from "../../src/settings/instances.ts";
import { readSetting } from "../../src/settings/source.ts";
import { expectProblem, problemOf } from "../support/setting-problems.ts";

const KEY = "n8n-api-key-of-these-tests";
const HASH = "a".repeat(64);
const LOCAL = "http://localhost:8787/mcp";
const REMOTE = "https://observer.example.com/mcp";

describe("N8N_BASE_URL", () => {
  const read = (url: unknown) => readN8nSettings({ N8N_BASE_URL: url, N8N_API_KEY: KEY });

  test.each([
    ["https://n8n.test", "https://n8n.test"],
    ["https://n8n.test/", "https://n8n.test"],
    ["  https://n8n.test  ", "https://n8n.test"],
    ["https://n8n.test/api/v1", "https://n8n.test"],
    ["https://n8n.test/api/v1/", "https://n8n.test"],
    ["https://n8n.test:8443/tools/n8n/", "https://n8n.test:8443/tools/n8n"],
    ["https://n8n.test/tools/n8n/api/v1//", "https://n8n.test/tools/n8n"],
    ["http://localhost:5678", "http://localhost:5678"],
    ["http://127.0.0.1:5678/", "http://127.0.0.1:5678"],
    ["http://127.8.9.1", "http://127.8.9.1"],
    ["http://[::1]:5678", "http://[::1]:5678"],
  ])("%s is read as %s", (url, expected) => {
    expect(read(url)).toMatchObject({ baseUrl: expected, apiKey: KEY });
  });

  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["blank", "   "],
    ["no text", 42],
    ["no address", "n8n dot example"],
    ["without a scheme", "n8n.elsewhere.test"],
    ["another scheme", "ftp://n8n.elsewhere.test"],
    ["a script", "javascript:alert(1)//elsewhere"],
    ["http on another host", "http://n8n.elsewhere.test"],
    ["http on a host that merely begins like loopback", "http://127.0.0.1.elsewhere.test"],
    ["http on a host that merely ends like loopback", "http://elsewhere.localhost.test"],
    ["http on a private address", "http://192.168.0.10:5678"],
    ["user info", "https://someone:hunter2@n8n.elsewhere.test"],
    ["a user", "https://someone@n8n.elsewhere.test"],
    ["a query", "https://n8n.elsewhere.test/?token=hunter2"],
    ["a fragment", "https://n8n.elsewhere.test/#elsewhere"],
  ])("%s is refused", (_name, url) => {
    expectProblem(() => read(url), "N8N_BASE_URL", typeof url === "string" ? url : undefined);
    expect(JSON.stringify(problemOf(() => read(url)))).not.toMatch(/hunter2|elsewhere/);
  });
});

describe("N8N_API_KEY", () => {
  const read = (key: unknown) => readN8nSettings({ N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: key });

  test("is trimmed", () => {
    expect(read(`  ${KEY}\n`).apiKey).toBe(KEY);
  });

  test.each([
    ["missing", undefined],
    ["blank", " \n"],
    ["with a space inside", "abc def-secret"],
    ["with a line break inside", "abc\r\nX-Other: secret"],
    ["with a non-ASCII letter", "clé-secrète"],
    ["too short to be distinguished from other text", "key4711"],
  ])("%s is refused", (_name, key) => {
    expectProblem(() => read(key), "N8N_API_KEY", key);
  });
});

describe("PUBLIC_URL", () => {
  test.each([LOCAL, "http://127.0.0.1:9000/mcp?x=1", "http://[::1]:8787/"])(
    "defaults to the request's own origin on loopback: %s",
    (url) => {
      expect(readPublicUrl({}, url)).toBe(new URL(url).origin);
    },
  );

  test("is required for any other host, since a Host header proves nothing", () => {
    expectProblem(() => readPublicUrl({}, REMOTE), "PUBLIC_URL");
  });

  test.each([
    ["https://observer.example.com", "https://observer.example.com"],
    ["https://observer.example.com/", "https://observer.example.com"],
    ["https://OBSERVER.example.com:443", "https://observer.example.com"],
    ["http://localhost:8787", "http://localhost:8787"],
  ])("%s gives the origin %s", (url, expected) => {
    expect(readPublicUrl({ PUBLIC_URL: url }, REMOTE)).toBe(expected);
  });

  test.each([
    "observer.elsewhere.test",
    "http://observer.elsewhere.test",
    "https://observer.elsewhere.test/mcp",
    "https://u:p@observer.elsewhere.test",
    "https://observer.elsewhere.test/?a=b",
    "https://observer.elsewhere.test/#a",
  ])("%s is refused", (url) => {
    expectProblem(() => readPublicUrl({ PUBLIC_URL: url }, LOCAL), "PUBLIC_URL", url);
  });
});

describe("ACCESS_PASSPHRASE", () => {
  test("may be absent, so nobody can sign in by passphrase", () => {
    expect(readSignInSettings({})).toEqual({ passphrase: undefined, serviceTokens: [] });
  });

  test("needs at least 12 characters", () => {
    expect(readSignInSettings({ ACCESS_PASSPHRASE: "twelve-chars" }).passphrase).toBe("twelve-chars");
    expectProblem(
      () => readSignInSettings({ ACCESS_PASSPHRASE: "eleven-char" }),
      "ACCESS_PASSPHRASE",
      "eleven-char",
    );
  });
});

describe("SERVICE_TOKENS", () => {
  const read = (tokens: string) => readSignInSettings({ SERVICE_TOKENS: tokens }).serviceTokens;
  const entry = (name: string) => `${name} ${HASH} n8n:read`;
  const token = (name: string) => ({ name, sha256: HASH, scopes: ["n8n:read"] });

  test.each([
    ["a semicolon", `${entry("a")};${entry("b")}`],
    ["a new line", `${entry("a")}\n${entry("b")}`],
    ["Windows' new line", `${entry("a")}\r\n${entry("b")}\r\n`],
    ["both, with space around", `\n  ${entry("a")} ;\n\n ${entry("b")};  `],
    ["a semicolon, fields by tabs", `${entry("a").replaceAll(" ", "\t")};${entry("b")}`],
  ])("entries are separated by %s", (_name, tokens) => {
    expect(read(tokens)).toEqual([token("a"), token("b")]);
  });

  test("the hash is lower-cased, and a repeated scope counts once", () => {
    expect(read(`ci ${HASH.toUpperCase()} n8n:read n8n:data n8n:read`)).toEqual([
      { name: "ci", sha256: HASH, scopes: ["n8n:read", "n8n:data"] },
    ]);
  });

  test.each([
    ["without scope", `ci ${HASH}`],
    ["without hash", "ci n8n:read"],
    ["with a short hash", `ci ${"b".repeat(63)} n8n:read`],
    ["with a hash that is no hex", `ci ${"g".repeat(64)} n8n:read`],
    ["with the token itself", "ci my-secret-token n8n:read"],
    ["with an unknown scope", `ci ${"b".repeat(64)} n8n:write`],
    ["with a known and an unknown scope", `ci ${"b".repeat(64)} n8n:read admin`],
    ["with a name of other characters", `c/i ${"b".repeat(64)} n8n:read`],
    ["with a long name", `${"c".repeat(65)} ${"b".repeat(64)} n8n:read`],
  ])("an entry %s is refused, and no token is accepted", (_name, tokens) => {
    expectProblem(() => read(`${entry("good")};${tokens}`), "SERVICE_TOKENS", tokens);
    expect(problemOf(() => read(`${entry("good")};${tokens}`)).message).toContain("number 2");
  });

  test("a repeated name is refused", () => {
    expectProblem(() => read(`${entry("ci")};${entry("ci")}`), "SERVICE_TOKENS", HASH);
  });
});

describe("REQUEST_ID_PATHS", () => {
  test("has a default", () => {
    expect(readRequestIdPaths({})).toContain("body.context.requestId");
    expect(readRequestIdPaths({ REQUEST_ID_PATHS: "  " })).toEqual(readRequestIdPaths({}));
  });

  test("is a list separated by commas, semicolons or new lines", () => {
    const paths = ["body.id", "headers.x-trace-id", "customData.order", "ñ.漢字"];
    expect(
      readRequestIdPaths({ REQUEST_ID_PATHS: "body.id, headers.x-trace-id;\ncustomData.order\n,ñ.漢字," }),
    ).toEqual(paths);
  });

  test.each([".id", "id.", "a..b", "body id", ",", "ok,bad path", "x".repeat(201)])(
    "%s is refused",
    (paths) => {
      expectProblem(() => readRequestIdPaths({ REQUEST_ID_PATHS: paths }), "REQUEST_ID_PATHS");
    },
  );
});

describe("REDACT_KEYS and REDACT_ALLOW", () => {
  test("are lists separated by commas, semicolons or new lines", () => {
    const read = readRedactionSettings({
      REDACT_KEYS: "customerNumber, x-tenant\n",
      REDACT_ALLOW: "deviceToken;sig",
    });
    expect(read).toEqual({
      keys: ["customerNumber", "x-tenant"],
      allow: ["deviceToken", "sig"],
      patterns: [],
      personalData: false,
    });
  });

  test.each(["a", "hunter2*", "x".repeat(101), "ok, .*hunter2"])("the name %s is refused", (names) => {
    expectProblem(() => readRedactionSettings({ REDACT_KEYS: names }), "REDACT_KEYS", "hunter2");
    expectProblem(() => readRedactionSettings({ REDACT_ALLOW: names }), "REDACT_ALLOW", "hunter2");
  });

  test.each([
    "password",
    "myPassword",
    "x-api-key",
    "Authorization",
    "set_cookie",
    "clientSecret",
    "resumeToken",
    "pinData",
    "deviceToken, credentials",
  ])("%s cannot be allowed", (names) => {
    expectProblem(() => readRedactionSettings({ REDACT_ALLOW: names }), "REDACT_ALLOW");
  });
});

describe("REDACT_PATTERNS", () => {
  test("is a list of lines, with or without slashes", () => {
    const { patterns } = readRedactionSettings({
      REDACT_PATTERNS: "ACME-[A-Z0-9]{8,32}\r\n\n /acme-\\d{6}/i ",
    });
    expect(patterns).toEqual([/ACME-[A-Z0-9]{8,32}/, /acme-\d{6}/i]);
  });

  test.each([
    ["(hunter2", "is not a valid regular expression"],
    ["/hunter2/y", "flags"],
    ["(?:hunter2+)+x", "without an upper limit"],
    ["(hunter2|hunter){1,9}x{1,90}", "ways"],
    ["(?<=hunter2)a", "ahead or behind"],
    ["hunter2|x{0,3}", "empty text"],
  ])("%s is refused with its number and the reason", (pattern, reason) => {
    const read = () => readRedactionSettings({ REDACT_PATTERNS: `ok-\\d{4}\n${pattern}` });
    expectProblem(read, "REDACT_PATTERNS", pattern);
    expect(problemOf(read).message).toContain("number 2");
    expect(problemOf(read).message).toContain(reason);
  });

  test("with more than 50 entries is refused", () => {
    const lines = Array.from({ length: 51 }, (_, index) => `A${index}-\\d{4}`).join("\n");
    expectProblem(() => readRedactionSettings({ REDACT_PATTERNS: lines }), "REDACT_PATTERNS");
  });
});

describe("REDACT_PII", () => {
  test.each([
    [undefined, false],
    ["off", false],
    ["on", true],
    [" ON ", true],
  ])("%s is read as %s", (value, expected) => {
    expect(readRedactionSettings({ REDACT_PII: value }).personalData).toBe(expected);
  });

  test("is refused for any other value, so a typo cannot switch it off", () => {
    expectProblem(() => readRedactionSettings({ REDACT_PII: "yes" }), "REDACT_PII");
  });
});

describe.each([
  ["N8N_MAX_CONCURRENT", 1, 100, 4],
  ["N8N_REQUESTS_PER_MINUTE", 20, 100_000, 2_400],
  ["INDEX_INTERVAL", 10, 3_600, 60],
  ["INDEX_DAYS", 1, 3_650, 30],
  ["INDEX_MAX_EXECUTIONS", 1_000, 5_000_000, 1_000_000],
  ["AUDIT_DAYS", 1, 365, 30],
  ["OIDC_SESSION_HOURS", 1, 720, 24],
] as const)("%s", (name, least, most, fallback) => {
  test(`is a whole number from ${least} to ${most}, by default ${fallback}`, () => {
    for (const unset of [undefined, "", " "]) expect(readSetting({ [name]: unset }, name)).toBe(fallback);
    for (const value of [least, most]) expect(readSetting({ [name]: ` ${value} ` }, name)).toBe(value);
  });

  test.each([
    least - 1,
    most + 1,
    -least,
    least + 0.5,
    `${least}e0`,
    "0x40",
    "1m",
    "four7",
    "on",
    "Infinity",
  ])("%s is refused", (value) => {
    expectProblem(() => readSetting({ [name]: String(value) }, name), name, undefined);
  });
});

test("related numbers are read together, and the index may be off", () => {
  expect(readN8nLimits({ N8N_MAX_CONCURRENT: "1" })).toEqual({ maxConcurrent: 1, requestsPerMinute: 2_400 });
  const index = { intervalMs: 60_000, days: 30, maxExecutions: 1_000_000 };
  expect(readHistoryIndexSettings({})).toEqual(index);
  expect(readHistoryIndexSettings({ INDEX_INTERVAL: "OFF" })).toEqual({ ...index, intervalMs: null });
  for (const name of ["N8N_MAX_CONCURRENT", "INDEX_DAYS"] as const)
    expectProblem(() => readSetting({ [name]: "off" }, name), name);
});

describe("the list of all problems", () => {
  test("is empty for valid settings", () => {
    expect(settingProblems({ N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: KEY }, LOCAL)).toEqual([]);
  });

  test("names each setting with its fix", () => {
    const wrong = {
      N8N_BASE_URL: "ftp://hunter2",
      PUBLIC_URL: "hunter2",
      ACCESS_PASSPHRASE: "hunter2",
      REQUEST_ID_PATHS: ".hunter2",
      REDACT_PATTERNS: "(hunter2",
      N8N_MAX_CONCURRENT: "hunter2",
    };
    const problems = settingProblems(wrong, LOCAL);
    expect(problems.map(({ setting }) => setting)).toEqual(Object.keys(wrong));
    for (const { problem, solution } of problems) expect(`${problem} ${solution}`).not.toContain("hunter2");
  });

  test("includes settings that are read together", () => {
    const wrong = {
      INDEX_DAYS: "hunter2",
      INDEX_INTERVAL: "hunter2",
      REDACT_PII: "hunter2",
      REDACT_KEYS: "*",
    };
    const named = settingProblems({ N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: KEY, ...wrong }, LOCAL);
    expect(named.map(({ setting }) => setting).toSorted()).toEqual(Object.keys(wrong).toSorted());
  });

  test("does not include bugs, which are thrown", () => {
    const broken = {
      get N8N_BASE_URL(): string {
        throw new TypeError("broken");
      },
    };
    expect(() => settingProblems(broken, LOCAL)).toThrow(TypeError);
  });
});

describe("OPERATOR_TOKEN_SHA256", () => {
  test("is a hash, or absent when there is no operator", () => {
    expect(readOperatorSettings({ OPERATOR_TOKEN_SHA256: "AB".repeat(32) })).toEqual({
      tokenSha256: "ab".repeat(32),
    });
    expect(readOperatorSettings({})).toEqual({ tokenSha256: undefined });
    expect(readOperatorSettings({ OPERATOR_TOKEN_SHA256: " " })).toEqual({ tokenSha256: undefined });
  });

  test.each(["the token itself, by mistake", "ab".repeat(31), `${"ab".repeat(32)}0`])(
    "%s is refused",
    (OPERATOR_TOKEN_SHA256) => {
      expectProblem(() => readOperatorSettings({ OPERATOR_TOKEN_SHA256 }), "OPERATOR_TOKEN_SHA256");
    },
  );
});

test("the server's own secrets are the key, the passphrase and the client secret", () => {
  const secrets = { N8N_API_KEY: KEY, ACCESS_PASSPHRASE: "p".repeat(12), OIDC_CLIENT_SECRET: "s".repeat(12) };
  expect(ownSecrets({ ...secrets, PUBLIC_URL: LOCAL })).toEqual(Object.values(secrets));
  expect(ownSecrets({})).toEqual([]);
});

test.each(["localhost", "127.0.0.1", "127.255.0.3", "[::1]"])("%s is loopback", (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});
test.each(["localhost.evil.test", "127.0.0.1.evil.test", "128.0.0.1", "0.0.0.0", "[::2]", ""])(
  "%s is not loopback",
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
