/**
 * Secrets in URLs, anywhere in a text: user info (RFC 3986 section 3.2.1), and parameters of the query
 * and of the fragment. A resume link of n8n carries its secret as the parameter `signature`. Links that grant access
 * (in mails) and webhook addresses are recognized by the words of their path. A fragment that looks random is a key,
 * since anchors are made of words.
 */
import { pattern } from "../../platform/pattern.ts";
import { Edits } from "../edits.ts";
import { isSecretBeside } from "../key-rules.ts";
import { beginsWithMark } from "../marks.ts";
import { PLAIN_KEYS } from "../names/vocabulary.ts";
import { UUID } from "../plain-text.ts";
import { aroundIn, redactAccount } from "../structure/account-numbers.ts";
import { isReferenceExpression, type RuleContext, type TextRule } from "../text-rule.ts";
import { matchAt } from "./characters.ts";
import { isUnguessable } from "./plausible-values.ts";

/** Parameters that are secret in a URL, and would be harmless as keys elsewhere. */
const PARAMETERS = new Set(["sig", "key", "code", "hmac", "ticket", "appid", "zak"]);

/** Whose or what key it is. Google's `resourcekey` only completes the address of a file. */
const KEY_OF = /([a-z\d]{1,60})[_-]?key$/;

/** `?code=es` is a language, `?key=name` a field: a secret is longer, and not a word. */
export function isSecretParameter(name: string, value: string, kindOfKey: RuleContext["kindOfKey"]): boolean {
  const kind = kindOfKey(name);
  if (kind === "internal" || isSecretBeside(kind, value)) return true;
  if (kind !== "none" && kind !== "credentials") return false;
  const lower = name.toLowerCase();
  if (PARAMETERS.has(lower)) return value.length >= 10 && isNoWord(value);
  const [, owner = "resource"] = KEY_OF.exec(lower) ?? [];
  return owner !== "resource" && !PLAIN_KEYS.has(owner) && isUnguessable(value);
}

/** Separate tests: one pattern for both cases would take quadratic time in a long word. */
const isNoWord = (value: string): boolean => /\d/.test(value) || (/[A-Z]/.test(value) && /[a-z]/.test(value));

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

/** A query as JSON, which may hold expressions of n8n: `={"key":"…","page":{{ $json.page }}}`. */
const JSON_PARAMETER = /("([\w.-]{1,64})"\s{0,9}:\s{0,9}")([^"\\]{1,2000})(?=")/g;

const parametersOf =
  (pattern: RegExp): TextRule =>
  (text, { mark, kindOfKey }) =>
    text.replace(pattern, (match: string, before: string, name: string, value: string) =>
      isSecretParameter(name, value, kindOfKey) && !isReferenceExpression(value) && !beginsWithMark(value)
        ? before + mark("url-secret", decoded(decoded(value)))
        : match,
    );

const encodedParameters = parametersOf(ENCODED_PARAMETER);
export const jsonParameters = parametersOf(JSON_PARAMETER);

/** Characters that end a URL in a text. An authority also ends at the path (RFC 3986 section 3.2). */
const endsUrl = (code: number): boolean =>
  code <= 32 || code === 34 || code === 39 || code === 60 || code === 62 || code === 92 || Number.isNaN(code);
const endsAuthority = (code: number): boolean => code === 47 || endsUrl(code);
const MAX_AUTHORITY = 1_000;
/** A password with a slash that was not encoded; otherwise, a port or a placeholder follows the colon. */
const SLASHED =
  /[^\s:/?#@[\]"'<>\\]{0,100}:(?!\d{0,5}[/?#]|port\b)[\w!$%^&*()+,.;=~-]{1,60}\/[^\s/@"'<>\\]{0,60}(?=@[\w.-]{1,253}(?:[:/"'\s]|$))/iy;

/**
 * User info, before the last `@` of the authority, so that a password with an `@` in it is redacted whole. A token
 * may take the place of the user: `https://<token>@host` or `https://<token>:x-oauth-basic@host`.
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
    const slashed = last < 0 ? matchAt(SLASHED, text, from) : null;
    if (slashed !== null) last = from + slashed[0].length;
    if (last < 0) continue;
    const info = text.slice(from, last);
    const colon = info.indexOf(":");
    const user = colon < 0 ? info : info.slice(0, colon);
    if (/^[^@]{20,300}$/.test(user) && /\d/.test(user) && !user.includes("[REDACTED:"))
      edits.replace(from, from + user.length, mark("url-user", decoded(user)));
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

/** Path words: the segment after them grants access to anyone who has it. */
const GRANTS_ACCESS = pattern("i")`
  (?:^|[^a-z])(?:
    reset|magic|verify|verification|confirm|confirmation|activate|activation|invites?|invitations?
    |recover|recovery|unlock|onetime|sign-?up|autologin|welcome|rejoin|bestaetig(?:en|ung)
    |aktivier(?:en|ung)|einladung|confirmer|activer|reinitialiser|recuperer|confirmar|activar|recuperar
    |restablecer|invitacion|ativar|redefinir|convite|confermare?|attivare?|reimposta|bevestig(?:en)?
    |activeren|aktivera|aktywuj|potwierdz
  )(?![a-z])
`;
const NEAR = 4;
/** A version of a file, as of `reset.css?v=…` or in Git. */
const OF_FILE = /\.[a-z]{2,4}$|\/(?:commits?|blob|tree|raw|compare)\/$/i;
/** Addresses to which answers are sent; the host counts too. */
const HOOK = /(?:^|[^a-z])(?:web)?(?:hooks?|callbacks?)(?![a-z])/i;
/** An API's own objects: `/v1/invitations/…`. The id of a webhook is not its secret: `we_1Mr5…`. */
const OF_API = /\/api\/|\/v\d{1,2}\/|\/\/api\./;
const TYPED_ID = /^[a-z]{2,6}_/;
const PART = /(?<=[/=#])[\w~.+-]{16,512}={0,2}(?=[/?#&\s"'<>()\\,;]|$)/g;
/** Links without a scheme: `GET /reset/…`, `example.com/reset/…`; `name/part` is not one. */
const OF_PATH = /(?:^|[\s"'=])\/|\.[a-z]{2,12}(?::\d{1,5})?\//i;
const MAX_PATH = 160;
/** `/reset-password/`, `/mot-de-passe/neu/`: the last two segments may name what is being reset. */
const NAMES_IN_PATH = /(?:\/([a-z][a-z_-]{3,39}))?\/([a-z][a-z_-]{2,39})\/$/i;

function grantsAccess(link: string, part: string, kindOfKey: RuleContext["kindOfKey"]): boolean {
  const query = link.indexOf("?");
  const path = query < 0 ? link : link.slice(0, query);
  const near = path.split("/").slice(-NEAR).join("/");
  if (part.startsWith("private-") || (GRANTS_ACCESS.test(near) && !OF_FILE.test(near))) return true;
  if (query >= 0) return GRANTS_ACCESS.test(link.slice(Math.max(link.lastIndexOf("&"), query)));
  if (HOOK.test(path))
    return !UUID.test(part) && !TYPED_ID.test(part) && (part.length >= 32 || !OF_API.test(path));
  const [, ...names] = NAMES_IN_PATH.exec(path) ?? [];
  return names.some((name) => name !== undefined && !name.endsWith("s") && kindOfKey(name) === "secret");
}

export const links: TextRule = (text, { mark, kindOfKey }) => {
  if (!text.includes("://") && !OF_PATH.test(text)) return text;
  let begin = 0;
  let read = 0;
  return text.replace(PART, (part: string, at: number) => {
    if (!isUnguessable(part) && !UUID.test(part)) return part;
    for (; read < at; read += 1) if (endsUrl(text.charCodeAt(read))) begin = read + 1;
    const whole = text.slice(Math.max(begin, at - MAX_PATH), at);
    if (whole.endsWith("#")) return whole.includes("://") ? mark("url-fragment", part) : part;
    // In `https://…?url=https://…&t=…`, the part may belong to either address.
    const links = [whole, whole.slice(Math.max(0, whole.lastIndexOf("://")))];
    return links.some((link) => grantsAccess(link, part, kindOfKey)) ? mark("url-secret", part) : part;
  });
};
