/** Whether the value after a name is a secret, judged by the name, the value and their layout. */
import { AUTH_SCHEME, isAuthenticationSecret } from "../key-rules.ts";
import { looksLikeToken } from "../text-rule.ts";
import type { NamedLabel } from "./labels-before.ts";
import { isLikely, isPlaceholder, isPossible, isTokenLike } from "./plausible-values.ts";
import type { Value } from "./values-after.ts";

export const isHeader = (name: string): boolean =>
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?)$/i.test(name);

/** A name of several joined words, which does not occur in prose. */
const isCompound = (name: string): boolean => /[\p{L}\p{N}][-_.][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(name);

interface Candidate extends NamedLabel {
  readonly value: string;
  readonly form: Value["form"];
  /** `a=b`, without spaces around the sign. */
  readonly isTight: boolean;
  /** The name is in backticks, as in a text about it. */
  readonly isMentioned: boolean;
  /** Part of a comparison, so that the value may be one of several names. */
  readonly isCompared: boolean;
  readonly endsLine: boolean;
}

/** Whether a header's line is a credential or a cookie, and not a sentence about one. */
function isHeaderValue(name: string, value: string): boolean {
  if (/cookie/i.test(name)) return value.includes("=");
  const words = value.slice(0, 1_000).split(/\s+/);
  if (words.length > 1 && words.some(isPlaceholder)) return false;
  return words.some(looksLikeToken) || words.length <= 2;
}

export function isSecretValue(candidate: Candidate): boolean {
  const { kind, name, value, form } = candidate;
  if (form === "bracket") return value.length > 2;
  if (!isPossible(value) || (kind === "auth" && AUTH_SCHEME.test(value))) return false;
  if (kind === "authentication" && !isAuthenticationSecret(value)) return false;
  if (form === "block" || form === "groups") return true;
  if (form === "next-line") return isLikely(value);
  if (form === "quoted") return isQuotedSecret(candidate);
  if (value === name || name.endsWith(`.${value}`)) return false;
  if (form === "line") return isHeaderValue(name, value);
  return isSecretWord(candidate);
}

function isQuotedSecret({ kind, name, value, isPhrase, isCompared }: Candidate): boolean {
  // If it begins with a comma or the like, the opening quote was in fact the closing quote of another text.
  if (/^\s*[,;)\]}+]/.test(value)) return isTokenLike(value);
  if (kind === "tokens" && /^\d{1,9}$/.test(value)) return false;
  if (isCompared) return value !== name && looksLikeToken(value) && /[^\p{L}_.-]/u.test(value);
  return !isPhrase || !/^[\p{L} ]*$/u.test(value);
}

function isSecretWord(candidate: Candidate): boolean {
  const { kind, name, value, isTight, isMentioned, isPhrase, isCompared, endsLine } = candidate;
  // No word of prose is this long, and the value is not reread from the next name in it.
  if (value.length > 500) return true;
  if (isCompared) return false;
  // `PASS: test-2` is how tests end.
  if (kind === "tokens")
    return isTight ? !/^\d{1,9}$/.test(value) : (name === "PASS" ? isTokenLike : isLikely)(value);
  if (isMentioned) return looksLikeToken(value);
  if (isPhrase) return isLikely(value) || (endsLine && /^\d{4,12}$/.test(value));
  // Okta's factors: `token:software:totp`.
  if (name === "token" && /^[a-z]{1,19}(?::[a-z]{1,19})+$/.test(value)) return false;
  if (isCompound(name)) return value.length >= 2;
  return isTight || (looksLikeToken(value) && (value.length >= 4 || endsLine));
}
