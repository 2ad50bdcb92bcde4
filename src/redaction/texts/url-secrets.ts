/**
 * Secrets in URLs, wherever a URL stands in a text: user info (RFC 3986 section 3.2.1), parameters of the
 * query and of the fragment, and fragments that are keys themselves. A resume link of n8n carries its
 * secret as the parameter `signature`.
 */
import { beginsWithMark } from "../marks.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";

/** Parameters that are secret in a URL, and would be harmless as keys elsewhere. */
const PARAMETERS = new Set(["sig", "key", "code", "hmac", "ticket", "oobcode"]);

/** `?code=es` is a language, `?key=name` a field: what opens a door is longer, and not a word. */
export function isSecretParameter(name: string, value: string, kindOfKey: RuleContext["kindOfKey"]): boolean {
  const kind = kindOfKey(name);
  if (kind === "tokens") return !/^\d{0,9}$/.test(value);
  if (kind !== "none" && kind !== "credentials") return true;
  return (
    PARAMETERS.has(name.toLowerCase()) && value.length >= 10 && /\d|[A-Z].*[a-z]|[a-z].*[A-Z]/.test(value)
  );
}

/** After a sign of a URL, or first in the body of a form. */
const PARAMETER = /((?:^(?=[^\s&]{1,4000}&)|[?&#])([\w.%[\]-]{1,64})=)([^&#\s"'<>\\]+)/g;

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
    !beginsWithMark(value) && isSecretParameter(decoded(name), value, kindOfKey)
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

/** The last `@` before the path ends the user info, so that a password with an `@` in it goes as a whole. */
const PASSWORD = /(:\/\/[^\s/:@"'<>[\\]{0,200}:)([^\s/"'<>\\]{1,500})(@)/g;

const passwords: TextRule = (text, { mark }) =>
  text.replace(PASSWORD, (match: string, before: string, password: string, after: string) =>
    beginsWithMark(password) ? match : before + mark("url-password", decoded(password)) + after,
  );

/** A token in place of the user: `https://<token>@host` or `https://<token>:x-oauth-basic@host`. */
const USER = /(:\/\/)([^\s/:@"'<>\\]{20,300})(?=(?::[^\s/"'<>]{0,200})?@)/g;

const users: TextRule = (text, { mark }) =>
  text.replace(USER, (match: string, before: string, user: string) =>
    /\d/.test(user) && !user.includes("[REDACTED:") ? before + mark("url-user", decoded(user)) : match,
  );

/** A fragment never reaches the server, and so links carry keys there. An anchor is made of words. */
const FRAGMENT = /(:\/\/[^\s"'<>#\\]{1,500}#)([A-Za-z0-9_~+-]{16,500}={0,2})(?![\w/.:%=[])/g;

const fragments: TextRule = (text, { mark }) =>
  text.replace(FRAGMENT, (match: string, before: string, fragment: string) =>
    /\d/.test(fragment) && /[a-z]/.test(fragment) && /[A-Z]/.test(fragment)
      ? before + mark("url-fragment", fragment)
      : match,
  );

export const urlSecrets: TextRule = (text, context) => {
  let result = text;
  if (result.includes("=")) result = parameters(result, context);
  if (result.includes("://")) {
    if (result.includes("@")) result = users(passwords(result, context), context);
    if (result.includes("#")) result = fragments(result, context);
  }
  return result.includes("%3") ? encodedParameters(result, context) : result;
};
