/**
 * Personal data, redacted only if the setting is on: email addresses, phone numbers, and card and bank account numbers
 * without a label. Account numbers must have valid check digits, so that ids are not mistaken for them.
 */
import { besideMarks, replaceBesideMarks } from "./marks.ts";
import { markAccount } from "./structure/account-numbers.ts";
import { isCard, isIban } from "./structure/check-digits.ts";
import type { TextRule } from "./text-rule.ts";

/** RFC 5321 section 4.5.3.1 (64 octets before the `@`), RFC 6531 (letters beyond ASCII). `n8n@2.40.5` is a version. */
const LETTERS = "A-Za-z\\u00a1-\\u052f";
const MAIL = besideMarks(
  new RegExp(
    `(?<![${LETTERS}0-9._%+-])[${LETTERS}0-9._%+-]{1,64}@(?:[${LETTERS}0-9-]{1,63}\\.){1,8}[${LETTERS}][${LETTERS}0-9-]{1,62}`,
    "g",
  ),
);
/** ITU-T E.164: a plus and up to 15 digits; or the separated form of North America. */
const PHONE = besideMarks(
  /(?<![\w+.-])(?:\+\d(?:[ ()./\u00a0\u2010\u2011\u202f-]{0,2}\d){7,14}|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}[ .-]\d{3}[ .-]\d{4})(?![\w-])/g,
);
/** ISO/IEC 7812-1: 13 to 19 digits, in groups or not. */
const CARD = besideMarks(/(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)/g);
/** ISO 13616: country, two check digits, up to 30 letters and digits; not the groups of a UUID, of which some check. */
const IBAN = besideMarks(
  /(?<![A-Z0-9])(?=[A-Z]{2}\d{2})(?<!\b[0-9A-F]{8}(?:-[0-9A-F]{4}){2}-)(?![0-9A-F]{4}(?:-[0-9A-F]{4}){2}-[0-9A-F]{12}\b)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Z0-9])/gi,
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
