/** Whether a number can be a card, bank account or US social security number: issued ranges and check digits. Pure. */
import { pattern } from "../../platform/pattern.ts";

/** ISO/IEC 7812-1 annex B: the Luhn formula. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, doubles = false; at >= 0; at -= 1, doubles = !doubles) {
    const digit = digits.charCodeAt(at) - 48;
    sum += doubles ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** Numbers that the networks issue: prefix and length (ISO/IEC 7812-1; Visa, Mastercard, American Express, …). */
const ISSUED = pattern()`
  ^(?:
    4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}
    |3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|5[06-9]\d{10,17}
  )$
`;

export function isCard(text: string): boolean {
  const digits = text.replace(/[ .-]/g, "");
  return ISSUED.test(digits) && passesLuhn(digits);
}

/** ISO 13616 registry: how long an IBAN of each country is. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const ibanLength = (country: string): number => IBAN_LENGTHS.get(country) ?? 0;

function valueOfCode(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 65 && code <= 90 ? code - 55 : -1;
}

const SPACE = 32;

/** ISO 7064 MOD 97-10, extended by one character. */
function addTo(rest: number, code: number): number {
  const value = valueOfCode(code);
  return value < 0 ? Number.NaN : (rest * (value > 9 ? 100 : 10) + value) % 97;
}

/**
 * Where the IBAN that begins here ends; it may contain single spaces. -1 if none begins here. As ISO 13616
 * specifies, its first four characters are checked last.
 */
export function endOfIban(text: string, from: number): number {
  const length = ibanLength(text.slice(from, from + 2));
  let rest = 0;
  let at = from + 4;
  for (let read = 4; read < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === SPACE && text.charCodeAt(at - 1) !== SPACE) continue;
    rest = addTo(rest, code);
    if (Number.isNaN(rest)) return -1;
    read += 1;
  }
  for (let head = from; head < from + 4; head += 1) rest = addTo(rest, text.charCodeAt(head));
  return length > 0 && rest === 1 ? at : -1;
}

export function isIban(text: string): boolean {
  const compact = text.replace(/[ .-]/g, "").toUpperCase();
  return endOfIban(compact, 0) === compact.length;
}

/** Social Security Administration, POMS RM 10201.035: areas, groups and serials that were never assigned. */
export function isSocialSecurityNumber(text: string): boolean {
  const [, area = "", group, serial] = /^(\d{3})[ -]?(\d{2})[ -]?(\d{4})$/.exec(text) ?? [];
  return (
    area !== "" && area !== "000" && area !== "666" && group !== "00" && serial !== "0000" && area < "900"
  );
}
