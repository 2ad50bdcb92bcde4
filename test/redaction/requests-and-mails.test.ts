/** Secrets as n8n's nodes, the services they call, and mails write them. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const clean = (value: unknown): unknown => createRedactor([])(value).value;
const shown = (value: unknown): string => JSON.stringify(clean(value));

const HEX = "9f8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d";
const TOKEN = "q7Rt2LmZ9xWv4KpB";
const ESC = "\u001b";
const LINES = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
] as const;

describe("a private key in code is redacted as a whole", () => {
  test.each([
    [
      "as concatenated literals",
      `const key = "-----BEGIN PRIVATE KEY-----\\n" +\n  "${LINES[0]}\\n" +\n  "${LINES[1]}\\n" +\n  "-----END PRIVATE KEY-----\\n";`,
    ],
    [
      "as literals in single quotes",
      `const key = '-----BEGIN PRIVATE KEY-----\\n' +\n  '${LINES[0]}\\n' +\n  '${LINES[1]}\\n' +\n  '-----END PRIVATE KEY-----\\n';`,
    ],
    [
      "as adjacent literals",
      `key = (\n "-----BEGIN RSA PRIVATE KEY-----\\n"\n "${LINES[0]}\\n"\n "${LINES[1]}\\n"\n "-----END RSA PRIVATE KEY-----\\n"\n)`,
    ],
    [
      "as a joined list",
      `const key = ["-----BEGIN PRIVATE KEY-----", "${LINES[0]}", "${LINES[1]}", "-----END PRIVATE KEY-----"].join("\\n");`,
    ],
    ["without its armour", `const key = "${LINES[0]}${LINES[1]}";`],
  ])("%s", (_form, jsCode) => {
    const text = shown({ parameters: { jsCode } });
    for (const line of LINES) expect(text).not.toContain(line);
  });
  test("and the code around it stays", () => {
    const jsCode =
      'const pem = "-----BEGIN PRIVATE KEY-----\\n" + body + "\\n-----END PRIVATE KEY-----"; return [{ json: { ok: 1 } }];';
    expect(shown({ jsCode })).toContain("return [{ json: { ok: 1 } }];");
  });
});

describe("a secret is redacted despite terminal colours around its name and value", () => {
  test.each([
    `${ESC}[1mpassword:${ESC}[0m ${TOKEN}`,
    `${ESC}[93mAPI_KEY${ESC}[0m=${ESC}[32m${TOKEN}${ESC}[0m`,
    `token: ${ESC}[32m'${TOKEN}'${ESC}[39m,`,
    `"token": ${ESC}[32m"${TOKEN}"${ESC}[39m`,
    `${ESC}[36msk-${TOKEN}${TOKEN}${ESC}[39m`,
  ])("%j", (stdout) => expect(shown({ stdout })).not.toContain(TOKEN));
});

test("a header name that n8n stores as an expression is recognized", () => {
  const parameters = [
    { name: "=Authorization", value: `API-Key ${TOKEN}` },
    { name: "={{ $json.header }}", value: "text/html" },
  ];
  expect(clean({ headerParameters: { parameters } })).toEqual({
    headerParameters: { parameters: [{ name: "=Authorization", value: "[REDACTED:key#1]" }, parameters[1]] },
  });
});

describe("a secret parameter in a query stored as JSON is redacted", () => {
  test.each([
    { jsonQuery: `{"key":"${HEX}","q":"Berlin"}` },
    { jsonQuery: `={"key":"${HEX}","q":"{{ $json.city }}"}` },
    { queryParametersJson: `{"appid":"${HEX}"}` },
  ])("%j", (parameters) => expect(shown({ parameters })).not.toContain(HEX));
  test("and the other parameters stay", () =>
    expect(shown({ jsonQuery: `{"key":"${HEX}","q":"Berlin"}` })).toContain("Berlin"));
  test("also in axios' params beside its url", () => {
    const text = shown({
      config: { url: "https://api.example.com", method: "get", params: { appid: HEX, q: "Berlin" } },
    });
    expect(text).not.toContain(HEX);
    expect(text).toContain("Berlin");
  });
});

describe("a random value of a parameter that ends in key is redacted", () => {
  test.each(["userkey", "user_key", "rlkey", "rsskey", "shareKey"])("%s", (name) =>
    expect(shown({ url: `https://example.com/feed?a=1&${name}=${HEX}` })).not.toContain(HEX),
  );
  test.each(["sortkey=created_at", "key=PROJ-123", "userkey=ada", "cachekey=2026-01-01"])(
    "but not %s",
    (parameter) => expect(shown({ url: `https://example.com/feed?${parameter}` })).toContain(parameter),
  );
});

describe("the password among the arguments of a remote procedure call is redacted", () => {
  test.each([
    {
      jsonrpc: "2.0",
      method: "call",
      params: {
        service: "object",
        method: "execute_kw",
        args: ["db", 2, TOKEN, "res.partner", "search_read", []],
      },
    },
    {
      jsonrpc: "2.0",
      method: "call",
      params: { service: "common", method: "login", args: ["db", "ada@example.com", TOKEN] },
    },
    {
      jsonrpc: "2.0",
      method: "call",
      params: { service: "common", method: "authenticate", args: ["db", "ada@example.com", TOKEN, {}] },
    },
  ])("Odoo: %j", (body) => {
    expect(shown({ body })).not.toContain(TOKEN);
    expect(shown({ jsonBody: `=${JSON.stringify(body)}` })).not.toContain(TOKEN);
    expect(shown({ body })).toContain('"db"');
  });
  test("TrueNAS", () =>
    expect(shown({ msg: "method", method: "auth.login_with_api_key", params: [`8-${TOKEN}`] })).not.toContain(
      TOKEN,
    ));
});

describe("a sign-in code in a mail is redacted", () => {
  test.each([
    "Enter this code to log in:\n\n482913\n\nIt expires in 10 minutes",
    "Enter this code to sign in\n\n482913\n\nThis code will expire in 15 minutes.",
    "Enter the code below to confirm your email address:\n\n482913\n\nThanks",
    "Please use the code below to verify your email address.\n\n482913\n\nThanks",
    "Use this code to finish signing in: 482913",
    "Geben Sie diesen Code ein, um sich anzumelden:\n\n482913",
    "Saisissez ce code pour vous connecter :\n\n482913",
    "Introduce este código para iniciar sesión:\n\n482913",
    '<p>Enter this code to log in:</p><p style="font-size:24px"><b>482913</b></p>',
    '<p>Use the code below to sign in</p>\n<table><tr><td align="center">482913</td></tr></table>',
  ])("%j", (text) => expect(shown({ text })).not.toContain("482913"));
  test.each([
    "Your order:\n\n482913\n",
    "To continue, enter your order number:\n\n482913",
    "Enter this product code in the shop: 482913",
    "Enter this promo code to get a discount: 482913",
    "Use the coupon code below to save 10%:\n\n482913",
    "The error code to look up is 482913",
    "Invoice number\n482913",
  ])("but not %j", (text) => expect(clean({ text })).toEqual({ text }));
});

describe("a key recognizable only by its form is redacted", () => {
  test.each([
    "cosmo_69b9f425705c10e576aa6ade81d91e1a",
    "akab-tblc7jkffv3wfxh3-h5stbzeswb3v4kj3",
    `TlRMTVNTUAADAAAAGAAYAFYAAAAYABgAbgAAAAAAAABIAAAADgAOAEgAAAAAAAAA${TOKEN}`,
  ])("%s", (key) => expect(shown({ note: `it is ${key} now` })).not.toContain(key));
});

describe("a secret is redacted despite invisible characters", () => {
  test.each([
    `<p>Passwort:&nbsp;<b>${TOKEN}</b></p>`,
    `<p>Mot de passe&nbsp;: ${TOKEN}</p>`,
    `<p>API&#160;Key: ${TOKEN}</p>`,
    `<td>Password:&nbsp;</td><td>${TOKEN}</td>`,
    `Password:\u200e ${TOKEN}`,
    `Pass&shy;word: &zwnj;${TOKEN}`,
    `a\u00a0b Password:&nbsp;${TOKEN}`,
  ])("%j", (html) => expect(shown({ html })).not.toContain(TOKEN));

  test.each([
    "482\u200b913 is your verification code",
    "Your code is \u200e482913",
    "Your code is:&nbsp;482913",
  ])("%j", (text) => expect(shown({ text })).not.toMatch(/482\u200b?913/));

  test("and invisible characters stay where there is no secret", () => {
    const value = { log: `${ESC}[32mdone${ESC}[0m`, html: "<p>a&nbsp;b&#160;c</p>", name: "می\u200cخواهم" };
    expect(clean(value)).toEqual(value);
    expect(clean({ html: `a&nbsp;b <b>Password:</b>&nbsp;${TOKEN}` })).toEqual({
      html: "a&nbsp;b <b>Password:</b>&nbsp;[REDACTED:key#1]",
    });
  });
});

describe("the value after a label in markup is redacted", () => {
  test.each([
    `<b>Password:</b> ${TOKEN}`,
    `<b>Login:</b> ada\n<b>Password:</b> ${TOKEN}\nsee you there <i>Ada</i>`,
    `Password:<br>${TOKEN}`,
    `<p>API key:</p>\n${TOKEN}`,
  ])("%j", (message) => expect(shown({ message })).not.toContain(TOKEN));

  test.each(["<b>Password:</b> see the attached file v2", "<b>Token:</b> expires 2026-01-01"])(
    "but not %j",
    (message) => expect(clean({ message })).toEqual({ message }),
  );
});
