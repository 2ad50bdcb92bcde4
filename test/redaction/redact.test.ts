/** The redactor replaces secrets in every spelling, and leaves everything else as it was. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Omitted } from "../../src/json/omitted.ts";
import { createPreviewingRedactor, createRedactor } from "../../src/redaction/redact.ts";
import { canaries } from "../real-n8n/canaries.ts";
import { anyCharacter } from "../support/any-character.ts";
import { inBothLanes, runs, sizeOf } from "../support/lane.ts";

const OWN = "n8n>>>???_key+/of=these tests";
const redact = createRedactor([OWN]);
const clean = (value: unknown) => redact(value).value;
const SECRET = "hunter2-7f3a";

describe("a value under a secret's key is redacted", () => {
  test.each([
    ..."authorization Authorization AUTHORIZATION proxy-authorization Proxy-Authorization auth bearer".split(
      " ",
    ),
    ..."x-api-key X-API-Key X_API_KEY xApiKey x.api.key api_key apiKey apikey APIKEY api-keys myApiKey".split(
      " ",
    ),
    ..."cookie Cookie set-cookie Set-Cookie setCookie cookies".split(" "),
    ..."password Password PASSWORD userPassword user_password passwd pwd passphrase passcode dbPass otp".split(
      " ",
    ),
    ..."token accessToken access_token ACCESS_TOKEN accesstoken refreshToken idToken csrf-token resumeToken".split(
      " ",
    ),
    ..."secret clientSecret client_secret clientsecret secrets signature credential jwt JWT".split(" "),
    ..."privateKey private_key accessKey secretKey signingKey encryptionKey subscription-key account_key".split(
      " ",
    ),
    ..."X-N8N-API-KEY N8N_API_KEY AWS_SECRET_ACCESS_KEY stripeSecretKey X-Amz-Security-Token".split(" "),
    `${"very".repeat(200)}Password`,
  ])("%s", (key) => {
    const value = clean({ outer: [{ [key]: SECRET, other: 1 }] });
    expect(value).toEqual({ outer: [{ [key]: "[REDACTED:key#1]", other: 1 }] });
  });

  test("whether it is a text, a number, a list or an object", () => {
    const value = {
      password: 42,
      token: [SECRET],
      secret: { a: { b: SECRET } },
      apiKey: { toJSON: () => SECRET },
    };
    expect(JSON.stringify(clean(value))).not.toMatch(/42|hunter2/);
  });

  test("but not if it is empty", () => {
    const value = { password: null, token: "", secret: true, cookie: false };
    expect(clean(value)).toEqual(value);
  });
});

describe("in a list of names and values, the value of a secret's name is redacted", () => {
  test.each(["Authorization", "X-API-Key", "cookie", "password"])("%s", (name) => {
    const value = clean({
      headerParameters: {
        parameters: [
          { name, value: SECRET },
          { name: "Accept", value: "x" },
        ],
      },
    });
    expect(value).toEqual({
      headerParameters: {
        parameters: [
          { name, value: "[REDACTED:key#1]" },
          { name: "Accept", value: "x" },
        ],
      },
    });
  });

  test("also as key and value, in any order", () => {
    expect(clean([{ value: SECRET, key: "x-api-key" }])).toEqual([
      { value: "[REDACTED:key#1]", key: "x-api-key" },
    ]);
  });

  test("but not in an object without a name", () => {
    expect(clean({ name: 7, value: "seen" })).toEqual({ name: 7, value: "seen" });
  });
});

describe("a secret is recognized by its form anywhere in a text", () => {
  const BASIC = btoa("user:hunter2-7f3a");
  test.each([
    ["Bearer", `Request failed (sent with Authorization: Bearer ${SECRET})`, "Bearer [REDACTED:bearer#1])"],
    ["bearer, in lower case and with two spaces", `bearer  ${SECRET}.`, "bearer  [REDACTED:bearer#1]"],
    [
      "Basic",
      `curl -H "Authorization: Basic ${BASIC}" https://x.test`,
      'Basic [REDACTED:basic#1]" https://x.test',
    ],
    [
      "a resume URL",
      `http://n8n.test/webhook-waiting/39?signature=${SECRET}&x=1`,
      "?signature=[REDACTED:url-secret#1]&x=1",
    ],
    [
      "a token in a query",
      `https://x.test/?a=b&access_token=${SECRET}#top`,
      "access_token=[REDACTED:url-secret#1]#top",
    ],
    ["a signed URL", `https://x.test/?X-Amz-Signature=${SECRET}`, "X-Amz-Signature=[REDACTED:url-secret#1]"],
    [
      "an authorization code",
      `https://x.test/callback?code=${SECRET}&state=1`,
      "code=[REDACTED:url-secret#1]&state=1",
    ],
    ["a form", `password=${SECRET}&user=ana`, "password=[REDACTED:url-secret#1]&user=ana"],
    [
      "a password in a URL",
      `postgres://ana:${SECRET}@db.test/x`,
      "postgres://ana:[REDACTED:url-password#1]@db.test/x",
    ],
    ["a JWT", `got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIy.${SECRET} back`, "got [REDACTED:jwt#1] back"],
    ["JSON in a text", `body: {"user":"ana","password": "${SECRET}"}`, '"password":"[REDACTED:key#1]"}'],
    [
      "JSON with quotes in the secret",
      `{"password":"a\\"${SECRET}","b":1}`,
      '{"password":"[REDACTED:key#1]","b":1}',
    ],
    ["JSON that was cut off", `{"user":"ana","apiKey":"${SECRET}`, '"apiKey":"[REDACTED:key#1]'],
    [
      "JSON in JSON",
      `{"raw":"{\\"token\\":\\"${SECRET}\\",\\"b\\":1}"}`,
      '\\"token\\":\\"[REDACTED:key#1]\\",\\"b\\":1}"}',
    ],
    ["JSON in JSON that was cut off", `"{\\"token\\":\\"${SECRET}`, '\\"token\\":\\"[REDACTED:key#1]'],
  ])("%s", (_name, text, expected) => {
    const value = JSON.stringify(clean({ error: { message: text } }));
    expect(value).not.toContain(SECRET);
    expect(value).not.toContain(BASIC);
    expect(clean(text)).toContain(expected);
  });

  test.each([
    "Bearer authentication is needed",
    "a basic idea of it",
    "Basic understanding",
    "https://x.test/?page=2&status=error&monkey=1",
    "https://n8n.test:5678/workflow/7",
    "2 x = 4, and y=5",
    '{"author":"ana","maxTokens":"5","nextCursor":"abc"}',
    "mail ana@example.com at 10:30",
  ])("and there is none in: %s", (text) => {
    expect(clean(text)).toBe(text);
  });

  test("also in keys", () => {
    expect(Object.keys(Object(clean({ [`Bearer ${SECRET}`]: 1 })))).toEqual(["Bearer [REDACTED:bearer#1]"]);
  });

  test("including every canary in its usual place", () => {
    const planted = {
      authorization: canaries.inboundAuthorization,
      "proxy-authorization": canaries.inboundBasic,
      cookie: canaries.inboundCookie,
      "x-api-key": canaries.inboundApiKey,
      "set-cookie": [canaries.upstreamSetCookie],
      body: { password: canaries.bodyPassword, token: canaries.bodyToken, apiKey: canaries.bodyApiKey },
      client_secret: canaries.bodyClientSecret,
      parameters: [
        { name: "Authorization", value: canaries.nodeAuthorizationHeader },
        { name: "X-API-Key", value: canaries.nodeApiKeyHeader },
      ],
      message: `failed with ${canaries.errorMessageBearer} and ${canaries.nodeAuthorizationHeader}`,
      text: JSON.stringify({
        token: canaries.upstreamToken,
        body: JSON.stringify({ token: canaries.bodyToken }),
      }),
    };
    expect(JSON.stringify(clean(planted))).not.toMatch(/canary/i);
  });
});

describe("the server's own secrets are redacted under any key", () => {
  test.each([
    ["raw", OWN],
    ["in base64", btoa(OWN)],
    ["in base64 without its end", btoa(OWN).replace(/=+$/, "")],
    ["in base64 for URLs", btoa(OWN).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")],
    ["encoded for a URL", encodeURIComponent(OWN)],
    ["encoded for a form", new URLSearchParams({ a: OWN }).toString().slice(2)],
    ["as JSON in a text", JSON.stringify({ seen: OWN })],
  ])("%s", (_name, spelling) => {
    const { value, counts } = redact({ note: `before ${spelling} and ${spelling} after` });
    expect(JSON.stringify(value)).not.toContain(spelling);
    expect(JSON.stringify(value)).toContain("[REDACTED:own-secret]");
    expect(counts["own-secret"]).toBe(2);
  });

  test.each([0, 1, 2, 3, 4])("in base64 among binary, %i bytes after its beginning", (offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset, 0xff), Buffer.from(OWN), Buffer.alloc(7, 0xfe)]);
    const text = String(clean(`data ${bytes.toString("base64")}`));
    expect(text).toContain("[REDACTED:own-secret]");
    const left = text.replaceAll("[REDACTED:own-secret]", " ").split(" ");
    for (const part of left)
      expect(Buffer.from(part, "base64").toString("latin1")).not.toMatch(/n8n>>|tests/);
  });

  test("with any ASCII character in them, however that is escaped", () => {
    for (let code = 32; code < 127; code += 1) {
      const secret = `before${String.fromCharCode(code)}after${String.fromCharCode(code)}`;
      const encoded = encodeURIComponent(secret);
      const inLowerCase = encoded.replace(/%../g, (octet) => octet.toLowerCase());
      const form = new URLSearchParams({ a: secret }).toString().slice(2);
      const spellings = [secret, JSON.stringify(secret).slice(1, -1), encoded, inLowerCase, form];
      const redactThis = createRedactor([secret]);
      for (const spelling of spellings)
        expect(redactThis(`It was <${spelling}>.`).value, spelling).toBe("It was <[REDACTED:own-secret]>.");
    }
  });

  test("that a tool previewed has its number in the answer, and is counted, under a secret's name too", async () => {
    const redactor = createPreviewingRedactor([], {}, 123_456_789);
    const shown = redactor.preview({ token: SECRET, headers: { authorization: `Bearer ${SECRET}` } });
    const { value, counts } = await redactor.redactWithPauses(
      { shown, note: `token: ${SECRET}` },
      async () => {},
    );
    const mark = "[REDACTED:key#1]";
    expect(value).toEqual({
      shown: { token: mark, headers: { authorization: mark } },
      note: `token: ${mark}`,
    });
    expect(counts).toEqual({ key: 3 });
  });

  test("whether the caller's or the deployment's, even if one contains the other", () => {
    const [deployment, caller] = ["key-of-the-deployment", "token-with-key-of-the-deployment-in-it"];
    const redactor = createPreviewingRedactor([deployment], {}, 123_456_789, [caller, "another-token-2"]);
    const shown = redactor.redact([caller, deployment, btoa("another-token-2")]);
    expect(shown).toEqual({ value: Array(3).fill("[REDACTED:own-secret]"), counts: { "own-secret": 3 } });
    expect(createPreviewingRedactor([deployment], {}, 123_456_789).redact("another-token-2").counts).toEqual(
      {},
    );
  });

  test("unless they are too short to be distinguished from chance", () => {
    expect(createRedactor(["abc"])("abcdef").value).toBe("abcdef");
  });
});

describe("shape", () => {
  test("is kept, and the input is not changed", () => {
    const input = {
      list: [1, "two", null, true, { token: SECRET }, []],
      empty: {},
      nested: { deep: { deeper: [[["x"]]] } },
      number: -1.5e-7,
    };
    const before = structuredClone(input);
    expect(clean(Object.freeze(input))).toEqual({
      ...before,
      list: [1, "two", null, true, { token: "[REDACTED:key#1]" }, []],
    });
    expect(input).toEqual(before);
  });

  test("has null for what JSON cannot express, or omits it", () => {
    const value = {
      a: undefined,
      b: Number.NaN,
      c: Number.POSITIVE_INFINITY,
      d: () => 1,
      e: [undefined],
      f: 5n,
    };
    expect(clean(value)).toEqual({ b: null, c: null, d: null, e: [null], f: null });
  });

  test("has words for what was omitted", () => {
    const value = { items: [1, new Omitted("items", 10, 9, 512)], "…": new Omitted("members", 3, 2, 64) };
    expect(clean(value)).toEqual({
      items: [1, "… 9 more items left out (512 bytes)"],
      "…": "… 2 more members left out (64 bytes)",
    });
  });

  test("is returned with counts of redacted values by kind", () => {
    expect(redact({ token: "abc", x: "Bearer abcd1234", y: { password: "p" } }).counts).toEqual({
      key: 2,
      bearer: 1,
    });
    expect(redact({ x: 1 }).counts).toEqual({});
  });

  test("may contain __proto__, a key like any other", () => {
    const value = clean(JSON.parse(`{"__proto__":{"password":"${SECRET}"}}`));
    expect(JSON.stringify(value)).toBe('{"__proto__":{"password":"[REDACTED:key#1]"}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("is cut where it is nested too deep", () => {
    let deep: unknown = SECRET;
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    expect(JSON.stringify(clean(deep))).toContain("[REDACTED:too-deep]");
  });

  test("is not returned when a value cannot be read: redaction throws", () => {
    const broken = {
      get value(): string {
        throw new TypeError("broken");
      },
    };
    expect(() => clean(broken)).toThrow(TypeError);
  });
});

const LENGTH = sizeOf(1_000_000, 200_000);
/** Redacted first, so that compilation is not measured. */
const WARM_UP = LENGTH / 10;
/** Two seconds per megabyte. */
const MOST_MICROSECONDS = 2 * LENGTH;

describe("a megabyte is redacted within two seconds", inBothLanes, () => {
  const times = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));
  test.each([
    ["letters", times("a")],
    ["Bearer after Bearer", times("Bearer ")],
    ["Bearer and spaces", `Bearer${" ".repeat(LENGTH)}`],
    ["Basic after Basic", times("Basic abcd")],
    ["starts of tokens", times("eyJ-")],
    ["parts of tokens", times("eyJhbGciOiJI.")],
    ["question marks", times("?")],
    ["parameters", times("?token=")],
    ["names of parameters", times("&a")],
    ["schemes", times("://")],
    ["schemes and colons", times("://a:")],
    ["a scheme and colons", `://${times(":a")}`],
    ["quotes", times('"')],
    ["names in quotes", times('"ab":')],
    ["open members", times('"ab":"')],
    ["backslashes", times("\\")],
    ["escaped quotes", times('\\"ab\\":\\"')],
    ["a growing row of backslashes", times('\\\\\\\\"ab')],
    ["JSON", times('{"password":"x","b":1},')],
  ])("%s", (_name, text) => {
    const short = text.slice(0, WARM_UP);
    clean({ text: short, [short]: 1 });
    const before = process.threadCpuUsage();
    clean({ text, [text]: 1 });
    expect(process.threadCpuUsage(before).user).toBeLessThan(MOST_MICROSECONDS);
  });
});

describe("for any value", () => {
  const word = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      ...["Bearer abc123def", "Basic dXNlcjpwYXNz", "?token=x&sig=y", "://u:p@h", 'x "token":"y'],
      ...['\\"token\\":\\"z', OWN],
      ...["=", "\\", "x-api-key: a1\n", "Cookie: a=b; c=d", "password='"],
      ...["[REDACTED:key#1]", "[REDACTED:", "ghp_0123456789abcdefghijABCDEFGHIJ012345"],
      ...["https://x.test/#Abcdefgh12345678", "%3Ftoken%3Dabc", btoa('{"token":"abc"}'), '{"password":1}'],
      ...["<token>abc</token>", "--token abc", "    at f (/home/x.js:1:2)\n", "sk-"],
      ...["-----BEGIN PRIVATE KEY-----"],
    ),
  );
  const text = fc.array(word, { maxLength: 4 }).map((parts) => parts.join(""));
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(
          text,
          fc.constantFrom(
            "token",
            "name",
            "value",
            "author",
            "toJSON",
            "tokens",
            "auth",
            "credentials",
            "pinData",
            "query",
            "type",
            "data",
            "mimeType",
          ),
        ),
        tie("value"),
        {
          maxKeys: 4,
        },
      ),
    ),
  })).value;

  test("redaction does not throw, gives valid JSON, and changes nothing the second time", inBothLanes, () => {
    fc.assert(
      fc.property(json, (value) => {
        const once = clean(value);
        expect(JSON.parse(JSON.stringify(once))).toEqual(JSON.parse(JSON.stringify(once)));
        expect(clean(once)).toEqual(once);
      }),
      // Former failures, which random runs find once in seven thousand.
      {
        numRuns: runs(2_000),
        examples: [
          [[["--token abc?token=x&sig=y", "="]]],
          [{ "Bearer abc123def": { type: "x", "-----BEGIN PRIVATE KEY-----": "Bearer abc123def" } }],
          [{ tokens: { token: [0], "Bearer abc123def": "x" } }],
        ],
      },
    );
  });

  test("no value under a secret's key is shown", inBothLanes, () => {
    fc.assert(
      fc.property(json, fc.constantFrom("password", "x-api-key", "accessToken"), (value, key) => {
        const planted = {
          before: value,
          list: [{ [key]: `${SECRET}${JSON.stringify(value)}` }],
          after: value,
        };
        expect(JSON.stringify(clean(planted))).not.toContain(SECRET);
      }),
      { numRuns: runs(200) },
    );
  });
});
