/**
 * Which keys hold secrets, whatever way they are spelled: `x-api-key`, `xApiKey`, `X_API_KEY`, `x.api.key`
 * are one. Compares words, so that `author` or `totalTokens` are not taken for `authorization` or `token`.
 * Pure.
 */

/**
 * What a key says of its value.
 * `secret`: it is one. `auth`: one, unless it names a scheme (`"basic"`). `tokens`: texts are, counts are
 * not. `internal`: state of n8n that nobody needs to see. `credentials`: references, kept as type and name.
 */
export type KeyKind = "none" | "secret" | "auth" | "tokens" | "internal" | "credentials";

/** Names of schemes that stand under `auth`, as in `{ "auth": "basic" }`. */
export const AUTH_SCHEME =
  /^(?:none|no|off|basic|bearer|digest|oauth|oauth1|oauth2|apikey|api-key|api_key|jwt|header|query|custom|predefined|anonymous|public|required|optional)$/i;

interface Classification {
  readonly kind: KeyKind;
  /** Part of what no setting can switch off. */
  readonly isBaseline: boolean;
}

const NONE: Classification = { kind: "none", isBaseline: false };
const baseline = (kind: KeyKind): Classification => ({ kind, isBaseline: true });
const allowable = (kind: KeyKind): Classification => ({ kind, isBaseline: false });

const listed = (words: string): string[] => words.split(/\s*,\s*/);

/** The last word of a key that makes its value a secret. */
const LAST_WORDS = new Map<string, Classification>([
  ...listed("authorization, cookie, cookies, secret, secrets, passphrase, passcode, bearer").map(
    (word) => [word, baseline("secret")] as const,
  ),
  // "Password", as those write it who named the field in their own language.
  ...listed(
    "password, passwords, passwd, pwd, pw, passwort, kennwort, contraseña, contrasena, senha, passe, wachtwoord, lösenord, hasło, парол, пароль, 密码, 密碼, パスワード, 비밀번호",
  ).map((word) => [word, baseline("secret")] as const),
  ...listed("token, jwt, otp, totp, cvv, cvc, sessid, phpsessid, jsessionid, mnemonic, signature, sig").map(
    (word) => [word, allowable("secret")] as const,
  ),
  ["credential", baseline("secret")],
  ["credentials", baseline("credentials")],
  ["auth", allowable("auth")],
  ["pass", allowable("tokens")],
  ["tokens", allowable("tokens")],
]);

/** Two last words that do so together. */
const LAST_PAIRS = new Map<string, Classification>([
  ...listed(
    "api key, api keys, private key, private keys, access key, access keys, secret key, secret keys, account key, auth key, client key, encryption key, decryption key, shared key, signing key, subscription key, master key, functions key, hmac key, session key, access token, refresh token, id token, session token, auth token, api token, bearer token, resume token, security token, shared access",
  ).map((pair) => [pair, baseline("secret")] as const),
  ...listed(
    "consumer key, application key, app key, admin key, write key, server key, service key, role key, integration key, deploy key, ssh key, license key, licence key, activation key, seed phrase, recovery phrase, recovery code, recovery codes, backup codes, verification code, security code, auth code, authorization code, pin code, access code, code verifier, client assertion, connect sid",
  ).map((pair) => [pair, allowable("secret")] as const),
]);

/** Written as one word without a seam to split at. */
const JOINED =
  /(?:apikey|accesskey|privatekey|secretkey|authtoken|accesstoken|refreshtoken|idtoken|sessiontoken|apitoken|resumetoken|secret|password|passwd|passphrase)$/;

/** Members of an execution that are n8n's own state (n8n `IRunExecutionData`, `IWorkflowBase`). */
const INTERNAL = new Set(["runtimedata", "pushref", "staticdata", "pindata"]);

/** Names that would only annoy: they end like a secret and are none. */
const HARMLESS = new Set(
  listed(
    "continuation token, next token, page token, next page token, previous page token, sync token, next sync token, cancel token, cancellation token, stop token, stop tokens, eos token, bos token, pad token, unk token, cls token, sep token, mask token, special tokens, email signature, method signature, function signature",
  ),
);
/** `costPerToken`, `timeToFirstToken`: measures of text, not of access. */
const COUNTING_WORDS = new Set(
  listed(
    "per, first, last, max, min, each, num, total, prompt, completion, input, output, cached, reasoning, used, remaining, estimated",
  ),
);

/** Says in which form or version the value is, not that it is something else. */
const VALUE_SUFFIXES = new Set(
  listed(
    "value, values, text, string, plain, plaintext, raw, data, header, headers, hash, hashed, encoded, encrypted, base64, confirm, confirmation, confirmed, repeat, repeated, again, old, new, current, previous, backup, prod, production, dev, development, test, live, staging, sandbox, v1, v2, v3",
  ),
);

/** `xApiKey`, `x-api-key`, `X_API_KEY`, `x.api.key` → `["x", "api", "key"]`. */
function wordsOf(key: string): string[] {
  return key
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** `passwordHash`, `API_KEY_2`, `password1` → without what says nothing of the kind. */
function withoutSuffixes(words: readonly string[]): readonly string[] {
  let end = words.length;
  while (end > 1 && (VALUE_SUFFIXES.has(words[end - 1] ?? "") || /^\d+$/.test(words[end - 1] ?? "")))
    end -= 1;
  return words.slice(0, end);
}

/** `password1` → `password`; but `auth0` is a name. */
function withoutDigits(word: string): string {
  const letters = word.replace(/\d{1,4}$/, "");
  return letters === "auth" || letters === "" ? word : letters;
}

function classifyWords(words: readonly string[]): Classification {
  if (INTERNAL.has(words.join(""))) return baseline("internal");
  if (HARMLESS.has(words.join(" "))) return NONE;
  const kept = withoutSuffixes(words);
  const last = withoutDigits(kept.at(-1) ?? "");
  const before = kept.at(-2) ?? "";
  const pair = LAST_PAIRS.get(`${before} ${last}`);
  if (pair !== undefined) return pair;
  if (/^tokens?$/.test(last) && COUNTING_WORDS.has(before)) return NONE;
  const single = LAST_WORDS.get(last);
  // Suffixes are told only from what is certainly a secret: `tokensPrevious` is a count, `passTest` a result.
  if (single !== undefined && (kept.length === words.length || single.kind === "secret")) return single;
  return JOINED.test(last) ? baseline("secret") : NONE;
}

/** What stands in a key for a secret that was redacted: its words name the kind, and not the key. */
const MARK_IN_KEY = /\[REDACTED:[a-z-]+(?:#\d+)?\]/g;
/** No key that names a secret is longer, and splitting a long one costs time. */
const MAX_KEY_LENGTH = 256;

function keyWords(key: string): string[] {
  return wordsOf(key.slice(-MAX_KEY_LENGTH).replace(MARK_IN_KEY, " redacted "));
}

/** True for a key that no setting may take out of redaction. */
export function isBaselineKey(key: string): boolean {
  return classifyWords(keyWords(key)).isBaseline;
}

export interface KeySettings {
  /** Further keys whose values are secret: compared in words, as the end of a key. */
  readonly keys?: readonly string[];
  /** Keys that are none, whatever the rules say; not those of the baseline. Compared in words, as a whole. */
  readonly allow?: readonly string[];
}

/** A key with these is no name but a text, and what is secret in it the rules for texts find. */
const TEXT_SIGNS = /["{}=<>\r\n]/;

/** Keys repeat: most answers have a few hundred. A bound for those that do not. */
const MAX_REMEMBERED = 5_000;

/** Makes the classifier of one redactor, which remembers what it has seen. */
export function createKeyClassifier({ keys = [], allow = [] }: KeySettings): (key: string) => KeyKind {
  const own = keys.map((key) => ` ${keyWords(key).join(" ")}`);
  const allowed = new Set(allow.map((key) => keyWords(key).join(" ")));
  const remembered = new Map<string, KeyKind>();
  const classify = (key: string): KeyKind => {
    if (TEXT_SIGNS.test(key)) return "none";
    const words = keyWords(key);
    const name = words.join(" ");
    const { kind, isBaseline } = classifyWords(words);
    if (isBaseline) return kind;
    if (own.some((each) => ` ${name}`.endsWith(each))) return "secret";
    return allowed.has(name) ? "none" : kind;
  };
  return (key) => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const kind = classify(key);
    if (remembered.size < MAX_REMEMBERED) remembered.set(key, kind);
    return kind;
  };
}
