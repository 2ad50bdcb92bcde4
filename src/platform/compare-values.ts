/**
 * Compares two JSON values recursively. Each change is reported once, at the deepest container that both have. Raw
 * values are compared, but only their redacted forms are shown. Linear. Pure.
 */
import { isObject } from "./is-object.ts";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A value and its redacted form. */
export interface RedactedPair {
  readonly raw: Json | undefined;
  readonly shown: Json | undefined;
}

export interface ValueChange {
  /** Dots between keys, `[n]` for items. */
  readonly path: string;
  /** Absent when it was added. */
  readonly old?: Json;
  /** Absent when it was removed. */
  readonly new?: Json;
}

const NOTHING: RedactedPair = { raw: undefined, shown: undefined };
/** Shown for every part of a container that redaction replaced. */
const HIDDEN = "[REDACTED:key]";

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isMembers = (value: Json | undefined): value is JsonObject => isObject(value);

export function memberOf({ raw, shown }: RedactedPair, key: string): RedactedPair {
  if (!isMembers(raw) || !Object.hasOwn(raw, key)) return NOTHING;
  return { raw: raw[key], shown: isMembers(shown) && Object.hasOwn(shown, key) ? shown[key] : HIDDEN };
}

function itemOf({ raw, shown }: RedactedPair, index: number): RedactedPair {
  if (!isList(raw) || index >= raw.length) return NOTHING;
  return { raw: raw[index], shown: isList(shown) && index < shown.length ? shown[index] : HIDDEN };
}

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** `parameters.options["a b"]`. */
function pathTo(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

export const keysOf = (value: Json | undefined): string[] => (isMembers(value) ? Object.keys(value) : []);

/** All places in which two values differ, in the order of the first. */
export function compareValues(before: RedactedPair, after: RedactedPair, path = ""): ValueChange[] {
  if (isMembers(before.raw) && isMembers(after.raw)) {
    const keys = new Set([...keysOf(before.raw), ...keysOf(after.raw)]);
    return [...keys].flatMap((key) =>
      compareValues(memberOf(before, key), memberOf(after, key), pathTo(path, key)),
    );
  }
  if (isList(before.raw) && isList(after.raw)) {
    const length = Math.max(before.raw.length, after.raw.length);
    return Array.from({ length }, (_, index) =>
      compareValues(itemOf(before, index), itemOf(after, index), `${path}[${index}]`),
    ).flat();
  }
  if (before.raw === after.raw) return [];
  return [
    {
      path,
      ...(before.shown === undefined ? {} : { old: excerpt(before, after) }),
      ...(after.shown === undefined ? {} : { new: excerpt(after, before) }),
    },
  ];
}

const MAX_EXCERPT = 300;
const CONTEXT = 40;

/** The part of a long text around the first difference from the other. */
function excerpt({ shown }: RedactedPair, other: RedactedPair): Json {
  if (typeof shown !== "string" || shown.length <= MAX_EXCERPT) return shown ?? null;
  const against = typeof other.shown === "string" ? other.shown : "";
  let at = 0;
  while (at < shown.length && at < against.length && shown[at] === against[at]) at += 1;
  const from = Math.max(0, Math.min(at - CONTEXT, shown.length - MAX_EXCERPT));
  const to = Math.min(shown.length, from + MAX_EXCERPT);
  return `${from > 0 ? "…" : ""}${shown.slice(from, to)}${to < shown.length ? "…" : ""}`;
}
