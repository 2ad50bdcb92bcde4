/**
 * What the name of a member tells of it, found out once: names repeat. As bits, so that those of an object's members
 * can be put together.
 */
import type { KeyKind } from "../key-rules.ts";
import { remembering } from "../remembered.ts";
import { accountKindOf } from "../structure/account-numbers.ts";
import { roleOf } from "../structure/member-roles.ts";
import { mayBeHeader } from "../structure/tables.ts";
import { isQueryKey } from "../value-redaction.ts";

export const TRAIT = {
  /** The name is not shown as it is; nothing else is found out then. */
  hidden: 1 << 0,
  /** It says that its value is secret, or n8n's own. */
  secret: 1 << 1,
  /** Its value may be the name of another member. */
  naming: 1 << 2,
  /** It may be what another member names. */
  valuing: 1 << 3,
  /** It may hold the names of columns. */
  header: 1 << 4,
  /** Parameters of a URL may stand below it. */
  query: 1 << 5,
  /** It announces the number of a card or an account. */
  account: 1 << 6,
  /** What the object is may be told by it: the shape of a `Buffer`, a file, a `Secret`, a list that became an object. */
  telling: 1 << 7,
} as const;

const TELLING = new Set(["type", "kind", "mimeType", "0"]);
/** Of all executions that one redactor sees. */
const MAX_REMEMBERED = 5_000;

export type TraitsOf = (key: string) => number;

/** @param isUntouchedText whether the name itself is shown as it is */
export function createTraits(
  kindOfKey: (key: string) => KeyKind,
  isUntouchedText: (key: string) => boolean,
): TraitsOf {
  return remembering((key) => {
    if (!isUntouchedText(key)) return TRAIT.hidden;
    const role = roleOf(key);
    let traits = 0;
    if (kindOfKey(key) !== "none") traits |= TRAIT.secret;
    if (role !== "none" && role !== "value" && role !== "text") traits |= TRAIT.naming;
    if (role === "value" || role === "text" || role === "type") traits |= TRAIT.valuing;
    if (mayBeHeader(key)) traits |= TRAIT.header;
    if (isQueryKey(key)) traits |= TRAIT.query;
    if (accountKindOf(key) !== "none") traits |= TRAIT.account;
    if (TELLING.has(key)) traits |= TRAIT.telling;
    return traits;
  }, MAX_REMEMBERED);
}
