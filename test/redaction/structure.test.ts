/** Values redacted for where they stand: keys, pairs, credentials, n8n's own state, bytes; and how marks are numbered. */
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const SECRET = "hunter2-7f3a";
const redact = createRedactor([]);
const clean = (value: unknown) => redact(value).value;

describe("the key", () => {
  test.each(
    "passwordHash password_confirmation newPassword2 apiKeyValue x-api-key-v2 API_KEY_PROD secretText authorizationHeader tokenValue x-hub-signature-256 contraseña пароль 密码 session-token connect.sid PHPSESSID cvv pass\u200bword ＰＡＳＳＷＯＲＤ".split(
      " ",
    ),
  )("%s is secret", (key) => {
    expect(JSON.stringify(clean({ [key]: SECRET }))).not.toContain(SECRET);
  });

  test.each(
    `
      passwordLength tokenType tokenExpiresAt secretName costPerToken timeToFirstToken maxTokens tokenUsage cookieConsent
      signatureValid authType compassion keyboard authorId traceId nextCursor nextToken emailSignature passed auth0
      author authors authority authenticationType authorizedAt totalTokens
      promptTokens token_count tokenizer nextPageToken pageToken syncToken continuationToken key keys primaryKey monkey
      publicKey keyName secretary cookieCount passenger compass bypass bearerName requestId constructor
    `
      .trim()
      .split(/\s+/),
  )("%s is not secret", (key) => {
    expect(clean({ [key]: SECRET })).toEqual({ [key]: SECRET });
  });
});

describe("under a secret's key", () => {
  test.each([null, "", "  ", true, false, "***", "**hidden**", {}, []])(
    "the placeholder %j stays",
    (value) => {
      expect(clean({ password: value })).toEqual({ password: value });
    },
  );

  test.each(["={{ $json.token }}", "=Bearer {{ $('Log in').item.json.access_token }}", "{{ $env.API_KEY }}"])(
    "the expression %s stays, as it only refers to a secret",
    (value) => {
      expect(clean({ token: value })).toEqual({ token: value });
    },
  );

  test.each([`={{ "${SECRET}" }}`, `={{ $json.a || "${SECRET}" }}`, `={{ $json.a }}${SECRET}`])(
    "the expression %s is redacted, as it holds a secret",
    (value) => {
      expect(JSON.stringify(clean({ token: value }))).not.toContain(SECRET);
    },
  );
});

describe("ambiguous keys", () => {
  test("tokens stay if they are counts, and are redacted if they are texts", () => {
    const value = {
      tokens: 512,
      a: { tokens: "512" },
      b: { tokens: { prompt: 5, completion: 6 } },
      pass: 12,
    };
    expect(clean(value)).toEqual(value);
    expect(JSON.stringify(clean({ tokens: [SECRET], a: { tokens: { one: SECRET } } }))).not.toContain(SECRET);
  });

  test("an authentication scheme under auth stays, anything else is redacted", () => {
    expect(clean({ auth: "basic" })).toEqual({ auth: "basic" });
    expect(JSON.stringify(clean({ auth: SECRET, b: { auth: { user: "ana", pass: SECRET } } }))).not.toContain(
      SECRET,
    );
  });

  test.each(["authentication", "incomingAuthentication"])("an ordinary word under %s stays", (key) => {
    expect(clean({ [key]: "seen" })).toEqual({ [key]: "seen" });
  });

  test("the schema of a secret stays within a schema, but its examples are redacted", () => {
    const password = { type: "string", title: "Password", description: "A password", minLength: 8 };
    const schema = { type: "object", properties: { password }, required: ["password"] };
    expect(clean(schema)).toEqual(schema);
    const withDefault = {
      ...schema,
      properties: { password: { ...password, default: SECRET, examples: [SECRET], secret: SECRET } },
    };
    expect(JSON.stringify(clean(withDefault))).not.toContain(SECRET);
  });

  test("an object outside a schema that looks like the schema of a secret is redacted", () => {
    expect(clean({ password: { type: "string", title: SECRET, description: SECRET } })).toEqual({
      password: { type: "string", title: "[REDACTED:key#1]", description: "[REDACTED:key#1]" },
    });
  });
});

test("an object below a secret's key keeps its shape, and loses every text and number", () => {
  expect(clean({ secret: { user: SECRET, list: [1, { deep: SECRET }], on: true, none: null } })).toEqual({
    secret: {
      user: "[REDACTED:key#1]",
      list: ["[REDACTED:key#2]", { deep: "[REDACTED:key#1]" }],
      on: true,
      none: null,
    },
  });
});

describe("the value of a pair with a secret's name is redacted", () => {
  test.each([
    [{ key: "password", value: SECRET }],
    [{ headerName: "X-Api-Key", headerValue: SECRET }],
    [{ fieldName: "client_secret", fieldValue: SECRET }],
    [{ id: "1", name: "token", type: "string", value: SECRET }],
    [["x-api-key", SECRET]],
    ["--token", SECRET],
  ])("%j", (...value) => {
    expect(JSON.stringify(clean(value))).not.toContain(SECRET);
  });

  test("in the rawHeaders of Node, printed", () => {
    const rawHeaders = ["Host", "x.test", "Set-Cookie", `a=${SECRET}`, "X-Auth-Token", SECRET];
    const printed = inspect({ rawHeaders });
    expect(JSON.stringify(clean({ message: printed }))).not.toContain(SECRET);
    expect(JSON.stringify(clean({ message: printed }))).toContain("x.test");
  });

  test("in pairs whose first looks like the header of a table", () => {
    const pairs = [
      ["authorization", SECRET],
      ["x-api-key", SECRET],
      ["cookie", `a=${SECRET}`],
      ["accept", "text/html"],
    ];
    expect(JSON.stringify(clean(pairs))).not.toContain(SECRET);
    expect(JSON.stringify(clean(pairs))).toContain("text/html");
  });

  test.each([[["This is grenadine."]], [["This field is grenadine9."]], ["This field is required."]])(
    "in a list that is no list of reasons for a refusal: %j",
    (password) => {
      expect(JSON.stringify(clean({ password }))).toMatch(/^\{"password":\[?"\[REDACTED:key#1\]"\]?\}$/);
    },
  );

  test("in the streams of form-data", () => {
    const head = (name: string): string => `----x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
    const streams = [head("api_key"), "grenadine", null, head("city"), "Berlin", null];
    expect(clean({ _streams: streams })).toEqual({
      _streams: [head("api_key"), "[REDACTED:key#1]", null, head("city"), "Berlin", null],
    });
  });

  test("in the rawHeaders of Node", () => {
    expect(clean({ rawHeaders: ["Host", "x.test", "Cookie", `a=${SECRET}`] })).toEqual({
      rawHeaders: ["Host", "x.test", "Cookie", "[REDACTED:key#1]"],
    });
  });

  test("but not in a list of names", () => {
    const value = { fields: ["token", "password", "email"], columns: [["id", "name"]] };
    expect(clean(value)).toEqual(value);
  });

  test("key and code only as URL parameters", () => {
    const code = "4/0AbCdEfGh12345";
    expect(clean({ query: { code, key: "status" }, code })).toEqual({
      query: { code: "[REDACTED:key#1]", key: "status" },
      code,
    });
    expect(clean({ queryParameters: { parameters: [{ name: "key", value: code }] } })).toEqual({
      queryParameters: { parameters: [{ name: "key", value: "[REDACTED:key#1]" }] },
    });
  });
});

describe("credentials", () => {
  test("show only their type and name", () => {
    expect(clean({ credentials: { slackApi: { id: "12", name: "Slack account" } } })).toEqual({
      credentials: { slackApi: { name: "Slack account" } },
    });
  });

  test("of any other shape are redacted", () => {
    const value = {
      credentials: { user: "ana", password: SECRET, nested: [{ token: SECRET }] },
      b: { credentials: SECRET },
    };
    expect(JSON.stringify(clean(value))).not.toMatch(/ana|hunter2/);
    expect(clean({ credentials: "include" })).toEqual({ credentials: "include" });
  });
});

describe("n8n's internal state", () => {
  test("is always redacted", () => {
    const value = {
      runtimeData: { a: SECRET },
      pushRef: SECRET,
      staticData: { x: 1 },
      pinData: { N: [1] },
      resumeToken: SECRET,
    };
    expect(clean(value)).toEqual({
      runtimeData: "[REDACTED:internal]",
      pushRef: "[REDACTED:internal]",
      staticData: "[REDACTED:internal]",
      pinData: "[REDACTED:internal]",
      resumeToken: "[REDACTED:key#1]",
    });
  });

  test("stays when it is empty", () => {
    const value = { staticData: null, pinData: {}, pushRef: "" };
    expect(clean(value)).toEqual(value);
  });
});

describe("bytes", () => {
  const bufferOf = (text: string | Buffer): unknown => JSON.parse(JSON.stringify(Buffer.from(text)));

  test("of a text without a secret stay", () => {
    expect(clean(bufferOf("hello there"))).toEqual(bufferOf("hello there"));
  });

  test("of a text with a secret are redacted", () => {
    expect(clean(bufferOf(`password=${SECRET}`))).toEqual({ type: "Buffer", data: "[REDACTED:buffer#1]" });
  });

  test("that are no text are replaced by their size", () => {
    expect(clean(bufferOf(Buffer.from([0x89, 0x50, 0, 255, 254])))).toEqual({
      type: "Buffer",
      data: "[REDACTED:binary]",
      size: 5,
    });
  });

  test("of a file are removed, and its description stays", () => {
    const file = { mimeType: "image/png", fileName: "a.png", fileSize: "2 kB", data: "iVBORw0KGgo=" };
    expect(clean({ binary: { data: file } })).toEqual({
      binary: { data: { ...file, data: "[REDACTED:binary]" } },
    });
    const url = `see data:image/png;base64,${"iVBORw0K".repeat(40)} there`;
    expect(clean({ url })).toEqual({ url: "see data:image/png;base64,[REDACTED:binary] there" });
  });

  test("in base64 are decoded, also in a path and under several layers", () => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const layers = base64(JSON.stringify({ raw: JSON.stringify({ token: SECRET }) }));
    expect(clean(`got ${layers}.`)).toBe("got [REDACTED:base64#1].");
    expect(clean(`/files/${layers}/x`)).toBe("/files/[REDACTED:base64#1]/x");
    const harmless = base64(JSON.stringify({ lastId: "6", limit: 100 }));
    expect(clean(harmless)).toBe(harmless);
  });
});

describe("the number of a mark", () => {
  test("is the same for the same secret, wherever it stands", () => {
    const value = {
      authorization: `Bearer ${SECRET}`,
      message: `sent Bearer ${SECRET}, then Bearer other-77`,
      url: `https://x.test/?token=${SECRET}`,
      body: JSON.stringify({ apiKey: SECRET }),
    };
    expect(clean(value)).toEqual({
      authorization: "[REDACTED:bearer#1]",
      message: "sent Bearer [REDACTED:bearer#1], then Bearer [REDACTED:bearer#2]",
      url: "https://x.test/?token=[REDACTED:bearer#1]",
      body: '{"apiKey":"[REDACTED:bearer#1]"}',
    });
    expect(redact(value).counts).toEqual({ bearer: 5 });
  });

  test("starts again with each answer", () => {
    expect(clean({ token: "one" })).toEqual(clean({ token: "two" }));
  });
});

test("a number too large for JavaScript keeps its digits in rewritten JSON", () => {
  const text = '{"id":12345678901234567890,"password":"x1"}';
  expect(clean(text)).toBe('{"id":"12345678901234567890","password":"[REDACTED:key#1]"}');
});

test("the first of two members with the same name is redacted too", () => {
  expect(clean(`{"password":"${SECRET}","password":null}`)).not.toContain(SECRET);
});

describe("settings", () => {
  test("can add keys, matched as whole words at the end of a key", () => {
    const more = createRedactor([], { keys: ["customer number", "x-tenant"] });
    expect(
      more({
        customerNumber: 42,
        primary_customer_number: "a",
        customerNumbers: 1,
        "X-Tenant": "t",
        tenant: "t",
      }).value,
    ).toEqual({
      customerNumber: "[REDACTED:key#1]",
      primary_customer_number: "[REDACTED:key#2]",
      customerNumbers: 1,
      "X-Tenant": "[REDACTED:key#3]",
      tenant: "t",
    });
    expect(more("sent X-Tenant: acme").value).toBe("sent X-Tenant: [REDACTED:key#1]");
  });

  test("can allow a key, but secrets in its value are still redacted", () => {
    const less = createRedactor([], { allow: ["deviceToken"] });
    expect(less({ device_token: "abc", token: "abc", deviceToken: "Bearer abc123" }).value).toEqual({
      device_token: "abc",
      token: "[REDACTED:key#1]",
      deviceToken: "Bearer [REDACTED:bearer#1]",
    });
  });

  test("cannot allow a key of the baseline", () => {
    const less = createRedactor([], { allow: ["password", "x-api-key", "pinData"] });
    expect(
      JSON.stringify(less({ password: SECRET, "X-API-Key": SECRET, pinData: { a: SECRET } }).value),
    ).not.toContain(SECRET);
  });

  test("can redact personal data", () => {
    const value = {
      mail: "write to ana.garcia+x@mail.example.com now",
      phone: "call +34 612 345 678 or (212) 555-0199",
      card: "4111 1111 1111 1111",
      account: "ES91 2100 0418 4502 0005 1332",
      ids: "4111111111111112 2026-11-21 10:30:00 1795185565718 20261121103000 ES0000000000000000000000",
      uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
    };
    expect(clean({ ...value, card: "", account: "" })).toEqual({ ...value, card: "", account: "" });
    const personal = createRedactor([], { personalData: true });
    const once = personal(value);
    expect(once.value).toEqual({
      mail: "write to [REDACTED:email#1] now",
      phone: "call [REDACTED:phone#1] or [REDACTED:phone#2]",
      card: "[REDACTED:card#1]…1111",
      account: "[REDACTED:iban#1]…1332",
      ids: value.ids,
      uuid: value.uuid,
    });
    expect(personal(once.value).value).toEqual(once.value);
  });
});

test("a GitHub app's permissions for secrets stay", () => {
  const permissions = { secrets: "read", organization_secrets: "write" };
  expect(createRedactor([])({ permissions }).value).toEqual({ permissions });
});
