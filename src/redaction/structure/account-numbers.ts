/**
 * Card, bank account and US social security numbers, which are always redacted: under a name that says what they are,
 * and in texts where their form leaves no doubt. Each is checked by its own rules (check digits, issued ranges), so
 * that ids are not mistaken for them. The last four digits are kept, since people identify numbers by them. Pure.
 */
import { memoizeByText } from "../../platform/memoize.ts";
import { pattern } from "../../platform/pattern.ts";
import { Edits } from "../edits.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";
import { endOfIban, isCard, isIban, isSocialSecurityNumber } from "./check-digits.ts";

/** `account`: a bank account without check digits, recognized by the name above or next to it. */
type AccountKind = "card" | "iban" | "ssn" | "account";

/** Names without separators: `card_number`, `cardNumber` and `Card No.` count as one. */
const CARD_NAME = pattern()`
  (?:
    card(?:num(?:ber)?|no|nr)?|ccnum(?:ber)?|ccno|ccn|pan|creditcard|debitcard|kreditkart\w{0,12}
    |kartennummer|kartenummer|kortnummer|cartebancaire|numerocarte|numerotarjeta|tarjeta\w{0,12}
    |numerocarta|cartao|numerocartao|primaryaccountnumber
  )$
  |^cc$
`;
const IBAN_NAME =
  /iban|clabe|(?:account|acct|konto|cuenta|compte|conto|conta|rekening)(?:num(?:ber)?|no|nr|nummer)?$/;
const SSN_NAME = /ssn|socialsec(?:urity)?(?:num(?:ber)?|no|nr)?$|^(?:tin|itin|taxid|taxpayerid)$/;

function kindOfName(name: string): AccountKind | "none" {
  const letters = name
    .slice(-60)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  if (CARD_NAME.test(letters)) return "card";
  if (SSN_NAME.test(letters)) return "ssn";
  return IBAN_NAME.test(letters) ? "iban" : "none";
}

export const accountKindOf = memoizeByText(kindOfName);

const CHECKS = {
  card: isCard,
  iban: isIban,
  ssn: isSocialSecurityNumber,
  account: (text: string) => /^\d[\d -]{4,20}\d$/.test(text),
};

const LAST = 4;
/** Characters of a number, including separators. The shortest bank accounts have six. */
const SHORTEST = 6;
const LONGEST = 60;
const WHOLE = /^[A-Za-z0-9](?:[ .-]?[A-Za-z0-9]){5,40}$/;

const OF_CARD = /cv[cvn]|security_?-?code|exp\w{0,10}(?:month|year|date|mm|yy)|card/i;
const OF_BANK =
  /bank|routing|sort_?-?code|bsb|\bbic|swift|ifsc|abartn|branch_?-?(?:code|no|num)|institution|clabe/i;
const NUMBER = /^(?:n[uú]m(?:ber|ero|mer)?|num[eé]ro|no|nr|pan)$/i;

interface Around {
  /** The name of the enclosing object. */
  readonly above?: string | undefined;
  /** Whether a name that matches occurs next to it. */
  readonly isBeside: (name: RegExp) => boolean;
}

const NEAR = 150;

export const aroundIn = (text: string, from: number, to: number): Around => ({
  isBeside: (name) => name.test(text.slice(Math.max(0, from - NEAR), to + NEAR)),
});

export function markAccount(kind: AccountKind, text: string, mark: RuleContext["mark"]): string {
  const compact = text.replace(/[^A-Za-z0-9]/g, "");
  return `${mark(kind, compact)}…${compact.slice(-LAST)}`;
}

/** Which kind of number this is, by its name; if that is only `number`, by the name above and the names next to it. */
function kindOfNumber(name: string, text: string, around: Around | undefined): AccountKind | undefined {
  const isGeneric = NUMBER.test(name);
  const above = around?.above?.slice(-LONGEST) ?? "";
  const kind = accountKindOf(isGeneric ? `${above} ${name}` : name);
  if (kind !== "none" && CHECKS[kind](text)) return kind;
  const isConfirmed = (pattern: RegExp): boolean => pattern.test(above) || around?.isBeside(pattern) === true;
  if (isGeneric && isCard(text)) return isConfirmed(OF_CARD) ? "card" : undefined;
  return kind === "iban" && CHECKS.account(text) && isConfirmed(OF_BANK) ? "account" : undefined;
}

/** Whether the value can be an account number. Most cannot, and checking names costs more. */
export function mayBeAccount(value: unknown): value is string | number {
  if (typeof value !== "string" && !(typeof value === "number" && Number.isSafeInteger(value))) return false;
  const text = String(value).trim();
  return text.length >= SHORTEST && text.length <= LONGEST && /\d\d/.test(text) && WHOLE.test(text);
}

/** What is shown of a value under this name; undefined if it is not an account number. */
export function redactAccount(
  name: string,
  value: unknown,
  mark: RuleContext["mark"],
  around?: Around,
): string | undefined {
  if (!mayBeAccount(value)) return undefined;
  const text = String(value).trim();
  const kind = kindOfNumber(name, text, around);
  return kind === undefined ? undefined : markAccount(kind, text, mark);
}

/** 9 to 19 digits, grouped or not, or the beginning of an IBAN: one scan finds both. */
const CANDIDATE =
  /(?<![A-Za-z0-9_.\-#…])(?:[A-Z]{2}\d{2}(?=[ A-Z0-9])|\d(?:[ -]?\d){8,18}(?![A-Za-z0-9_-]|\.\d))/g;
/** Groups as printed on cards: 4-4-4-4 (and three more), 4-6-5, 4-6-4. */
const GROUPED_CARD = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})$/;
const GROUPED_SSN = /^\d{3}-\d{2}-\d{4}$/;
const BEFORE_CARD = /(?:card|\bcc|\bpan|karte|kort|tarjeta|carte|carta|cart[aã]o)\b[^\d\r\n]{0,30}$/i;
const BEFORE_SSN = /(?:\bssn|social[ -]?security|soc\.? ?sec)[^\d\r\n]{0,30}$/i;
const BEFORE = 50;

function kindOfDigits(found: string, text: string, at: number): AccountKind | undefined {
  const before = (): string => text.slice(Math.max(0, at - BEFORE), at);
  if (GROUPED_SSN.test(found) || found.length === 9)
    return isSocialSecurityNumber(found) && BEFORE_SSN.test(before()) ? "ssn" : undefined;
  if (!isCard(found)) return undefined;
  // ISO/IEC 7813: the second track of a card.
  const isTrack = /^[=^]\d{4}/.test(text.slice(at + found.length, at + found.length + 5));
  return isTrack || GROUPED_CARD.test(found) || BEFORE_CARD.test(before()) ? "card" : undefined;
}

function ibanAt(text: string, at: number): string | undefined {
  const end = endOfIban(text, at);
  return end < 0 || /^[A-Za-z0-9]/.test(text.slice(end, end + 1)) ? undefined : text.slice(at, end);
}

const LAST_DIGIT = 57;

/** In texts: digits grouped like a card's, IBANs, and numbers after a word that announces one. */
export const accountNumbers: TextRule = (text, { mark }) => {
  if (text.length < 9) return text;
  const edits = new Edits(text);
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match !== null; match = CANDIDATE.exec(text)) {
    const { index, 0: digits } = match;
    const isLetter = digits.charCodeAt(0) > LAST_DIGIT;
    const iban = isLetter ? ibanAt(text, index) : undefined;
    const kind = isLetter ? (iban === undefined ? undefined : "iban") : kindOfDigits(digits, text, index);
    if (kind === undefined) continue;
    const found = iban ?? digits;
    CANDIDATE.lastIndex = index + found.length;
    edits.replace(index, index + found.length, markAccount(kind, found, mark));
  }
  return edits.result();
};
