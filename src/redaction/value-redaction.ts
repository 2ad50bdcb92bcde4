/**
 * Redacts one value: whatever is secret by its structure (keys, pairs of name and value, n8n's own state), and every
 * text in it. One object serves one answer, so that the same secret has the same mark everywhere in it.
 *
 * Ordered from top to bottom: a value, a list, an object, and a member of one. `secret-values.ts` decides what is kept
 * of a value whose name marks it as secret.
 */
import { memoizeByObject } from "../platform/memoize.ts";
import { setMember } from "../platform/set-member.ts";
import { type BufferShape, bytesOfBuffer, isBufferShape, textOf } from "./encodings.ts";
import type { JsonValue } from "./json-reader.ts";
import { AUTH_SCHEME, isAuthenticationSecret, type KeyKind } from "./key-rules.ts";
import { isMark, kindsOfMarks, type MarkSecret, Marks, markOfKind, type PreviewMarks } from "./marks.ts";
import { wordSet } from "./names/words.ts";
import { canHoldSecret } from "./plain-text.ts";
import { PrintedJson } from "./printed-json.ts";
import type { Rules } from "./rules.ts";
import {
  MAX_DEPTH,
  type Members,
  type Place,
  type RedactMember,
  SecretValues,
  type Walk,
} from "./secret-values.ts";
import { redactAccount } from "./structure/account-numbers.ts";
import { isClaims, isPublic, isRefusal } from "./structure/descriptions.ts";
import {
  elementsOf,
  namedBefore,
  privateKeyLines,
  secretArgument,
  spelledText,
  userFlagPassword,
} from "./structure/lists.ts";
import { isSecretInPlace, type MemberName } from "./structure/member-names.ts";
import { belongsIn, contextUnder, isMemoryNode, isNode, isNodeState } from "./structure/name-contexts.ts";
import { ObjectFacts } from "./structure/object-facts.ts";
import {
  type Columns,
  cellsOf,
  columnsOfFirstRow,
  type TableMember,
  tableIn,
  unnamedColumns,
} from "./structure/tables.ts";
import { TextRedaction } from "./text-redaction.ts";
import type { RuleContext } from "./text-rule.ts";
import { isSecretParameter, jsonParameters } from "./texts/urls.ts";
import { atOnce, type Traversal } from "./traversal.ts";
import { VISIT_COST, Work } from "./work.ts";

/** No real record has more names that contain secrets, and each costs as much as a text. */
const MOST_SECRET_NAMES = 500;
const MOST_NAMES_BESIDE = 40;
/** Marks of names that took too much work to read. */
const MARKS_OF_UNREAD_KEYS = new Set([markOfKind("withheld"), markOfKind("too-complex")]);
/** Kinds removed for their size or noise, which are no reason to redact the text in which they are encoded. */
const HARMLESS_KINDS = wordSet("binary path");

/** India calls its postal code PIN. */
const POSTCODE_OF_INDIA = /^[1-9]\d{5}$/;
const OF_PLACE = /(?<![a-z_])(?:city|district|address|landmark|locality|shipping|billing)/i;

const QUERY_KEYS = wordSet(
  "query qs querystring searchparams queryparameters queryparametersui queryparametersjson jsonquery",
);
/** Between `queryParameters` and its pairs. */
const INSIDE_QUERY_KEYS = wordSet("parameters parameter values");

export interface Run {
  readonly previews?: PreviewMarks | undefined;
  /** How many texts enclose this value. */
  readonly nesting?: number;
  readonly work?: Work;
  /** Traversal of the value itself; values inside its texts are redacted at once. */
  readonly traversal?: Traversal;
}

export class ValueRedaction implements Walk {
  readonly rules: Rules;
  readonly #markOf: MarkSecret;
  readonly context: RuleContext;
  readonly #secrets = new SecretValues(this);
  readonly #texts: TextRedaction;
  readonly #work: Work;
  #traversal: Traversal;
  /** Keys known to contain no secret themselves, cached because keys repeat. */
  readonly #cleanKeys = new Set<string>();
  #marksMade = 0;

  constructor(rules: Rules, markOf: MarkSecret, run: Run = {}) {
    const { previews, nesting = 0, work = new Work(), traversal = atOnce } = run;
    this.rules = rules;
    this.#markOf = markOf;
    this.#work = work;
    this.#traversal = traversal;
    this.context = {
      mark: this.#mark,
      kindOfKey: rules.kindOfKey,
      holdsSecret: (decoded) => this.#texts.encodedHoldsSecret(decoded),
      spend: work.spend,
      charge: work.charge,
    };
    this.#texts = new TextRedaction(rules, this.context, {
      work,
      previews,
      nesting,
      redactValue: (value) => this.#valueInText(value),
      holdsSecret: (text, depth) => this.#textHoldsSecret(text, depth),
    });
  }

  readonly #mark = (kind: string, secret?: string): string => {
    this.#marksMade += 1;
    return this.#markOf(kind, secret);
  };

  value(value: unknown, place: Place): JsonValue {
    this.#work.spend(VISIT_COST);
    if (value === null || value === undefined) return null;
    if (typeof value === "string") {
      return value.startsWith("arn:") && isPublic(value)
        ? this.rules.ownSecrets(value, this.context)
        : this.#texts.text(value);
    }
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return Number.isFinite(value) ? this.#number(value) : null;
    if (typeof value !== "object") return null;
    if (value instanceof PrintedJson) return this.#printed(value);
    if (place.depth > MAX_DEPTH) return this.#mark("too-deep");
    if ("toJSON" in value && typeof value.toJSON === "function") {
      const plain: unknown = value.toJSON();
      return this.value(plain, { ...place, depth: place.depth + 1 });
    }
    return Array.isArray(value) ? this.#list(value, place) : this.#object(value, place);
  }

  /** Of a number, only our own secrets and what the operator's settings describe are secret. */
  #number(value: number): JsonValue {
    const text = String(value);
    const clean = this.#texts.ofJson(text);
    return clean === text ? value : clean;
  }

  /** Already clean; its redactions still count. */
  #printed({ text }: PrintedJson): string {
    for (const kind of kindsOfMarks(text)) this.#mark(kind);
    return text;
  }

  /** JSON found in a text; undefined if there is nothing to redact in it. */
  #valueInText(value: JsonValue): JsonValue | undefined {
    const before = this.#marksMade;
    const outside = this.#traversal;
    this.#traversal = atOnce;
    try {
      const clean = this.value(value, { depth: 0 });
      return this.#marksMade === before ? undefined : clean;
    } finally {
      this.#traversal = outside;
    }
  }

  #textHoldsSecret(text: string, nesting: number): boolean {
    const marks = new Marks();
    new ValueRedaction(this.rules, marks.of, { nesting, work: this.#work }).#texts.text(text);
    return Object.keys(marks.counts).some((kind) => !HARMLESS_KINDS.has(kind));
  }

  #list(items: readonly unknown[], place: Place): JsonValue[] | string {
    const spelled = spelledText(items);
    if (spelled !== undefined && this.#texts.holdsSecret(spelled)) return this.#mark("buffer", spelled);
    const { isQuery = false, key, context } = place;
    const inside: Place = {
      depth: place.depth + 1,
      isElement: true,
      isQuery,
      key,
      context: context === "requirements" ? context : undefined,
    };
    const { nameOf } = this.rules;
    const columns = columnsOfFirstRow(items, nameOf);
    if (columns !== undefined) {
      return this.items(items, (row, index) =>
        index === 0 ? this.value(row, { depth: inside.depth }) : this.#row(row, columns, inside),
      );
    }
    const unnamed = unnamedColumns(items, nameOf);
    if (unnamed !== undefined) {
      return this.items(items, (row, index) =>
        index === 0 ? this.value(row, inside) : this.#unnamedRow(row, unnamed, inside),
      );
    }
    const isNamed = namedBefore(items, { key, isElement: place.isElement === true }, nameOf);
    const isKeyLine = privateKeyLines(items);
    return this.items(items, (item, index) => {
      if (isKeyLine(index)) return this.#mark("private-key");
      if (isNamed(index)) return this.#secrets.secret(item, inside);
      const password = userFlagPassword(items[index - 1], item);
      if (password === undefined || typeof item !== "string") return this.value(item, inside);
      return item.slice(0, password) + this.#mark("key", item.slice(password));
    });
  }

  items(items: readonly unknown[], redact: (item: unknown, index: number) => JsonValue): JsonValue[] {
    const result: JsonValue[] = [];
    this.#traversal.each(items.length, (index) => {
      result[index] = redact(items[index], index);
    });
    return result;
  }

  #row(row: unknown, columns: Columns, place: Place): JsonValue {
    const { nameOf } = this.rules;
    const found = cellsOf(row, nameOf);
    if (found === undefined || place.depth >= MAX_DEPTH) return this.value(row, place);
    const inside = { depth: place.depth + 1 };
    // What looks like a header may be the first of many pairs: `[["authorization", "…"], ["x-api-key", "…"]]`.
    const isNamed = namedBefore(found.cells, { key: undefined, isElement: true }, nameOf);
    const redactedCells = (): JsonValue[] =>
      this.items(found.cells, (cell, index) =>
        isNamed(index)
          ? this.#secrets.secret(cell, inside)
          : this.#member(nameOf(columns.get(index) ?? ""), cell, found.cells, inside),
      );
    if (found.key === undefined || typeof row !== "object" || row === null) return redactedCells();
    return this.members(row, (name, member, { text: key }) =>
      key === found.key ? redactedCells() : this.#member(name, member, row, place),
    );
  }

  #unnamedRow(row: unknown, secret: ReadonlySet<string>, place: Place): JsonValue {
    if (typeof row !== "object" || row === null || Array.isArray(row)) return this.value(row, place);
    return this.members(row, (name, member, { text: key }) =>
      secret.has(key) ? this.#secrets.secret(member, place) : this.#member(name, member, row, place),
    );
  }

  #rows(value: unknown, { form, columns }: TableMember, place: Place): JsonValue {
    const inside = { depth: place.depth + 1 };
    if (form === "row" || !Array.isArray(value)) return this.#row(value, columns, inside);
    if (form === "rows") return this.items(value, (row) => this.#row(row, columns, inside));
    const keys = new Set([...columns.keys()].map(String));
    return this.items(value, (row) => this.#unnamedRow(row, keys, inside));
  }

  #object(object: object, place: Place): JsonValue {
    if (isBufferShape(object)) return this.#buffer(object);
    const { nameOf } = this.rules;
    const names = Object.keys(object).map(nameOf);
    const elements = elementsOf(object, names);
    const spelled = elements === undefined ? undefined : spelledText(elements);
    if (spelled !== undefined && this.#texts.holdsSecret(spelled)) return this.#mark("buffer", spelled);
    const isSecretHere = place.isQuery === true ? this.#isQuerySecret : undefined;
    const { pair, account, secret } = new ObjectFacts(object, names, place.key, nameOf, isSecretHere);
    const table = tableIn(object, names, nameOf);
    const call = secretArgument(object);
    const isBinary = "mimeType" in object && typeof object.mimeType === "string";
    const redact = (name: MemberName, value: unknown, original: MemberName): JsonValue => {
      const key = original.text;
      if (pair?.holds(original) === true)
        return this.#ofKind(pair.kind, nameOf(pair.name), value, object, place);
      if (key === call?.key && Array.isArray(value))
        return this.items(value, (item, index) =>
          index === call.index
            ? this.#secrets.secret(item, place)
            : this.value(item, { depth: place.depth + 1 }),
        );
      const rows = table?.get(key);
      if (rows !== undefined) return this.#rows(value, rows, place);
      if (secret.has(key)) return this.#secrets.secret(value, place);
      if (isBinary && name.text === "data" && typeof value === "string") return this.#binary(value);
      const number =
        account?.holds(original) === true ? redactAccount(account.name, value, this.#mark) : undefined;
      return number ?? this.#member(name, value, object, place);
    };
    return this.members(object, redact, names);
  }

  members(
    object: object,
    redact: RedactMember,
    names: readonly MemberName[] = Object.keys(object).map(this.rules.nameOf),
  ): Members {
    const result: Members = {};
    let secretNames = 0;
    this.#traversal.each(names.length, (index) => {
      const original = names[index];
      if (original === undefined) return;
      const key = original.text;
      const value: unknown = Reflect.get(object, key);
      if (value === undefined) return;
      const isTooMuch = secretNames >= MOST_SECRET_NAMES && canHoldSecret(key);
      const shown = isTooMuch ? this.#mark("withheld") : this.key(key);
      if (shown !== key) secretNames += 1;
      const name = shown === key ? original : this.rules.nameOf(shown);
      // A name that was not read may mark its value as secret.
      const redacted = MARKS_OF_UNREAD_KEYS.has(shown)
        ? this.#mark("withheld")
        : redact(name, value, original);
      if (redacted !== undefined) setMember(result, shown, redacted);
    });
    return result;
  }

  key(key: string): string {
    if (this.#cleanKeys.has(key)) return key;
    const clean = this.#texts.text(key);
    if (clean === key) this.#cleanKeys.add(key);
    return clean;
  }

  text(text: string): string {
    return this.#texts.text(text);
  }

  readonly #isQuerySecret = (name: string, value: unknown): boolean =>
    typeof value === "string" && isSecretParameter(name, value, this.rules.kindOfKey);

  #member(name: MemberName, value: unknown, owner: object, place: Place): JsonValue {
    if (place.context !== undefined && belongsIn(place.context, value))
      return this.#named(name, value, owner, place);
    if (isSecretInPlace(name, value, owner, place.key, this.rules.nameOf))
      return this.#secrets.secret(value, place, name.text);
    return this.#ofKind(name.kind, name, value, owner, place);
  }

  /** Names here are chosen by users, and the value has the expected form. */
  #named(name: MemberName, value: unknown, owner: object, place: Place): JsonValue {
    if (place.context === "schemas" && name.kind !== "none" && typeof value === "object" && value !== null)
      return this.#secrets.schemaOfSecret(value, place);
    return typeof value === "string" ? this.#texts.text(value) : this.ordinary(name, value, owner, place);
  }

  #ofKind(kind: KeyKind, name: MemberName, value: unknown, owner: object, place: Place): JsonValue {
    switch (kind) {
      case "secret":
        return this.#isHarmless(name.text, value, owner, place)
          ? this.ordinary(name, value, owner, place)
          : this.#secrets.secret(value, place, name.text);
      case "auth":
        return typeof value === "string" && AUTH_SCHEME.test(value)
          ? value
          : this.#secrets.secret(value, place, name.text);
      case "authentication":
        return typeof value === "string" && isAuthenticationSecret(value)
          ? this.#secrets.secret(value, place, name.text)
          : this.ordinary(name, value, owner, place);
      case "tokens":
        return this.#secrets.tokens(value, place);
      case "internal":
        return this.#secrets.internal(value);
      case "credentials":
        // A node may be called "Get Credentials".
        return typeof value === "object" && value !== null && isNodeState(value)
          ? this.ordinary(name, value, owner, place)
          : this.#secrets.credentials(value, place, isNode(owner));
      case "none":
        return this.ordinary(name, value, owner, place);
    }
  }

  /** A secret's key whose value has a form that rules out a secret. */
  #isHarmless(key: string, value: unknown, owner: object, { isMemory = false, key: above }: Place): boolean {
    if (key === "sessionKey") return isMemory || isMemoryNode(owner);
    if (/pin_?code$/i.test(key) && POSTCODE_OF_INDIA.test(String(value)))
      return OF_PLACE.test(`${key} ${namesIn(owner)}`);
    if (isRefusal(above, value)) return true;
    // GitHub's permissions of an app: `"secrets": "read"`.
    if (key.endsWith("secrets") && (value === "read" || value === "write")) return true;
    return typeof value === "object" && value !== null && (isNodeState(value) || isClaims(key, value));
  }

  ordinary({ text: key, letters }: MemberName, value: unknown, owner: object, place: Place): JsonValue {
    const { isQuery = false, key: above } = place;
    const depth = place.depth + 1;
    // Axios has its query beside the address.
    const isQueryKey =
      QUERY_KEYS.has(letters) || (key === "params" && ("url" in owner || "baseURL" in owner));
    if (typeof value !== "object" || value === null) {
      if (isQuery && this.#isQuerySecret(key, value)) return this.#secrets.secret(value, place);
      if (isQueryKey && typeof value === "string")
        return this.value(jsonParameters(value, this.context), { depth });
      const isBeside = (name: RegExp): boolean => name.test(namesIn(owner));
      return redactAccount(key, value, this.#mark, { above, isBeside }) ?? this.value(value, { depth });
    }
    return this.value(value, {
      depth,
      isQuery: isQueryKey || (isQuery && INSIDE_QUERY_KEYS.has(letters)),
      key,
      context: contextUnder(key, owner, place.context),
      isMemory: key === "parameters" && isMemoryNode(owner),
    });
  }

  /** Removes the content; its description is kept. */
  #binary(content: string): JsonValue {
    return content === "" || isMark(content) ? content : this.#mark("binary");
  }

  #buffer(shape: BufferShape): JsonValue {
    const bytes = bytesOfBuffer(shape);
    const text = textOf(bytes);
    if (text === undefined) return { type: "Buffer", data: this.#mark("binary"), size: bytes.length };
    if (this.#texts.holdsSecret(text)) return { type: "Buffer", data: this.#mark("buffer", text) };
    return {
      type: "Buffer",
      data: shape.data.map((byte) => (typeof byte === "number" ? byte : this.value(byte, { depth: 0 }))),
    };
  }
}

/** The first names of an object's members, joined once for all of its members. */
const namesIn = memoizeByObject((owner: object) => Object.keys(owner).slice(0, MOST_NAMES_BESIDE).join(" "));
