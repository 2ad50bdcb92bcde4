/**
 * Literals of source code beside a name, with less than a separator between: arguments (`set("password", "…")`,
 * `setPassword("…")`) and comparisons that begin with the value (`"…" === password`).
 */
import { credentialIn } from "../credential-values.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";
import { looksLikeToken } from "../text-rule.ts";
import { afterBlanks, beforeBlanks, isNameCode, isQuoteCode, matchAt } from "./characters.ts";
import { Edits } from "./edits.ts";
import { labelBefore } from "./labels-before.ts";
import { isPossible, isReference, isTokenLike } from "./plausible-values.ts";
import { quotedAt, type Value } from "./values-after.ts";

const MAX_LITERAL = 500;
const MAX_NAME = 64;
/** Functions that are given a value for a name. */
const SETTER =
  /(?:set|put|add|append|header|headers|define|setenv|env|property|prop|param|parameter|field|store|with|args?|option|setopt|var)\w{0,12}$/i;
/** Functions that are given the name of a secret, or a text about one. */
const GETTER =
  /^(?:get|read|fetch|find|load|has|is|check|validate|verify|require|create|generate|make|parse|hash|log|print|show|forgot|reset|use|delete|remove|new|test|it|describe|expect|match|t|on|by|from|to)(?![a-z])/i;
/** A call, up to its second argument. */
const CALL = /([\w.]{1,24})\([^()"'`]{0,60}$/;
const METHOD =
  /\.(?:assign|set|setValue|equals|equalsIgnoreCase|compareTo|compare|append|put|push|eq|toBe|update|strcpy)$/;

class Literals {
  readonly #text: string;
  readonly #context: RuleContext;
  readonly #edits: Edits;

  constructor(text: string, context: RuleContext) {
    this.#text = text;
    this.#context = context;
    this.#edits = new Edits(text);
  }

  redacted(): string {
    const text = this.#text;
    for (let at = 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 44) this.#arguments(at);
      else if (code === 40) this.#call(at);
      else if (code === 59) this.#serialized(at);
      else if (code === 61) this.#comparison(at);
    }
    return this.#edits.result();
  }

  /** `f("name", "value")`, `["--token", "value"]`, `setopt(handle, PASSWORD, "value")`. */
  #arguments(at: number): void {
    const text = this.#text;
    const begin = afterBlanks(text, at + 1, 20);
    const first = text.charCodeAt(begin);
    if (!isQuoteCode(first) && first !== 92) return;
    const end = beforeBlanks(text, at, 4);
    const before = text.charCodeAt(end - 1);
    const isConstant = before >= 65 && before <= 90;
    if (!isConstant && !isQuoteCode(before)) return;
    const label = labelBefore(text, end, this.#edits.done);
    if (label === undefined || (isConstant && !/^[A-Z0-9_]{4,}$/.test(label.text))) return;
    if (
      this.#context.kindOfKey(label.text.replace(/^CURLOPT_/, "")) === "none" &&
      !/^CURLOPT_(?:PROXY)?USERPWD$/.test(label.text)
    )
      return;
    const opening = this.#callBefore(label.from - label.quote.length);
    const value = quotedAt(text, begin);
    if (opening === undefined || value === undefined) return;
    const literal = text.slice(value.from, value.to);
    const isSet = SETTER.test(opening) || isConstant || label.text.startsWith("--");
    if (isSet ? !this.#isNew(literal, label.text) : !isTokenLike(literal)) return;
    this.#take(value);
  }

  /** serialize of PHP: `s:8:"password";s:3:"…"`. */
  #serialized(at: number): void {
    const text = this.#text;
    const [between] = matchAt(/;s:\d{1,9}:(?=\\*")/y, text, at) ?? [];
    if (between === undefined || !isQuoteCode(text.charCodeAt(at - 1))) return;
    const label = labelBefore(text, at, this.#edits.done);
    const value = quotedAt(text, at + between.length);
    if (label === undefined || value === undefined || this.#context.kindOfKey(label.text) === "none") return;
    const literal = text.slice(value.from, value.to);
    if (isPossible(literal) && !isReference(literal, false)) this.#take(value);
  }

  /** The function whose argument begins here, or a bracket; undefined where there is none. */
  #callBefore(at: number): string | undefined {
    const text = this.#text;
    const end = beforeBlanks(text, at, 20);
    const sign = text[end - 1] ?? "";
    if (sign === "[") return sign;
    if (sign === ",") return CALL.exec(text.slice(Math.max(0, end - 90), end))?.[1];
    if (sign !== "(") return undefined;
    return this.#identifierBefore(end - 1);
  }

  #identifierBefore(at: number): string {
    let from = at;
    while (from > 0 && at - from < MAX_NAME && isNameCode(this.#text.charCodeAt(from - 1))) from -= 1;
    return this.#text.slice(from, at);
  }

  /** `setPassword("…")`, `secret("…")`. */
  #call(at: number): void {
    const text = this.#text;
    const first = text[afterBlanks(text, at + 1, 4)] ?? "";
    if (!"\"'`\\@N".includes(first) || !isNameCode(text.charCodeAt(at - 1))) return;
    const identifier = this.#identifierBefore(at).replace(METHOD, "");
    const name = identifier.slice(identifier.lastIndexOf(".") + 1);
    if (name.length < 3 || GETTER.test(name) || this.#context.kindOfKey(name) === "none") return;
    const value = quotedAt(text, afterBlanks(text, at + 1, 4));
    if (value === undefined) return;
    const literal = text.slice(value.from, value.to);
    if (/^(?:set|with|add|put)/i.test(name) ? !this.#isNew(literal, name) : !isTokenLike(literal)) return;
    this.#take(value);
  }

  /** `"…" == password`. */
  #comparison(at: number): void {
    const text = this.#text;
    if (text[at + 1] !== "=" && text[at - 1] !== "!") return;
    const end = beforeBlanks(text, text[at - 1] === "!" ? at - 1 : at, 4);
    const quote = text[end - 1] ?? "";
    if (!isQuoteCode(quote.charCodeAt(0))) return;
    const [, name = ""] = matchAt(/={1,3}[ \t]{0,4}([\p{L}_$][\p{L}\p{N}_.$>-]{1,63})/uy, text, at) ?? [];
    if (name === "" || this.#context.kindOfKey(name) === "none") return;
    const least = Math.max(this.#edits.done, end - 1 - MAX_LITERAL);
    const open = text.slice(least, end - 1).lastIndexOf(quote);
    const literal = text.slice(least + open + 1, end - 1);
    if (open < 0 || !this.#isNew(literal, name) || !/[^\p{L}_.-]/u.test(literal)) return;
    this.#take({ from: least + open + 1, to: end - 1, form: "quoted" });
  }

  /** Not the name again, and no word that only says what stands there. */
  #isNew(literal: string, name: string): boolean {
    if (!isPossible(literal) || isReference(literal, false) || /\s/.test(literal) || literal.length > 4_000)
      return false;
    if (literal.length > 64) return true;
    const words = literal.toLowerCase();
    return (
      !name.toLowerCase().includes(words) &&
      looksLikeToken(literal) &&
      this.#context.kindOfKey(literal) === "none"
    );
  }

  #take({ from, to }: Value): void {
    const { kind, secret } = credentialIn(this.#text.slice(from, to));
    this.#edits.replace(from, to, this.#context.mark(kind, secret));
  }
}

export const literals: TextRule = (text, context) =>
  /["'`]/.test(text) ? new Literals(text, context).redacted() : text;
