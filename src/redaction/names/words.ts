/**
 * A name as words, in any spelling: `x-api-key`, `xApiKey`, `X_API_KEY`, `x.api.key` and
 * `"x api key" ` are one. Accents, look-alike letters of other scripts and invisible characters make
 * no difference. Of a long name, only the first and the last part are read. Pure.
 */

/** A redacted part of a name: its words are the kind of the secret and not words of the name. */
const MARK_IN_NAME = /\[REDACTED:[a-z-]+(?:#\d+)?\]/g;
/** No name of a secret is longer, and splitting a long name is slow. */
const MAX_LENGTH = 256;

const AROUND = /^[\s"'`‘’“”«»„<({[:=,;\\]+|(?<![\s"'`‘’“”«»„>)}\]:=,;\\])[\s"'`‘’“”«»„>)}\]:=,;\\]+$/g;
/** Marks a text rather than a name; the rules for texts find the secrets in it. */
const TEXT = /[{}=<>]|["']\s{0,4}:|[\r\n][^\r\n]*[\r\n]/;

/** Format characters, controls, and letters that have no shape (Unicode, Default_Ignorable_Code_Point). */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Cc}\s]/gu;
const CAPITAL = /\p{Lu}/u;
const CONTROL = /[^\P{Cc}\s]/u;
const MARKS_ON_LETTERS = /\p{Mn}/gu;

/** Letters that Unicode does not decompose, and letters of Arabic script with two spellings. */
const SAME_LETTERS: ReadonlyMap<string, string> = new Map(
  "łl đd ðd øo ħh ıi ŧt ŋn ßss æae œoe þth əe ςσ ةه ىي یي کك ہه ۀه ـ"
    .split(" ")
    .map(([letter = "", ...others]) => [letter, others.join("")]),
);
const OTHER_LETTER = new RegExp(`[${[...SAME_LETTERS.keys()].join("")}]`, "gu");

/** Lower-case letters that look like Latin ones (Unicode Technical Standard 39, confusables). */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  "aаɑαа bЬьƄ cсϲᴄ dԁժ eеҽ℮ε gɡց hһհ iіιӏɩ jјϳ kкκ lⅼǀ mм nпոη oоοσօ pрρ qԛգ rгᴦ sѕꜱ tтτ uυսц vνѵ wԝѡωա xхχ yуγү zᴢ"
    .split(" ")
    .flatMap(([latin = "", ...letters]) => letters.map((letter) => [letter, latin] as const)),
);
const LOOK_ALIKE = new RegExp(`[${[...LOOK_ALIKES.keys()].join("")}]`, "gu");

/** Digits and signs in place of letters: `p@ssw0rd`. */
const SIGNS: Readonly<Record<string, string>> = Object.fromEntries(
  "@a 4a 0o $s 5s 3e 1i !i 7t".split(" ").map((pair) => [...pair]),
);

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const isAscii = (text: string): boolean => !/[^\p{ASCII}]/u.test(text);
export const endsOf = (text: string): string =>
  text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH / 2)} ${text.slice(-MAX_LENGTH / 2)}`;

/** Lower case, without accents, one form for each letter. Applied to both vocabulary and names. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(MARKS_ON_LETTERS, "")
    .normalize("NFC")
    .replace(OTHER_LETTER, (letter) => SAME_LETTERS.get(letter) ?? letter);
}

/** The name without quotes and brackets around it, invisible characters and marks. */
function cleaned(name: string): string {
  const short = endsOf(name);
  const shown = short.includes("[REDACTED:") ? short.replace(MARK_IN_NAME, " redacted ") : short;
  const seen = isAscii(shown) && !CONTROL.test(shown) ? shown : shown.normalize("NFKC").replace(UNSEEN, "");
  return seen.replace(AROUND, "");
}

/** Splits where a new word begins: `apiKey`, `APIKey`, `user[password]`. */
export function splitWords(name: string): string[] {
  // Without a capital there is no boundary: most scripts have no capitals, and searching is slow.
  const spaced = CAPITAL.test(name)
    ? name.replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, "$1 ").replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1 ")
    : name;
  const words = fold(spaced).split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter((word) => word !== "").map(withoutDigits);
}

/** `password1` → `password`; but `auth0` and `s3` are names. */
function withoutDigits(word: string): string {
  const last = word.charCodeAt(word.length - 1);
  if (last < 48 || last > 57) return word;
  const letters = word.replace(/\d{1,8}$/, "");
  return letters.length < 2 || letters === "auth" ? word : letters;
}

export interface Name {
  readonly words: readonly string[];
  readonly joined: string;
  /** With Latin letters in place of look-alikes, if that makes a difference; not split into words. */
  readonly lookAlike: string | undefined;
  readonly isUpperCase: boolean;
  readonly isAscii: boolean;
}

export const isName = (key: string): boolean => !TEXT.test(cleaned(key));

/** The words of a name; `undefined` for a text that is not a name. */
export function parseName(key: string): Name | undefined {
  const name = cleaned(key);
  if (TEXT.test(name)) return undefined;
  const words = splitWords(name);
  const isPlain = isAscii(name);
  const latin = isPlain
    ? name
    : name.toLowerCase().replace(LOOK_ALIKE, (letter) => LOOK_ALIKES.get(letter) ?? letter);
  return {
    words,
    joined: words.join(""),
    lookAlike: isPlain || latin === name.toLowerCase() ? undefined : latin,
    isUpperCase: isPlain && !/[a-z]/.test(name),
    isAscii: isPlain,
  };
}

/** `t0ken`. Every name that is searched for has an `s` or a `k`. */
const SHORTEST_SPELLED = 5;

export function spelledOut(key: string): string | undefined {
  if (key.length < SHORTEST_SPELLED || !/[sk5$]/i.test(key)) return undefined;
  if (!/[@$!0-9]/.test(key) || !/[a-z][@$!0-9]{1,3}[a-z]|^[@$0-9][a-z]/i.test(key)) return undefined;
  return key
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/[@$!0-9]/g, (sign) => SIGNS[sign] ?? sign)
    .replace(/[^a-z]/g, "");
}

export const wordsOf = (key: string): readonly string[] => splitWords(cleaned(key));
