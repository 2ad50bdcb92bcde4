/**
 * Objects in which one member describes another: `{ name: "password", value: "…" }`, in any spelling; form fields
 * (`{ type: "password", value: "…" }`), answers to questions, JSON Patch, values marked as sensitive. Pure.
 */
import { pattern } from "../../platform/pattern.ts";
import type { KeyKind } from "../key-rules.ts";
import { looksLikeToken } from "../text-rule.ts";
import { accountKindOf, mayBeAccount } from "./account-numbers.ts";
import { comparedMembers } from "./comparisons.ts";
import type { MemberName, NameOf } from "./member-names.ts";

/** What one member's value says about other members of its object. */
interface Pair {
  readonly kind: KeyKind;
  readonly name: string;
  readonly holds: (member: MemberName) => boolean;
}

const MAX_NAME_LENGTH = 120;
/** Types that forms and vaults give a field with a hidden value. Parsers also call a word `token`. */
const SECRET_TYPE =
  /^(?:.{0,40}(?:password|passwd|secret|sensitive|secure[_-]?string|masked|credential)s?|.{1,40}[_-]?(?:key|token))$/i;
/** Members that describe a value. In an object with two members, any other may be the value itself. */
const DESCRIPTION = pattern("i")`
  ^(?:
    type|kind|description|desc|required|optional|in|url|uri|href|link|namespace|scope|scopes|format
    |version|status|state|order|index|position|count|length|min|max|placeholder|quantity|amount|unit
    |price|display.*|is[A-Z_].*|has[A-Z_].*|.*(?:type|id|at|date|time|count|length)
  )$
`;

/** Why a field was refused, in words. */
const isReason = (key: string, value: string): boolean =>
  /^(?:message|msg|error|reason)$/i.test(key) && /\s/.test(value);

/** XML parsers turn everything into a list. What n8n fetches by an expression is not a name; `=Authorization` is one. */
function onlyText(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof text !== "string" || text.length === 0 || text.length > MAX_NAME_LENGTH) return undefined;
  return text.includes("{{") || text.includes("[REDACTED:") ? undefined : text.replace(/^=/, "");
}

function lastPart(path: unknown): string | undefined {
  if (Array.isArray(path)) {
    const last: unknown = path.at(-1);
    return typeof last === "string" ? last : undefined;
  }
  // The address of a page names nothing (`loc` in sitemaps).
  return onlyText(path)
    ?.replace(/^https?:.*/s, "")
    .split(/[/.]/)
    .findLast((part) => part !== "" && !/^\d+$/.test(part));
}

const isText = ({ role }: MemberName): boolean => role === "name" || role === "value" || role === "text";

/** Names in an object that stands for a name: `{ field: { ref: "password" }, text: "…" }`. */
function namesInside(value: unknown, nameOf: NameOf): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || "toJSON" in value) return [];
  const texts = Object.entries(value).filter(([key]) => isText(nameOf(key)));
  return texts.map(([, text]) => onlyText(text)).filter((name) => name !== undefined);
}

function namesIn({ role }: MemberName, value: unknown, nameOf: NameOf): readonly string[] {
  if (role !== "name" && role !== "path" && role !== "attributes") return [];
  const name = role === "name" ? onlyText(value) : role === "path" ? lastPart(value) : undefined;
  if (name !== undefined) return [name];
  return role === "path" ? [] : namesInside(value, nameOf);
}

function saysSecret({ role }: MemberName, value: unknown): boolean {
  if (role === "flag") return value === true;
  return role === "type" && typeof value === "string" && SECRET_TYPE.test(value);
}

/** A long question with a long answer, or a heading with its text: the rules for texts read both. */
function isProse(name: string, value: unknown): boolean {
  const words = (text: string): number => text.trim().split(/\s+/, 6).length;
  return words(name) >= 4 && typeof value === "string" && words(value) >= 4;
}

/** `{ text: "…" }`, `["…"]`: a wrapped text, not an object of its own. */
function isWrappedText(value: unknown, nameOf: NameOf): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.length === 1 && isWrappedText(value[0], nameOf);
  const keys = Object.keys(value);
  return keys.length <= 3 && keys.every((key) => ["value", "text", "type"].includes(nameOf(key).role));
}

/** `{ name: "password", text: "Password", answer: "…" }`: the label of a field. */
function isNameAgain(name: string, value: unknown): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return (
    typeof value === "string" &&
    value.length <= MAX_NAME_LENGTH &&
    /^\p{Lu}/u.test(value) &&
    letters(value) === letters(name) &&
    value !== name
  );
}

/** An object with more members is a table or a dictionary. */
const MOST_MEMBERS = 200;

/** Whether an object with these members may be a pair: most cannot and are skipped. */
function mayBePair(members: readonly MemberName[]): boolean {
  if (members.length < 2 || members.length > MOST_MEMBERS) return false;
  let hasValue = members.length === 2;
  let hasName = false;
  for (const { role } of members) {
    if (role === "none") continue;
    const isValue = role === "value" || role === "text";
    // A type may name the member that holds the value.
    hasValue ||= isValue || role === "type";
    hasName ||= !isValue;
  }
  return hasValue && hasName;
}

const NONE: ReadonlySet<string> = new Set();
/** https://kubernetes.io/docs/concepts/configuration/secret/ */
const SECRET_DATA: ReadonlySet<string> = new Set(["data", "stringData"]);
const NAME_OF_TWO = /^[\p{L}\p{N}_.-]{2,40}$/u;

export class ObjectFacts {
  readonly pair: Pair | undefined;
  /** The name of a card or an account, and the members that may hold its number. */
  readonly account: Pick<Pair, "name" | "holds"> | undefined;
  readonly secret: ReadonlySet<string>;
  readonly #object: object;
  readonly #members: readonly MemberName[];
  readonly #nameOf: NameOf;

  /**
   * @param above the name of the object
   * @param isSecretHere whether a name, judged with its value, is secret in this object only
   */
  constructor(
    object: object,
    members: readonly MemberName[],
    above: string | undefined,
    nameOf: NameOf,
    isSecretHere?: (name: string, value: unknown) => boolean,
  ) {
    this.#object = object;
    this.#members = members;
    this.#nameOf = nameOf;
    const isPair = mayBePair(members);
    this.pair = isPair ? this.#findPair(isSecretHere) : undefined;
    this.account = isPair ? this.#findAccount() : undefined;
    this.secret = this.#findSecret(above, isPair);
  }

  #valueOf({ text }: MemberName): unknown {
    return Reflect.get(this.#object, text);
  }

  #holdsValue(member: MemberName): boolean {
    const { role } = member;
    return role === "value" || (role === "text" && isWrappedText(this.#valueOf(member), this.#nameOf));
  }

  #isValueOfTwo(member: MemberName): boolean {
    if (this.#members.length !== 2 || member.role !== "none" || DESCRIPTION.test(member.text)) return false;
    const value = this.#valueOf(member);
    return typeof value === "string" && looksLikeToken(value) && !isReason(member.text, value);
  }

  #isValue(member: MemberName): boolean {
    // A field's own type may name the member: `{ type: "email", email: "…" }`, as in Typeform and Notion.
    const isTyped = "type" in this.#object && this.#object.type === member.text;
    return this.#holdsValue(member) || isTyped || this.#isValueOfTwo(member);
  }

  #findPair(isSecretHere: ((name: string, value: unknown) => boolean) | undefined): Pair | undefined {
    if (!this.#members.some((member) => this.#isValue(member))) return undefined;
    for (const named of this.#members) {
      const text = this.#valueOf(named);
      if (saysSecret(named, text)) {
        const holds = (member: MemberName): boolean => member !== named && this.#isValue(member);
        return { kind: "secret", name: String(text), holds };
      }
      for (const name of namesIn(named, text, this.#nameOf)) {
        const { kind } = this.#nameOf(name);
        const isAnyValueSecret = (): boolean =>
          this.#members.some(
            (each) => this.#isValue(each) && isSecretHere?.(name, this.#valueOf(each)) === true,
          );
        const isNamedSecret = kind === "none" && isSecretHere !== undefined && isAnyValueSecret();
        if (!isNamedSecret && (kind === "none" || kind === "internal" || kind === "credentials")) continue;
        const holds = (member: MemberName): boolean => {
          if (member === named || !this.#isValue(member)) return false;
          const value = this.#valueOf(member);
          return !isNameAgain(name, value) && !isProse(name, value);
        };
        return { kind: isNamedSecret ? "secret" : kind, name, holds };
      }
    }
    return undefined;
  }

  #findAccount(): Pick<Pair, "name" | "holds"> | undefined {
    if (!this.#members.some((member) => this.#holdsValue(member) && mayBeAccount(this.#valueOf(member))))
      return undefined;
    for (const named of this.#members) {
      const names = namesIn(named, this.#valueOf(named), this.#nameOf);
      const name = names.find((each) => accountKindOf(each) !== "none");
      if (name !== undefined) return { name, holds: (each) => each !== named && this.#holdsValue(each) };
    }
    return undefined;
  }

  #findSecret(above: string | undefined, isPair: boolean): ReadonlySet<string> {
    const object = this.#object;
    const known = "kind" in object && object.kind === "Secret" ? SECRET_DATA : NONE;
    const found = [
      ...comparedMembers(object, above, this.#nameOf),
      ...(isPair ? [] : this.#findValueOfTwo()),
    ];
    return found.length === 0 ? known : new Set([...known, ...found]);
  }

  /** Two texts, one the name of a secret and the other a possible secret: `{ left: "password", right: "…" }`. */
  #findValueOfTwo(): string[] {
    const [first, second] = this.#members;
    if (this.#members.length !== 2 || first === undefined || second === undefined) return [];
    if (DESCRIPTION.test(first.text) || DESCRIPTION.test(second.text)) return [];
    const name = this.#valueOf(first);
    const value = this.#valueOf(second);
    const isOne =
      typeof name === "string" &&
      typeof value === "string" &&
      NAME_OF_TWO.test(name) &&
      !/\s/.test(value) &&
      looksLikeToken(value) &&
      first.kind === "none" &&
      this.#nameOf(name).kind === "secret";
    return isOne ? [second.text] : [];
  }
}
