/**
 * Names followed by their values without a separator: netrc, SQL, `ENV X y`, `#define`, and sentences such as "the token
 * is …" or "invalid API key '…'". The value must be unmistakable.
 */
import { pattern } from "../../platform/pattern.ts";
import { TextReader } from "../edits.ts";
import { VERBS } from "../names/foreign.ts";
import type { TextRule } from "../text-rule.ts";
import { afterBlanks, beforeBlanks, isBlankCode, isNameCode, isQuoteCode, matchAt } from "./characters.ts";
import { labelBefore, MAX_AFTER, nameIn } from "./labels-before.ts";
import {
  isAnnounced,
  isAnnouncedPhrase,
  isLikely,
  isPossible,
  isReference,
  isUnmistakable,
} from "./plausible-values.ts";
import { endOfWord, groupsAt, quotedAt, type Value } from "./values-after.ts";

const COPULA = new RegExp(
  String.raw`[ \t\u00a0](?=\S{1,7}[ \t\u00a0:])(?:to|as|wäre|auf|naar|${VERBS.join("|")})[ \t\u00a0:]`,
  "gi",
);
const MAY_STATE = /pass|pw|auth|secr|key|iden|psk|eap|plai|comm|cont|clav|mdp|kenn|пар|334|login|bearer/i;
const STATEMENT = new RegExp(
  [
    String.raw`\b(?:set password for [^=\n]{1,80}=`,
    String.raw`identified(?:[ \t]+with[ \t]+["']?\w{1,40}["']?)?[ \t]+(?:by|as(?=[ \t]+["']))`,
    String.raw`(?:encrypted|login|with|role|user|default|machine|set|alter|unencrypted)[ \t]+(?:login[ \t]+)?(?:password|passwd|pass)`,
    // After the name of a user: netrc, chats.
    String.raw`(?:login|user(?:name)?|account|benutzer(?:name)?|usuario|utilisateur|utente|логин)[ \t:=]{1,3}[^\s,;]{1,80}[ \t,;/|–-]{1,4}(?:(?:and|with|und|mit|y|et|e|и)[ \t]+)?(?:password|passwd|pass|pwd?|passwort|kennwort|contraseña|clave|mdp|пароль)`,
    String.raw`(?<=[\w.+-])@[\w.-]{3,80}[ \t,;/|–-]{1,4}(?:password|passwd|pass|pwd?|passwort|kennwort|contraseña|clave|mdp|пароль)`,
    String.raw`(?<=: )(?:PSK|EAP|XAUTH)|(?<=\{)(?:plain|cleartext)\}`,
    // Commands of routers.
    String.raw`(?:isakmp|tacacs-server|radius-server)[ \t]+key(?:[ \t]\d)?|snmp-server[ \t]+community|pre-shared-key[ \t]+ascii-text|plain-text-password-value|(?:password|secret)[ \t]+\d`,
    String.raw`requirepass|masterauth|AUTH(?:[ \t]+(?:default|PLAIN)|\r?\n\$\d{1,5}\r?\n)?|[a-z]\d{1,4} LOGIN[ \t]+(?:"[^"\n]{1,80}"|[^\s"]{1,80})|NickServ[ \t]+:?IDENTIFY|HELLO \d AUTH \S{1,80}|334 UGFzc3dvcmQ6\r?\n|attach database [^\n;]{1,80} key|pragma key[ \t]*=|exec[ \t]+sp_addlogin[ \t]+'\w{1,60}',`,
    // A command of Redis, as its clients print it.
    String.raw`(?:command|name): 'auth',\s{1,20}args: \[\s{1,20}(?:'[^'\n]{1,80}',\s{1,20})?`,
    // Code that puts a header together: `"Bearer " + "…"`.
    String.raw`bearer[ \t]["'\`][ \t]{0,4}[+.][ \t]{0,4}(?=["'\`])`,
    String.raw`USER[ \t]\S{1,80}\r?\n(?:[+\d][^\n]{0,80}\n)?PASS)[ \t]*(?<=[\s=,}+.])`,
  ].join("|"),
  "gi",
);
/** A user with a password: `Login: admin / …`, `credentials: ada:…`, `u/p: jo/…`. `git@…:` begins an address. */
const LOGIN = pattern("gi")`
  \b(?:
    log-?in|credentials?|creds|u\/p|user\/pass\w{0,4}|zugangsdaten|admin(?: panel)?|root|acceso|accès
    |accesso|dostęp|доступ
  )[ \t]{0,3}(?:[:=–-]|->)[ \t]{1,3}[^\s:/,;|]{2,60}[ ]?[/:|][ ]?(?![/\d])
  |\badmin \/ |(?<=[\w.+-])(?<!\bgit)@(?!\d\.\d+:)[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}(?: [/|] |:)(?![/\d])
`;
const CORE =
  /passw|pass ?phrase|pwd|secret|token|(?:api|private|access|licen[cs]e|product)[ _-]?key|credential/gi;
const OPENING = pattern("y")`
  (?:[ \t]{0,4}[.·_-]{4,80}(?=[ \t]))?[ \t\u00a0]{1,40}(?:
    to[ \t]|\{ ?get;[ \w;]{0,20}\} ?|REG_[A-Z_]{2,12}[ \t]{1,8}
  )?(?:[:=]|(?:-{1,2}>?|[–—→]|\|\||\?\?)(?=[ \t]))?[ \t]{0,4}
`;
const LITERAL = /N?["'`]/y;
const BEFORE_COPY =
  /(?:(?<![\p{L}-])(?!(?:My|New|Your|The|Use|Temporary|Initial|Default|Wi-?Fi|WLAN|Ihr) )\p{Lu}[\p{L}\p{N}]* \p{Lu}\p{L}*|\bTokens?) $/u;
/** n8n numbers the copies of a node: `Send Password Email1`, `Token Splitter1`. On a line of a mail, it is a password. */
const isOfCopy = (text: string, { from, to }: Pick<Value, "from" | "to">): boolean =>
  /^[A-Z][a-z]+\d$/.test(text.slice(from, to)) &&
  BEFORE_COPY.test(text.slice(Math.max(0, from - 80), from)) &&
  text.length <= LONGEST_NAME &&
  !text.includes("\n");
/** Of a node, and what a sentence says about it. */
const LONGEST_NAME = 300;
const SHORT_LINE = /^[^\n:={}]{6,100}$/gm;

class Keywords extends TextReader {
  /** `CREATE USER jo IDENTIFIED BY '…'`, `ALTER ROLE jo WITH PASSWORD '…'`. */
  statements(): string {
    if (!MAY_STATE.test(this.text)) return this.text;
    return this.#each(STATEMENT, ([statement], begin) => {
      if (/^Auth\s/.test(statement)) return undefined;
      const quoted = quotedAt(this.text, begin);
      const value = quoted ?? this.#word(begin);
      const text = this.text.slice(value.from, value.to);
      if (quoted !== undefined && !/auth/i.test(statement))
        return isPossible(text) && /^[^\n]{1,200}$/.test(text) ? quoted : undefined;
      return isLikely(text) && !isReference(text, true) ? value : undefined;
    });
  }

  logins(): string {
    if (!/ [/|] |[:/][\w-]{0,40}\d/.test(this.text)) return this.text;
    return this.#each(LOGIN, (_match, begin) => {
      const value = this.#word(begin);
      const text = this.text.slice(value.from, value.to);
      return isAnnounced(text) && /\d/.test(text) && !isReference(text, true) ? value : undefined;
    });
  }

  /** "The token for jo is …". One blank may end a verb and begin the next. */
  sentences(): string {
    const { text } = this;
    const find = ({ index }: RegExpExecArray, end: number): Value | undefined => {
      const begin = afterBlanks(text, end, 8);
      const [signs = ""] = matchAt(/[*:]{0,3}/y, text, begin) ?? [];
      const value = groupsAt(text, begin) ?? quotedAt(text, begin) ?? this.#word(begin + signs.length);
      const found = text.slice(value.from, value.to);
      const isPhrase = value.form === "groups" || (value.form === "quoted" && isAnnouncedPhrase(found));
      if (!isPhrase && !isAnnounced(found)) return undefined;
      const isNamed = this.#endsWithSecretName(beforeBlanks(text, index + 1));
      return isNamed && !isReference(found, false) ? value : undefined;
    };
    return this.#each(COPULA, find, 1);
  }

  /** `password "…"`, `API_KEY abc123`. */
  names(): string {
    const { text } = this;
    return this.#each(CORE, ({ index }, from) => {
      let end = from;
      while (end - from < 40 && isNameCode(text.charCodeAt(end))) end += 1;
      const code = text.charCodeAt(end);
      // `"password" "…"`, "Your password? …"
      const closing = (isQuoteCode(code) || code === 63) && isBlankCode(text.charCodeAt(end + 1)) ? 1 : 0;
      if (closing === 0 && !isBlankCode(code)) return undefined;
      const [blanks = ""] = matchAt(OPENING, text, end + closing) ?? [];
      const begin = end + closing + blanks.length;
      const value = matchAt(LITERAL, text, begin) === null ? this.#word(begin) : quotedAt(text, begin);
      if (value === undefined || !this.#isToken(value, index)) return undefined;
      return this.#endsWithSecretName(end) ? value : undefined;
    });
  }

  #endsWithSecretName(end: number): boolean {
    const label = labelBefore(this.text, end, 0);
    const after = this.text.slice(end, end + MAX_AFTER);
    return label !== undefined && nameIn(label.text, this.context.kindOfKey, after)?.kind === "secret";
  }

  #isToken(found: Value, name: number): boolean {
    const { from, to, form } = found;
    const value = this.text.slice(from, to);
    // The credential "Slack account 2" is a name.
    if (form === "quoted" && isAnnouncedPhrase(value))
      return !/^creden/i.test(this.text.slice(name, name + 6));
    if (!isLikely(value) || (form === "word" && isOfCopy(this.text, found))) return false;
    const isOfPassword = /^(?:passw|pwd|pass ?ph)/i.test(this.text.slice(name, name + 8));
    const isGiven = /\b(?:using|with|my|new)\s$/i.test(this.text.slice(Math.max(0, name - 8), name));
    const isPlain =
      form === "quoted" || isUnmistakable(value) || ((isOfPassword || isGiven) && isAnnounced(value));
    return isPlain && !isReference(value, form === "word");
  }

  /** Short lines in which one word names a secret and the next word is the secret: `bindpw k1te-99`. */
  lines(): string {
    if (!/\d/.test(this.text)) return this.text;
    return this.#each(SHORT_LINE, ([line], end) => {
      if (!/[ \t]\S{0,100}\d/.test(line)) return undefined;
      let from = end - line.length;
      let name = "";
      for (const word of line.split(/([ \t]+)/)) {
        const value = word.replace(/^["'`(]|["'`,;)*]{1,3}$/g, "");
        if (name !== "" && isAnnounced(value) && !isReference(value, true) && !isUnmistakable(name)) {
          const kind = this.context.kindOfKey(name);
          const begin = from + word.indexOf(value);
          const found = { from: begin, to: begin + value.length, form: "word" } as const;
          if ((kind === "secret" || kind === "tokens") && !isOfCopy(this.text, found)) return found;
        }
        if (value.trim() !== "")
          name = /^(?!bearer$|basic$)[\p{L}_][\p{L}\p{N}_.-]{2,40}$/iu.test(word) ? word : "";
        from += word.length;
      }
      return undefined;
    });
  }

  #word(begin: number): Value {
    return { from: begin, to: endOfWord(this.text, begin), form: "word" };
  }

  /**
   * @param find returns the secret after a match that ends at `end`
   * @param shared characters at the end of a match that may begin the next
   */
  #each(
    pattern: RegExp,
    find: (match: RegExpExecArray, end: number) => Value | undefined,
    shared = 0,
  ): string {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(this.text); match !== null; match = pattern.exec(this.text)) {
      pattern.lastIndex -= shared;
      const value = find(match, pattern.lastIndex);
      if (value === undefined || value.to <= value.from || value.from < this.edits.done) continue;
      this.take(value);
      pattern.lastIndex = Math.max(pattern.lastIndex, value.to);
    }
    return this.edits.result();
  }
}

const PASSES = ["statements", "logins", "sentences", "lines", "names"] as const;

export const keywords: TextRule = (text, context) =>
  PASSES.reduce((result, pass) => new Keywords(result, context)[pass](), text);
