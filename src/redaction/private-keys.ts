/**
 * Private keys in the armour of their formats: PEM (RFC 7468), OpenSSH, PGP (RFC 9580), SSH2 (RFC 4716),
 * PuTTY, OpenVPN. On separate lines, on one line, or with line ends as literal `\n`. A key that was cut off extends to
 * the end of the text.
 */
import { pattern } from "../platform/pattern.ts";
import { Edits } from "./edits.ts";
import type { RuleContext, TextRule } from "./text-rule.ts";

/** `-----BEGIN … PRIVATE KEY-----`, and its base64 at each of the three offsets in a group of bytes. */
const BEGIN = pattern("g")`
  -{4,5} ?BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}|OpenVPN Static key V\d) ?-{4,5}
  |PuTTY-User-Key-File-\d:
  |(?:LS0tLS1CRUdJTi|0tLS0tQkVHSU4g|tLS0tLUJFR0lOI)[A-Za-z0-9+/=_-]{0,70}
  (?:UFJJVkFURSBLRVkt|BSSVZBVEUgS0VZL|QUklWQVRFIEtFWS)
`;
const END =
  /-{4,5} ?END (?:[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}|OpenVPN Static key V\d) ?-{4,5}|Private-MAC: ?[0-9a-f]{8,128}/g;
/** Base64, on lines that may be wrapped, also by literal `\n`. */
const BASE64 = /(?:[A-Za-z0-9+/_=-]|\\?\r?\n|\\[nr])*/y;

function endAt(text: string, from: number, begin: string): number | undefined {
  const isEncoded = !begin.startsWith("-") && !begin.startsWith("PuTTY");
  if (isEncoded) {
    BASE64.lastIndex = from;
    return from + (BASE64.exec(text)?.[0].length ?? 0);
  }
  END.lastIndex = from;
  const end = END.exec(text);
  return end === null ? undefined : end.index + end[0].length;
}

const keys = (text: string, { mark }: RuleContext, isCutAllowed: boolean): string => {
  const edits = new Edits(text);
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const found = endAt(text, begin.index + begin[0].length, begin[0]);
    if (found === undefined && !isCutAllowed) break;
    const end = found ?? text.length;
    edits.replace(begin.index, end, mark("private-key", text.slice(begin.index, end)));
    BEGIN.lastIndex = end;
  }
  return edits.result();
};

/** Runs before the rules for names: a name before the key would mark only its first line. */
export const privateKeys: TextRule = (text, context) => keys(text, context, true);

/** Runs before the JSON in a text is read: the lines of a key in source code are literals of their own. */
export const wholePrivateKeys: TextRule = (text, context) =>
  text.includes("-----END ") ? keys(text, context, false) : text;
