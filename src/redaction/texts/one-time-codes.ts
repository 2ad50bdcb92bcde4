/**
 * Codes in sentences: "Your code is 4821", "604913 is your verification code", "Use 550318 to sign in", "cvv 881"; and
 * values right after a word of another script: `密码是Hong88se`. `names/` defines which words mean a code in which
 * language. A bounded number of characters around each number is read.
 */
import { pattern } from "../../platform/pattern.ts";
import { TextReader } from "../edits.ts";
import { isCodeNoun, isOwnersWord, isVerb } from "../names/foreign.ts";
import { fold } from "../names/words.ts";
import type { TextRule } from "../text-rule.ts";
import { nameIn } from "./labels-before.ts";
import { isAnnounced, isReference } from "./plausible-values.ts";

const MAX_BEFORE = 80;
const MAX_AFTER = 64;
/** Alone, or in groups, or with the letter that Google puts before it; not an amount, date, time or ticket number. */
const NUMBER = pattern("g")`
  (?<![A-Za-z\d_$€£#+]|\d[.,:/ -])(?:[A-Z]-)?(?:
    \d{4,24}|\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|\d\d-\d{3}-\d{3}|\d\d \d\d \d\d
  )(?![A-Za-z\d_%€]|[.:/-]\d|,\d{2,3}(?!\d)|[ ]?\d)
`;
const AFTER_SCRIPT =
  /(?<=[\u0370-\u1fff\u2c00-\u2fef\u3040-\ufaff][\s\u3000「『【[“:：]{0,3})(?!REDACTED:)[!-Z\\^-~]{6,64}/g;
const MAY_BE_NUMBER = /\d{3}|\d\d \d\d \d\d/;
const MAY_HOLD = pattern("i")`
  [ck][oóô]{1,2}d|\b(?:otp|pin|m?tan|puk|c[is][cd])\b|cv[vcn]|on the back|pass|clave|chave|sleutel|schl
  |nyckel|avain|senha|contras|kenn|parol|hasło|heslo|lozin|salas|sandi|(?:use|enter) \d
`;
/** Ends a sentence or a part of it, if a blank follows; never part of a label. */
const ENDS = new Set(".!?,");
const BREAKS = new Set(';。！？、，；】」』\n"`/{}=<>[]@\\');
const isBreak = (text: string, at: number): boolean =>
  BREAKS.has(text[at] ?? "") ||
  (ENDS.has(text[at] ?? "") && /^(?:\s(?!um )|$)/.test(text.slice(at + 1, at + 5)));
const BETWEEN = new Set(" \t\r\n\u00a0\u3000:：=([【「『“\"'`*–—→>-");
const AFTER_NUMBER = /^(?:<[^<>]{0,60}>|[\s#\]】」』”"'`*:–—-]){0,20}/;
/** Codes that are not secret: of products, places, errors. */
const PLAIN = pattern()`
  ^(?:
    zip|postal?|post\w{0,4}|area|country|error|exit|status|response|return|promo\w{0,5}|discount|coupon
    |voucher|gift|tracking|order|product|item|booking|flight|source|bar|qr|dress|color|colour|currency
    |language|sort|swift|tax|reason|fehler|bestell|pedido|postale?|erreur|order|http|rfc|unicode|byte
    |key|gpio|board|ref
  )$
`;
const UNIT =
  /^\s?(?:bytes?|bits?|chars?|characters?|digits?|lines?|ms|milliseconds|seconds?|minutes?|times|days|words?)\b/i;
const USE = new Set(
  "use enter type send with gib geben eingeben utilisez entrez saisissez usa usar introduce ingresa digite inserisci voer ange indtast wpisz zadejte введите kullan".split(
    " ",
  ),
);
const TO_ENTER =
  /^(?:as|to (?:verify|sign|log|confirm|approve|authorize|complete|reset|continue|access|finish|activate|unlock))\b/i;
/** "Enter this code to log in". */
const PURPOSE = pattern("i")`
  \b(?:to|um|pour|para|per) (?:\S{1,20} ){0,2}(?:
    verif|sign|log|confirm|approv|authent|authori[sz]|continu|access|finish|activ|anmeld|anzumeld|einlog
    |bestätig|connect|vous connect|iniciar|entrar|acced|inlog|logg
  )
`;
/** Security codes of cards. Ambiguous names count only near a card number. */
const CARD_CODE = pattern("gi")`
  \b(
    cv[vcn]2?|(?:card )?security code|c[is][cd]|verification (?:number|value)|prüf(?:ziffer|nummer)
    |kartenprüfnummer|c[óo]digo|crypto(?:gramme)?|code|on the back
  )([ \t:=-]{1,4}(?:is |ist |est |es |è |é )?)(\d{3,4})(?![\da-z]|[.,:/-]\d)
`;
const CARD_BEFORE =
  /\[REDACTED:card|\b(?:visa|amex|mastercard|maestro|karte|card|tarjeta|carte|carta|cart[aã]o|exp|valid)\b/i;

class OneTimeCodes extends TextReader {
  numbers(): string {
    return this.#each(NUMBER, (from, to) => this.#isAfterName(from, to) || this.#isBeforeName(to));
  }

  afterScript(): string {
    return this.#each(AFTER_SCRIPT, (from, to) => {
      const value = this.text.slice(from, to);
      return isAnnounced(value) && !isReference(value, true) && this.#namesSecret(this.#before(from).label);
    });
  }

  #each(pattern: RegExp, isCode: (from: number, to: number) => boolean): string {
    for (const { index, 0: found } of this.text.matchAll(pattern)) {
      const value = found.replace(/[,.:;!)\]}>]{1,64}$/, (end) => (/^[!]+$/.test(end) ? end : ""));
      if (isCode(index, index + value.length))
        this.edits.replace(index, index + value.length, this.context.mark("key", value));
    }
    return this.edits.result();
  }

  /** The words of its sentence before a number, without the verb, and whether there was one. */
  #before(at: number, to = at): { readonly label: string; readonly hasVerb: boolean } {
    const text = this.text;
    const least = Math.max(0, at - MAX_BEFORE);
    let end = at;
    const isNextLine = (): boolean =>
      /^\.[ \t\r]*\n\s*$/.test(text.slice(end - 1, at)) && /^\s*(?:[\n<]|$)/.test(text.slice(to, to + 9));
    while (end > least && (BETWEEN.has(text[end - 1] ?? "") || (text[end - 1] === "." && isNextLine()))) {
      // One or more tags are between them.
      const open = text[end - 1] === ">" ? text.slice(least, end).lastIndexOf("<") : -1;
      end = open < 0 ? end - 1 : least + open;
    }
    let from = end;
    while (from > least && !isBreak(text, from - 1)) from -= 1;
    if (from === end) return { label: "", hasVerb: false };
    const words = text.slice(from, end).trim().split(/\s+/);
    const count = words.length;
    while (words.length > 1 && isVerb(fold(words.at(-1) ?? ""))) words.pop();
    return {
      label: words.join(" "),
      hasVerb: words.length < count || /[:：=]/.test(text.slice(end, at)),
    };
  }

  #isAfterName(from: number, to: number): boolean {
    const { label, hasVerb } = this.#before(from, to);
    if (label === "" || UNIT.test(this.text.slice(to, to + 16))) return false;
    if (USE.has(label.slice(label.lastIndexOf(" ") + 1).toLowerCase())) return TO_ENTER.test(this.#after(to));
    if (this.#asksForCode(label)) return true;
    const isGrouped = /^\d{3}[ -]\d{3}$/.test(this.text.slice(from, to));
    return this.#namesCode(isGrouped && !hasVerb ? `your ${label}` : label, hasVerb);
  }

  #asksForCode(label: string): boolean {
    if (!PURPOSE.test(label)) return false;
    const words = fold(label).split(/[\s-]+/);
    const has = (is: (word: string) => boolean): boolean => words.some(is);
    return has((word) => USE.has(word)) && has(isCodeNoun) && !has((word) => PLAIN.test(word));
  }

  #after(to: number): string {
    const tail = this.text.slice(to, to + MAX_AFTER).replace(AFTER_NUMBER, "");
    let end = 0;
    while (end < tail.length && !isBreak(tail, end)) end += 1;
    return tail.slice(0, end);
  }

  /** "… is your verification code". */
  #isBeforeName(to: number): boolean {
    const [verb = "", ...words] = this.#after(to).split(/\s+/, 10);
    if (!isVerb(fold(verb)) && verb !== "as") return false;
    const noun = words.findIndex((word) => /[ck]o{1,2}d|otp|pin|tan|pass|[^\p{ASCII}]/iu.test(word));
    return [1, 3].some((more) => noun >= 0 && this.#namesCode(words.slice(0, noun + more).join(" "), false));
  }

  /** @param isStated a verb, a colon or the groups of the number itself show that the code follows */
  #namesCode(label: string, isStated: boolean): boolean {
    const words =
      label
        .toLowerCase()
        .match(/[^\s-]+/g)
        ?.slice(-5) ?? [];
    if (words.slice(-3).some((word) => PLAIN.test(word))) return false;
    const folded = words.map(fold);
    const isCode = (isStated ? folded : folded.slice(-2)).some(isCodeNoun);
    if (isCode && (folded.some(isOwnersWord) || words.some((word) => USE.has(word)))) return true;
    // Without a verb, the words right before the number must name the code, unlike in "OTP for the card ending 4417".
    const said = isStated || /[\u0370-\uffff]/.test(label) ? label : words.slice(-3).join(" ");
    const mayBe = isStated || /[ck]o{1,2}d|otp|pin|tan|puk|[^\p{ASCII}]/iu.test(said);
    return mayBe && this.#namesSecret(said);
  }

  #namesSecret(label: string): boolean {
    this.context.spend(label.length / 4);
    const { kindOfKey } = this.context;
    const isWhole = /[\u0370-\uffff]/.test(label) && kindOfKey(label.slice(-40)) === "secret";
    return isWhole || nameIn(label, kindOfKey)?.kind === "secret";
  }
}

const cardCodes: TextRule = (text, { mark }) =>
  text.replace(CARD_CODE, (match: string, name: string, between: string, code: string, at: number) =>
    /^(?:cv|on)/i.test(name) || CARD_BEFORE.test(text.slice(Math.max(0, at - MAX_BEFORE), at))
      ? name + between + mark("key", code)
      : match,
  );

/** For texts in ASCII only. */
export const mayHoldCode = (text: string): boolean => MAY_BE_NUMBER.test(text) && MAY_HOLD.test(text);

export const oneTimeCodes: TextRule = (text, context) => {
  const isAscii = !/[^\p{ASCII}]/u.test(text);
  if (isAscii && !mayHoldCode(text)) return text;
  const withoutNumbers = new OneTimeCodes(cardCodes(text, context), context).numbers();
  return isAscii ? withoutNumbers : new OneTimeCodes(withoutNumbers, context).afterScript();
};
