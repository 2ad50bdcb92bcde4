/**
 * Names with their values in free text: header lines, env files, connection strings, source code, YAML, sentences, and
 * JSON that was cut off or is inside other text. One pass over the separators: from each, the label is read backwards
 * and the value forwards.
 *
 * How much evidence a value needs depends on the name: `x-api-key: abc` is certain, `password: abc` may be prose.
 */
import { credentialIn } from "../credential-values.ts";
import { TextReader } from "../edits.ts";
import type { KeyKind } from "../key-rules.ts";
import { ABOUT, PLAIN_KEYS } from "../names/vocabulary.ts";
import { isReason } from "../structure/descriptions.ts";
import type { TextRule } from "../text-rule.ts";
import { afterBlanks, isLineEndCode, isNameCode, isQuoteCode, matchAt } from "./characters.ts";
import { isHeader, isSecretValue } from "./judgement.ts";
import { type Label, labelBefore, lastWordOf, MAX_AFTER, type NamedLabel, nameIn } from "./labels-before.ts";
import { isLikely, isRedacted, isReference, isTokenLike } from "./plausible-values.ts";
import {
  blockAt,
  credentialsAt,
  endOfBracket,
  endOfWord,
  fallbackIn,
  groupsAt,
  nextLineAt,
  quotedAt,
  type Value,
} from "./values-after.ts";

const REST_OF_SEPARATOR = /[=>:~]{0,3}/y;
const EMPHASIS = /(?:[*_]{1,3}(?=[ \t\u00a0]))?/y;
const NAMED_KEY = /(?:^|[^A-Za-z])([A-Za-z][a-z0-9]{2,30}|[A-Z]{3,20})(?:[_-]key|Key|KEY|_KEY)$/;
const KEY_ALONE =
  /["'`]?(?![0-9a-f]{8}-)(?=[A-Za-z_+/-]{0,60}\d)(?=[\d_+/-]{0,60}[A-Za-z])[\w+/-]{20,200}={0,2}(?![\w.:-])/y;
/** A tag or an anchor of YAML before its value: `!!str abc`, `&name abc`. */
const NODE_PROPERTY = /(?:!!?[\w-]{1,20}|&[\w-]{1,40})[ \t]{1,4}(?=[^\s&])/y;
/** A type between the name and its value: `password: String = "…"`. */
const TYPE = /[ \t]{0,4}[&\w.?<>[\]| ]{1,40}[ \t]=[ \t]{0,4}(?=[@bu]?["'`])/y;

const NAME_WORDS = new Set(
  "name key field label property parameter header variable k attribute param".split(" "),
);
const VALUE_WORDS = new Set(["value", "val", "v", "values", "default", "content", "defaultvalue"]);
const SENTENCE = /(?:[^\r\n|;.]|\.(?!\s|$)){0,200}/y;
const ENDS_LINE = /^[,;]?\s*(?:\n|$)/;
const MAX_LABEL_LINE = 60;
const MAX_INDENTATION = 100;
/** The longest announced name (64 characters), with what may follow it. */
const MAX_ANNOUNCED_WORD = 80;
const MAX_PAIR = 300;

/** `token.ts:45:12`: a place in a source file. */
const LINE_NUMBER = /^\d{1,6}(?!\w)/;
const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|py|java|kt|scala|rb|php|go|rs|cs|cpp|swift)$/i;

const PARENT = /^([ \t]*)(?:(?:- )?["']?([\w.-]{2,40})["']?:|\[{1,2}([\w.-]{2,40})\]{1,2})[ \t]*\r?$/;
/** In prose and notes, with spaces around it; in code there are none. */
const ARROW = /^ -> $/;
const SEPARATORS = new Set([0x3a, 0x3d, 0xff1a, 0xff1d, 0x2192, 0x21d2, 0x27a1, 0x279c, 0x2794]);

/** `user.name2` is code, but after a label written for people it may be a password. */
const isAfterHumanLabel = (label: string, value: string): boolean =>
  /^\p{Lu}|\s|[^\p{ASCII}]/u.test(label) && /^\w{2,30}\.\w{0,30}\d\w{0,9}$/.test(value);

class LabelledValues extends TextReader {
  /** A name that was given as a value, `name: password`; the value of that name is still to come. */
  #announced: { readonly kind: KeyKind; readonly name: string; readonly until: number } | undefined;
  /** The end of the last line that was judged as a whole; header names in it are not judged again. */
  #judgedLine = 0;

  redacted(): string {
    const text = this.text;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x3a || code === 0x3d || (code >= 0x2190 && SEPARATORS.has(code)))
        at = this.#separator(at) - 1;
      else if (code === 0x3e && ARROW.test(text.slice(at - 2, at + 2))) at = this.#separator(at, at - 1) - 1;
      else if (code === 10) this.#lineEnd(at);
      else if (code === 0x7b) this.#blockOf(at);
    }
    return this.edits.result();
  }

  /** @returns where to continue: after the value, or after the separator */
  #separator(at: number, sign = this.#signBefore(at)): number {
    const text = this.text;
    if (text[at] === ":" && (text[at + 1] === "/" || text[at + 1] === ":")) return at + 2;
    const label = labelBefore(text, sign, this.edits.done);
    if (label === undefined || (LINE_NUMBER.test(text.slice(at + 1, at + 8)) && SOURCE_FILE.test(label.text)))
      return at + 1;
    const named = this.#named(label, at);
    if (named === undefined || (at < this.#judgedLine && isHeader(named.name))) return at + 1;
    const begin = this.#valueBegin(at);
    const value = this.#valueAt(begin, label, named);
    return this.#judge(label, named, value, { at, sign, begin });
  }

  /** `!=`, `||=`, `+=` are separators from their first sign on. */
  #signBefore(at: number): number {
    let end = at;
    while (end > 0 && at - end < 2 && "!|?+".includes(this.text[end - 1] ?? "")) end -= 1;
    return end;
  }

  #named(label: Label, at: number): NamedLabel | undefined {
    const after = this.text.slice(at + 1, at + MAX_AFTER);
    const named = nameIn(label.text, this.context.kindOfKey, after);
    if (named !== undefined) return named;
    if (label.text.endsWith("query.key") || this.#isNamedKey(label, at))
      return { name: label.text, kind: "secret", isPhrase: true };
    const word = lastWordOf(label.text).toLowerCase();
    if (word === "key") {
      const parent = this.#parentOf(afterBlanks(this.text, label.from));
      const kind = parent === undefined ? "none" : this.context.kindOfKey(`${parent}_key`);
      if (kind === "secret") return { name: word, kind, isPhrase: true };
    }
    if (NAME_WORDS.has(word)) this.#announce(at);
    else if (word === "type" && /^["': ]{1,3}password\b/.test(this.text.slice(at + 1, at + 12)))
      this.#announce(at);
    const announced = this.#announced;
    if (announced === undefined || !VALUE_WORDS.has(word) || at > announced.until) return undefined;
    this.#announced = undefined;
    return { ...announced, isPhrase: false };
  }

  /** The section above the line of a setting: `stripe:` in YAML, `[stripe]` in an INI file. */
  #parentOf(from: number): string | undefined {
    const indentation = this.#indentationOf(from);
    if (indentation < 0) return undefined;
    let end = this.text.lastIndexOf("\n", from);
    for (let line = 0; line < 6 && end > 0; line += 1) {
      const begin = this.text.lastIndexOf("\n", end - 1) + 1;
      if (end - begin > MAX_PAIR) return undefined;
      const [, blanks = "", name = "", section = ""] = PARENT.exec(this.text.slice(begin, end)) ?? [];
      if (section !== "" || (name !== "" && blanks.length < indentation)) return section || name;
      end = begin - 1;
    }
    return undefined;
  }

  /** `overloop_key=…`: a key of an unknown service, if its value can only be a key. */
  #isNamedKey({ text: label }: Label, at: number): boolean {
    if (!/[yY]$/.test(label.slice(-1))) return false;
    const [, owner] = NAMED_KEY.exec(label) ?? [];
    if (owner === undefined) return false;
    const name = owner.toLowerCase();
    return (
      !PLAIN_KEYS.has(name) &&
      !ABOUT.has(name) &&
      matchAt(KEY_ALONE, this.text, this.#valueBegin(at)) !== null
    );
  }

  /** `name: password`, `"key": "x-api-key"`. */
  #announce(at: number): void {
    const begin = afterBlanks(this.text, at + 1);
    const { from, to } = quotedAt(this.text, begin) ?? {
      from: begin,
      to: endOfWord(this.text, begin, MAX_ANNOUNCED_WORD),
    };
    const name = this.text.slice(from, Math.min(to, from + 65));
    const kind = name.length > 64 || name === "" ? "none" : this.context.kindOfKey(name);
    this.#announced =
      kind === "secret" || kind === "tokens" ? { kind, name, until: to + MAX_PAIR } : undefined;
  }

  /** Terraform: `variable "password" {`; its `default` follows. */
  #blockOf(at: number): void {
    if (this.text[at - 2] !== '"' && this.text[at - 1] !== '"') return;
    const [, name = ""] =
      /variable[ \t]{1,4}"([\w-]{1,64})"[ \t]?$/.exec(this.text.slice(Math.max(0, at - 90), at)) ?? [];
    const kind = name === "" ? "none" : this.context.kindOfKey(name);
    if (kind === "secret" || kind === "tokens") this.#announced = { kind, name, until: at + MAX_PAIR };
  }

  #valueBegin(at: number): number {
    const text = this.text;
    const mayBeTyped = text[at] === ":" && text.slice(at + 1, at + 50).includes("=");
    const [typed = ""] = mayBeTyped ? (matchAt(TYPE, text, at + 1) ?? []) : [];
    if (typed !== "") return at + 1 + typed.length;
    const [rest = ""] = matchAt(REST_OF_SEPARATOR, text, at + 1) ?? [];
    const [emphasis = ""] = matchAt(EMPHASIS, text, at + 1 + rest.length) ?? [];
    const begin = afterBlanks(text, at + 1 + rest.length + emphasis.length);
    const [node = ""] = text[at] === ":" ? (matchAt(NODE_PROPERTY, text, begin) ?? []) : [];
    return begin + node.length;
  }

  #valueAt(at: number, label: Label, { name, kind }: NamedLabel): Value {
    const text = this.text;
    const quoted = quotedAt(text, at);
    if (quoted !== undefined) return quoted;
    const isQuoted = label.quote !== "";
    const followsBrackets = kind !== "tokens" && kind !== "auth" && kind !== "authentication";
    if (
      // `cookies={"sid": …}` of Python.
      (isQuoted || (/^cookies$/i.test(name) && text[at - 1] === "=")) &&
      followsBrackets &&
      /[{[]/.test(text[at] ?? "") &&
      !/^(?:\{\{|\[REDACTED:)/.test(text.slice(at, at + 10))
    ) {
      return { from: at, to: endOfBracket(text, at), form: "bracket" };
    }
    if (isHeader(name) && !isQuoted) return credentialsAt(text, at);
    const groups = kind === "secret" ? groupsAt(text, at) : undefined;
    if (groups !== undefined) return groups;
    if (text[at] === "|" || text[at] === ">") {
      const block = blockAt(text, at, this.#indentationOf(label.from));
      if (block !== undefined) return block;
    }
    if (isLineEndCode(text.charCodeAt(at))) {
      const next = nextLineAt(text, at);
      if (next !== undefined) return next;
    }
    return { from: at, to: this.#endOfWords(at, label, name), form: "word" };
  }

  /** The value of a setting may have several words if it is alone on its line. */
  #endOfWords(at: number, label: Label, name: string): number {
    const text = this.text;
    const to = endOfWord(text, at);
    if (text[to] !== " " || !name.includes("_") || this.#indentationOf(label.from) < 0) return to;
    const [words = ""] = matchAt(/(?: [\p{L}\p{N}_-]{1,40}){1,12}(?=\r?\n|$)/uy, text, to) ?? [];
    return to + words.length;
  }

  /** How far the line's first word is indented, at most 100; -1 when the label is not the first. */
  #indentationOf(from: number): number {
    const before = this.text.slice(Math.max(0, from - MAX_INDENTATION), from);
    const line = before.slice(Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1);
    return /^[ \t]*(?:- *)?$/.test(line) ? line.length : -1;
  }

  #judge(
    label: Label,
    named: NamedLabel,
    { from, to, form }: Value,
    { at, sign, begin }: Readonly<Record<"at" | "sign" | "begin", number>>,
  ): number {
    const text = this.text;
    const value = text.slice(from, to);
    if (form === "line") this.#judgedLine = to;
    if (isRedacted(value)) return Math.max(to, at + 1);
    const [sentence = ""] = text[at] === ":" && form === "word" ? (matchAt(SENTENCE, text, from) ?? []) : [];
    if (isReason(sentence.trimEnd())) return Math.max(to, at + 1);
    if (form === "word" || form === "quoted" || form === "line") {
      const fallback = form === "word" && /[.($A-Z]/.test(value) ? fallbackIn(text, begin) : undefined;
      if (fallback !== undefined) return this.#take(named, fallback, fallback.from);
      if (isReference(value, form === "word") && !isAfterHumanLabel(label.text, value))
        return Math.max(to, at + 1);
    }
    const isSecret = isSecretValue({
      ...named,
      value,
      form,
      isTight: text[at] === "=" && sign === at && begin === at + 1 && text[at - 1] !== " ",
      isMentioned: label.quote === "`",
      isCompared: text[sign] === "!" || text.startsWith("==", at),
      endsLine: value.length < 13 && ENDS_LINE.test(text.slice(to, to + 4)),
    });
    return isSecret ? this.#take(named, { from, to, form }, begin) : at + 1;
  }

  #take({ kind }: NamedLabel, { from, to, form }: Value, begin: number): number {
    const value = this.text.slice(from, to);
    const found =
      kind === "internal"
        ? { kind, secret: value }
        : credentialIn(form === "line" ? this.text.slice(begin, to) : value);
    this.edits.replace(from, to, this.context.mark(found.kind, found.secret));
    return to;
  }

  #lineEnd(at: number): void {
    const text = this.text;
    const before = text.charCodeAt(at - 1);
    if (!isNameCode(before) && !'*_)`>\r"'.includes(text[at - 1] ?? "\n")) return;
    if (!this.#mayEndLabel(at)) return;
    const value = nextLineAt(text, at);
    const found = value === undefined ? "" : text.slice(value.from, value.to);
    if (value === undefined || !isLikely(found)) return;
    const label = labelBefore(text, text[at - 1] === "\r" ? at - 1 : at, this.edits.done);
    if (label === undefined || !this.#isAlone(label) || label.text.length > 40 || isTokenLike(label.text))
      return;
    const named = nameIn(label.text, this.context.kindOfKey);
    if (named === undefined || named.kind === "auth" || isReference(found, true) || isRedacted(found)) return;
    this.#take(named, value, value.from);
  }

  /** A cheap check that rules most lines out: longer than a label, or followed by one too short for a value. */
  #mayEndLabel(at: number): boolean {
    const line = this.text.slice(Math.max(0, at - MAX_LABEL_LINE), at);
    if (line.length === MAX_LABEL_LINE && !line.includes("\n")) return false;
    const next = this.text.slice(at + 1, at + 10).replace(/^\r?\n/, "");
    return next.length > 5 && !/^\S{0,4}[\s,]\S/.test(next);
  }

  /** Only bullets, emphasis and the like are before it on its line. */
  #isAlone({ from }: Label): boolean {
    const text = this.text;
    for (let at = from; at > 0 && from - at < 20; at -= 1) {
      const code = text.charCodeAt(at - 1);
      if (isLineEndCode(code)) return true;
      if (isNameCode(code) && code !== 0x2d && code !== 0x5f && code !== 0x2e) return false;
      if (isQuoteCode(code) || code === 0x7d || code === 0x29) return false;
    }
    return from < 20;
  }
}

export const labelledValues: TextRule = (text, context) => new LabelledValues(text, context).redacted();
