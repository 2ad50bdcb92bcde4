/** Secrets in free text, recognized only by the name before them; and prose about secrets that holds none. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const clean = (text: string): unknown => createRedactor([])(text).value;
const K = "[REDACTED:key#1]";

describe("a value after a secret's name is redacted", () => {
  test.each([
    ["x-api-key: abc", `x-api-key: ${K}`],
    ["GET /\r\nX-Api-Key: abc\r\nHost: x", `GET /\r\nX-Api-Key: ${K}\r\nHost: x`],
    ["Cookie: a=b; token=c; d=e\nHost: x", `Cookie: ${K}\nHost: x`],
    ["Set-Cookie: sid=abc; HttpOnly", `Set-Cookie: ${K}`],
    ["Authorization: Token abc then", `Authorization: Token ${K} then`],
    ["authorization: Bearer abc", "authorization: Bearer [REDACTED:bearer#1]"],
    [`curl -H 'X-Name: a1' -H "Cookie: s=1"`, `curl -H 'X-Name: a1' -H "Cookie: ${K}"`],
    ["password=abc", `password=${K}`],
    ["password: abc1", `password: ${K}`],
    ["password: $ecret", `password: ${K}`],
    // No reason why it was refused.
    ["api_key: the blue horse", `api_key: ${K}`],
    ["api_key: sommer is not valid", `api_key: ${K}`],
    ["DB_PASSWORD=correct, PORT=1", `DB_PASSWORD=${K}, PORT=1`],
    ["{ password: 'swordfish', user: 'ana' }", `{ password: '${K}', user: 'ana' }`],
    ['{"a":1,"otp":123456,"b":', `{"a":1,"otp":"${K}","b":`],
    // Redacted twice: by its structure, then as the value after a name.
    ['{"a":1,"secret":{"x":["y"]},"b":', '{"a":1,"secret":[REDACTED:key#2],"b":'],
    ['{"secret":{"x":["y', '{"secret":[REDACTED:key#2]'],
    ["ada@example.com:hunter2x9", `ada@example.com:${K}`],
    ["--api-key abc --verbose", `--api-key ${K} --verbose`],
    ["<ns:apiKey>abc</ns:apiKey>", `<ns:apiKey>${K}</ns:apiKey>`],
    ["Server=x;Pwd=abc;User=b", `Server=x;Pwd=${K};User=b`],
    ["headers['x-api-key'] = 'abc'", `headers['x-api-key'] = '${K}'`],
    [
      "https://proxy.example.com/?url=https://hooks.zapier.com/hooks/catch/bJdWL5uSLdrqauDu",
      "https://proxy.example.com/?url=https://hooks.zapier.com/hooks/catch/[REDACTED:url-secret#1]",
    ],
    [
      "https://app.example.com/verify?redirect=https://shop.example.com&t=aB3xK9mQ2zT7pL5w",
      "https://app.example.com/verify?redirect=https://shop.example.com&t=[REDACTED:url-secret#1]",
    ],
    ["Bearer abcdefghijklmnop=", "Bearer [REDACTED:bearer#1]"],
  ])("%s", (text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(clean(expected)).toBe(expected);
  });
});

describe("a text that names a secret but holds none stays", () => {
  test.each([
    "Wrong username or password: please try again",
    "Authorization: required",
    "token: string; // the token",
    `password: $${"{DB_PASSWORD}"}`,
    "password=$DB_PASSWORD ./run",
    "const token = $json.headers.token;",
    "const token = await getToken();",
    "apiKey: process.env.API_KEY!,",
    "console.log('Token:', token);",
    "Authorization: Bearer <token>",
    "headers: { Authorization: 'Bearer ' + token }",
    "auth: { type: 'x' }",
    "SELECT * FROM t WHERE token = $1 AND key = ?",
    "a token (see below) = a string",
    "git@github.com:acme/app2.git",
    "clone git@github.com:acme/app2.git first",
    "The author: Ana. Total tokens: 5",
    "password: ***",
    "signature: none",
    "tokens: 512",
    "Use `api_key`: a string",
    "Authorization is required!",
    '401 - "Authorization is required!"',
    "Authorization: required.",
    "Token is invalid!",
    "Password is incorrect!",
    "API key is missing!",
    "token: expired!",
    "This endpoint requires Bearer authentication.",
    'Bearer realm="api", error="invalid_token"',
    "api_key: Field required",
    "api_key: can't be blank | access_token: must be a string",
    "client_secret: This field is required. Please try again",
    "body.password: Input should be a valid string",
  ])("%s", (text) => {
    expect(clean(text)).toBe(text);
  });
});

describe("a file path in a stack trace is redacted", () => {
  test.each([
    ["    at f (/usr/lib/node_modules/n8n/x.js:1:2)", "    at f ([REDACTED:path]:1:2)"],
    [
      "    at async Object.<anonymous> (file:///home/node/a b/x.mjs:10:20)",
      "    at async Object.<anonymous> ([REDACTED:path]:10:20)",
    ],
    ["    at /srv/app/index.js:3:4", "    at [REDACTED:path]:3:4"],
    ["    at f (C:\\Users\\ana\\x.js:1:2)", "    at f ([REDACTED:path]:1:2)"],
    ['  File "/usr/lib/python3/json.py", line 3, in f', '  File "[REDACTED:path]", line 3, in f'],
    [
      '{"stack":"Error: x\\n    at f (/home/x.js:1:2)"}',
      '{"stack":"Error: x\\n    at f ([REDACTED:path]:1:2)"}',
    ],
  ])("%s", (text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});

describe("a location that is no file path of the server stays", () => {
  test.each([
    "    at f (node:internal/process:1:2)",
    "    at f (evalmachine.<anonymous>:3:7)",
    "look at /docs/setup and at 10:30:15",
    "at https://x.test/a.js:1:2",
  ])("%s", (text) => {
    expect(clean(text)).toBe(text);
  });
});
