/**
 * Secrets in URLs, wherever a URL stands in a text: user info (RFC 3986 section 3.2.1), and parameters of the query
 * and of the fragment. A resume link of n8n carries its secret as the parameter `signature`.
 */

import { Edits } from "../edits.ts";
import { isSecretBeside } from "../key-rules.ts";
import { beginsWithMark } from "../marks.ts";
import { aroundIn, redactAccount } from "../structure/account-numbers.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";

/** Parameters that are secret in a URL, and would be harmless as keys elsewhere. */
const PARAMETERS = new Set(["sig", "key", "code", "hmac", "ticket", "appid", "zak"]);

/** `?code=es` is a language, `?key=name` a field: what opens a door is longer, and not a word. */
export function isSecretParameter(name: string, value: string, kindOfKey: RuleContext["kindOfKey"]): boolean {
  const kind = kindOfKey(name);
  if (kind === "internal" || isSecretBeside(kind, value)) return true;
  if (kind !== "none" && kind !== "credentials") return false;
  return PARAMETERS.has(name.toLowerCase()) && value.length >= 10 && isNoWord(value);
}

/** Each test by itself: a pattern of both cases, one somewhere after the other, is quadratic in a long word. */
const isNoWord = (value: string): boolean => /\d/.test(value) || (/[A-Z]/.test(value) && /[a-z]/.test(value));

/** After a sign of a URL, or first in the body of a form. */
const PARAMETER =
  /((?:^(?=[^\s&]{1,4000}&)|[?#]|&(?:amp;)?)([\p{L}\p{M}\p{N}_.%+$@[\]-]{1,256})=)([^&#\s"'<>\\]+)/gu;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded after all.
    return text;
  }
}

const parameters: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(PARAMETER, (match: string, before: string, encoded: string, value: string, at: number) => {
    if (beginsWithMark(value)) return match;
    const name = decoded(encoded.replaceAll("+", " "));
    if (isSecretParameter(name, value, kindOfKey)) return before + mark("url-secret", decoded(value));
    const around = aroundIn(text, at, at + match.length);
    const account = redactAccount(name, decoded(value.replaceAll("+", " ")), mark, around);
    return account === undefined ? match : before + account;
  });

/** A URL inside a parameter of another: its own separators are encoded. */
const ENCODED_PARAMETER =
  /((?:%3F|%26|%23)([\w.-]{1,64})%3D)((?:[\w.~+/!*'()-]|%(?!26|23)[0-9A-F]{2}){1,2000})/gi;

const encodedParameters: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(ENCODED_PARAMETER, (match: string, before: string, name: string, value: string) =>
    isSecretParameter(name, value, kindOfKey) ? before + mark("url-secret", decoded(decoded(value))) : match,
  );

/** Where a text ends a URL; RFC 3986 section 3.2: an authority ends at the path too. */
export const endsUrl = (code: number): boolean =>
  code <= 32 || code === 34 || code === 39 || code === 60 || code === 62 || code === 92 || Number.isNaN(code);
const endsAuthority = (code: number): boolean => code === 47 || endsUrl(code);
const MAX_AUTHORITY = 1_000;

/**
 * User info, before the last `@` of the authority, so that a password with an `@` in it goes as a whole. A token
 * may stand in place of the user: `https://<token>@host` or `https://<token>:x-oauth-basic@host`.
 */
const userInfo: TextRule = (text, { mark }) => {
  const edits = new Edits(text);
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at)) {
    at += 3;
    const from = at;
    let last = -1;
    while (at - from < MAX_AUTHORITY && !endsAuthority(text.charCodeAt(at))) {
      if (text[at] === "@") last = at;
      at += 1;
    }
    if (last < 0) continue;
    const info = text.slice(from, last);
    const colon = info.indexOf(":");
    const user = colon < 0 ? info : info.slice(0, colon);
    if (/^[^@]{20,300}$/.test(user) && /\d/.test(user) && !user.includes("[REDACTED:")) {
      edits.replace(from, from + user.length, mark("url-user", decoded(user)));
    }
    const password = colon < 0 ? "" : info.slice(colon + 1);
    if (password === "" || user.includes("[REDACTED") || beginsWithMark(password)) continue;
    edits.replace(from + colon + 1, last, mark("url-password", decoded(password)));
  }
  return edits.result();
};

export const urlSecrets: TextRule = (text, context) => {
  let result = text;
  if (result.includes("=")) result = parameters(result, context);
  if (result.includes("://") && result.includes("@")) result = userInfo(result, context);
  return result.includes("%3") ? encodedParameters(result, context) : result;
};
