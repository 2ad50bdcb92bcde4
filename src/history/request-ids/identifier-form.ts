/**
 * Whether a text has the form of an identifier, made by a machine or numbering something, unlike what people write: a
 * word, a name, a date, an amount, a telephone number, an address. Pure; linear.
 *
 * It errs: one random id in a hundred of 12 to 16 characters passes for words (one in ten of 8), a name with a number
 * (`jane-4711`) for an identifier, an order's number of 9 to 15 digits (`order-4711000123`) for a telephone number.
 */

const MAX_LENGTH = 512;
/** One word of ASCII: languages need blanks, commas and apostrophes, and most of them other letters. */
const ONE_WORD = /^[^\0- "',[\]`\x7f-\u{10ffff}]+$/u;

const UUID = /^\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i;
/** Names itself an id: `req-deep-failure`. With other signs, words are a sentence or a path. */
const NAMED = /^(?:req|request|trace|corr|correlation)[-_:][A-Za-z]+(?:[-_][A-Za-z]+)*$/i;
/** Has digits besides a date or telephone number: `req-1`, `request/7`. */
const NAMED_NUMBER = /^(?:req|request|trace|corr|correlation)[-_:./].*\d/i;

/** Other words of ASCII. @property fewerDigits from so many digits on, it is an identifier after all */
const WRITTEN_BY_PEOPLE: readonly { readonly pattern: RegExp; readonly fewerDigits?: number }[] = [
  // An e-mail address, or that of a chat; with angle brackets it is the id of a message.
  { pattern: /^[^<>@]+@[^@]+\.[a-z]{2,}$/i },
  { pattern: /:\/\// },
  // Addresses of machines (IPv6, MAC).
  { pattern: /^(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}$/i },
  // Telephone numbers: `+34600111222`, `whatsapp:+34600111222`, and in groups.
  { pattern: /(?<![A-Za-z0-9])\+\d{6,15}(?!\d)/ },
  { pattern: /^(?=.*\D)[\d+()./:*#_-]+$/, fewerDigits: 16 },
  // Amounts and version numbers (`€1,250.00`, `99.95EUR`, `v1.2.3`), and numbers with a unit (`500mg`).
  { pattern: /^\D{0,3}\d+(?:[.,]\d+)+\D{0,3}$/, fewerDigits: 12 },
  { pattern: /^\d{1,4}[-_.]?[A-Za-z%]{1,3}$/ },
];

const [YEAR, MONTH, DAY] = ["(?:19|20)\\d\\d", "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12]\\d|3[01])"];
/** `1984-03-17`, `17.03.1984`, `19840317`, `1984`, `10:30:00.000Z`: they number nothing. */
const DATES = new RegExp(
  `(?<!\\d)(?:${YEAR}[-_./]?${MONTH}[-_./]?${DAY}|${DAY}[-_./]?${MONTH}[-_./]?${YEAR}|${YEAR}|\\d{1,2}:\\d\\d(?::\\d\\d)?(?:\\.\\d{3})?Z?)(?!\\d)`,
  "g",
);

/**
 * Among other signs, 9 to 15 digits are a telephone number, as chats have them: `wa_34600111222`. They are none after
 * three zeros (`INV-000012345`), as a time in milliseconds, in seconds with a fraction, or as `20240317103000`.
 */
const TELEPHONE =
  /(?<!\d)(?!000|1[5-9]\d{11}(?!\d)|1[5-9]\d{8}\.\d{6}(?!\d)|20\d\d[01]\d[0-3]\d[0-2]\d[0-5]\d[0-5]\d(?!\d))\d{9,15}(?!\d)/g;

/** W3C's and Zipkin's: where digits are few, they stand together. */
const SPAN_ID = /^[0-9a-f]{16}$/;

/** Besides dates: `covid-19` and `E11.9` have fewer, `ORD-12345` more. */
const SERIAL = /\d{3}/;
/** `H1N1`, `HbA1c` and the like are shorter. */
const RUN = /[A-Za-z0-9]{6,}/g;
/** A boundary of words without a sign, other than `camelCase`. */
const JOINT = /(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]|(?<=[a-z])[A-Z](?![a-z]{2})|(?<=[A-Z])[A-Z](?=[a-z])/g;
/** More than any syllable has. They also occur in words (`Schmidt`), where they say nothing. */
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{4}/gi;
const FEWEST_ODD_PLACES = { short: 3, long: 2 };
const LONG = 20;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export function hasIdentifierForm(text: string): boolean {
  if (text.length > MAX_LENGTH || !ONE_WORD.test(text)) return false;
  if (UUID.test(text) || NAMED.test(text)) return true;
  const bare = text.replaceAll(DATES, "");
  if (!hasTelephone(text) && NAMED_NUMBER.test(bare)) return true;
  const digits = count(text, /\d/g);
  const isOfPeople = WRITTEN_BY_PEOPLE.some(
    ({ pattern, fewerDigits = Number.POSITIVE_INFINITY }) => digits < fewerDigits && pattern.test(text),
  );
  if (isOfPeople) return false;
  if (!hasTelephone(text)) return isNumbered(bare) || isRandom(bare, text.length);
  return SPAN_ID.test(text) || isRandom(bare.replaceAll(TELEPHONE, ""), text.length);
}

const hasTelephone = (text: string): boolean => /\D/.test(text) && text.search(TELEPHONE) >= 0;

const isNumbered = (bare: string): boolean =>
  /^\d+$/.test(bare) || (!bare.includes("@") && SERIAL.test(bare));

/** @param length of the whole text */
function isRandom(bare: string, length: number): boolean {
  const odd = (bare.match(RUN) ?? []).reduce((sum, run) => sum + oddPlacesIn(run), 0);
  return odd >= (length < LONG ? FEWEST_ODD_PLACES.short : FEWEST_ODD_PLACES.long);
}

function oddPlacesIn(run: string): number {
  const joints = count(run, JOINT);
  return joints === 0 ? 0 : joints + count(run, CONSONANTS);
}
