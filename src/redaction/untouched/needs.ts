/**
 * What each rule for texts cannot do without, beyond the signs that it names itself: most go by names of secrets, and
 * few texts hold any. False only if the rule changes no text like this. A rule that is not listed reads every text.
 */
import { mayHoldAnchorOfForm, mayHoldNameBeside } from "../forms/forms.ts";
import { SIGN } from "../signs.ts";
import type { TextLook } from "./text-look.ts";

export type Need = (look: TextLook) => boolean;

const byName: Need = (look) => look.mayName;

/** Parameters of URLs that are secret there and nowhere else, which no name tells. */
const SECRET_PARAMETER = /(?:code|ticket)=/i;
/** Networks of Go, programs of Oracle, and a file of passwords of PostgreSQL. */
const CONNECTION =
  /@(?:tcp|udp|unix|cloudsql)|(?:thin|oci|sqlplus|exp|imp|expdp|impdp|sqlldr|rman)[\d :]|:[\w*-]{1,64}:[\w*.-]{1,64}:/;
/** A flag, as commands have them. */
const FLAG = /(?:^|\s)--?[A-Za-z]|\/p:/;
/** Two capitals with two digits, or nine digits in groups. */
const ACCOUNT = /[A-Z]{2}\d{2}|\d(?:[ -]?\d){8}/;

/** What may stand between a name and its value, in any script; or that one begins a line. */
const SEPARATOR = /[:=\n\uff1a\uff1d\u2192\u21d2\u27a1\u279c\u2794]/;

export const NEEDS: Readonly<Record<string, Need>> = {
  "data-urls": (look) => look.includes(";base64,"),
  "private-keys": (look) =>
    look.includes("BEGIN ", "PuTTY-User-Key-File") ||
    look.includes("LS0tLS1CRUdJTi", "0tLS0tQkVHSU4g", "tLS0tLUJFR0lOI"),
  "url-secrets": (look) =>
    (look.has(SIGN.equals) && (look.has(SIGN.percent) || SECRET_PARAMETER.test(look.text) || look.mayName)) ||
    look.has(SIGN.percent) ||
    (look.includes("://") && look.includes("@", "#")),
  "connection-strings": (look) => CONNECTION.test(look.text),
  markup: byName,
  "form-parts": byName,
  inserts: byName,
  tables: byName,
  labels: (look) => SEPARATOR.test(look.text) && look.mayName,
  literals: byName,
  "command-lines": (look) => FLAG.test(look.text) || look.includes("ConvertTo") || look.mayName,
  keywords: (look) => look.mayName || /identified/i.test(look.text),
  "provider-forms": (look) => mayHoldAnchorOfForm(look.text),
  "keys-beside-names": (look) => mayHoldNameBeside(look.text),
  "account-numbers": (look) => ACCOUNT.test(look.text),
  "stack-paths": (look) => look.includes("at ", "File "),
};
