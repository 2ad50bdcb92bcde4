/**
 * Secrets that are recognised by their own form, wherever they stand in a text. Each pattern is linear:
 * one class repeated, no alternatives inside repetitions.
 */

import { isSensitiveKey } from "./sensitive-keys.ts";

export interface SecretPattern {
  /** Stands in the mark: `[REDACTED:kind]`. */
  readonly kind: string;
  /** Must be in the text (in lower case) for the pattern to be tried. */
  readonly keyword: string;
  readonly pattern: RegExp;
  /** What stays, given the match and its groups; undefined leaves the match as it is. */
  readonly replace: (mark: string, match: string, ...groups: string[]) => string | undefined;
}

/** `Bearer authentication` is prose; a token has a digit or a sign in it, or is long. */
function looksLikeToken(text: string): boolean {
  return text.length >= 20 || /[^A-Za-z]/.test(text);
}

/** Parameters of URLs that are secret there, and would be harmless as keys elsewhere. */
const SECRET_PARAMETERS = new Set(["sig", "key", "code"]);

function isSecretParameter(name: string): boolean {
  return SECRET_PARAMETERS.has(name.toLowerCase()) || isSensitiveKey(name);
}

/** RFC 7617: base64 of `user:password`. */
function isBasicCredential(text: string): boolean {
  try {
    return atob(text).includes(":");
  } catch {
    // Not base64, so no credential.
    return false;
  }
}

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    kind: "bearer",
    keyword: "bearer",
    pattern: /\b(bearer[ \t]+)([A-Za-z0-9._~+/=-]{4,})/gi,
    replace: (mark, _match, scheme = "", token = "") => (looksLikeToken(token) ? scheme + mark : undefined),
  },
  {
    kind: "basic",
    keyword: "basic",
    pattern: /\b(basic[ \t]+)([A-Za-z0-9+/]{4,}={0,2})/gi,
    replace: (mark, _match, scheme = "", token = "") =>
      isBasicCredential(token) ? scheme + mark : undefined,
  },
  {
    // n8n's resume links carry the resume token as `signature`: whoever reads it can resume the workflow.
    kind: "url-secret",
    keyword: "=",
    pattern: /((?:^|[?&])([\w.-]{1,64})=)([^&#\s"'<>\\]+)/g,
    replace: (mark, _match, before = "", name = "") => (isSecretParameter(name) ? before + mark : undefined),
  },
  {
    // JSON held in a string: no schema tells its keys, so that they are looked for in the text.
    kind: "key",
    keyword: '"',
    pattern: /("([\w.-]{2,64})"\s{0,4}:\s{0,4}")((?:[^"\\]|\\.)+)/gs,
    replace: (mark, _match, before = "", name = "") => (isSensitiveKey(name) ? before + mark : undefined),
  },
  {
    // The same one level deeper, where quotes are escaped.
    kind: "key",
    keyword: '\\"',
    pattern: /((\\+")([\w.-]{2,64})\2\s{0,4}:\s{0,4}\2)(.+?)(?=\2|$)/gs,
    replace: (mark, _match, before = "", _quote, name = "") =>
      isSensitiveKey(name) ? before + mark : undefined,
  },
  {
    kind: "url-password",
    keyword: "://",
    pattern: /(:\/\/[^\s/:@"']{0,200}:)([^\s/@"']{1,500})(@)/g,
    replace: (mark, _match, before = "", _password, after = "") => before + mark + after,
  },
  {
    kind: "jwt",
    keyword: "eyj",
    // Only the start of a run is tried, else a run of starts would cost its square.
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
    replace: (mark) => mark,
  },
];
