/**
 * Personal data, redacted only if the setting is on: email addresses, phone numbers, and card and bank account numbers
 * without a label. Account numbers must have valid check digits, so that ids are not mistaken for them.
 */
import { besideMarks, replaceBesideMarks } from "./marks.ts";
import { markAccount } from "./structure/account-numbers.ts";
import { isCard, isIban } from "./structure/check-digits.ts";
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

export const personalData: TextRule = (text, { mark }) => {
  let result = text;
  if (result.includes("@")) result = replaceBesideMarks(result, MAIL, (match) => mark("email", match));
  if (!/\d\D{0,2}\d\D{0,2}\d/.test(result)) return result;
  result = replaceBesideMarks(result, IBAN, (match) =>
    isIban(match) ? markAccount("iban", match, mark) : match,
  );
  result = replaceBesideMarks(result, CARD, (match) =>
    isCard(match) ? markAccount("card", match, mark) : match,
  );
  return replaceBesideMarks(result, PHONE, (match) => mark("phone", match));
};
