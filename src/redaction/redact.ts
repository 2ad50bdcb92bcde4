/**
 * The one redactor. Every value on its way out passes it: results, errors, guidance and progress.
 *
 * Promises: what is secret by structure (keys, `{ name, value }` pairs, URLs, n8n's own state), by its form,
 * or because it is ours, is replaced, also inside JSON in strings, base64 and `Buffer` shapes. The result is
 * plain JSON, and redacting it again changes nothing. It never changes its input. Time grows with the size
 * of the input and no faster. Pure; fails closed (its caller withholds the answer when it throws).
 *
 * The mark is `[REDACTED:kind]`, with `#n` where the secret has an identity.
 */

import { isConnections } from "./connections.ts";
import { credentialIn } from "./credential-values.ts";
import { bytesOfBuffer, decodeBase64, decodePercent, isBufferShape, textOf } from "./encodings.ts";
import { parseJson, replaceJson } from "./json-text.ts";
import { AUTH_SCHEME, createKeyClassifier, type KeyKind, type KeySettings } from "./key-rules.ts";
import { isMark, kindsOfMarks, type MarkSecret, Marks, markOfKind, PreviewMarks } from "./marks.ts";
import { ownSecretsRule } from "./own-secrets.ts";
import { PrintedJson } from "./printed-json.ts";
import { isMasked, isReferenceExpression, type RuleContext, type TextRule } from "./text-rule.ts";
import { createTextRules, type TextSettings } from "./text-rules.ts";
import { isSecretParameter } from "./url-secrets.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export interface Redacted {
  readonly value: JsonValue;
  /** How many values were redacted, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What an operator may add to the baseline, which nothing switches off. */
export interface RedactionSettings extends KeySettings, TextSettings {}

/** Deeper than any answer of ours; a payload cannot send us into endless recursion. */
const MAX_DEPTH = 200;
/** JSON in JSON in base64 in …: each level costs the length of its text once more. */
const MAX_NESTING = 4;
/** One that finds, and one that finds nothing more; text that was made for it may need another. */
const MAX_ROUNDS = 5;

interface Rules {
  readonly kindOfKey: (key: string) => KeyKind;
  readonly ownSecrets: TextRule;
  readonly text: readonly TextRule[];
}

function createRules(ownSecrets: readonly string[], settings: RedactionSettings): Rules {
  return {
    kindOfKey: createKeyClassifier(settings),
    ownSecrets: ownSecretsRule(ownSecrets),
    text: createTextRules(settings),
  };
}

/** Makes a redactor that also knows secrets by identity. */
export function createRedactor(
  ownSecrets: readonly string[],
  settings: RedactionSettings = {},
): (value: unknown) => Redacted {
  const rules = createRules(ownSecrets, settings);
  return (value) => redactWith(rules, value);
}

/** Redacts answers, and shows before what redaction leaves of a value. */
export interface PreviewingRedactor {
  readonly redact: (value: unknown) => Redacted;
  /** Parts of what it gives may stand in an answer: there they are numbered and counted, and only there. */
  readonly preview: (value: unknown) => JsonValue;
  /** With marks that say their kind alone: the same value is always the same, whatever else is shown. */
  readonly unnumbered: (value: unknown) => JsonValue;
  /** The same as a text, which may stand in an answer page by page. */
  readonly print: (value: unknown) => PrintedJson;
}

/** @param firstNumber of the marks of previews: of nine digits, and not to be guessed */
export function createPreviewingRedactor(
  ownSecrets: readonly string[],
  settings: RedactionSettings,
  firstNumber: number,
): PreviewingRedactor {
  const rules = createRules(ownSecrets, settings);
  const previews = new PreviewMarks(firstNumber);
  const unnumbered = (value: unknown): JsonValue =>
    new RedactionRun(rules, markOfKind).value(value, { depth: 0 });
  return {
    redact: (value) => redactWith(rules, value, previews),
    preview: (value) => new RedactionRun(rules, previews.of).value(value, { depth: 0 }),
    unnumbered,
    print: (value) => PrintedJson.of(unnumbered(value)),
  };
}

function redactWith(rules: Rules, value: unknown, previews?: PreviewMarks): Redacted {
  const marks = new Marks();
  const run = new RedactionRun(rules, marks.of, previews);
  return { value: run.value(value, { depth: 0 }), counts: marks.counts };
}

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

const BASE64_RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16}[A-Za-z0-9+/_-]*={0,2}/g;

/** What goes for its size or its noise is no reason to hide what it is encoded in. */
const HARMLESS_KINDS = new Set(["binary", "path"]);

/** RFC 3986 section 2.1, between the delimiters of a URL; a plus may be a space. */
const ENCODED_RUN = /[^\s"'<>&#=?\\%]{0,1000}%[0-9A-Fa-f]{2}[^\s"'<>&#=?\\]*/g;

/** No secret is shorter that a rule could tell in a text. */
const SHORTEST_TEXT = 5;

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

class RedactionRun {
  readonly #rules: Rules;
  readonly #markOf: MarkSecret;
  readonly #previews: PreviewMarks | undefined;
  readonly #context: RuleContext;
  /** Keys that hold no secret themselves: they repeat. */
  readonly #cleanKeys = new Set<string>();
  #nesting: number;
  #made = 0;

  constructor(rules: Rules, markOf: MarkSecret, previews?: PreviewMarks, nesting = 0) {
    this.#rules = rules;
    this.#markOf = markOf;
    this.#previews = previews;
    this.#nesting = nesting;
    this.#context = { mark: (kind, secret) => this.#mark(kind, secret), kindOfKey: rules.kindOfKey };
  }

  #mark(kind: string, secret?: string): string {
    this.#made += 1;
    return this.#markOf(kind, secret);
  }

  value(value: unknown, place: Place): JsonValue {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return this.text(value);
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
    return items.map((item, index) => {
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
    const result: { [key: string]: JsonValue } = {};
    const isSecretPair = this.#namesSecret(object, place);
    const isBinary = "mimeType" in object && typeof object.mimeType === "string";
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue;
      // What was a secret itself names none.
      const key = this.#key(name);
      let redacted: JsonValue;
      if (isSecretPair && VALUE_KEYS.has(key)) redacted = this.#secret(value, place);
      else if (isBinary && key === "data" && typeof value === "string") redacted = this.#binary(value);
      else redacted = this.#member(key, value, place);
      setMember(result, key, redacted);
    }
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
    return items.map((item, index) => {
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
      return value.map((item) => this.#secret(item, { depth: place.depth + 1 }));
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
    const result: { [key: string]: JsonValue } = {};
    for (const [key, member] of Object.entries(object)) {
      const isDescription = isSchema && !SCHEMA_VALUES.has(key);
      setMember(
        result,
        this.#key(key),
        isDescription ? this.value(member, inside) : this.#secret(member, inside),
      );
    }
    return result;
  }

  /** `tokens` are a secret or a number of words: texts go, counts stay. */
  #tokens(value: unknown, place: Place): JsonValue {
    if (typeof value === "number") return this.value(value, place);
    if (typeof value === "string" && /^\d{1,9}$/.test(value)) return value;
    if (typeof value !== "object" || value === null || "toJSON" in value) return this.#secret(value, place);
    if (place.depth > MAX_DEPTH) return this.#mark("too-deep");
    const inside = { depth: place.depth + 1 };
    if (Array.isArray(value)) return value.map((item) => this.#tokens(item, inside));
    const result: { [key: string]: JsonValue } = {};
    for (const [key, member] of Object.entries(value))
      setMember(result, this.#key(key), this.#tokens(member, inside));
    return result;
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
    if (Array.isArray(value)) return value.map((item) => this.#credentials(item, inside));
    const result: { [key: string]: JsonValue } = {};
    for (const [key, member] of Object.entries(value)) {
      // Null says that n8n looks for it by its name.
      if (key === "id" && member !== null && typeof member !== "object") continue;
      const isShown = CREDENTIAL_KEYS.has(key) && typeof member === "string";
      setMember(result, this.#key(key), isShown ? this.text(member) : this.#credentials(member, inside));
    }
    return result;
  }

  /** Content goes, what describes it stays. */
  #binary(content: string): JsonValue {
    return content === "" || isMark(content) ? content : this.#mark("binary");
  }

  #buffer(bytes: Uint8Array, data: readonly unknown[]): JsonValue {
    const text = textOf(bytes);
    if (text === undefined) return { type: "Buffer", data: this.#mark("binary"), size: bytes.length };
    if (this.#holdsSecret(text)) return { type: "Buffer", data: this.#mark("buffer", text) };
    return {
      type: "Buffer",
      data: data.map((byte) => (typeof byte === "number" ? byte : this.value(byte, { depth: 0 }))),
    };
  }

  #key(key: string): string {
    if (this.#cleanKeys.has(key)) return key;
    const clean = this.text(key);
    if (clean === key) this.#cleanKeys.add(key);
    return clean;
  }

  /** A mark may lay bare what stood too close to the secret before it: again, until nothing is left to mark. */
  text(text: string): string {
    if (text.length < SHORTEST_TEXT) return text;
    let result = this.#previews?.replaceIn(text, (kind, secret) => this.#mark(kind, secret)) ?? text;
    if (isMark(result)) return result;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const structured = this.#structuresIn(result);
      result = this.#formsIn(structured);
      if (result === structured) break;
    }
    return result;
  }

  /** Our own secrets, and what JSON tells by its structure. */
  #structuresIn(text: string): string {
    const result = this.#rules.ownSecrets(text, this.#context);
    return this.#nesting < MAX_NESTING ? this.#json(result) : result;
  }

  /** What the text itself tells, and the texts encoded in it. */
  #formsIn(text: string): string {
    let result = text;
    for (const rule of this.#rules.text) result = rule(result, this.#context);
    if (this.#nesting >= MAX_NESTING || result.length < 16) return result;
    return this.#base64(result.includes("%") ? this.#percentEncoded(result) : result);
  }

  #percentEncoded(text: string): string {
    return text.replace(ENCODED_RUN, (run) => {
      const decoded = decodePercent(run);
      return decoded !== undefined && this.#holdsSecret(decoded) ? this.#mark("url-encoded", decoded) : run;
    });
  }

  #json(text: string): string {
    if (!text.includes('"')) return text;
    const redacted = (value: JsonValue): string | undefined => {
      const before = this.#made;
      this.#nesting += 1;
      const clean = this.value(value, { depth: 0 });
      this.#nesting -= 1;
      return this.#made === before ? undefined : JSON.stringify(clean);
    };
    const whole = /^\s{0,1000}["{[]/.test(text) ? parseJson(text) : undefined;
    return whole === undefined ? replaceJson(text, redacted) : (redacted(whole.value) ?? text);
  }

  /** A run may be a path with base64 as one of its segments. */
  #base64(text: string): string {
    return text.replace(BASE64_RUN, (run) => {
      if (!run.includes("/") || decodeBase64(run) !== undefined) return this.#base64Run(run);
      return run.replace(/[^/]{16}[^/]*/g, (segment) => this.#base64Run(segment));
    });
  }

  #base64Run(run: string): string {
    const decoded = decodeBase64(run);
    return decoded !== undefined && this.#holdsSecret(decoded) ? this.#mark("base64", decoded) : run;
  }

  #holdsSecret(text: string): boolean {
    const marks = new Marks();
    new RedactionRun(this.#rules, marks.of, undefined, this.#nesting + 1).text(text);
    return Object.keys(marks.counts).some((kind) => !HARMLESS_KINDS.has(kind));
  }
}

/** A key named `__proto__` is a key like any other. */
function setMember(object: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
