/**
 * Secrets in URLs, wherever a URL stands in a text: user info (RFC 3986 section 3.2.1), parameters of the
 * query and of the fragment, and fragments that are keys themselves. A resume link of n8n carries its
 * secret as the parameter `signature`.
 */

import { isSecretBeside } from "../key-rules.ts";
import { beginsWithMark } from "../marks.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";
import { matchAt } from "./characters.ts";
import { Edits } from "./edits.ts";

/** Parameters that are secret in a URL, and would be harmless as keys elsewhere. */
const PARAMETERS = new Set(["sig", "key", "code", "hmac", "ticket", "oobcode", "appid", "app_id"]);

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
const PARAMETER = /((?:^(?=[^\s&]{1,4000}&)|[?&#])([\p{L}\p{M}\p{N}_.%+$@[\]-]{1,256})=)([^&#\s"'<>\\]+)/gu;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded after all.
    return text;
  }
}

const parameters: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(PARAMETER, (match: string, before: string, name: string, value: string) =>
    !beginsWithMark(value) && isSecretParameter(decoded(name.replaceAll("+", " ")), value, kindOfKey)
      ? before + mark("url-secret", decoded(value))
      : match,
  );

/** A URL inside a parameter of another: its own separators are encoded. */
const ENCODED_PARAMETER =
  /((?:%3F|%26|%23)([\w.-]{1,64})%3D)((?:[\w.~+/!*'()-]|%(?!26|23)[0-9A-F]{2}){1,2000})/gi;

const encodedParameters: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(ENCODED_PARAMETER, (match: string, before: string, name: string, value: string) =>
    isSecretParameter(name, value, kindOfKey) ? before + mark("url-secret", decoded(decoded(value))) : match,
  );

/** RFC 3986 section 3.2: an authority ends at the path, and where a text ends a URL. */
const endsAuthority = (code: number): boolean =>
  code <= 32 || Number.isNaN(code) || "/\"'<>\\".includes(String.fromCharCode(code));
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

/** A fragment never reaches the server, and so links carry keys there. An anchor is made of words. */
const FRAGMENT = /[A-Za-z0-9_~+-]{16,500}={0,2}(?![\w/.:%=[])/y;
const MAX_URL = 500;

const fragments: TextRule = (text, { mark }) => {
  const edits = new Edits(text);
  let scheme = -1;
  let next = text.indexOf("://");
  for (let at = text.indexOf("#"); at >= 0 && next >= 0; at = text.indexOf("#", at + 1)) {
    while (next >= 0 && next < at) {
      scheme = next;
      next = text.indexOf("://", next + 1);
    }
    if (next < 0) next = text.length;
    if (scheme < 0 || at - scheme > MAX_URL) continue;
    const [fragment = ""] = matchAt(FRAGMENT, text, at + 1) ?? [];
    if (!/\d/.test(fragment) || !/[a-z]/.test(fragment) || !/[A-Z]/.test(fragment)) continue;
    if (/[\s"'<>#\\]/.test(text.slice(scheme + 3, at))) continue;
    edits.replace(at + 1, at + 1 + fragment.length, mark("url-fragment", fragment));
  }
  return edits.result();
};

export const urlSecrets: TextRule = (text, context) => {
  let result = text;
  if (result.includes("=")) result = parameters(result, context);
  if (result.includes("://")) {
    if (result.includes("@")) result = userInfo(result, context);
    if (result.includes("#")) result = fragments(result, context);
  }
  return result.includes("%3") ? encodedParameters(result, context) : result;
};
