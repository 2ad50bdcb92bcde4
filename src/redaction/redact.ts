/**
 * The one redactor. Every value on its way out passes it: results, errors, guidance and progress.
 *
 * Promises: values under sensitive keys and in `{ name, value }` pairs are replaced, and secrets known
 * by their form or because they are our own, anywhere in a text. The result is plain JSON. It never
 * changes its input. Pure; fails closed (its caller withholds the answer when it throws).
 *
 * The mark is `[REDACTED:kind]`.
 */
import { SECRET_PATTERNS } from "./secret-values.ts";
import { isSensitiveKey } from "./sensitive-keys.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export interface Redacted {
  readonly value: JsonValue;
  /** How many values were redacted, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Deeper than any answer of ours; a payload cannot send us into endless recursion. */
const MAX_DEPTH = 200;

/** Raw, base64 (of both alphabets), encoded for URLs and forms: the spellings in which it could turn up. */
function spellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
  const base64Url = base64.replaceAll("+", "-").replaceAll("/", "_");
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  return [...new Set([secret, encodeURIComponent(secret), form, base64, base64Url])];
}

/** Makes a redactor that also knows secrets by identity. */
export function createRedactor(ownSecrets: readonly string[]): (value: unknown) => Redacted {
  // Shorter ones would turn up by chance, and settings refuse them.
  const own = ownSecrets.filter((secret) => secret.length >= 8).flatMap(spellingsOf);
  return (value) => {
    const run = new RedactionRun(own);
    return { value: run.value(value, 0), counts: run.counts };
  };
}

class RedactionRun {
  readonly counts: Record<string, number> = {};
  readonly #own: readonly string[];

  constructor(own: readonly string[]) {
    this.#own = own;
  }

  #mark(kind: string): string {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return `[REDACTED:${kind}]`;
  }

  value(value: unknown, depth: number): JsonValue {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value !== "object") return null;
    if (depth > MAX_DEPTH) return this.#mark("too-deep");
    if ("toJSON" in value && typeof value.toJSON === "function") {
      const plain: unknown = value.toJSON();
      return this.value(plain, depth + 1);
    }
    return Array.isArray(value)
      ? value.map((item) => this.value(item, depth + 1))
      : this.#object(value, depth);
  }

  #object(object: object, depth: number): JsonValue {
    const result: { [key: string]: JsonValue } = {};
    const isSecretPair = namesSecret(object);
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const redacted =
        isSensitiveKey(key) || (isSecretPair && key === "value")
          ? this.#secret(value)
          : this.value(value, depth + 1);
      Object.defineProperty(result, this.#text(key), {
        value: redacted,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return result;
  }

  /** A value under a sensitive key: gone, but for what says only that there is none. */
  #secret(value: unknown): JsonValue {
    if (value === null || value === "" || typeof value === "boolean") return value;
    return this.#mark("key");
  }

  #text(text: string): string {
    let result = text;
    for (const secret of this.#own) {
      if (result.includes(secret)) result = result.replaceAll(secret, () => this.#mark("own-secret"));
    }
    const lower = result.toLowerCase();
    for (const { kind, keyword, pattern, replace } of SECRET_PATTERNS) {
      if (!lower.includes(keyword)) continue;
      result = result.replace(pattern, (match: string, ...rest: unknown[]) => {
        const groups = rest.filter((part): part is string => typeof part === "string").slice(0, -1);
        const kept = replace("\u0000", match, ...groups);
        return kept === undefined ? match : kept.replace("\u0000", this.#mark(kind));
      });
    }
    return result;
  }
}

/** `{ name: "Authorization", value: "…" }`, as n8n keeps header, query and body parameters. */
function namesSecret(object: object): boolean {
  if (!("value" in object)) return false;
  const name = "name" in object ? object.name : "key" in object ? object.key : undefined;
  return typeof name === "string" && isSensitiveKey(name);
}
