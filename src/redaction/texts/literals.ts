/**
 * Literals of source code that belong to a name without a separator: arguments (`set("password", "…")`,
 * `setPassword("…")`) and comparisons that begin with the value (`"…" === password`).
 */
import { pattern } from "../../platform/pattern.ts";
import { TextReader } from "../edits.ts";
import { isSecretBeside } from "../key-rules.ts";
import type { TextRule } from "../text-rule.ts";
import { looksLikeToken } from "../text-rule.ts";
import { afterBlanks, beforeBlanks, isNameCode, isQuoteCode, matchAt } from "./characters.ts";
import { labelBefore } from "./labels-before.ts";
import { isAnnounced, isAnnouncedPhrase, isLiteral, isTokenLike } from "./plausible-values.ts";
import { quotedAt, type Value } from "./values-after.ts";

const MAX_LITERAL = 500;
const MAX_NAME = 64;
const SETTER = pattern("i")`
  (?:
    set|put|add|append|header|headers|define|setenv|env|property|prop|param|parameter|field|store|with
    |type|fill|args?|option|setopt|var
  )\w{0,12}$
`;
const GETTER = pattern("i")`
  ^(?:
    get|read|fetch|find|load|has|is|check|validate|verify|require|create|generate|make|parse|hash|log
    |print|show|forgot|reset|use|delete|remove|new|test|it|describe|expect|match|t|on|by|from|to
  )(?![a-z])
`;
const CALL = /([\w.]{1,24})\([^()"'`]{0,60}$/;
const METHOD =
  /\.(?:assign|set|setValue|equals|equalsIgnoreCase|compareTo|compare|append|put|push|eq|toBe|update|strcpy)$/;

/**
 * Functions with a secret as an argument, by the argument's index: of libraries for HTTP, mail, databases, signatures
 * and encryption, in the languages of n8n's nodes and of scripts around it.
 */
const SECRET_ARGUMENTS: ReadonlyMap<string, readonly number[]> = new Map(
  `
0 cookieparser fernet securestring symmetricsecuritykey secretkeyspec pbekeyspec scrypt scryptsync pbkdf2 pbkdf2sync password_verify password_hash bcrypt.hash bcrypt.compare
0 btoa buffer.from b64encode base64_encode base64.b64encode
0 hashpw checkpw hmac.new hmacsha1 hmacsha256 hmacsha384 hmacsha512 new_from_slice bearer_auth bearerauth decryptbypassphrase encryptbypassphrase crypt hmac ssh.password chars.password
1 createhmac createcipheriv createdecipheriv createcipher createdecipher pgp_sym_encrypt pgp_sym_decrypt aes_encrypt aes_decrypt aes.encrypt aes.decrypt tripledes.encrypt tripledes.decrypt
1 jwt.sign jwt.verify jwt.encode jwt.decode jwtverify hmac hmac.new hmacsha1 hmacsha256 hmacsha512 hexdigest pbkdf2_hmac messageverifier.sign setbasicauth basic_auth basicauth httpbasicauth httpdigestauth
1 credentials.basic networkcredential passwordauthentication usernamepasswordcredentials usernamepasswordcredential pscredential login auth authenticate cookie setcookie set_cookie cookies.set sp_addlogin smtp_login basicauthsecurity plaincredentials client.bind
2 hash_hmac openssl_encrypt openssl_decrypt plainauth mysqli mysqli_connect pdo __construct getconnection connect smtp_connect ftp_login ldap_bind imap_open ssh2_auth_password ftp pg_pconnect
3 credentials
`
    .trim()
    .split("\n")
    .flatMap((row) => {
      const [place = "", ...names] = row.split(" ");
      return names.map((name) => [name, Number(place)] as const);
    })
    .reduce((places, [name, place]) => places.set(name, [...(places.get(name) ?? []), place]), new Map()),
);
const QUALIFIED = /(?:\w{1,30}(?:\.|->|::))?\w{1,30}$/;
const MAX_ARGUMENT = 120;
/** `auth=(`, `'auth': (`, `"auth" => [` */
const AUTH_PAIR = /\bauth["']?[ \t]{0,4}(?:=>?|:)[ \t]{0,4}$/i;
const RAW_HEADERS = /\braw(?:Headers|Trailers)["']?[ \t]?[:=][ \t]?$/;
/** A field of a page by its attributes: `input[name="password"]`, `#password`. */
const SELECTOR =
  /(?:fill|type|sendKeys|set\w{0,12})\(["'`](?:[^"'`\s]{0,40}\[(?:name|id|type|autocomplete|placeholder)[*^$~|]?=\\?["']?|#)([\w-]{2,40})\\?["']?\]?$/i;
/** Ruby calls these without parentheses. */
const BARE_CALL = /\b(?:(?:basic_auth|JWT\.(?:en|de)code|hexdigest) (?=["'\w@])|login (?=["']))/i;
const HOLDING_BOTH = /^(?:btoa|from|b64encode|base64_encode)$/;
/** What may precede a literal in its argument: `[]byte("…")`, `Some("…")`, `user: "…"`. */
const BEFORE_LITERAL = /[\w.:[\]& ]{0,40}\(?(?=b?\\*["'`])/y;
const ALGORITHM =
  /^(?:(?:hmac-?)?(?:sha|md)-?\d+|[hrep]s\d{3}|aes-.{3,12}|hex|base64(?:url)?|utf-?8|ascii|bf|binary)$/i;

/** Where the argument that begins here ends: at a comma or closing bracket outside quotes and inner brackets. */
function endOfArgument(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length && at - from < MAX_ARGUMENT; at += 1) {
    const sign = text[at] ?? "";
    if (isQuoteCode(text.charCodeAt(at))) at = quotedAt(text, at)?.to ?? at;
    else if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    if (depth < 0 || (depth === 0 && sign === ",")) return at;
  }
  return text.length;
}

class Literals extends TextReader {
  /** No list is read twice. */
  #rawHeadersEnd = 0;

  redacted(): string {
    const text = this.text;
    const mayBeBare = BARE_CALL.test(text);
    for (let at = 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 44) this.#arguments(at);
      else if (code === 40) {
        this.#call(at);
        this.#secretArguments(at);
      } else if (code === 91) this.#list(at);
      else if (code === 32 && mayBeBare && BARE_CALL.test(text.slice(Math.max(0, at - 12), at + 2)))
        this.#secretArguments(at);
      else if (code === 59) this.#serialized(at);
      else if (code === 61) this.#comparison(at);
      else if (code === 46 && text.startsWith(".toCharArray()", at)) this.#characters(at);
    }
    return this.edits.result();
  }

  /** `f("name", "value")`, `["--token", "value"]`, `setopt(handle, PASSWORD, "value")`. */
  #arguments(at: number): void {
    const text = this.text;
    const begin = afterBlanks(text, at + 1, 20);
    const first = text.charCodeAt(begin);
    if (!isQuoteCode(first) && first !== 92) return;
    const end = beforeBlanks(text, at, 4);
    const before = text.charCodeAt(end - 1);
    const isConstant = before >= 65 && before <= 90;
    if (!isConstant && !isQuoteCode(before)) return;
    const label = labelBefore(text, end, this.edits.done);
    const field = isConstant ? null : SELECTOR.exec(text.slice(Math.max(0, at - 120), end - 1));
    if (field !== null) {
      const value = quotedAt(text, begin);
      const isSecret = value !== undefined && this.isSecretName(field[1] ?? "");
      if (isSecret && isLiteral(text.slice(value.from, value.to), false)) this.take(value);
      return;
    }
    if (label === undefined || (isConstant && !/^(?:[\w.]+\.)?[A-Z0-9_]{4,}$/.test(label.text))) return;
    const name = label.text.replace(/^CURLOPT_/, "");
    if (this.context.kindOfKey(name) === "none" && !/^(?:PROXY)?USERPWD$/.test(name)) return;
    const opening = this.#callBefore(label.from - label.quote.length);
    const value = quotedAt(text, begin);
    if (opening === undefined || value === undefined) return;
    const literal = text.slice(value.from, value.to);
    const isSet = SETTER.test(opening) || isConstant || label.text.startsWith("--");
    // Without a call, these may be the rows of a statement.
    const isNew = this.#isNew(literal, label.text) || isAnnouncedPhrase(literal);
    if (isSet ? !isNew : !(opening === "" ? isAnnounced : isTokenLike)(literal)) return;
    this.take(value);
  }

  /** serialize of PHP: `s:8:"password";s:3:"…"`. */
  #serialized(at: number): void {
    const text = this.text;
    const [between] = matchAt(/;s:\d{1,9}:(?=\\*")/y, text, at) ?? [];
    if (between === undefined || !isQuoteCode(text.charCodeAt(at - 1))) return;
    const label = labelBefore(text, at, this.edits.done);
    const value = quotedAt(text, at + between.length);
    if (label === undefined || value === undefined || this.context.kindOfKey(label.text) === "none") return;
    const literal = text.slice(value.from, value.to);
    if (isLiteral(literal, false)) this.take(value);
  }

  /** The function whose argument begins here, or a bracket; undefined where there is none. */
  #callBefore(at: number): string | undefined {
    const text = this.text;
    const end = beforeBlanks(text, at, 20);
    const sign = text[end - 1] ?? "";
    if (sign === "[") return sign;
    if (sign === ",") return CALL.exec(text.slice(Math.max(0, end - 90), end))?.[1];
    if (sign !== "(") return undefined;
    return this.#identifierBefore(end - 1);
  }

  #identifierBefore(at: number): string {
    let from = at;
    while (from > 0 && at - from < MAX_NAME && isNameCode(this.text.charCodeAt(from - 1))) from -= 1;
    return this.text.slice(from, at);
  }

  /** `setPassword("…")`, `secret("…")`. */
  #call(at: number): void {
    const text = this.text;
    const first = text[afterBlanks(text, at + 1, 4)] ?? "";
    if (!"\"'`\\@N".includes(first) || !isNameCode(text.charCodeAt(at - 1))) return;
    const identifier = this.#identifierBefore(at).replace(METHOD, "");
    const name = identifier.slice(identifier.lastIndexOf(".") + 1);
    if (name.length < 3 || GETTER.test(name) || this.context.kindOfKey(name) === "none") return;
    const value = quotedAt(text, afterBlanks(text, at + 1, 4));
    if (value === undefined) return;
    const literal = text.slice(value.from, value.to);
    if (/^(?:set|with|add|put)/i.test(name) ? !this.#isNew(literal, name) : !isTokenLike(literal)) return;
    this.take(value);
  }

  /** `createHmac("sha256", "…")`, `auth=("user", "…")`. */
  #secretArguments(at: number): void {
    const text = this.text;
    const name = AUTH_PAIR.test(text.slice(Math.max(0, at - 16), at))
      ? "auth"
      : QUALIFIED.exec(this.#identifierBefore(text[at - 1] === "=" ? at - 1 : at))?.[0].toLowerCase();
    if (name === undefined) return;
    const last = name.slice(name.search(/\w{1,30}$/));
    const places = SECRET_ARGUMENTS.get(name.replace(/->|::/, ".")) ?? SECRET_ARGUMENTS.get(last);
    if (places === undefined) return;
    let begin = at + 1;
    for (let place = 0; place < 5; place += 1) {
      begin = afterBlanks(text, begin, 20);
      const [before = ""] = matchAt(BEFORE_LITERAL, text, begin) ?? [];
      const value = places.includes(place) ? quotedAt(text, begin + before.length) : undefined;
      if (value !== undefined) this.#takeArgument(value, HOLDING_BOTH.test(last));
      begin = endOfArgument(text, begin);
      if (text[begin] !== "," || begin - at > MAX_ARGUMENT) return;
      begin += 1;
    }
  }

  /** `auth: ["user", "…"]`; Node.js prints the headers of a message as names and values in turn. */
  #list(at: number): void {
    const text = this.text;
    const before = text.slice(Math.max(0, at - 16), at);
    if (AUTH_PAIR.test(before)) this.#secretArguments(at);
    if (at < this.#rawHeadersEnd || !RAW_HEADERS.test(before)) return;
    let name: string | undefined;
    for (let begin = at; ; this.#rawHeadersEnd = begin) {
      const blanks = matchAt(/[[,]\s{0,100}/y, text, begin);
      const found = blanks === null ? undefined : quotedAt(text, begin + blanks[0].length);
      if (found === undefined) return;
      const literal = text.slice(found.from, found.to);
      const isSecret = name !== undefined && isSecretBeside(this.context.kindOfKey(name), literal);
      if (isSecret && isLiteral(literal, false)) this.take(found);
      name = name === undefined ? literal : undefined;
      begin = found.to + 1;
    }
  }

  /** @param holdsBoth `user:password`, which is encoded for Basic */
  #takeArgument(argument: Value, holdsBoth: boolean): void {
    const whole = this.text.slice(argument.from, argument.to);
    const [user = ""] = (holdsBoth ? /^[^\s:/]{1,60}:(?=[^\s/]{4,100}$)/ : /^/).exec(whole) ?? [];
    if (holdsBoth && user === "") return;
    const value: Value = { ...argument, from: argument.from + user.length };
    const literal = whole.slice(user.length);
    if (!isLiteral(literal, false) || ALGORITHM.test(literal)) return;
    // An example: `btoa("username:password")`.
    if (!/\d/.test(literal) && this.context.kindOfKey(literal) !== "none") return;
    if (/^[^\n]{3,499}[^\n:]$/.test(literal)) this.take(value);
  }

  /** `"…" == password`. */
  #comparison(at: number): void {
    const text = this.text;
    if (text[at + 1] !== "=" && text[at - 1] !== "!") return;
    const end = beforeBlanks(text, text[at - 1] === "!" ? at - 1 : at, 4);
    if (!isQuoteCode(text.charCodeAt(end - 1))) return;
    const [, name = ""] = matchAt(/={1,3}[ \t]{0,4}([\p{L}_$][\p{L}\p{N}_.$>-]{1,63})/uy, text, at) ?? [];
    if (name === "" || this.context.kindOfKey(name) === "none") return;
    const value = this.#literalBefore(end);
    const literal = value === undefined ? "" : text.slice(value.from, value.to);
    if (value !== undefined && this.#isNew(literal, name) && /[^\p{L}_.-]/u.test(literal)) this.take(value);
  }

  /** `"…".toCharArray()`: in Java, hardly anything but a password. */
  #characters(at: number): void {
    const value = isQuoteCode(this.text.charCodeAt(at - 1)) ? this.#literalBefore(at) : undefined;
    if (value !== undefined) this.#takeArgument(value, false);
  }

  /** @param end after its closing quote */
  #literalBefore(end: number): Value | undefined {
    const least = Math.max(this.edits.done, end - 1 - MAX_LITERAL);
    const open = this.text.slice(least, end - 1).lastIndexOf(this.text[end - 1] ?? "");
    return open < 0 ? undefined : { from: least + open + 1, to: end - 1, form: "quoted" };
  }

  /** Neither the name again nor a word that only describes the value. */
  #isNew(literal: string, name: string): boolean {
    if (!isLiteral(literal, false) || /\s/.test(literal) || literal.length > 4_000) return false;
    if (literal.length > 64) return true;
    const words = literal.toLowerCase();
    return (
      !name.toLowerCase().includes(words) &&
      looksLikeToken(literal) &&
      // A name has no number of two digits at its end.
      (/\d{2}$/.test(literal) || this.context.kindOfKey(literal) === "none")
    );
  }
}

export const literals: TextRule = (text, context) =>
  /["'`]/.test(text) ? new Literals(text, context).redacted() : text;
