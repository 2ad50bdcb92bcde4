/**
 * Redacts one value: what is secret by its structure (keys, pairs of name and value, n8n's own state), and
 * every text in it. One object serves one answer, so that the same secret has the same mark everywhere in it.
 */
import { credentialIn } from "./credential-values.ts";
import { bytesOfBuffer, isBufferShape, textOf } from "./encodings.ts";
import { type JsonValue, setMember } from "./json-value.ts";
import { AUTH_SCHEME, isAuthenticationSecret, type KeyKind } from "./key-rules.ts";
import { isMark, kindsOfMarks, type MarkSecret, Marks, markOfKind, type PreviewMarks } from "./marks.ts";
import { canHoldSecret } from "./plain-text.ts";
import { PrintedJson } from "./printed-json.ts";
import type { Rules } from "./rules.ts";
import { redactAccount } from "./structure/account-numbers.ts";
import { comparedMembers } from "./structure/comparisons.ts";
import {
  isClaims,
  isDescription,
  isListed,
  isPublic,
  isRecordKey,
  isSaidOfItself,
  keyInside,
} from "./structure/descriptions.ts";
import { namedBefore, privateKeyLines, userFlagPassword } from "./structure/lists.ts";
import {
  belongsIn,
  contextUnder,
  isMemoryNode,
  isNode,
  isNodeState,
  isSchemaKeyword,
  type NameContext,
  SCHEMA_VALUES,
} from "./structure/name-contexts.ts";
import { accountPairIn, hiddenMembers, loneSecretIn, mayBePair, pairIn } from "./structure/pairs.ts";
import { isSecretInPlace } from "./structure/place.ts";
import { elementsOf, spelledText } from "./structure/spelled-texts.ts";
import {
  type Columns,
  cellsOf,
  columnsOfFirstRow,
  type TableMember,
  tableIn,
  unnamedColumns,
} from "./structure/tables.ts";
import { TextRedaction } from "./text-redaction.ts";
import { isMasked, isReferenceExpression, type RuleContext } from "./text-rule.ts";
import { isOnlyMarks } from "./texts/plausible-values.ts";
import { isSecretParameter } from "./texts/url-secrets.ts";
import { atOnce, type Traversal } from "./traversal.ts";
import { VISIT, Work } from "./work.ts";

/** Deeper than any answer of ours; a payload cannot send us into endless recursion. */
const MAX_DEPTH = 200;

/** Where a value stands. */
interface Place {
  readonly depth: number;
  /** Among the parameters of a URL, where `key`, `code` and `sig` are secret too. */
  readonly isQuery?: boolean;
  /** An element of a list, which may be a pair of name and value. */
  readonly isElement?: boolean;
  /** The member that it is. */
  readonly key?: string;
  /** What its own keys name. */
  readonly context?: NameContext | undefined;
  /** In a node whose `sessionKey` tells conversations apart. */
  readonly isMemory?: boolean;
}

const QUERY_KEYS = new Set("query qs querystring searchparams queryparameters queryparametersui".split(" "));
/** Between `queryParameters` and its pairs. */
const INSIDE_QUERY_KEYS = new Set(["parameters", "parameter", "values"]);
/** What may be shown of a reference to credentials. */
const CREDENTIAL_KEYS = new Set(["name", "type"]);
/** Members that hold what their object is called: `secret: { name, value }`. */
const HOLDERS = new Set(["value", "key", "data"]);
const FETCH_CREDENTIALS = new Set(["include", "omit", "same-origin"]);

/** What goes for its size or its noise is no reason to hide what it is encoded in. */
const HARMLESS_KINDS = new Set(["binary", "path"]);

/** An object with more names that hold secrets is nobody's record, and each costs as much as a text. */
const MOST_SECRET_NAMES = 500;
/** Names that took more work than there was for them. */
const UNREAD_KEYS = new Set([markOfKind("withheld"), markOfKind("too-complex")]);

/** The names of an object's members, as far as they are looked at: once, however many members ask. */
const namesIn = new WeakMap<object, string>();
const MOST_NAMES = 40;

function isBesideIn(owner: object, name: RegExp): boolean {
  const names = namesIn.get(owner) ?? Object.keys(owner).slice(0, MOST_NAMES).join(" ");
  namesIn.set(owner, names);
  return name.test(names);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** What redaction of one answer shares. */
export interface Run {
  readonly previews?: PreviewMarks | undefined;
  /** How many texts lie around this value. */
  readonly nesting?: number;
  readonly work?: Work;
  /** Of the value itself; what stands in its texts is redacted at once. */
  readonly traversal?: Traversal;
}

export class ValueRedaction {
  readonly #rules: Rules;
  readonly #markOf: MarkSecret;
  readonly #context: RuleContext;
  readonly #texts: TextRedaction;
  readonly #work: Work;
  #traversal: Traversal;
  /** Keys that hold no secret themselves: they repeat. */
  readonly #cleanKeys = new Set<string>();
  #made = 0;

  constructor(rules: Rules, markOf: MarkSecret, run: Run = {}) {
    const { previews, nesting = 0, work = new Work(), traversal = atOnce } = run;
    this.#rules = rules;
    this.#work = work;
    this.#traversal = traversal;
    this.#markOf = markOf;
    this.#context = { mark: this.#mark, kindOfKey: rules.kindOfKey, spend: work.spend, charge: work.charge };
    const surroundings = {
      redactValue: (value: JsonValue) => this.#redactInside(value),
      holdsSecret: (text: string, depth: number) => this.#holdsSecret(text, depth),
    };
    this.#texts = new TextRedaction(rules, this.#context, surroundings, work, previews, nesting);
  }

  readonly #mark = (kind: string, secret?: string): string => {
    this.#made += 1;
    return this.#markOf(kind, secret);
  };

  value(value: unknown, place: Place): JsonValue {
    this.#work.spend(VISIT);
    if (value === null || value === undefined) return null;
    if (typeof value === "string") {
      return value.startsWith("arn:") && isPublic(value)
        ? this.#rules.ownSecrets(value, this.#context)
        : this.#texts.text(value);
    }
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value !== "object") return null;
    if (value instanceof PrintedJson) return this.#printed(value);
    if (place.depth > MAX_DEPTH) return this.#mark("too-deep");
    if ("toJSON" in value && typeof value.toJSON === "function") {
      const plain: unknown = value.toJSON();
      return this.value(plain, { ...place, depth: place.depth + 1 });
    }
    return Array.isArray(value) ? this.#list(value, place) : this.#object(value, place);
  }

  /** It is clean; what was redacted in it counts. */
  #printed({ text }: PrintedJson): string {
    for (const kind of kindsOfMarks(text)) this.#mark(kind);
    return text;
  }

  #list(items: readonly unknown[], place: Place): JsonValue[] | string {
    const spelled = spelledText(items);
    if (spelled !== undefined && this.#texts.holdsSecret(spelled)) return this.#mark("buffer", spelled);
    const inside = {
      depth: place.depth + 1,
      isElement: true,
      isQuery: place.isQuery ?? false,
      ...(place.key === undefined ? {} : { key: place.key }),
      context: place.context === "requirements" ? place.context : undefined,
    };
    const { kindOfKey } = this.#rules;
    const columns = columnsOfFirstRow(items, kindOfKey);
    if (columns !== undefined) {
      return this.#items(items, (row, index) =>
        index === 0 ? this.value(row, { depth: inside.depth }) : this.#row(row, columns, inside),
      );
    }
    const unnamed = unnamedColumns(items, kindOfKey);
    if (unnamed !== undefined) {
      return this.#items(items, (row, index) =>
        index === 0 ? this.value(row, inside) : this.#unnamedRow(row, unnamed, inside),
      );
    }
    const isNamed = namedBefore(items, { key: place.key, isElement: place.isElement === true }, kindOfKey);
    const isKeyLine = privateKeyLines(items);
    return this.#items(items, (item, index) => {
      if (isKeyLine(index)) return this.#mark("private-key");
      if (isNamed(index)) return this.#secret(item, inside);
      const password = userFlagPassword(items[index - 1], item);
      if (password === undefined || typeof item !== "string") return this.value(item, inside);
      return item.slice(0, password) + this.#mark("key", item.slice(password));
    });
  }

  /** A row of a table, or what holds one. */
  #row(row: unknown, columns: Columns, place: Place): JsonValue {
    const found = cellsOf(row);
    if (found === undefined || place.depth >= MAX_DEPTH) return this.value(row, place);
    const inside = { depth: place.depth + 1 };
    const redactedCells = (): JsonValue[] =>
      this.#items(found.cells, (cell, index) =>
        this.#member(columns.get(index) ?? "", cell, found.cells, inside),
      );
    if (found.key === undefined || typeof row !== "object" || row === null) return redactedCells();
    return this.#members(row, (key, member, name) =>
      name === found.key ? redactedCells() : this.#member(key, member, row, place),
    );
  }

  /** A row whose keys say nothing of its columns. */
  #unnamedRow(row: unknown, secret: ReadonlySet<string>, place: Place): JsonValue {
    if (typeof row !== "object" || row === null || Array.isArray(row)) return this.value(row, place);
    return this.#members(row, (key, member, name) =>
      secret.has(name) ? this.#secret(member, place) : this.#member(key, member, row, place),
    );
  }

  #object(object: object, place: Place): JsonValue {
    if (isBufferShape(object)) return this.#buffer(bytesOfBuffer(object), object.data);
    const keys = Object.keys(object);
    const elements = elementsOf(object, keys);
    const spelled = elements === undefined ? undefined : spelledText(elements);
    if (spelled !== undefined && this.#texts.holdsSecret(spelled)) return this.#mark("buffer", spelled);
    const { kindOfKey } = this.#rules;
    const isPair = mayBePair(keys);
    const lone = isPair ? undefined : loneSecretIn(object, keys, kindOfKey);
    const hasMore = place.isQuery === true ? this.#isQuerySecret : undefined;
    const pair = isPair ? pairIn(object, keys, kindOfKey, hasMore) : undefined;
    const table = tableIn(object, keys, kindOfKey);
    const account = isPair ? accountPairIn(object, keys) : undefined;
    const hidden = hiddenMembers(object);
    const compared = comparedMembers(object, place.key, kindOfKey);
    const isBinary = "mimeType" in object && typeof object.mimeType === "string";
    return this.#members(object, (key, value, name) => {
      if (pair?.holds(name) === true) return this.#ofKind(pair.kind, pair.name, value, object, place);
      const rows = table?.get(name);
      if (rows !== undefined) return this.#tableMember(value, rows, place);
      if (hidden.has(name) || compared.has(name) || lone === name) return this.#secret(value, place);
      if (isBinary && key === "data" && typeof value === "string") return this.#binary(value);
      const shown =
        account?.holds(name) === true ? redactAccount(account.name, value, this.#mark) : undefined;
      return shown ?? this.#member(key, value, object, place);
    });
  }

  #items(items: readonly unknown[], redact: (item: unknown, index: number) => JsonValue): JsonValue[] {
    const result: JsonValue[] = [];
    this.#traversal.each(items.length, (index) => {
      result[index] = redact(items[index], index);
    });
    return result;
  }

  /**
   * @param redact is given the key as it is shown (what was a secret itself names none) and as it is. Undefined leaves
   * the member out.
   */
  #members(
    object: object,
    redact: (key: string, value: unknown, name: string) => JsonValue | undefined,
  ): { [key: string]: JsonValue } {
    const result: { [key: string]: JsonValue } = {};
    const names = Object.keys(object);
    let secretNames = 0;
    this.#traversal.each(names.length, (index) => {
      const name = names[index] ?? "";
      const value: unknown = Reflect.get(object, name);
      if (value === undefined) return;
      const isTooMuch = secretNames >= MOST_SECRET_NAMES && canHoldSecret(name);
      const key = isTooMuch ? this.#mark("withheld") : this.#key(name);
      if (key !== name) secretNames += 1;
      // A name that was not read may say that the value is secret.
      const redacted = UNREAD_KEYS.has(key) ? this.#mark("withheld") : redact(key, value, name);
      if (redacted !== undefined) setMember(result, key, redacted);
    });
    return result;
  }

  readonly #isQuerySecret = (name: string, value: unknown): boolean =>
    typeof value === "string" && isSecretParameter(name, value, this.#rules.kindOfKey);

  #tableMember(value: unknown, { form, columns }: TableMember, place: Place): JsonValue {
    const inside = { depth: place.depth + 1 };
    if (form === "indexed" && Array.isArray(value)) {
      const keys = new Set([...columns.keys()].map(String));
      return this.#items(value, (row) => this.#unnamedRow(row, keys, inside));
    }
    if (form === "row" || !Array.isArray(value)) return this.#row(value, columns, inside);
    return this.#items(value, (row) => this.#row(row, columns, inside));
  }

  #member(key: string, value: unknown, owner: object, place: Place): JsonValue {
    if (place.context !== undefined && belongsIn(place.context, value))
      return this.#named(key, value, owner, place);
    if (isSecretInPlace(key, value, owner, place.key, this.#rules.kindOfKey))
      return this.#secret(value, place, key);
    return this.#ofKind(this.#rules.kindOfKey(key), key, value, owner, place);
  }

  #ofKind(kind: KeyKind, key: string, value: unknown, owner: object, place: Place): JsonValue {
    switch (kind) {
      case "secret":
        return this.#isHarmless(key, value, owner, place)
          ? this.#ordinary(key, value, owner, place)
          : this.#secret(value, place, key);
      case "auth":
        return typeof value === "string" && AUTH_SCHEME.test(value) ? value : this.#secret(value, place, key);
      case "authentication":
        return typeof value === "string" && isAuthenticationSecret(value)
          ? this.#secret(value, place, key)
          : this.#ordinary(key, value, owner, place);
      case "tokens":
        return this.#tokens(value, place);
      case "internal":
        return this.#internal(value);
      case "credentials":
        // A node may be called "Get Credentials".
        return typeof value === "object" && value !== null && isNodeState(value)
          ? this.#ordinary(key, value, owner, place)
          : this.#credentials(value, place, isNode(owner));
      default:
        return this.#ordinary(key, value, owner, place);
    }
  }

  /** Names in this place are given by people, and the value has the form of what belongs there. */
  #named(key: string, value: unknown, owner: object, place: Place): JsonValue {
    const isSecret = this.#rules.kindOfKey(key) !== "none";
    if (place.context === "schemas" && isSecret && typeof value === "object" && value !== null)
      return this.#schemaOfSecret(value, place);
    if (typeof value === "string") return this.#texts.text(value);
    return this.#ordinary(key, value, owner, place);
  }

  /** What it says of the form of a secret stays, what it gives as examples goes. */
  #schemaOfSecret(schema: object, place: Place): JsonValue {
    const inside = { depth: place.depth + 1 };
    return this.#members(schema, (key, member) => {
      const isShown = isSchemaKeyword(key) && !SCHEMA_VALUES.has(key);
      return isShown ? this.#ordinary(key, member, schema, inside) : this.#secret(member, inside, key);
    });
  }

  /** A secret's key whose value is of a form that tells that it is none. */
  #isHarmless(key: string, value: unknown, owner: object, { isMemory = false }: Place): boolean {
    if (key === "sessionKey") return isMemory || isMemoryNode(owner);
    // GitHub's permissions of an app: `"secrets": "read"`.
    if (key.endsWith("secrets") && (value === "read" || value === "write")) return true;
    return typeof value === "object" && value !== null && (isNodeState(value) || isClaims(key, value));
  }

  #ordinary(key: string, value: unknown, owner: object, place: Place): JsonValue {
    const { depth, isQuery = false, key: above } = place;
    if (typeof value !== "object" || value === null) {
      if (isQuery && this.#isQuerySecret(key, value)) return this.#secret(value, place);
      return (
        redactAccount(key, value, this.#mark, { above, isBeside: (name) => isBesideIn(owner, name) }) ??
        this.value(value, { depth: depth + 1 })
      );
    }
    const name = key.toLowerCase();
    const isQueryInside =
      QUERY_KEYS.has(name.replaceAll(/[_-]/g, "")) || (isQuery && INSIDE_QUERY_KEYS.has(name));
    return this.value(value, {
      depth: depth + 1,
      isQuery: isQueryInside,
      key,
      context: contextUnder(key, owner, place.context),
      isMemory: key === "parameters" && isMemoryNode(owner),
    });
  }

  /** A value under a sensitive key: gone, but for what says only that there is none, or where it comes from. */
  #secret(value: unknown, place: Place, key = ""): JsonValue {
    if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
    if (typeof value === "string") {
      if (value.trim() === "" || isOnlyMarks(value) || isMasked(value)) return value;
      if (isReferenceExpression(value)) return this.#texts.text(value);
      if (isPublic(value)) return this.#rules.ownSecrets(value, this.#context);
      const { kind, secret } = credentialIn(value);
      return this.#mark(kind, secret);
    }
    if (typeof value !== "object") return this.#mark("key", String(value));
    if (Array.isArray(value) && place.depth < MAX_DEPTH) {
      return this.#items(value, (item) => this.#secret(item, { depth: place.depth + 1 }, key));
    }
    // What renders itself (the mark of what was left out) is one value.
    if ("toJSON" in value || place.depth >= MAX_DEPTH) return this.#mark("key");
    if (isNodeState(value) || isClaims(key, value)) return this.value(value, place);
    return this.#secretMembers(value, place, key);
  }

  /** Every text and number below is secret, but for what cannot be one, and what a record says of its secret. */
  #secretMembers(object: object, { depth }: Place, secretKey = ""): JsonValue {
    const inside = { depth: depth + 1 };
    const isRecord = this.#isRecord(object) || isListed(object);
    return this.#members(object, (key, member) => {
      const isShown =
        isDescription(key, member) ||
        isSaidOfItself(secretKey, key) ||
        (isRecord && isRecordKey(key) && this.#rules.kindOfKey(key) === "none");
      return isShown ? this.value(member, inside) : this.#secret(member, inside, keyInside(secretKey, key));
    });
  }

  /** It keeps a secret under a name of its own, or as its value. */
  #isRecord(object: object): boolean {
    return Object.entries(object).some(
      ([key, member]) =>
        typeof member === "string" &&
        member !== "" &&
        (this.#rules.kindOfKey(key) === "secret" || HOLDERS.has(key)) &&
        // What is a secret itself names none.
        !this.#key(key).includes("[REDACTED:"),
    );
  }

  /** `tokens` are a secret or a number of words: texts go, counts stay. */
  #tokens(value: unknown, place: Place): JsonValue {
    if (typeof value === "number") return this.value(value, place);
    if (typeof value === "string" && /^\d{1,9}$/.test(value)) return value;
    if (typeof value !== "object" || value === null || "toJSON" in value) return this.#secret(value, place);
    if (place.depth > MAX_DEPTH) return this.#mark("too-deep");
    const inside = { depth: place.depth + 1 };
    if (Array.isArray(value)) return this.#items(value, (item) => this.#tokens(item, inside));
    if (this.#isRecord(value)) return this.#secretMembers(value, place);
    return this.#members(value, (_key, member) => this.#tokens(member, inside));
  }

  #internal(value: unknown): JsonValue {
    if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
    if (typeof value === "string" && (value === "" || isMark(value))) return value;
    if (typeof value === "object" && isEmpty(value) && !("toJSON" in value))
      return Array.isArray(value) ? [] : {};
    return this.#mark("internal");
  }

  /** References to credentials keep their type and name: `{ slackApi: { name: "Slack account" } }`. */
  #credentials(value: unknown, place: Place, isOfNode = false): JsonValue {
    if (typeof value === "string" && FETCH_CREDENTIALS.has(value)) return value;
    if (typeof value !== "object" || value === null || "toJSON" in value) return this.#secret(value, place);
    if (place.depth > MAX_DEPTH) return this.#mark("too-deep");
    const inside = { depth: place.depth + 1 };
    if (Array.isArray(value)) return this.#items(value, (item) => this.#credentials(item, inside));
    return this.#members(value, (key, member) => {
      // Null says that n8n looks for it by its name.
      if (key === "id" && member !== null && typeof member !== "object") return undefined;
      // Old workflows have the name alone: `{ slackApi: "Slack account" }`.
      const isShown =
        ((CREDENTIAL_KEYS.has(key) || isOfNode) && typeof member === "string") || isDescription(key, member);
      return isShown ? this.value(member, inside) : this.#credentials(member, inside);
    });
  }

  /** Content goes, what describes it stays. */
  #binary(content: string): JsonValue {
    return content === "" || isMark(content) ? content : this.#mark("binary");
  }

  #buffer(bytes: Uint8Array, data: readonly unknown[]): JsonValue {
    const text = textOf(bytes);
    if (text === undefined) return { type: "Buffer", data: this.#mark("binary"), size: bytes.length };
    if (this.#texts.holdsSecret(text)) return { type: "Buffer", data: this.#mark("buffer", text) };
    return {
      type: "Buffer",
      data: data.map((byte) => (typeof byte === "number" ? byte : this.value(byte, { depth: 0 }))),
    };
  }

  #key(key: string): string {
    if (this.#cleanKeys.has(key)) return key;
    const clean = this.#texts.text(key);
    if (clean === key) this.#cleanKeys.add(key);
    return clean;
  }

  text(text: string): string {
    return this.#texts.text(text);
  }

  #redactInside(value: JsonValue): JsonValue | undefined {
    const before = this.#made;
    const outside = this.#traversal;
    this.#traversal = atOnce;
    try {
      const clean = this.value(value, { depth: 0 });
      return this.#made === before ? undefined : clean;
    } finally {
      this.#traversal = outside;
    }
  }

  #holdsSecret(text: string, nesting: number): boolean {
    const marks = new Marks();
    new ValueRedaction(this.#rules, marks.of, { nesting, work: this.#work }).text(text);
    return Object.keys(marks.counts).some((kind) => !HARMLESS_KINDS.has(kind));
  }
}
