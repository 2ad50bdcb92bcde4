/**
 * Walks over a value of JSON and tells which parts of it redaction may change: texts by themselves, and objects in
 * which a rule for structures may find something, with all that is in them. Everything else stays as it is.
 *
 * The rules are asked, not copied: an object goes without them only where none of its names is one that they look for.
 */
import { isBufferShape } from "../encodings.ts";
import { setMember } from "../json-value.ts";
import type { KeyKind } from "../key-rules.ts";
import { markOfKind } from "../marks.ts";
import { accountTextOf, redactAccount } from "../structure/account-numbers.ts";
import { namedBefore, privateKeyLines, userFlagPassword } from "../structure/lists.ts";
import { contextUnder, isMemoryNode, isNode, type NameContext } from "../structure/name-contexts.ts";
import { accountPairIn, hiddenMembers, loneSecretIn, mayBePair, pairIn } from "../structure/pairs.ts";
import { elementsOf, spelledText } from "../structure/spelled-texts.ts";
import { columnsOfFirstRow, tableIn, unnamedColumns } from "../structure/tables.ts";
import { isSecretParameter } from "../texts/url-secrets.ts";
import { VISIT } from "../work.ts";
import { TRAIT, type TraitsOf } from "./key-traits.ts";
import type { Allowance, TextReader, UntouchedTexts } from "./untouched-texts.ts";

/** What redaction may change, and where its result belongs. */
export interface TouchedPart {
  readonly value: unknown;
  readonly put: (redacted: unknown) => void;
}

export interface WalkRules {
  readonly kindOfKey: (key: string) => KeyKind;
  readonly traitsOf: TraitsOf;
  readonly texts: UntouchedTexts;
}

/** Stands for a value that redaction may change. */
const TOUCHED = Symbol("touched");

/** The redactor counts depth from the root: what is deeper is for it alone. */
const MAX_DEPTH = 100;

interface Place {
  readonly depth: number;
  /** What lies around it counts, too: it is not to be redacted without that. */
  readonly isBound: boolean;
  /** Among the parameters of a URL, or below them. */
  readonly isQuery: boolean;
  readonly context: NameContext | undefined;
  /** The member that a list is. */
  readonly key: string | undefined;
  readonly isElement: boolean;
}

const ROOT: Place = {
  depth: 0,
  isBound: false,
  isQuery: false,
  context: undefined,
  key: undefined,
  isElement: false,
};

export class SparingWalk {
  readonly #rules: WalkRules;
  readonly #allowance: Allowance;
  readonly #parts: TouchedPart[] | undefined;
  readonly #nesting: number;
  readonly #reader: TextReader;
  #isTooDeep = false;

  /**
   * @param parts are told to it; without it, the walk ends at the first
   * @param nesting how many texts lie around the value
   */
  constructor(
    rules: WalkRules,
    allowance: Allowance,
    parts?: TouchedPart[],
    nesting = 0,
    reader?: TextReader,
  ) {
    this.#rules = rules;
    this.#allowance = allowance;
    this.#parts = parts;
    this.#nesting = nesting;
    this.#reader =
      reader ??
      rules.texts.reader(
        allowance,
        (value, depth) =>
          new SparingWalk(rules, allowance, undefined, depth, this.#reader).walk(value) !== undefined,
      );
  }

  /** Gives the value, with copies of what the touched parts stand in; undefined when it has to be redacted as a whole. */
  walk(value: unknown): { readonly value: unknown } | undefined {
    const walked = this.#value(value, ROOT);
    return walked === TOUCHED || this.#isTooDeep ? undefined : { value: walked };
  }

  #value(value: unknown, place: Place): unknown {
    this.#allowance.work.spend(VISIT);
    if (typeof value === "string") return this.#reader.isUntouched(value, this.#nesting) ? value : TOUCHED;
    if (typeof value !== "object" || value === null) return value;
    this.#isTooDeep ||= place.depth > MAX_DEPTH;
    if (this.#isTooDeep) return TOUCHED;
    const told = this.#parts?.length;
    const walked = Array.isArray(value) ? this.#list(value, place) : this.#object(value, place);
    // What is redacted as a whole is not redacted in parts.
    if (walked === TOUCHED && told !== undefined) this.#parts?.splice(told);
    return walked;
  }

  #list(items: readonly unknown[], place: Place): unknown {
    if (this.#isTouchedList(items, place)) return TOUCHED;
    const inside = { ...place, depth: place.depth + 1, isElement: true };
    let copy: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const walked = this.#value(item, inside);
      if (walked === item) continue;
      copy ??= [...items];
      const list = copy;
      const put = (redacted: unknown): void => {
        list[index] = redacted;
      };
      if (walked !== TOUCHED) put(walked);
      else if (!this.#tell(item, inside, put)) return TOUCHED;
    }
    return copy ?? items;
  }

  #isTouchedList(items: readonly unknown[], { key, isElement }: Place): boolean {
    const { kindOfKey } = this.#rules;
    if (spelledText(items) !== undefined) return true;
    if (columnsOfFirstRow(items, kindOfKey) !== undefined) return true;
    if (unnamedColumns(items, kindOfKey) !== undefined) return true;
    if (!items.some((item) => typeof item === "string")) return false;
    const isNamed = namedBefore(items, { key, isElement }, kindOfKey);
    const isKeyLine = privateKeyLines(items);
    return items.some(
      (item, index) =>
        isKeyLine(index) || isNamed(index) || userFlagPassword(items[index - 1], item) !== undefined,
    );
  }

  #object(object: object, place: Place): unknown {
    const keys = Object.keys(object);
    const traits = keys.map(this.#rules.traitsOf);
    const all = traits.reduce((sum, each) => sum | each, 0);
    if (this.#isTouchedObject(object, keys, all, place)) return TOUCHED;
    const copy = new LazyCopy(object);
    for (const [index, key] of keys.entries())
      if (!this.#member(copy, key, traits[index] ?? 0, place)) return TOUCHED;
    return copy.result;
  }

  /** @returns false when the object has to be redacted as a whole */
  #member(copy: LazyCopy, key: string, traits: number, place: Place): boolean {
    const owner = copy.original;
    const member: unknown = Reflect.get(owner, key);
    const isContainer = typeof member === "object" && member !== null;
    if (!isContainer && this.#isTouchedScalar(key, member, traits, place)) return false;
    const isSecret = (traits & TRAIT.secret) !== 0 && maySaySomething(member);
    const inside = isContainer ? placeIn(key, traits, owner, place) : place;
    const walked = isSecret ? TOUCHED : this.#value(member, inside);
    if (walked !== TOUCHED) {
      if (walked !== member) copy.set(key, walked);
      return true;
    }
    // What is redacted later is put into what is given now.
    const put = copy.setterOf(key);
    if (!isSecret && this.#tell(member, inside, put)) return true;
    const putMember = (redacted: unknown): void => put(memberOf(redacted, key));
    return (
      isAboutMemberAlone(key, member, owner, inside) && this.#tell(onlyMember(key, member), place, putMember)
    );
  }

  #isTouchedObject(object: object, keys: readonly string[], all: number, place: Place): boolean {
    const { kindOfKey } = this.#rules;
    if ((all & TRAIT.hidden) !== 0) return true;
    // What a node keeps under such a name is judged by what the node is.
    if ((all & TRAIT.secret) !== 0 && (isNode(object) || isMemoryNode(object))) return true;
    if ((all & TRAIT.telling) !== 0 && tells(object, keys)) return true;
    if ((all & TRAIT.header) !== 0 && tableIn(object, keys, kindOfKey) !== undefined) return true;
    const isPair =
      (all & TRAIT.naming) !== 0 && (keys.length === 2 || (all & TRAIT.valuing) !== 0) && mayBePair(keys);
    if (!isPair) return keys.length === 2 && loneSecretIn(object, keys, kindOfKey) !== undefined;
    if (pairIn(object, keys, kindOfKey, place.isQuery ? this.#isQuerySecret : undefined) !== undefined)
      return true;
    return holdsNamedAccount(object, keys);
  }

  #isTouchedScalar(key: string, value: unknown, traits: number, { isQuery }: Place): boolean {
    if ((traits & TRAIT.account) !== 0 && redactAccount(key, value, markOfKind) !== undefined) return true;
    return value === undefined || (isQuery && this.#isQuerySecret(key, value));
  }

  readonly #isQuerySecret = (name: string, value: unknown): boolean =>
    typeof value === "string" && isSecretParameter(name, value, this.#rules.kindOfKey);

  /** @returns false when it cannot be redacted by itself */
  #tell(value: unknown, { isBound }: Place, put: (redacted: unknown) => void): boolean {
    if (this.#parts === undefined || isBound || Array.isArray(value)) return false;
    this.#parts.push({ value, put });
    return true;
  }
}

/** An object that is copied once a member of it becomes another. */
class LazyCopy {
  readonly original: object;
  #copy: { [key: string]: unknown } | undefined;

  constructor(original: object) {
    this.original = original;
  }

  get result(): object {
    return this.#copy ?? this.original;
  }

  set(key: string, value: unknown): void {
    this.setterOf(key)(value);
  }

  /** For later: the copy is made at once, so that it is the one that is given. */
  setterOf(key: string): (value: unknown) => void {
    this.#copy ??= { ...this.original };
    const copy = this.#copy;
    return (value) => setMember(copy, key, value);
  }
}

/** Where the members of a member stand. */
function placeIn(key: string, traits: number, owner: object, place: Place): Place {
  const context = contextUnder(key, owner, place.context);
  const isQuery = place.isQuery || (traits & TRAIT.query) !== 0;
  const isBound = place.isBound || isQuery || context !== undefined || isBoundToOwner(key, owner);
  return { depth: place.depth + 1, isBound, isQuery, context, key, isElement: false };
}

/** Under the name of a secret, too, it stays that there is none. */
const maySaySomething = (value: unknown): boolean => value !== null && typeof value !== "boolean";

/** The member alone, with the name that says what it is. */
const onlyMember = (key: string, value: unknown): object => Object.fromEntries([[key, value]]);

/** Whether nothing else that the owner says of this member counts. */
const isAboutMemberAlone = (key: string, value: unknown, owner: object, { context }: Place): boolean =>
  !isBoundToOwner(key, owner) && contextUnder(key, onlyMember(key, value), undefined) === context;

const isBoundToOwner = (key: string, owner: object): boolean => key === "parameters" && isMemoryNode(owner);

/** @throws TypeError when redaction has left it out, which it does in references to credentials alone */
function memberOf(object: unknown, key: string): unknown {
  if (typeof object !== "object" || object === null || !Object.hasOwn(object, key))
    throw new TypeError("Redaction left a member out.");
  return Reflect.get(object, key);
}

/** Whether a number of an account stands beside its name. */
function holdsNamedAccount(object: object, keys: readonly string[]): boolean {
  const numbers = keys.filter((key) => accountTextOf(Reflect.get(object, key)) !== undefined);
  const named = numbers.length === 0 ? undefined : accountPairIn(object, keys);
  return (
    named !== undefined &&
    numbers.some(
      (key) =>
        named.holds(key) && redactAccount(named.name, Reflect.get(object, key), markOfKind) !== undefined,
    )
  );
}

/** Whether the object is of a form that says more of its members than their names do. */
function tells(object: object, keys: readonly string[]): boolean {
  if (isBufferShape(object) || hiddenMembers(object).size > 0) return true;
  if ("mimeType" in object && "data" in object && typeof object.data === "string") return true;
  const elements = elementsOf(object, keys);
  return elements !== undefined && spelledText(elements) !== undefined;
}
