/**
 * Redacts one value: what is secret by its structure (keys, pairs of name and value, n8n's own state), and
 * every text in it. One object serves one answer, so that the same secret has the same mark everywhere in it.
 */
import { isConnections } from "./connections.ts";
import { credentialIn } from "./credential-values.ts";
import { bytesOfBuffer, isBufferShape, textOf } from "./encodings.ts";
import { type JsonValue, setMember } from "./json-value.ts";
import { AUTH_SCHEME } from "./key-rules.ts";
import { isMark, kindsOfMarks, type MarkSecret, Marks, markOfKind, type PreviewMarks } from "./marks.ts";
import { PrintedJson } from "./printed-json.ts";
import type { Rules } from "./rules.ts";
import { TextRedaction } from "./text-redaction.ts";
import { isMasked, isReferenceExpression } from "./text-rule.ts";
import { atOnce, type Traversal } from "./traversal.ts";
import { isSecretParameter } from "./url-secrets.ts";
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
}

/** An argument of a command line, whose value is the next one. */
const FLAG = /^--?[A-Za-z][\w-]{0,60}$/;
const QUERY_KEYS = new Set([
  "query",
  "qs",
  "querystring",
  "searchparams",
  "queryparameters",
  "queryparametersui",
]);
/** Between `queryParameters` and its pairs. */
const INSIDE_QUERY_KEYS = new Set(["parameters", "parameter", "values"]);
const NAME_KEYS = ["name", "key", "header", "headerName", "field", "fieldName", "parameter", "parameterName"];
const VALUE_KEYS = new Set([
  "value",
  "values",
  "content",
  "stringValue",
  "headerValue",
  "fieldValue",
  "parameterValue",
]);
/** What may be shown of a reference to credentials. */
const CREDENTIAL_KEYS = new Set(["name", "type"]);
const FETCH_CREDENTIALS = new Set(["include", "omit", "same-origin"]);

/** JSON Schema, section 6 and 9 (validation, annotation): the members that hold values. */
const SCHEMA_TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const SCHEMA_VALUES = new Set(["default", "example", "examples", "const", "enum", "value", "values", "data"]);

/** What goes for its size or its noise is no reason to hide what it is encoded in. */
const HARMLESS_KINDS = new Set(["binary", "path"]);

/** Names that took more work than there was for them. */
const UNREAD_KEYS = new Set([markOfKind("withheld"), markOfKind("too-complex")]);

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
    const context = {
      mark: (kind: string, secret?: string) => this.#mark(kind, secret),
      kindOfKey: rules.kindOfKey,
      spend: work.spend,
      charge: work.charge,
    };
    const surroundings = {
      redactValue: (value: JsonValue) => this.#redactInside(value),
      holdsSecret: (text: string, depth: number) => this.#holdsSecret(text, depth),
    };
    this.#texts = new TextRedaction(rules, context, surroundings, work, previews, nesting);
  }

  #mark(kind: string, secret?: string): string {
    this.#made += 1;
    return this.#markOf(kind, secret);
  }

  value(value: unknown, place: Place): JsonValue {
    this.#work.spend(VISIT);
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return this.#texts.text(value);
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

  #list(items: readonly unknown[], place: Place): JsonValue[] {
    const inside = { depth: place.depth + 1, isElement: true, isQuery: place.isQuery ?? false };
    const isPair = place.isElement === true && items.length === 2;
    return this.#items(items, (item, index) => {
      const before = items[index - 1];
      const isNamed = typeof before === "string" && (isPair || FLAG.test(before)) && index > 0;
      // `["authorization", "…"]` among others, as entries of headers; `["--token", "…"]` as arguments.
      return isNamed && this.#rules.kindOfKey(before) === "secret"
        ? this.#secret(item, inside)
        : this.value(item, inside);
    });
  }

  #object(object: object, place: Place): JsonValue {
    if (isBufferShape(object)) return this.#buffer(bytesOfBuffer(object), object.data);
    const isSecretPair = this.#namesSecret(object, place);
    const isBinary = "mimeType" in object && typeof object.mimeType === "string";
    return this.#members(object, (key, value) => {
      if (isSecretPair && VALUE_KEYS.has(key)) return this.#secret(value, place);
      if (isBinary && key === "data" && typeof value === "string") return this.#binary(value);
      return this.#member(key, value, place);
    });
  }

  #items(items: readonly unknown[], redact: (item: unknown, index: number) => JsonValue): JsonValue[] {
    const result: JsonValue[] = [];
    this.#traversal.each(items.length, (index) => {
      result[index] = redact(items[index], index);
    });
    return result;
  }

  /** @param redact is given the key as it is shown: what was a secret itself names none. Undefined leaves the member out. */
  #members(
    object: object,
    redact: (key: string, value: unknown) => JsonValue | undefined,
  ): { [key: string]: JsonValue } {
    const result: { [key: string]: JsonValue } = {};
    const entries: [string, unknown][] = Object.entries(object);
    this.#traversal.each(entries.length, (index) => {
      const [name, value] = entries[index] ?? [""];
      if (value === undefined) return;
      const key = this.#key(name);
      // A name that was not read may say that the value is secret.
      const redacted = UNREAD_KEYS.has(key) ? this.#mark("withheld") : redact(key, value);
      if (redacted !== undefined) setMember(result, key, redacted);
    });
    return result;
  }

  #member(key: string, value: unknown, place: Place): JsonValue {
    switch (this.#rules.kindOfKey(key)) {
      case "secret":
        return this.#secret(value, place);
      case "auth":
        return typeof value === "string" && AUTH_SCHEME.test(value) ? value : this.#secret(value, place);
      case "tokens":
        return this.#tokens(value, place);
      case "internal":
        return this.#internal(value);
      case "credentials":
        return this.#credentials(value, place);
      default:
        return this.#ordinary(key, value, place);
    }
  }

  #ordinary(key: string, value: unknown, place: Place): JsonValue {
    const { depth, isQuery = false } = place;
    if (isQuery && typeof value === "string" && isSecretParameter(key, value, this.#rules.kindOfKey)) {
      return this.#secret(value, place);
    }
    const name = key.toLowerCase();
    if (name === "rawheaders" && Array.isArray(value)) return this.#rawHeaders(value, place);
    const isQueryInside =
      QUERY_KEYS.has(name.replaceAll(/[_-]/g, "")) || (isQuery && INSIDE_QUERY_KEYS.has(name));
    return this.value(value, { depth: depth + 1, isQuery: isQueryInside });
  }

  /** Node's `rawHeaders`: names and values by turns. */
  #rawHeaders(items: readonly unknown[], { depth }: Place): JsonValue[] {
    return this.#items(items, (item, index) => {
      const before = index % 2 === 1 ? items[index - 1] : undefined;
      const isSecret = typeof before === "string" && this.#rules.kindOfKey(before) === "secret";
      return isSecret ? this.#secret(item, { depth: depth + 1 }) : this.value(item, { depth: depth + 1 });
    });
  }

  /** `{ name: "Authorization", value: "…" }`, as n8n keeps header, query and body parameters. */
  #namesSecret(object: object, { isQuery = false }: Place): boolean {
    const keys = Object.keys(object);
    if (!keys.some((key) => VALUE_KEYS.has(key))) return false;
    return NAME_KEYS.some((key) => {
      const name: unknown = Reflect.get(object, key);
      if (typeof name !== "string" || VALUE_KEYS.has(key)) return false;
      const value: unknown = Reflect.get(object, "value");
      if (isQuery && typeof value === "string") return isSecretParameter(name, value, this.#rules.kindOfKey);
      const kind = this.#rules.kindOfKey(name);
      return (
        kind === "secret" || (kind === "auth" && !(typeof value === "string" && AUTH_SCHEME.test(value)))
      );
    });
  }

  /** A value under a sensitive key: gone, but for what says only that there is none, or where it comes from. */
  #secret(value: unknown, place: Place): JsonValue {
    if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
    if (typeof value === "string") {
      if (value.trim() === "" || isMark(value) || isMasked(value) || isReferenceExpression(value))
        return value;
      const { kind, secret } = credentialIn(value);
      return this.#mark(kind, secret);
    }
    if (typeof value !== "object") return this.#mark("key", String(value));
    if (Array.isArray(value) && place.depth < MAX_DEPTH) {
      return this.#items(value, (item) => this.#secret(item, { depth: place.depth + 1 }));
    }
    // What renders itself (the mark of what was left out) is one value.
    if ("toJSON" in value || place.depth >= MAX_DEPTH) return this.#mark("key");
    if (isConnections(value)) return this.value(value, place);
    return this.#secretMembers(value, place);
  }

  /** Every text and number below is secret, but for the schema of a secret, which says only what one looks like. */
  #secretMembers(object: object, { depth }: Place): JsonValue {
    const inside = { depth: depth + 1 };
    const isSchema = "type" in object && typeof object.type === "string" && SCHEMA_TYPES.has(object.type);
    return this.#members(object, (key, member) =>
      isSchema && !SCHEMA_VALUES.has(key) ? this.value(member, inside) : this.#secret(member, inside),
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
  #credentials(value: unknown, place: Place): JsonValue {
    if (typeof value === "string" && FETCH_CREDENTIALS.has(value)) return value;
    if (typeof value !== "object" || value === null || "toJSON" in value) return this.#secret(value, place);
    if (place.depth > MAX_DEPTH) return this.#mark("too-deep");
    const inside = { depth: place.depth + 1 };
    if (Array.isArray(value)) return this.#items(value, (item) => this.#credentials(item, inside));
    return this.#members(value, (key, member) => {
      // Null says that n8n looks for it by its name.
      if (key === "id" && member !== null && typeof member !== "object") return undefined;
      return CREDENTIAL_KEYS.has(key) && typeof member === "string"
        ? this.#texts.text(member)
        : this.#credentials(member, inside);
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
