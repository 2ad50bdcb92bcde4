/** Credentials after their scheme (Bearer, Basic), and the secret inside a credential value. */
import { looksLikeToken, marking, type TextRule } from "./text-rule.ts";

/** RFC 6750 section 2.1: `Bearer` and a token of the `b64token` letters. */
const BEARER =
  /(?:\b|(?<=\\[nrt]|u00[0-9a-f]{2}))(bearer[ \t]+)(?![a-z_]{2,30}=\\?")([A-Za-z0-9._~+/=-]{4}[A-Za-z0-9._~+/=-]*)/gi;

/** Not the end of a sentence (`Bearer authentication.`), nor a parameter of a challenge (`Bearer realm="…"`). */
const bearer = marking(
  BEARER,
  (token) => looksLikeToken(token.replace(/\.$/, "")) && !/^[a-z_]{2,30}=\w/.test(token),
  "bearer",
);

/** RFC 7617 section 2: `Basic` and base64 of `user:password`. */
const BASIC = /(?:\b|(?<=\\[nrt]|u00[0-9a-f]{2}))(basic[ \t]+)([A-Za-z0-9+/_-]{4}[A-Za-z0-9+/_-]*={0,2})/gi;

/** Whether letters and padding have a length that base64 can have; cheaper than the decoder's error. */
function hasLengthOfBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return padding === 0 ? text.length % 4 !== 1 : text.length % 4 === 0;
}

function isBasicCredential(text: string): boolean {
  if (!hasLengthOfBase64(text)) return false;
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/")).includes(":");
  } catch {
    // Not base64, so not a credential.
    return false;
  }
}

const basic = marking(
  BASIC,
  (credential) => isBasicCredential(credential) || (credential.length >= 20 && /\d/.test(credential)),
  "basic",
);

/** RFC 7515 section 7.1, RFC 7516: three to five parts of base64url; the first is JSON. */
const WHOLE_JWT = /^(?:eyJ|ewo)[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{0,}(?:\.[A-Za-z0-9_-]*){1,3}$/;
const SCHEME = /^(bearer|basic|digest|token|apikey|api-key|negotiate|hawk|oauth)[ \t]+(\S[\s\S]*)$/i;

/**
 * The secret in the value of a secret's key, and its kind. The scheme is left out, so that a header's token is
 * recognized where it occurs without its scheme.
 */
export function credentialIn(value: string): { readonly kind: string; readonly secret: string } {
  const [, scheme = "", credential = ""] = SCHEME.exec(value) ?? [];
  const kind = scheme.toLowerCase();
  if (kind === "bearer" || kind === "basic") return { kind, secret: credential };
  if (WHOLE_JWT.test(value)) return { kind: "jwt", secret: value };
  return { kind: "key", secret: credential === "" ? value : credential };
}

const hasScheme = /bearer|basic/i;

export const credentialValues: TextRule = (text, context) =>
  hasScheme.test(text) ? basic(bearer(text, context), context) : text;
