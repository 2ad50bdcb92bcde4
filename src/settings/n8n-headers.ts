/**
 * `N8N_HEADERS`: additional request headers, which something in front of n8n may require (Cloudflare Access, a proxy
 * with basic authentication). They are secret: redaction knows their values, and no message quotes them.
 */
import { isObject } from "../platform/is-object.ts";
import { parseJson } from "../platform/parse-json.ts";
import { fail } from "./values.ts";

const SETTING = "N8N_HEADERS";
const SOLUTION =
  "Write one header per line, as in `CF-Access-Client-Id: <id>`, or a JSON object of names and values.";

/** RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** RFC 9110 section 5.5, without its obsolete parts: printable ASCII, spaces and tabs inside. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
const MAX_HEADERS = 20;

/** Set by us or by the connection: another value would change the request or its destination. */
const FORBIDDEN = new Set(
  (
    "host x-n8n-api-key accept accept-encoding connection content-encoding content-length content-type expect " +
    "keep-alive origin range te trailer transfer-encoding upgrade x-http-method x-http-method-override " +
    "x-method-override"
  ).split(" "),
);

/** A conditional request may be answered without a body (RFC 9110 section 13). */
const CONDITIONAL = /^if-/;

/** Header name in lower case → value. @throws ObserverError `CONFIGURATION_ERROR`, which quotes no value */
export function parseN8nHeaders(text: string): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const [index, [name, value]] of entriesOf(text).entries()) {
    checkHeader(name, value, index + 1);
    const key = name.toLowerCase();
    if (headers.has(key))
      fail(SETTING, `has the header ${key} twice`, "Keep one of the two, and take the other out.");
    headers.set(key, value);
  }
  if (headers.size > MAX_HEADERS)
    fail(SETTING, `has more than ${MAX_HEADERS} headers`, "Keep those that are needed to reach n8n.");
  return Object.fromEntries(headers);
}

function checkHeader(name: string, value: string, position: number): void {
  if (!NAME.test(name)) fail(SETTING, `has no header name in entry ${position}`, SOLUTION);
  const key = name.toLowerCase();
  if (FORBIDDEN.has(key) || CONDITIONAL.test(key))
    fail(
      SETTING,
      `may not set ${key}`,
      "Take this header out: the server sets it, or it would change the request.",
    );
  if (!VALUE.test(value))
    fail(
      SETTING,
      `has a malformed value for ${key}`,
      "A value is one line of printable ASCII, up to 4,096 characters. Copy it again, without line breaks.",
    );
}

const entriesOf = (raw: string): (readonly [string, string])[] =>
  raw.startsWith("{") ? jsonEntries(raw) : lineEntries(raw);

function lineEntries(raw: string): (readonly [string, string])[] {
  const lines = raw.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name = "", value = ""] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    return [name.trim(), value.trim()];
  });
}

function jsonEntries(raw: string): (readonly [string, string])[] {
  const parsed = parseJson(raw);
  if (!isObject(parsed)) fail(SETTING, "is not valid JSON", SOLUTION);
  return Object.entries(parsed).map(([name, value]) => [name.trim(), typeof value === "string" ? value : ""]);
}

/** Each value in the setting, for redaction. Never throws: a malformed text is secret as a whole. */
export function secretsInN8nHeaders(text: string): string[] {
  try {
    return secretsInHeaderValues(entriesOf(text).map(([, value]) => value));
  } catch {
    return secretsInHeaderValues([text]);
  }
}

/** Each value, the credential behind a scheme (`Basic …`), and the password in it. */
export const secretsInHeaderValues = (values: readonly string[]): string[] => [
  ...new Set(values.flatMap((value) => [value, ...credentialsIn(value)])),
];

/** RFC 7235 section 2.1, RFC 7617 section 2. */
function credentialsIn(value: string): string[] {
  const [, scheme = "", credential] = /^([A-Za-z-]{1,40}) +(\S+)$/.exec(value) ?? [];
  if (credential === undefined) return [];
  return scheme.toLowerCase() === "basic" ? [credential, ...passwordIn(credential)] : [credential];
}

function passwordIn(credential: string): string[] {
  try {
    const [, ...password] = atob(credential).split(":");
    return password.length === 0 ? [] : [password.join(":")];
  } catch {
    // Not base64, so there is no password in it.
    return [];
  }
}
