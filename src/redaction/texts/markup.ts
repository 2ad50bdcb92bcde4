/**
 * Markup and escaped HTML: elements and attributes that name a secret (`<password>…</password>`,
 * `<add key="password" value="…"/>`, `<entry key="password">…`), and a label in one element with its value in the
 * next (plist, definition lists, tables). Also the parts of forms. One pass over the tags, each read within bounds.
 */
import { pattern } from "../../platform/pattern.ts";
import { type Stretch, TextReader } from "../edits.ts";
import type { KeyKind } from "../key-rules.ts";
import { aroundIn, redactAccount } from "../structure/account-numbers.ts";
import { marking, type TextRule } from "../text-rule.ts";
import { isLikely, isLiteral, isPossible, isTokenLike } from "./plausible-values.ts";
import { endOfWord } from "./values-after.ts";

const MAX_TAG = 2_000;
const MAX_TEXT = 4_000;
const MAX_LABEL = 80;
const ATTRIBUTE =
  /(?<![\w:.-])([\w:.-]{1,60})[ \t\r\n]{0,8}=[ \t\r\n]{0,8}(?:"([^"]{0,2000})"|'([^']{0,2000})')/g;
/** Elements that hold the value of their parent element. */
const VALUE = /^(?:value|plaintext|string)$/i;
const NAMING =
  /^(?:name|key|id|field|property|parameter|param|attribute|label|itemprop|header|k|type|aria-label|placeholder|data-name|data-key)$/i;
const VALUING = /^(?:value|content|default|val|v|data-value|data)$/i;
/** Elements whose text is the visible label of a field. */
const CAPTION =
  /^(?:label|a|button|h\d|legend|form|div|section|input|option|p|svg|script|style|title|tr|table|body|html|ul|li)$/i;

interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly attributes: string;
  readonly attributesAt: number;
  readonly end: number;
}

const isNameStart = (code: number): boolean =>
  (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127;

const MAX_COLUMNS = 100;

/** The column of an HTML table that contains a text, and whether the first row named it a secret. */
class ColumnNames {
  readonly #kindOfKey: (key: string) => KeyKind;
  readonly #secret = new Set<number>();
  #row = 0;
  #column = -1;

  constructor(kindOfKey: (key: string) => KeyKind) {
    this.#kindOfKey = kindOfKey;
  }

  tag(name: string, isClosing: boolean): void {
    if (name.length > 5) return;
    const element = name.toLowerCase();
    if (element === "table") {
      this.#row = 0;
      this.#column = -1;
      this.#secret.clear();
    } else if (element === "tr" && !isClosing) {
      this.#row += 1;
      this.#column = -1;
    } else if ((element === "td" || element === "th") && !isClosing) this.#column += 1;
  }

  text(label: string): void {
    const isNamed = this.#row === 1 && this.#column >= 0 && this.#column < MAX_COLUMNS;
    if (isNamed && this.#kindOfKey(label) === "secret") this.#secret.add(this.#column);
  }

  isSecret(): boolean {
    return this.#row > 1 && this.#secret.has(this.#column);
  }
}

class Markup extends TextReader {
  readonly #columns = new ColumnNames(this.context.kindOfKey);
  /** The kind of the label before this text, which may be that label's value. */
  #label: KeyKind = "none";
  /** Whether that label ends with a colon. */
  #isAnnounced = false;
  /** Whether the element marks its text as secret; `sure` if its own name does. */
  #inside: "no" | "sure" | "likely" = "no";
  #sectionEnd = 0;
  #element = "";

  redacted(): string {
    const text = this.text;
    this.#textAfter(0);
    for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
      const tag = this.#tagAt(at);
      if (tag === undefined) {
        at += 1;
        continue;
      }
      this.#open(tag);
      at = this.#textAfter(tag.end);
    }
    return this.edits.result();
  }

  #tagAt(at: number): Tag | undefined {
    const text = this.text;
    const isClosing = text[at + 1] === "/";
    const begin = at + (isClosing ? 2 : 1);
    if (!isNameStart(text.charCodeAt(begin))) return undefined;
    let quote = 0;
    let nameEnd = 0;
    const limit = Math.min(text.length, at + MAX_TAG);
    for (let end = begin; end < limit; end += 1) {
      const code = text.charCodeAt(end);
      if (code === 60) return undefined;
      if (nameEnd === 0 && (code <= 32 || code === 62 || code === 47)) nameEnd = end;
      if (quote !== 0) {
        if (code === quote) quote = 0;
      } else if (code === 34 || code === 39) quote = code;
      else if (code === 62) {
        return {
          name: text.slice(begin, nameEnd),
          isClosing,
          attributes: text.slice(nameEnd, end),
          attributesAt: nameEnd,
          end: end + 1,
        };
      }
    }
    return undefined;
  }

  #open({ name, isClosing, attributes, attributesAt }: Tag): void {
    this.#columns.tag(name, isClosing);
    const above = this.#inside;
    this.#inside = "no";
    if (isClosing) return;
    const local = name.slice(name.lastIndexOf(":") + 1);
    this.#element = local;
    if (local.length <= 64 && local.length > 1) {
      const kind = this.context.kindOfKey(local);
      if (kind === "secret" || kind === "tokens") this.#inside = kind === "secret" ? "sure" : "likely";
    }
    // `<AdministratorPassword><Value>`
    if (VALUE.test(local)) this.#inside = above;
    if (attributes.length > 4) this.#attributes(local, attributes, attributesAt);
  }

  #attributes(element: string, attributes: string, at: number): void {
    let isNamed = false;
    const values: Stretch[] = [];
    for (const match of attributes.matchAll(ATTRIBUTE)) {
      const [whole, name = "", double, single] = match;
      const value = double ?? single ?? "";
      const to = at + match.index + whole.length - 1;
      if (VALUING.test(name)) values.push({ from: to - value.length, to });
      else if (NAMING.test(name)) isNamed ||= value.length <= MAX_LABEL && this.isSecretName(value.trim());
    }
    if (!isNamed) return;
    for (const { from, to } of values) this.#takeText(from, to, "sure");
    if (values.length === 0 && this.#inside === "no") this.#inside = CAPTION.test(element) ? "no" : "likely";
  }

  /** @returns where the next tag may begin */
  #textAfter(at: number): number {
    const text = this.text;
    if (text.startsWith("<![CDATA[", at)) return this.#characterData(at + 9);
    const next = text.indexOf("<", at);
    const end = next < 0 ? text.length : next;
    let from = at;
    let to = end;
    while (from < to && to - from < MAX_TEXT && /\s/.test(text[from] ?? "")) from += 1;
    while (to > from && end - to < 200 && /\s/.test(text[to - 1] ?? "")) to -= 1;
    if (to > from && to - from <= MAX_TEXT && next >= 0) this.#textNode(from, to);
    else if (to > from && this.#isAnnounced) this.#takeWord(from);
    return next < 0 ? text.length : next;
  }

  #characterData(at: number): number {
    // Searched once, however often such a section begins.
    if (this.#sectionEnd >= 0 && this.#sectionEnd < at) this.#sectionEnd = this.text.indexOf("]]>", at);
    if (this.#sectionEnd < 0) return at;
    if (this.#sectionEnd > at && this.#sectionEnd - at <= MAX_TEXT) this.#textNode(at, this.#sectionEnd);
    return at;
  }

  #textNode(from: number, to: number): void {
    const isValue = this.#label !== "none" || this.#columns.isSecret();
    const inside = this.#inside;
    const isAnnounced = this.#isAnnounced;
    this.#inside = "no";
    this.#label = "none";
    this.#isAnnounced = false;
    const certainty = inside === "no" && isValue ? "likely" : inside;
    if (certainty !== "no" && this.#takeText(from, to, certainty)) return;
    if (isAnnounced && this.#takeWord(from)) return;
    if (to - from > MAX_LABEL) return;
    const around = aroundIn(this.text, from, to);
    const account = redactAccount(this.#element, this.text.slice(from, to), this.context.mark, around);
    if (account !== undefined) this.edits.replace(from, to, account);
    const label = this.text.slice(from, to).replace(/(?: \([^()]{1,30}\))?[\s:：*]{0,8}$/u, "");
    if (label.length < 2 || /[^\p{L}\p{M}\p{N}\s_.()/-]/u.test(label) || isTokenLike(label)) return;
    this.#label = this.#isLabel(label) ? "secret" : "none";
    this.#isAnnounced = this.#label === "secret" && /[:：]$/.test(this.text.slice(from, to));
    this.#columns.text(label);
  }

  #isLabel(label: string): boolean {
    return label.split(/\s+/).length <= 4 && this.isSecretName(label);
  }

  /** `<b>Password:</b> x1` at the end of a text or before other words. */
  #takeWord(from: number): boolean {
    return this.#takeText(from, endOfWord(this.text, from), "likely");
  }

  #takeText(from: number, to: number, certainty: "sure" | "likely"): boolean {
    const value = this.text.slice(from, to);
    if (!isLiteral(value, false)) return false;
    if (certainty === "likely" && !isLikely(value) && !/^\d{4,12}$/.test(value)) return false;
    this.take({ from, to });
    return true;
  }
}

/** `&lt;password&gt;…&lt;/password&gt;` */
const escapedElements = marking(
  /(&lt;([\p{L}_][\p{L}\p{N}_:.-]{1,63})(?:\s(?:[^&<>]|&(?:quot|apos|#3[49]);){0,300})?&gt;)([^&<>]{1,1000})(?=&lt;\/)/gu,
  isPossible,
);

export const markup: TextRule = (text, context) => {
  const result = text.includes("<") && text.includes(">") ? new Markup(text, context).redacted() : text;
  return result.includes("&lt;") ? escapedElements(result, context) : result;
};

/** RFC 7578: a part of a form, `name="password"`, its headers, an empty line, the value; also as a literal in code. */
export const formParts = marking(
  pattern("giu")`
  (
    name=\\?"([\p{L}\p{N}_.[\]-]{2,64})\\?"(?:
      (?:\r?\n|\\r\\n|\\n)content-[\w-]{1,40}: ?[\w/;=. -]{1,100}
    ){0,3}(?:\r?\n|\\r\\n|\\n){2}
  )((?:(?!\\r|\\n)[^\r\n]){1,4000})
`,
  isPossible,
);
