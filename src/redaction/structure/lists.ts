/**
 * Lists in which one element names the next one: pairs, alternating names and values, arguments of a command line; also
 * private keys as a list of their lines, and texts split into bytes or characters. Pure.
 */
import { isByte, textOf } from "../encodings.ts";
import { isSecretBeside } from "../key-rules.ts";
import { wordSet } from "../names/words.ts";
import { looksLikeToken } from "../text-rule.ts";
import type { MemberName, NameOf } from "./member-names.ts";

const FLAG = /^--?[A-Za-z][\w.-]{0,60}$/;
const NAME = /^[\p{L}_$:-][\p{L}\p{M}\p{N} _.:-]{0,79}$/u;
/** `refresh_token`, `Email`: as likely a name as a value. */
const WORDS = /^[\p{L}]{1,30}(?:[ _.-][\p{L}]{1,30}){0,5}$/u;

/** Lists of alternating names and values, or of arguments: the element after a name is its value, in any form. */
const ALTERNATING = wordSet(
  "rawheaders rawtrailers args argv arguments cmd command commandline entrypoint exec execargv flatheaders",
);

/** Programs whose `-p` (or `-a`, `-P`, `-w`) is followed by a password. */
const PASSWORD_FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ..."mysql mysqldump mysqladmin mariadb sshpass docker podman mongo mongosh mongodump 7z unrar"
    .split(" ")
    .map((program) => [program, /^-p$/] as const),
  ["redis-cli", /^-a$/],
  ["zip", /^-P$/],
  ["unzip", /^-P$/],
  ["ldapsearch", /^-w$/],
  ["htpasswd", /^-b$/],
]);
const LONGEST_PROGRAM = 40;
const NUMBER_OR_PATH = /^(?:\d{1,5}(?::\d{1,5})?(?:\/\w+)?|[./~].*|[A-Za-z]:\\.*)$/;

function isPasswordFlag(items: readonly unknown[], index: number): boolean {
  const flag = items[index];
  const value = items[index + 1];
  if (typeof flag !== "string" || typeof value !== "string" || !/^-[A-Za-z]$/.test(flag)) return false;
  if (NUMBER_OR_PATH.test(value) || value.startsWith("-")) return false;
  const [program] = items;
  // Only its end: a long path would otherwise be read again for each flag.
  const name = typeof program === "string" ? program.slice(-LONGEST_PROGRAM).replace(/^.*[/\\]/, "") : "";
  const known = PASSWORD_FLAGS.get(name);
  return known === undefined ? index === 0 && flag === "-p" && items.length === 2 : known.test(flag);
}

/** Where the password begins in `user:password` after `-u` or `--user`; undefined if there is none. */
export function userFlagPassword(before: unknown, value: unknown): number | undefined {
  if ((before !== "-u" && before !== "--user") || typeof value !== "string") return undefined;
  const colon = value.indexOf(":");
  return colon > 0 && colon < value.length - 1 && !value.includes("://") ? colon + 1 : undefined;
}

function isAlternating(items: readonly unknown[]): boolean {
  if (items.length % 2 === 1) return false;
  for (let index = 0; index < items.length; index += 2) {
    const name = items[index];
    if (typeof name !== "string" || !NAME.test(name)) return false;
  }
  return true;
}

function isValueLike(value: unknown): boolean {
  if (typeof value === "string") return looksLikeToken(value) && !WORDS.test(value);
  return typeof value === "number" || (typeof value === "object" && value !== null && !Array.isArray(value));
}

/** The streams of `form-data`: the head of a part, and then its content. */
const FORM_PART = /\bform-data; name="([^"\r\n]{1,120})"\r\n\r\n$/;
const LONGEST_PART_HEAD = 400;
const CREDENTIAL = /^(?:bearer|basic|digest|token) +\S/i;

/** Tells for each element whether the element before names it as secret. Each is checked once. */
export function namedBefore(
  items: readonly unknown[],
  { key, isElement }: { readonly key: string | undefined; readonly isElement: boolean },
  nameOf: NameOf,
): (index: number) => boolean {
  const isAlternatingKey = key !== undefined && ALTERNATING.has(key.toLowerCase().replace(/[^a-z]/g, ""));
  const isPair = items.length === 2 && (isElement || isAlternatingKey);
  let alternates: boolean | undefined;
  return (index) => {
    if (index === 0) return false;
    const before = items[index - 1];
    if (typeof before !== "string" || before.length > LONGEST_PART_HEAD) return false;
    const [, part] = FORM_PART.exec(before) ?? [];
    if (part !== undefined) return isSecretBeside(nameOf(part).kind, items[index]);
    if (before.length > 120 || CREDENTIAL.test(before)) return false;
    // A redacted element names nothing, so that redacting twice gives the same result.
    if (before.includes("[REDACTED:")) return false;
    if (FLAG.test(before) && before.startsWith("-")) {
      const value = items[index];
      const isFlag = typeof value === "string" && value.startsWith("--");
      return !isFlag && (isSecretBeside(nameOf(before).kind, value) || isPasswordFlag(items, index - 1));
    }
    if (isPair) return isSecretBeside(nameOf(before).kind, items[index]);
    if (index % 2 === 0 || !NAME.test(before) || !(isAlternatingKey || isValueLike(items[index])))
      return false;
    if (!isSecretBeside(nameOf(before).kind, items[index])) return false;
    alternates ??= isAlternating(items);
    return alternates;
  };
}

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;

/** Tells for each element, in order, whether it is a line of a private key that was split into lines. */
export function privateKeyLines(items: readonly unknown[]): (index: number) => boolean {
  let isInside = false;
  return (index) => {
    const line = items[index];
    if (typeof line !== "string") {
      isInside = false;
      return false;
    }
    if (isInside) {
      isInside = !KEY_ENDS.test(line);
      return true;
    }
    if (!line.includes("-----BEGIN ") || !KEY_BEGINS.test(line) || KEY_ENDS.test(line)) return false;
    isInside = true;
    return true;
  };
}

const SIGNS_IN = /(?:^|[._/])(?:log_?in|sign_?in|authenticate)(?:_with_\w{1,20})?$/i;

/**
 * Arguments by position: which member has them, and the place of the secret. JSON-RPC (Odoo: database, user, key), and
 * Redis, whose clients add the command to an error: `{ name: "auth", args: ["default", "…"] }`.
 */
export function secretArgument(object: object): { readonly key: string; readonly index: number } | undefined {
  const textAt = (key: string): string => {
    const text: unknown = Reflect.get(object, key);
    return typeof text === "string" ? text : "";
  };
  for (const key of ["args", "params"]) {
    const given: unknown = Reflect.get(object, key);
    if (!Array.isArray(given)) continue;
    const isOdoo = textAt("service") === "object" && /^execute(?:_kw)?$/.test(textAt("method"));
    const command = key === "args" ? textAt("command") || textAt("name") : "";
    const isRedis = /^auth$/i.test(command);
    const last = given.findLastIndex((argument) => typeof argument === "string");
    if (isOdoo) return { key, index: 2 };
    // `HELLO 3 AUTH user password SETNAME name`
    if (/^hello$/i.test(command) && given.includes("AUTH")) return { key, index: given.indexOf("AUTH") + 2 };
    return isRedis || SIGNS_IN.test(textAt("method")) ? { key, index: last } : undefined;
  }
  return undefined;
}

const SHORTEST_SPELLED = 12;

const isCharacter = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 2 && [...value].length === 1;

/** The text that these bytes or characters spell; undefined if they spell none. */
export function spelledText(parts: readonly unknown[]): string | undefined {
  if (parts.length < SHORTEST_SPELLED) return undefined;
  if (isByte(parts[0])) return parts.every(isByte) ? textOf(Uint8Array.from(parts)) : undefined;
  return isCharacter(parts[0]) && parts.every(isCharacter) ? parts.join("") : undefined;
}

/** The elements of an object that was a list: its keys are `0`, `1`, `2`, …; undefined for any other. */
export function elementsOf(object: object, names: readonly MemberName[]): unknown[] | undefined {
  if (names.length < SHORTEST_SPELLED || names[0]?.text !== "0") return undefined;
  return names.every(({ text }, index) => text === String(index)) ? Object.values(object) : undefined;
}
