/**
 * What is kept of a value whose name marks it as secret: that it is empty, where it comes from, or what form it has.
 * Everything else is removed, including everything below it.
 */
import { credentialIn } from "./credential-values.ts";
import type { JsonValue } from "./json-reader.ts";
import { isMark } from "./marks.ts";
import { wordSet } from "./names/words.ts";
import type { Rules } from "./rules.ts";
import {
  isClaims,
  isCoin,
  isDescription,
  isListed,
  isOwnClaim,
  isPublic,
  isRecordKey,
  keyInside,
} from "./structure/descriptions.ts";
import type { MemberName } from "./structure/member-names.ts";
import { isNodeState, isSchemaKeyword, type NameContext, SCHEMA_VALUES } from "./structure/name-contexts.ts";
import { isMasked, isReferenceExpression, type RuleContext } from "./text-rule.ts";
import { isOnlyMarks } from "./texts/plausible-values.ts";

/** Deeper than any of our answers. Keeps payloads from causing endless recursion. */
export const MAX_DEPTH = 200;

/** Members of a credentials reference that may be shown. */
const CREDENTIAL_KEYS = wordSet("name type");
const FETCH_CREDENTIALS = wordSet("include omit same-origin");
/** Members that hold the value their object is named after: `secret: { name, value }`. */
const HOLDERS = wordSet("value key data");

export interface Place {
  readonly depth: number;
  /** Among the parameters of a URL, where `key`, `code` and `sig` are secret too. */
  readonly isQuery?: boolean;
  /** An element of a list, which may be a pair of name and value. */
  readonly isElement?: boolean;
  /** Key of this value, or of the list around it. */
  readonly key?: string | undefined;
  /** What kind of names its own keys are. */
  readonly context?: NameContext | undefined;
  /** Inside a node whose `sessionKey` identifies conversations and is not secret. */
  readonly isMemory?: boolean;
}

export type Members = { [key: string]: JsonValue };

/** Receives the name as shown (a redacted name marks no secret). Undefined omits the member. */
export type RedactMember = (name: MemberName, value: unknown, original: MemberName) => JsonValue | undefined;

/** The walk through a value; secrets are one part of it. */
export interface Walk {
  readonly rules: Rules;
  readonly context: RuleContext;
  text(text: string): string;
  key(key: string): string;
  value(value: unknown, place: Place): JsonValue;
  items(items: readonly unknown[], redact: (item: unknown, index: number) => JsonValue): JsonValue[];
  members(object: object, redact: RedactMember): Members;
  ordinary(name: MemberName, value: unknown, owner: object, place: Place): JsonValue;
}

export class SecretValues {
  readonly #walk: Walk;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  /** A value under a sensitive key: removed, unless it is empty or only says where the secret comes from. */
  secret(value: unknown, place: Place, key = ""): JsonValue {
    if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
    if (typeof value === "string") {
      if (value.trim() === "" || isMasked(value)) return value;
      if (isOnlyMarks(value) || isReferenceExpression(value)) return this.#walk.text(value);
      if (isPublic(value)) return this.#walk.rules.ownSecrets(value, this.#walk.context);
      const { kind, secret } = credentialIn(value);
      return this.#walk.context.mark(kind, secret);
    }
    if (typeof value !== "object") return this.#walk.context.mark("key", String(value));
    if (Array.isArray(value) && place.depth < MAX_DEPTH)
      return this.#walk.items(value, (item) => this.secret(item, { depth: place.depth + 1 }, key));
    // An object that renders itself (the mark for omitted content) is one value.
    if ("toJSON" in value || place.depth >= MAX_DEPTH) return this.#walk.context.mark("key");
    if (isNodeState(value) || isClaims(key, value) || isCoin(key, value))
      return this.#walk.value(value, place);
    return this.#secretMembers(value, place, key);
  }

  /** Every text and number below is secret, except values that cannot be secret and a record's facts about its secret. */
  #secretMembers(object: object, { depth }: Place, secretKey = ""): JsonValue {
    const inside = { depth: depth + 1 };
    const isRecord = this.#isRecord(object) || isListed(object);
    return this.#walk.members(object, ({ text: key, kind }, member) => {
      const isShown =
        isDescription(key, member) ||
        isOwnClaim(secretKey, key) ||
        (isRecord && isRecordKey(key) && kind === "none");
      return isShown
        ? this.#walk.value(member, inside)
        : this.secret(member, inside, keyInside(secretKey, key));
    });
  }

  /** Whether the object has a secret under a secret's name, or as its `value`, `key` or `data`. */
  #isRecord(object: object): boolean {
    return Object.entries(object).some(
      ([key, member]) =>
        typeof member === "string" &&
        member !== "" &&
        (this.#walk.context.kindOfKey(key) === "secret" || HOLDERS.has(key)) &&
        // A name that is itself a secret does not name one.
        !this.#walk.key(key).includes("[REDACTED:"),
    );
  }

  /** `tokens` are secrets or a count of words: texts are removed, counts are kept. */
  tokens(value: unknown, place: Place): JsonValue {
    if (typeof value === "number") return this.#walk.value(value, place);
    if (typeof value === "string" && /^\d{1,9}$/.test(value)) return value;
    if (typeof value !== "object" || value === null || "toJSON" in value) return this.secret(value, place);
    if (place.depth > MAX_DEPTH) return this.#walk.context.mark("too-deep");
    const inside = { depth: place.depth + 1 };
    if (Array.isArray(value)) return this.#walk.items(value, (item) => this.tokens(item, inside));
    if (isCoin("tokens", value)) return this.#walk.value(value, place);
    if (this.#isRecord(value)) return this.#secretMembers(value, place);
    return this.#walk.members(value, (_name, member) => this.tokens(member, inside));
  }

  /** n8n's own state: only empty values are kept. */
  internal(value: unknown): JsonValue {
    if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
    if (typeof value === "string" && (value === "" || isMark(value))) return value;
    if (typeof value === "object" && Object.keys(value).length === 0 && !("toJSON" in value))
      return Array.isArray(value) ? [] : {};
    return this.#walk.context.mark("internal");
  }

  /** References to credentials keep their type and name: `{ slackApi: { name: "Slack account" } }`. */
  credentials(value: unknown, place: Place, isOfNode = false): JsonValue {
    if (typeof value === "string" && FETCH_CREDENTIALS.has(value)) return value;
    if (typeof value !== "object" || value === null || "toJSON" in value) return this.secret(value, place);
    if (place.depth > MAX_DEPTH) return this.#walk.context.mark("too-deep");
    const inside = { depth: place.depth + 1 };
    if (Array.isArray(value)) return this.#walk.items(value, (item) => this.credentials(item, inside));
    return this.#walk.members(value, ({ text: key }, member) => {
      // Null means that n8n looks the credentials up by name.
      if (key === "id" && member !== null && typeof member !== "object") return undefined;
      // Old workflows have only the name: `{ slackApi: "Slack account" }`.
      const isShown =
        ((CREDENTIAL_KEYS.has(key) || isOfNode) && typeof member === "string") || isDescription(key, member);
      return isShown ? this.#walk.value(member, inside) : this.credentials(member, inside);
    });
  }

  /** Keeps what the schema says about the form of a secret, and removes its example values. */
  schemaOfSecret(schema: object, place: Place): JsonValue {
    const inside = { depth: place.depth + 1 };
    return this.#walk.members(schema, (name, member) => {
      const isShown = isSchemaKeyword(name.text) && !SCHEMA_VALUES.has(name.text);
      return isShown
        ? this.#walk.ordinary(name, member, schema, inside)
        : this.secret(member, inside, name.text);
    });
  }
}
