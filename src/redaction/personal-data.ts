/**
 * Personal data, where the setting asks for it: addresses of mail, telephone numbers, cards, bank accounts.
 * Numbers are checked by their own check digits, so that ids are not taken for them.
 */
import { besideMarks } from "./marks.ts";
import type { TextRule } from "./text-rule.ts";

/** RFC 5321 section 4.5.3.1: 64 octets before the `@`. */
const MAIL = besideMarks(
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g,
);
/** ITU-T E.164: a plus and up to 15 digits; or the separated form of North America. */
const PHONE = besideMarks(
  /(?<![\w+.-])(?:\+\d(?:[ ().-]{0,2}\d){7,14}|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}[ .-]\d{3}[ .-]\d{4})(?![\w-])/g,
);
/** ISO/IEC 7812-1: 13 to 19 digits, in groups or not. */
const CARD = besideMarks(/(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)/g);
/** ISO 13616: country, two check digits, up to 30 letters and digits. */
const IBAN = besideMarks(
  /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g,
);

/** ISO/IEC 7812-1 annex B: the formula of Luhn. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 7064 MOD 97-10, as ISO 13616 uses it. */
export function isIban(text: string): boolean {
  const compact = text.replaceAll(" ", "");
  if (compact.length < 15 || compact.length > 34) return false;
  const digits = [...(compact.slice(4) + compact.slice(0, 4))].map((character) =>
    Number.parseInt(character, 36),
  );
  return digits.reduce((rest, value) => (rest * (value > 9 ? 100 : 10) + value) % 97, 0) === 1;
}

/** What the networks issue: prefix and length (ISO/IEC 7812-1; Visa, Mastercard, American Express, …). */
const ISSUED =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|5[06-9]\d{10,17})$/;

function isCard(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  return ISSUED.test(digits) && passesLuhn(digits);
}

export const personalData: TextRule = (text, { mark }) => {
  const marking =
    (kind: string, isOne: (match: string) => boolean = () => true) =>
    (match: string, known: string | undefined): string =>
      known !== undefined || !isOne(match) ? match : mark(kind, match);
  let result = text;
  if (result.includes("@")) result = result.replace(MAIL, marking("email"));
  if (!/\d\D{0,2}\d\D{0,2}\d/.test(result)) return result;
  result = result.replace(IBAN, marking("iban", isIban));
  result = result.replace(CARD, marking("card", isCard));
  return result.replace(PHONE, marking("phone"));
};
