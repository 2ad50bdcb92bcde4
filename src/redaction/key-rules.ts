/**
 * Which keys hold secrets, in any spelling or language; `names/` recognizes the names.
 * Compares words, so that `author` or `totalTokens` are not taken for `authorization` or `token`. Pure.
 */
import { memoizeByText } from "../platform/memoize.ts";
import { pattern } from "../platform/pattern.ts";
import { type Secrecy, secrecyInEnglish, splitCompounds } from "./names/english.ts";
import { isKeyInLatin, isSecretInLatin, isSecretInOtherScript } from "./names/foreign.ts";
import { HINT, hintsIn } from "./names/hints.ts";
import { HARMLESS, PLAIN_PASSES, PLAIN_TOKENS } from "./names/vocabulary.ts";
import {
  endsOf,
  isAscii,
  isName,
  type Name,
  parseName,
  spelledOut,
  splitWords,
  wordsOf,
} from "./names/words.ts";

/**
 * What a key says about its value. `secret`: a secret. `auth`: a secret, unless it names a scheme (`"basic"`).
 * `authentication`: like `auth`, but members below it are judged by their own names. `tokens`: texts are secret, counts
 * are not. `internal`: n8n state that nobody needs to see. `credentials`: references, reduced to type and name.
 */
export type KeyKind = "none" | "secret" | "auth" | "authentication" | "tokens" | "internal" | "credentials";
export type KindOfKey = (key: string) => KeyKind;

/** Names of schemes under `auth` and `authentication`: `basic`, `headerAuth`, `oauth2`, `predefinedCredentialType`. */
export const AUTH_SCHEME = pattern("i")`
  ^(?:
    (?:
      none|no|off|on|basic|bearer|digest|oauth|auth|api|key|token|jwt|header|query|custom|predefined
      |anonymous|public|required|optional|generic|credentials?|type|service|account|access|personal|user
      |password|pass|client|secret|app|plain|login|sas|ntlm|kerberos|ldap|saml|oidc|sso|http|https|hmac
      |aws|sigv4|cookie|session|enabled|disabled|true|false|o|1|2|0|and|with
    )[ _-]?
  ){1,5}$
`;

interface Classification {
  readonly kind: KeyKind;
  readonly isBaseline: boolean;
}

const NONE: Classification = { kind: "none", isBaseline: false };
const baseline = (kind: KeyKind): Classification => ({ kind, isBaseline: true });
const allowable = (kind: KeyKind): Classification => ({ kind, isBaseline: false });

const CLASSIFICATIONS: Readonly<Record<Secrecy, Classification>> = {
  none: NONE,
  allowable: allowable("secret"),
  baseline: baseline("secret"),
};

/** Whether a value under `authentication` is a secret and not the name of a method. A short word is none. */
export const isAuthenticationSecret = (value: string): boolean =>
  !AUTH_SCHEME.test(value) && (value.length >= 20 || /[^\p{L}\s]/u.test(value));

/** Members of an execution that are n8n's own state (n8n `IRunExecutionData`, `IWorkflowBase`). */
const INTERNAL = new Set(["runtimedata", "pushref", "staticdata", "pindata"]);

/** Last words that mean something other than `secret`. */
const LAST_WORDS: ReadonlyMap<string, Classification> = new Map([
  ["tok", allowable("tokens")],
  ["tokens", allowable("tokens")],
  ["pass", allowable("tokens")],
  ["auth", allowable("auth")],
  ["authentication", allowable("authentication")],
  ["credentials", baseline("credentials")],
]);

/** The words before them that make them harmless. */
const PLAIN_BEFORE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["tok", new Set(["tik"])],
  ["tokens", PLAIN_TOKENS],
  ["pass", PLAIN_PASSES],
]);

function classifyLastWord(words: readonly string[]): Classification | undefined {
  const last = words.at(-1) ?? "";
  return PLAIN_BEFORE.get(last)?.has(words.at(-2) ?? "") === true ? NONE : LAST_WORDS.get(last);
}

/** Recognizable even with digits and signs for letters: `p@ssw0rd`, `s3cret`. */
const SPELLED_OUT = /pass(?:word|wd|wort|code|phrase)|secret|apikey|privatekey|^token|token$/;
/** Only digits and signs, or a template's placeholder: `YOUR_TOKEN_HERE`. */
const NO_NAME = /^[\p{N}\p{P}\p{S}\s]*$|^YOUR(?:_[A-Z]{1,16}){1,6}_HERE$/u;

function classifyEnglish(words: readonly string[], isUpperCase: boolean): Classification {
  const parts = splitCompounds(words);
  const english = CLASSIFICATIONS[secrecyInEnglish(parts, isUpperCase)];
  return english.isBaseline ? english : (classifyLastWord(parts) ?? english);
}

/** Letters of other scripts: a word of them, Latin words beside them, or Latin words that they only look like. */
function isSecretInOtherLetters({ joined, lookAlike }: Name, hints: number): boolean {
  if (isSecretInOtherScript(joined)) return true;
  // Without a hint there is no English word, and splitting names is slow.
  const latin = hints & HINT.english ? joined.match(/[a-z]{2,}/g) : null;
  const alike =
    lookAlike !== undefined && hintsIn(lookAlike) & HINT.english ? splitWords(lookAlike) : undefined;
  return [latin, alike].some((words) => words && secrecyInEnglish(splitCompounds(words), false) !== "none");
}

function classifyName(name: Name, hints: number): Classification {
  const { words, joined, isUpperCase } = name;
  if (INTERNAL.has(joined)) return baseline("internal");
  if (HARMLESS.has(joined)) return NONE;
  const english = hints & HINT.english ? classifyEnglish(words, isUpperCase) : NONE;
  if (english.kind !== "none") return english;
  if (hints & HINT.foreign && isSecretInLatin(words)) return baseline("secret");
  if (hints & HINT.noun && hints & HINT.kind && isKeyInLatin(words)) return baseline("secret");
  return !name.isAscii && isSecretInOtherLetters(name, hints) ? baseline("secret") : NONE;
}

function classifyKey(whole: string): Classification {
  const key = endsOf(whole);
  if (NO_NAME.test(key)) return NONE;
  const isPlain = isAscii(key);
  const hints = isPlain ? hintsIn(key) : 0;
  const name = isPlain && hints === 0 ? undefined : parseName(key);
  const classified =
    name === undefined ? NONE : classifyName(name, isPlain ? hints : hintsIn(name.words.join(" ")));
  if (classified.kind !== "none") return classified;
  const letters = spelledOut(key);
  return letters !== undefined && SPELLED_OUT.test(letters) && isName(key) ? baseline("secret") : NONE;
}

/** True for a key that no setting may exempt from redaction. */
export const isBaselineKey = (key: string): boolean => classifyKey(key).isBaseline;

export interface KeySettings {
  /** Additional keys whose values are secret: matched by words, at the end of a key. */
  readonly keys?: readonly string[];
  /** Keys exempt from the rules, except those of the baseline. Matched by words, as a whole. */
  readonly allow?: readonly string[];
}

/** Shared by all redactors, since it does not depend on settings and many redactors serve one request only. */
const classifyMemoized = memoizeByText(classifyKey);

/** Whether a value next to a name of this kind is secret: not the name of a scheme, and not a count. */
export function isSecretBeside(kind: KeyKind, value: unknown): boolean {
  if (kind === "auth") return typeof value !== "string" || !AUTH_SCHEME.test(value);
  if (kind === "authentication") return typeof value === "string" && isAuthenticationSecret(value);
  if (kind === "tokens") return typeof value === "string" && !/^\d{1,9}$/.test(value);
  return kind === "secret";
}

const kindWithoutSettings: KindOfKey = (key) => classifyMemoized(key).kind;

export function createKeyClassifier({ keys = [], allow = [] }: KeySettings): KindOfKey {
  const own = keys.map((key) => ` ${wordsOf(key).join(" ")}`);
  const allowed = new Set(allow.map((key) => wordsOf(key).join(" ")));
  const classify = (key: string): KeyKind => {
    const { kind, isBaseline } = classifyMemoized(key);
    if (isBaseline || !isName(key)) return kind;
    const name = wordsOf(key).join(" ");
    if (own.some((each) => ` ${name}`.endsWith(each))) return "secret";
    return allowed.has(name) ? "none" : kind;
  };
  return own.length + allowed.size === 0 ? kindWithoutSettings : memoizeByText(classify);
}
