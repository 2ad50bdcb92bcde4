import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redact.ts";

const redact = createRedactor([]);
const shown = (value: unknown): string => JSON.stringify(redact(value).value);
const SECRET = "k1te-letmein9x";

describe("a password that belongs to a login", () => {
  it.each([
    ["a slash in it, in an address that was refused", `Invalid URL: postgres://jo:ab/${SECRET}@db:5432/shop`],
    ["a slash in it, at the end", `amqp://jo:ab/${SECRET}@queue.example.com`],
    ["a host that was not found", `getaddrinfo ENOTFOUND jo:${SECRET}@db.example.com`],
    ["a signature or an at sign in it", `getaddrinfo EAI_AGAIN https://jo:ab@${SECRET}@db.example.com`],
    ["arguments of Python", `requests.get(url, **{'auth': ('jo', '${SECRET}')})`],
    ["options of Guzzle", `$client->get($url, ['auth' => ['jo', '${SECRET}']]);`],
    ["options as Node.js prints them", inspect({ auth: ["jo", SECRET] })],
    ["a field of a page", `await page.fill('input[name="password"]', '${SECRET}')`],
    ["a field by its type", `await $page.type('input[type=password]', '${SECRET}')`],
    ["a field by its id", `await page.type("#login-password", "${SECRET}")`],
    [
      "escaped markup with attributes",
      `&lt;ns:ApiKey xmlns=&quot;urn:x&quot;&gt;${SECRET}&lt;/ns:ApiKey&gt;`,
    ],
  ])("is not shown: %s", (_where, text) => {
    expect(shown(text)).not.toContain("letmein");
    expect(shown({ message: `failed: ${JSON.stringify({ text })}` })).not.toContain("letmein");
  });

  it.each([
    "http://registry:4873/@types/node is not there",
    "https://example.com:8080/a/b@c/d answered 502",
    "http://localhost:port/@scope/name",
    "https://{host}:{port}/users/@me/guilds",
    "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3k44dddkhm22c",
    "getaddrinfo ENOTFOUND db.example.com",
    "auth: ['basic', 'bearer']",
    `await page.fill('input[name="city"]', 'Berlin2')`,
    "&lt;city name=&quot;b&quot;&gt;Berlin2&lt;/city&gt;",
  ])("is not seen where there is none: %s", (text) => {
    expect(redact(text).value).toBe(text);
  });
});

describe("the password of a Redis command that its client adds to an error", () => {
  it.each([
    ["ioredis", { name: "ReplyError", command: { name: "auth", args: ["default", SECRET] } }],
    ["ioredis, protocol 3", { command: { name: "hello", args: ["3", "AUTH", "jo", SECRET] } }],
    ["a name after the password", { command: "HELLO", args: ["3", "AUTH", "jo", SECRET, "SETNAME", "n8n"] }],
    ["node-redis", { command: "AUTH", args: [SECRET], code: "WRONGPASS" }],
    ["as Node.js prints it", inspect({ command: { name: "auth", args: ["default", SECRET] } })],
    ["a command line", `HELLO 3 AUTH jo ${SECRET}`],
  ])("is not shown: %s", (_client, error) => {
    expect(shown({ error })).not.toContain("letmein");
  });

  it.each([
    { command: { name: "set", args: ["order", "k1te-9x"] } },
    { command: "HELLO", args: ["3"] },
    { name: "hello", params: ["Alice"] },
    { name: "auth", command: "npx", args: ["-y", "auth-server"] },
    JSON.parse('{ "args": [], "name": { "toString": 1 }, "method": { "toString": 1 } }'),
  ])("is not seen in anything else: %j", (value) => {
    expect(redact(value).value).toEqual(value);
  });
});
