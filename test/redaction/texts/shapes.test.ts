/** A name and its secret in every shape of text; texts about secrets that hold none; and linear time for both. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { createRules } from "../../../src/redaction/rules.ts";
import { casesOf, inBothLanes } from "../../support/lane.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";
import { SHAPES } from "../corpus/shapes.ts";
import { contextOfRules } from "../rule-context.ts";

const clean = (text: string): unknown => createRedactor([])(text).value;

const NAMES = ["password", "api_key", "client_secret"];
const VALUES = [
  "xDim!WGt#247$sjq",
  "8VrKH7V4QPYpneZa9URed1yL",
  "ecnvkkp34",
  "3c417b2b-baf1-4ae9-ad6f-28a3392f3b8e",
];

describe("a secret is redacted, and redacting again changes nothing, in the shape", () => {
  test.each(SHAPES.map(({ shape, write }) => [shape, write] as const))("%s", (_shape, write) => {
    for (const name of NAMES) {
      for (const value of VALUES) {
        const text = write(name, value);
        const once = String(clean(text));
        expect([text, once.includes(value), once.includes(encodeURIComponent(value))]).toEqual([
          text,
          false,
          false,
        ]);
        expect(clean(once)).toBe(once);
      }
    }
  });
});

describe("the text around a secret stays readable", () => {
  const K = "[REDACTED:key#1]";
  test.each([
    ["**API key:** `k1-abc-9f8e7d`", `**API key:** \`${K}\``],
    ["Incorrect API key provided: abc123de. See x", `Incorrect API key provided: ${K}. See x`],
    ["| user | password |\n|---|---|\n| jo | ab12cd34 |", `| user | password |\n|---|---|\n| jo | ${K} |`],
    ["id,user,password\n1,jo,swordfish\n2,al,", `id,user,password\n1,jo,${K}\n2,al,`],
    ['<add key="Password" value="a b"/>', `<add key="Password" value="${K}"/>`],
    ["<key>password</key>\n<string>ab12cd34</string>", `<key>password</key>\n<string>${K}</string>`],
    ["{&quot;password&quot;:&quot;ab12&quot;}", `{&quot;password&quot;:&quot;${K}&quot;}`],
    ["password: |\n  one\n  two\nhost: x", `password: |\n  ${K}\nhost: x`],
    ['Authorization: Digest username="jo", response="x1"', `Authorization: Digest ${K}`],
    [
      "INSERT INTO t (id, password) VALUES (1, 'a1'), (2, 'a1')",
      `INSERT INTO t (id, password) VALUES (1, '${K}'), (2, '${K}')`,
    ],
    ["aws_secret_access_key: several words in it", `aws_secret_access_key: ${K}`],
    ["overloop_key=AbCd1234EfGh5678IjKl9012", `overloop_key=${K}`],
    ["jo:pw@tcp(x:1)/db", "jo:[REDACTED:url-password#1]@tcp(x:1)/db"],
  ])("%s", (text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(clean(expected)).toBe(expected);
  });
});

describe("a text that names a secret but holds none stays", () => {
  test.each([
    "Please enter your password: it must be 8 characters",
    "Password: 8 characters or more",
    "password = getpass()",
    'password = getpass.getpass("Enter the password: ")',
    'token = os.getenv("API_TOKEN")',
    "token: $json.token",
    "const { token } = await response.json();",
    "token: string - the access token",
    "password: string;",
    "password: Optional[str] = None",
    "validateToken(token: string): Promise<boolean> {",
    "CREATE TABLE users (id INT, password VARCHAR(255) NOT NULL)",
    "| Name | Type | Description |\n|---|---|---|\n| token | string | The access token |",
    "| Option | Default |\n|---|---|\n| `password` | `undefined` |",
    '<label for="password">Password</label><input type="password" name="password" placeholder="Your password">',
    "<th>Password</th><th>Role</th>",
    "The password is required. Your token is invalid.",
    "The token is sent to https://x.test/a1b2c3d4e5",
    "- fix: token refresh in v1.2.3 (#1234)",
    "Password\nMust have 8 characters",
    "cache_key=AbCd1234EfGh5678IjKl9012",
    "node_key=3c417b2b-baf1-4ae9-ad6f-28a3392f3b8e",
    "Token - see https://x.test/docs",
    "password -> hash -> store",
    "curl -u : https://x.test && nc -u :8080",
    "if (token === undefined || type === 'password') {",
    'form.append("password", password)',
    't("password", "Password")',
    "Use `--token <token>` or `API_TOKEN`.",
    "[rfc-cookies]: https://x.test/draft-cookies/",
    "request 0000:00000:0000000:0000000:00000000",
    "mysql -h db -P 3306 -p app",
    "password: ***, secret: <secret>, token: {{ token }}",
  ])("%s", (text) => {
    expect(clean(text)).toBe(text);
  });
});

describe("time grows linearly with the text", () => {
  const { onText, kindOfKey } = createRules([], {});
  const context = contextOfRules(kindOfKey);
  const first = onText.findIndex(({ name }) => name === "connection-strings");
  const last = onText.findIndex(({ name }) => name === "keywords");
  const nameRules = onText.slice(first, last + 1);

  function threadMilliseconds(text: string): number {
    return 1_000 * threadSeconds(() => nameRules.reduce((result, { apply }) => apply(result, context), text));
  }

  const STRETCHES = [
    ...["password:", "password: a ", "pass:", "password\n", "password '", 'password == "a', "token is "],
    ...["=", '"', '"token", '],
    ...["<a ", "<a><![CDATA[", "<td>password</td>"],
    ...["a,b\n", "a,b\na,b\na,b,c\na,b,c\n", "|", "\n"],
    ...["Cookie:", "Authorization: Digest a=b, ", "password: |\n", "mysql -", "--token ", "a:b@tcp("],
    ...["into t (a) values (", "://a:", "→"],
  ];

  test.each(casesOf(STRETCHES, 5))("of repeated %j", inBothLanes, (stretch) => {
    const size = 60_000;
    const write = (length: number): string => stretch.repeat(length / stretch.length);
    threadMilliseconds(write(size));
    const one = threadMilliseconds(write(size));
    // Quadratic work would take 64 times as long; the slack is for garbage collection and cold code.
    expect(threadMilliseconds(write(8 * size))).toBeLessThan(8 * 3 * Math.max(one, 15));
  });
});
