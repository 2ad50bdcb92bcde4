/**
 * Names with their values where no separator stands between: netrc, SQL, `ENV X y`, `#define`, and sentences such
 * as "the token is …" or "invalid API key '…'". What follows has to be unmistakable.
 */
import { credentialIn } from "../credential-values.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";
import { afterBlanks, beforeBlanks, isBlankCode, isNameCode, isQuoteCode, matchAt } from "./characters.ts";
import { Edits } from "./edits.ts";
import { labelBefore, nameIn } from "./labels-before.ts";
import { isPossible, isReference, isTokenLike, isUnmistakable } from "./plausible-values.ts";
import { endOfWord, quotedAt, type Value } from "./values-after.ts";

/** Verbs between a name and its value. */
const COPULA =
  /[ \t\u00a0](?:is|was|equals|becomes|to|of|as|ist|lautet|wäre|est|es|és|é|è|är|er|jest|on|être)[ \t\u00a0:]/gi;
/** What makes it a statement, and not a sentence about one. */
const STATEMENT =
  /\b(?:set password for [^=\n]{1,80}=|identified(?:[ \t]+with[ \t]+["']?\w{1,40}["']?)?[ \t]+(?:by|as)|(?:encrypted|login|with|role|user|default|machine|set|alter|unencrypted)[ \t]+(?:login[ \t]+)?(?:password|passwd|pass)|requirepass|masterauth|AUTH(?:[ \t]+default)?|USER[ \t]\S{1,80}\r?\nPASS)[ \t]+/gi;
/** A name of a secret, or a part of one. */
const CORE = /passw|passphrase|pwd|secret|token|api[ _-]?key|private[ _-]?key|access[ _-]?key|credential/gi;
const OPENING =
  /(?:[ \t]{0,4}[.·_-]{4,80}(?=[ \t]))?[ \t\u00a0]{1,40}(?:to[ \t]|\{ ?get;[ \w;]{0,20}\} ?|REG_[A-Z_]{2,12}[ \t]{1,8})?(?:[:=]|(?:-{1,2}>?|[–—→]|\|\||\?\?)(?=[ \t]))?[ \t]{0,4}/y;
const LITERAL = /N?["'`]/y;
/** Commands and directives that set a variable: `ENV X y`, `setx X y`, `#define X y`. */
const DIRECTIVE =
  /(?:^|[\n;&(]|\\n)[ \t]*(?:ENV|ARG|SET|setx|setenv|set|[#%]define|%global|export|machine|password|[\w.-]*requirepass|git config(?: --\w+)*|npm config set|heroku config:set)[ \t]+[\w.:/-]{0,60}$/i;

class Keywords {
  readonly #text: string;
  readonly #context: RuleContext;

  constructor(text: string, context: RuleContext) {
    this.#text = text;
    this.#context = context;
  }

  /** `CREATE USER jo IDENTIFIED BY '…'`, `ALTER ROLE jo WITH PASSWORD '…'`. */
  statements(): string {
    return this.#each(STATEMENT, (begin, match) => {
      const quoted = quotedAt(this.#text, begin);
      const value = quoted ?? this.#word(begin);
      const text = this.#text.slice(value.from, value.to);
      if (quoted !== undefined && !/auth/i.test(match))
        return isPossible(text) && /^[^\n]{1,200}$/.test(text) ? quoted : undefined;
      return isTokenLike(text) && !isReference(text, true) ? value : undefined;
    });
  }

  /** "The token for jo is …". */
  sentences(): string {
    return this.#each(COPULA, (_begin, _match, from) => {
      const text = this.#text;
      const begin = afterBlanks(text, from, 8);
      const value =
        quotedAt(text, begin) ??
        this.#word(begin + (/^[*:]{0,3}/.exec(text.slice(begin, begin + 3))?.[0].length ?? 0));
      const found = text.slice(value.from, value.to);
      if (!isUnmistakable(found) && !/^\d{4,10}$/.test(found)) return undefined;
      const label = labelBefore(text, this.#copulaBegin, 0);
      const named = label === undefined ? undefined : nameIn(label.text, this.#context.kindOfKey);
      return named?.kind === "secret" && (isUnmistakable(found) || /code|pin|otp|passcode/i.test(named.name))
        ? value
        : undefined;
    });
  }

  #copulaBegin = 0;

  /** `password "…"`, `API_KEY abc123`. */
  names(): string {
    return this.#each(CORE, (_begin, _match, from) => {
      const text = this.#text;
      let end = from;
      while (end - from < 40 && isNameCode(text.charCodeAt(end))) end += 1;
      const code = text.charCodeAt(end);
      const closing = isQuoteCode(code) && isBlankCode(text.charCodeAt(end + 1)) ? 1 : 0;
      if (closing === 0 && !isBlankCode(code)) return undefined;
      const [blanks = ""] = matchAt(OPENING, text, end + closing) ?? [];
      const begin = end + closing + blanks.length;
      const value = matchAt(LITERAL, text, begin) === null ? this.#word(begin) : quotedAt(text, begin);
      if (value === undefined || !this.#isToken(value, from)) return undefined;
      const label = labelBefore(text, end, 0);
      return label !== undefined && nameIn(label.text, this.#context.kindOfKey)?.kind === "secret"
        ? value
        : undefined;
    });
  }

  #isToken({ from, to, form }: Value, name: number): boolean {
    const value = this.#text.slice(from, to);
    if (!isTokenLike(value)) return false;
    const isPlain = form === "quoted" || isUnmistakable(value) || this.#followsDirective(name);
    return isPlain && !isReference(value, form === "word");
  }

  #followsDirective(name: number): boolean {
    return DIRECTIVE.test(this.#text.slice(Math.max(0, name - 80), name));
  }

  #word(begin: number): Value {
    return { from: begin, to: endOfWord(this.#text, begin), form: "word" };
  }

  /** @param find gives the value, of the place after the match, the match, and its last place */
  #each(pattern: RegExp, find: (begin: number, match: string, end: number) => Value | undefined): string {
    const text = this.#text;
    const edits = new Edits(text);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      this.#copulaBegin = beforeBlanks(text, match.index + 1);
      // One blank may end a verb and begin the next.
      const value = find(pattern.lastIndex, match[0], pattern.lastIndex - (pattern === COPULA ? 1 : 0));
      if (pattern === COPULA) pattern.lastIndex -= 1;
      if (value === undefined || value.to <= value.from || value.from < edits.done) continue;
      const { kind, secret } = credentialIn(text.slice(value.from, value.to));
      edits.replace(value.from, value.to, this.#context.mark(kind, secret));
      pattern.lastIndex = Math.max(pattern.lastIndex, value.to);
    }
    return edits.result();
  }
}

export const keywords: TextRule = (text, context) => {
  const withoutStatements = new Keywords(text, context).statements();
  const withoutSentences = new Keywords(withoutStatements, context).sentences();
  return new Keywords(withoutSentences, context).names();
};
