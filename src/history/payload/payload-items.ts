/** The searchable items of an execution, wrapped in the keys of their paths, redacted once for all consumers. */
import type { PathSegment } from "../../json/path-text.ts";
import { parseContainer } from "./json-scalars.ts";

/** Redacts JSON and yields to other tasks in between. It must not keep anything. */
export type RedactLarge = (value: unknown) => Promise<unknown>;

/** An item is held in memory until it has been redacted. */
export const MAX_ITEM_BYTES = 1024 * 1024;
/** More data of one execution could not be redacted within the time of a call. */
export const MAX_EXECUTION_BYTES = 32 * 1024 * 1024;
const LEAST_ITEM_BYTES = 256;
/** The maximum in UTF-8. */
const BYTES_OF_CHARACTER = 3;

// A byte order mark in a payload is an ordinary character.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });

/** An item's `json`, the custom data, or the message of a failed run. */
export class PayloadItem {
  readonly byteLength: number;
  /** Undefined if the item is not JSON. */
  readonly value: unknown;
  /** Items with the same text have the same value. */
  readonly text: string;
  readonly #redact: RedactLarge;
  #redacted: Promise<unknown> | undefined;

  private constructor(
    text: string,
    byteLength: number,
    value: unknown,
    path: readonly PathSegment[],
    redact: RedactLarge,
  ) {
    this.byteLength = byteLength;
    this.value = value === undefined ? undefined : wrapInPath(value, path);
    this.text = path.length === 0 ? text : `${JSON.stringify(path)} ${text}`;
    this.#redact = redact;
  }

  static ofJson(json: Uint8Array, path: readonly PathSegment[], redact: RedactLarge): PayloadItem {
    const text = decoder.decode(json);
    return new PayloadItem(text, json.length, parseContainer(text), path, redact);
  }

  static ofMessage(message: string, path: readonly PathSegment[], redact: RedactLarge): PayloadItem {
    return new PayloadItem(message, message.length * BYTES_OF_CHARACTER, message, path, redact);
  }

  /** The same item with redacted contents only; it is not redacted again. */
  async withoutSecrets(): Promise<PayloadItem> {
    const redacted = await this.redacted();
    return new PayloadItem("", this.byteLength, redacted, [], async () => redacted);
  }

  async redacted(): Promise<unknown> {
    this.#redacted ??= this.#redact(this.value);
    return await this.#redacted;
  }
}

export class ItemBounds {
  #bytes = 0;

  /** Maximum bytes of the next item. */
  get room(): number {
    return Math.min(MAX_ITEM_BYTES, MAX_EXECUTION_BYTES - this.#bytes);
  }

  /** @returns the cost of the item in bytes */
  take({ byteLength }: PayloadItem): number {
    const cost = Math.max(byteLength, LEAST_ITEM_BYTES);
    this.#bytes += cost;
    return cost;
  }
}

const wrapInPath = (value: unknown, path: readonly PathSegment[]): unknown =>
  path.reduceRight<unknown>((inner, segment) => Object.fromEntries([[segment, inner]]), value);
