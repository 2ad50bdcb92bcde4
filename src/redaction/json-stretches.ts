/** Keeps stretches of JSON that were redacted by their structure, while the text around them is redacted. */
import { sumOf } from "../platform/sum-of.ts";
import type { JsonValue } from "./json-reader.ts";
import { endOfQuoted } from "./texts/quoted-text.ts";

/** How many members the objects in a text of JSON have: one for each colon outside its strings. */
function membersWritten(json: string): number {
  let members = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x3a) members += 1;
    else if (code === 0x22) at = endOfQuoted(json, at + 1, '"');
  }
  return members;
}

function membersOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  return (inside === value ? 0 : inside.length) + sumOf(inside, membersOf);
}

/** Whether the value has all members of the JSON text. Of duplicate names, parsing keeps only the last. */
export const isWholeValue = (json: string, value: JsonValue): boolean =>
  membersWritten(json) === membersOf(value);

/** C1 control characters (ISO 6429): absent from real texts, meaningless to all rules, and one byte each in V8. */
const FIRST_HOLDER = 0x80;
const HOLDERS = 32;
const HOLDER = /[\x80-\x9f]/;
const HELD = /[{[]"([\x80-\x9f]{3})"[}\]]/g;
const MOST_HELD = HOLDERS ** 3;

function holderOf(index: number): string {
  return String.fromCharCode(
    FIRST_HOLDER + Math.floor(index / HOLDERS ** 2),
    FIRST_HOLDER + (Math.floor(index / HOLDERS) % HOLDERS),
    FIRST_HOLDER + (index % HOLDERS),
  );
}

const indexOfHolder = (holder: string): number =>
  [...holder].reduce((index, each) => index * HOLDERS + each.charCodeAt(0) - FIRST_HOLDER, 0);

/** `["password"]` may be an index that names the value after it. */
const INDEX = /^\[\s{0,20}"[^"\\]{0,100}"\s{0,20}\]$/;

/**
 * Replaces stretches by placeholders while the text around them is redacted. A holder has the same brackets as the
 * stretch it replaces, and quotes, so that a name before it still has a value.
 */
export class HeldStretches {
  readonly #stretches: string[] = [];
  readonly #text: string;
  #canHold: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#stretches.length === 0;
  }

  /** The holder for a stretch; undefined if none is free, or the text itself could be mistaken for one. */
  hold(stretch: string): string | undefined {
    this.#canHold ??= !HOLDER.test(this.#text);
    const index = this.#stretches.length;
    if (INDEX.test(stretch)) return undefined;
    if (!this.#canHold || index >= MOST_HELD) return undefined;
    this.#stretches.push(stretch);
    const [open, close] = stretch.startsWith("{") ? ["{", "}"] : ["[", "]"];
    return `${open}"${holderOf(index)}"${close}`;
  }

  restore(text: string): string {
    if (this.isEmpty) return text;
    return text.replace(HELD, (found, holder: string) => this.#stretches[indexOfHolder(holder)] ?? found);
  }
}
