/** The places in n8n's data where a secret may stand. */
import type { FormedSecret, NamedSecret } from "./secrets.ts";

export interface Case {
  readonly kind: string;
  readonly carrier: string;
  /** Recognized by its name, not by its form. */
  readonly isStructural: boolean;
  readonly value: unknown;
  /** None of these may be visible after redaction. */
  readonly secrets: readonly string[];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

interface NamedCarrier {
  readonly carrier: string;
  /** The value stands in prose, where only a value that looks like a token is recognized. */
  readonly isProse?: boolean;
  readonly wrap: (name: string, value: string | number) => unknown;
}

const NAMED_CARRIERS: readonly NamedCarrier[] = [
  {
    carrier: "header pair",
    wrap: (name, value) => ({
      headerParameters: {
        parameters: [
          { name: "Accept", value: "*/*" },
          { name, value },
        ],
      },
    }),
  },
  {
    carrier: "nested object",
    wrap: (name, value) => ({ json: { body: { user: { [name]: value, id: 7 } } } }),
  },
  {
    carrier: "array",
    wrap: (name, value) => [
      [
        ["host", "x.test"],
        [name, value],
      ],
      [{ [name]: [value] }],
    ],
  },
  {
    carrier: "JSON in a string",
    wrap: (name, value) => ({
      body: JSON.stringify({ a: 1, raw: JSON.stringify({ [name]: value, b: [2] }) }),
    }),
  },
  {
    carrier: "URL",
    wrap: (name, value) => ({
      url: `https://x.test/p?a=1&${encodeURIComponent(name)}=${encodeURIComponent(value)}&b=2`,
    }),
  },
  {
    carrier: "error message",
    wrap: (name, value) => ({
      message: `Request failed with body ${JSON.stringify({ a: 1, [name]: value })} (400)`,
    }),
  },
  {
    carrier: "header line in an error",
    isProse: true,
    wrap: (name, value) => ({ message: `Sent\n${name}: ${value}\nand got 400` }),
  },
  {
    carrier: "stack",
    isProse: true,
    wrap: (name, value) => ({ stack: `Error: refused ${name}=${value}\n    at f (/home/node/x.js:1:2)` }),
  },
  { carrier: "base64", wrap: (name, value) => ({ data: base64(JSON.stringify({ [name]: value })) }) },
  {
    carrier: "Buffer",
    wrap: (name, value) => ({ body: Buffer.from(JSON.stringify({ [name]: value })).toJSON() }),
  },
  {
    carrier: "node parameter",
    wrap: (name, value) => ({
      parameters: {
        options: { [name]: value },
        assignments: { assignments: [{ id: "1", name, value, type: "string" }] },
      },
    }),
  },
  {
    carrier: "expression",
    wrap: (name, value) => ({ jsonBody: `={{ ${JSON.stringify({ [name]: value })} }}` }),
  },
  {
    carrier: "binary name",
    isProse: true,
    wrap: (name, value) => ({
      binary: { [`${name}=${value}`]: { mimeType: "text/plain", fileName: `${name}=${value}` } },
    }),
  },
  { carrier: "custom data", wrap: (name, value) => ({ customData: { [name]: String(value) } }) },
  {
    carrier: "cut-off JSON",
    wrap: (name, value) => `{"a":1,"list":[{"${name}":${JSON.stringify(value)},"b":[1,2`,
  },
];

const FORMED_CARRIERS: readonly { readonly carrier: string; readonly wrap: (text: string) => unknown }[] = [
  { carrier: "header pair", wrap: (text) => ({ parameters: [{ name: "X-Note", value: text }] }) },
  { carrier: "nested object", wrap: (text) => ({ json: { body: { note: { text } } } }) },
  { carrier: "array", wrap: (text) => [["a", text, "b"]] },
  {
    carrier: "JSON in a string",
    wrap: (text) => ({ body: JSON.stringify({ raw: JSON.stringify({ note: text }) }) }),
  },
  // A text cut out of another may begin with half an escape sequence.
  { carrier: "behind a literal line end", wrap: (text) => ({ raw: `b'first\\n${text}\\nlast'` }) },
  { carrier: "behind a literal quote", wrap: (text) => ({ raw: `note=\\u0022${text}\\u0022 end` }) },
  { carrier: "error message", wrap: (text) => ({ message: `Refused: ${text}` }) },
  { carrier: "stack", wrap: (text) => ({ stack: `Error: ${text}\n    at f (/home/node/x.js:1:2)` }) },
  { carrier: "base64", wrap: (text) => ({ data: base64(`see ${text}`) }) },
  { carrier: "Buffer", wrap: (text) => ({ data: Buffer.from(text).toJSON() }) },
  {
    carrier: "node parameter",
    wrap: (text) => ({ parameters: { jsCode: `// TODO\nconst a = \`${text}\`;\nreturn a;` } }),
  },
  { carrier: "expression", wrap: (text) => ({ value: `={{ $json.a + ${JSON.stringify(text)} }}` }) },
  {
    carrier: "binary name",
    wrap: (text) => ({ binary: { file: { mimeType: "text/plain", fileName: text } } }),
  },
  { carrier: "custom data", wrap: (text) => ({ customData: { note: text } }) },
  { carrier: "URL", wrap: (text) => ({ url: `https://x.test/?next=${encodeURIComponent(text)}` }) },
  { carrier: "key of an object", wrap: (text) => ({ [text]: 1 }) },
];

export function namedCases(secret: NamedSecret): Case[] {
  const { kind, name, value } = secret;
  return NAMED_CARRIERS.filter(({ isProse }) => isProse !== true || secret.isTokenLike).map(
    ({ carrier, wrap }) =>
      createCase({ kind, carrier, isStructural: true, value: wrap(name, value) }, String(value)),
  );
}

export function formedCases({ kind, text, secret }: FormedSecret): Case[] {
  return FORMED_CARRIERS.map(({ carrier, wrap }) =>
    createCase({ kind, carrier, isStructural: false, value: wrap(text) }, secret),
  );
}

/** Its secrets are worked out when they are read, as most tests look at few of the many cases. */
function createCase(given: Omit<Case, "secrets">, secret: string): Case {
  return {
    ...given,
    get secrets() {
      return traces(secret, given.value);
    },
  };
}

/** Texts that would reveal a part of the secret: pieces of it, and the base64 or bytes that hold it. */
function traces(secret: string, value: unknown): string[] {
  const pieces = secret.length < 12 ? [secret] : windows(secret);
  const encoded = JSON.stringify(value).match(/[A-Za-z0-9+/]{24,}={0,2}/g) ?? [];
  const holding = encoded.filter((run) => Buffer.from(run, "base64").toString().includes(secret));
  return [...pieces, encodeURIComponent(secret), ...holding, [...Buffer.from(secret)].join(",")];
}

const WINDOW = 10;

function windows(secret: string): string[] {
  return Array.from({ length: secret.length - WINDOW + 1 }, (_, at) => secret.slice(at, at + WINDOW));
}
