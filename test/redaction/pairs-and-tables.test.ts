/** Structures in which a secret's name and value are separate: pairs, tables, lists; and look-alikes. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const SECRET = "kzmixjw55";
const redact = createRedactor([]);
const clean = (value: unknown) => redact(value).value;
const shown = (value: unknown): string => JSON.stringify(clean(value));

describe("the value of a pair with a secret's name is redacted", () => {
  test.each<[string, unknown]>([
    ["Name, Value", { Name: "password", Value: SECRET }],
    ["k, v", { k: "password", v: SECRET }],
    ["compound members", { OptionName: "DbPassword", OptionValue: SECRET }],
    ["question and answer", { question: "Password", answer: SECRET }],
    ["another language", { nombre: "password", valor: SECRET }],
    ["the field of a form", { type: "password", value: SECRET }],
    ["an SSM parameter", { Name: "/db/x", Type: "SecureString", Value: SECRET }],
    ["a default", { name: "password", default: SECRET }],
    ["a nested value", { name: "password", value: { stringValue: SECRET } }],
    ["a nested name", { field: { id: "x", ref: "password" }, type: "text", text: SECRET }],
    ["a value under its type", { type: "short_text", short_text: SECRET, label: "Password" }],
    ["JSON Patch", { op: "replace", path: "/users/1/password", value: SECRET }],
    ["a change", { field: "password", oldValue: "old1", newValue: SECRET }],
    ["a sensitive Terraform output", { value: SECRET, type: "string", sensitive: true }],
    ["an XML element", { $: { key: "password" }, _: SECRET }],
    ["members as lists, as parsed from XML", { name: ["password"], value: [SECRET] }],
    ["a nested question", { question: { text: "Password" }, answer: { text: SECRET } }],
    ["two texts under any names", { left: "password", right: SECRET }],
    ["two members with any names", { field: "password", entered_: SECRET }],
    ["a Kubernetes secret", { kind: "Secret", data: { a: "a3ptaXhqdzU1" }, stringData: { b: SECRET } }],
    ["DynamoDB", { password: { S: SECRET } }],
  ])("in %s", (_name, value) => {
    for (const each of [value, [value], { fields: [{ name: "user", value: "jo" }, value] }]) {
      expect(shown(each)).not.toContain(SECRET);
      expect(shown(each)).not.toContain("a3ptaXhqdzU1");
      expect(clean(clean(each))).toEqual(clean(each));
    }
  });

  test.each<[string, unknown]>([
    ["a description", { name: "password", type: "string", required: true, description: "Of the account" }],
    ["a label beside it", { name: "password", text: "Password", value: "" }],
    [
      "a heading with its text",
      { title: "How to reset a password", text: "Open the settings and choose one" },
    ],
    [
      "the input and output of a node",
      { nodeName: "Get access token", input: { a: 1 }, output: { b: "x-1" } },
    ],
    ["a grant", { grant_type: "password", client: "web-1" }],
    ["a parser's token", { type: "token", value: "hello" }],
    ["an ordinary pair", { name: "color", value: "red-55-blue" }],
    ["a reference", { name: "token", value: "={{ $json.a }}{{ $json.b ?? '' }}" }],
    [
      "a mail's public DKIM signature",
      { name: "DKIM-Signature", value: "v=1; a=rsa-sha256; q=dns/txt; b=AbC9" },
    ],
  ])("but not in %s", (_name, value) => {
    expect(clean(value)).toEqual(value);
  });
});

describe("the secret column of a table is redacted", () => {
  test.each<[string, unknown]>([
    [
      "columns and rows",
      {
        columns: ["id", "password"],
        rows: [
          [1, SECRET],
          [2, SECRET],
        ],
      },
    ],
    ["columns with their types", { fields: [{ name: "id" }, { name: "password" }], rows: [[1, SECRET]] }],
    ["rows under any name", { header: ["id", "password"], lines: [["1", SECRET]] }],
    [
      "BigQuery",
      { schema: { fields: [{ name: "password", type: "STRING" }] }, rows: [{ f: [{ v: SECRET }] }] },
    ],
    ["a sheet", { range: "A1:B2", values: [["user", "password"], ["jo", SECRET], [], ["al", SECRET]] }],
    ["names and values apart", { names: ["user", "password"], values: ["jo", SECRET] }],
    [
      "a sheet without a header",
      [
        { A: "user", B: "password" },
        { A: "jo", B: SECRET },
      ],
    ],
    ["columns by name", { password: [SECRET, SECRET] }],
  ])("in %s", (_name, value) => {
    expect(shown(value)).not.toContain(SECRET);
  });

  test("and the other columns stay", () => {
    expect(clean({ columns: ["id", "password"], rows: [[1, SECRET]] })).toEqual({
      columns: ["id", "password"],
      rows: [[1, "[REDACTED:key#1]"]],
    });
  });

  test.each<[unknown]>([
    [{ columns: ["id", "name"], rows: [[1, "kzmixjw55"]] }],
    [{ L: [{ S: "Cookies" }, { S: "Coffee" }] }],
    [{ required: ["password", "token"], properties: {} }],
  ])("but nothing in %j, which is no table or holds no secret", (value) => {
    expect(clean(value)).toEqual(value);
  });
});

describe("a secret in a list is redacted", () => {
  test.each<[string, unknown]>([
    ["as a flat pair", { args: ["password", SECRET] }],
    ["among alternating names and values", ["user", "jo", "password", SECRET, "age", 7]],
    ["as a command-line argument", { argv: ["tool", "--password", SECRET] }],
    ["after -p of a database client", { command: ["mysql", "-u", "root", "-p", SECRET] }],
    ["after -p without a program", ["-p", SECRET]],
    ["after -u of curl", ["curl", "-u", `jo:${SECRET}`, "https://x.test"]],
    ["as bytes", [...Buffer.from(`password=${SECRET}`)]],
    ["as characters", [...`password=${SECRET}`]],
    ["as characters under their index", { ...[...`password=${SECRET}`] }],
  ])("%s", (_name, value) => {
    const text = shown(value);
    expect(text).not.toContain(SECRET);
    expect(text.replaceAll(/[",]/g, "")).not.toContain(SECRET);
    expect(text).not.toContain([...Buffer.from(SECRET)].join(","));
    expect(text).not.toContain(String([...SECRET].map((sign, at) => `"${at + 9}":"${sign}"`)));
  });

  test("as the lines of a private key", () => {
    const lines = [
      "-----BEGIN RSA PRIVATE KEY-----",
      "MIIBOgIBAAJBAKj34G",
      "kzmixjw55==",
      "-----END RSA PRIVATE KEY-----",
    ];
    expect(clean({ lines: ["a", ...lines, "b"] })).toEqual({
      lines: ["a", ...lines.map(() => "[REDACTED:private-key]"), "b"],
    });
  });

  test.each<[unknown]>([
    [["the", "password", "is", "x1y2"]],
    [["docker", "run", "-p", "8080:80", "image"]],
    [["mkdir", "-p", "a1/b2"]],
    [{ scopes: ["token", "refresh_token"] }],
  ])("but nothing in %j", (value) => {
    expect(clean(value)).toEqual(value);
  });
});

describe("keys that are names chosen by users or schemas", () => {
  test("a node named after credentials stays", () => {
    const workflow = {
      connections: { "Get Credentials": { main: [[{ node: "Call", type: "main", index: 0 }]] } },
    };
    expect(clean(workflow)).toEqual(workflow);
  });

  const run = { startTime: 1, executionTime: 2, source: [], executionStatus: "success" };

  test("runs of a node named after a secret stay, but secrets in them are redacted", () => {
    const runData = {
      "Get access token": [{ ...run, data: { main: [[{ json: { city: "Lugo", token: SECRET } }]] } }],
    };
    const redacted = shown({
      resultData: { runData },
      nodeTypes: { "Get access token": "n8n-nodes-base.set" },
    });
    expect(redacted).toContain("Lugo");
    expect(redacted).toContain("n8n-nodes-base.set");
    expect(redacted).not.toContain(SECRET);
  });

  test("a list under a secret's key is not taken for a list of runs", () => {
    expect(shown({ "Get access token": [{ startTime: 1, value: SECRET }] })).not.toContain(SECRET);
  });

  test("OpenAPI security schemes and requirements stay", () => {
    const api = {
      openapi: "3.1.0",
      paths: { "/a": { get: { responses: {}, security: [{ bearerAuth: ["read:users"] }] } } },
      components: {
        securitySchemes: {
          apiToken: { type: "apiKey", in: "header", name: "X-Key", description: "From the console" },
          password: {
            type: "oauth2",
            flows: {
              clientCredentials: { tokenUrl: "https://x.test/t", scopes: { "token:read": "Read it" } },
            },
          },
        },
      },
    };
    expect(clean(api)).toEqual(api);
    expect(shown({ securitySchemes: { password: { type: "http", title: SECRET } } })).not.toContain(SECRET);
  });

  test("a word in a security requirement that is no scope is redacted", () => {
    expect(shown({ security: [{ password: [SECRET] }] })).not.toContain(SECRET);
  });

  test("sessionKey of a memory node stays, as it identifies a conversation", () => {
    const node = {
      type: "@n8n/n8n-nodes-langchain.memoryPostgresChat",
      parameters: { sessionKey: "chat-77" },
    };
    expect(clean(node)).toEqual(node);
    expect(clean({ sessionKey: "chat-77" })).toEqual({ sessionKey: "[REDACTED:key#1]" });
  });

  test("the credentials of an old workflow are a name, which stays", () => {
    const node = { type: "n8n-nodes-base.telegram", parameters: {}, credentials: { telegramApi: "my bot" } };
    expect(clean(node)).toEqual(node);
    expect(shown({ credentials: { telegramApi: SECRET } })).not.toContain(SECRET);
  });
});

describe("below a secret's key", () => {
  test("the claims of an ID token stay, those under a password do not", () => {
    const claims = { sub: "user123", email: "a@x.test", exp: 1 };
    expect(clean({ idToken: claims })).toEqual({ idToken: claims });
    expect(shown({ password: { sub: SECRET, email: "a@x.test" } })).not.toContain(SECRET);
  });

  test("of a decoded token only the standard claims and header stay", () => {
    const claims = { exp: 1_790_000_000, scope: "read write", aud: "app" };
    const header = { alg: "RS256", typ: "JWT", kid: "2026-1" };
    expect(clean({ jwt: { ...claims, note: "grenadine" } })).toEqual({
      jwt: { ...claims, note: "[REDACTED:key#1]" },
    });
    expect(
      clean({ accessToken: { header, payload: { ...claims, jti: "grenadine" }, signature: "abc" } }),
    ).toEqual({
      accessToken: {
        header,
        payload: { ...claims, jti: "[REDACTED:key#1]" },
        signature: "[REDACTED:key#2]",
      },
    });
    const assertion = { issuer: "https://id.test", nameID: "jo@x.test", attributes: { groups: ["a"] } };
    expect(clean({ samlResponse: { ...assertion, sessionIndex: "grenadine" } })).toEqual({
      samlResponse: { ...assertion, sessionIndex: "[REDACTED:key#1]" },
    });
    // Secrets within a token are redacted as anywhere, and a password has no claims.
    expect(clean({ samlResponse: { attributes: { password: "grenadine" } } })).toEqual({
      samlResponse: { attributes: { password: "[REDACTED:key#1]" } },
    });
    expect(clean({ password: { scope: "grenadine", payload: { iss: "grenadine" } } })).toEqual({
      password: { scope: "[REDACTED:key#1]", payload: { iss: "[REDACTED:key#1]" } },
    });
  });

  test("a record keeps the attributes of its secret", () => {
    const record = { id: 1, title: "Test", created_at: "2016-11-15T14:15:10-05:00" };
    expect(clean({ tokens: [{ ...record, access_token: SECRET }] })).toEqual({
      tokens: [{ ...record, access_token: "[REDACTED:key#1]" }],
    });
  });

  test("the ARN of a secret stays", () => {
    const arn = "arn:aws:secretsmanager:us-east-1:111122223333:secret:id-ABCD1E";
    expect(clean({ secret: arn })).toEqual({ secret: arn });
  });
});

test("one of the server's own secrets is redacted even in a value that otherwise stays", () => {
  const own = createRedactor(["own-secret-0123"]);
  expect(own({ secret: "arn:aws:sns:us-east-1:1:own-secret-0123" }).value).toEqual({
    secret: "arn:aws:sns:us-east-1:1:[REDACTED:own-secret]",
  });
});
