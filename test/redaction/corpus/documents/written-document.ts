/**
 * Documents as real APIs send them, written after their documentation, with values made up here. `secret` and
 * `ordinary` record the values they are given, so that each value's expectation stands beside it.
 */
import { createRandom, DIGITS, HEX, LOWER, WORD } from "../random.ts";

export interface WrittenDocument {
  readonly name: string;
  readonly document: unknown;
  readonly secrets: readonly string[];
  readonly ordinary: readonly string[];
}

type Scalar = string | number | boolean;

const random = createRandom(2291);
let secrets: string[] = [];
let ordinaries: string[] = [];

export function secret(value: string): string {
  secrets.push(value);
  return value;
}

export function ordinary<T extends Scalar>(value: T): T {
  ordinaries.push(String(value));
  return value;
}

export function written(name: string, write: () => unknown): WrittenDocument {
  secrets = [];
  ordinaries = [];
  const document = write();
  return { name, document, secrets, ordinary: ordinaries };
}

/** A text as it is, in JSON, and in JSON within JSON. */
export function jsonSpellings(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  return [text, once, JSON.stringify(once).slice(1, -1)];
}

export const hex = (length: number): string => random.text(HEX, length);
export const word = (length: number): string => random.text(WORD, length);
export const lower = (length: number): string => random.text(LOWER + DIGITS, length);
/** The alphabet of base32 (RFC 4648 section 6). */
export const upper = (length: number): string => random.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length);
export const base64url = (length: number): string => `${random.text(`${WORD}-_`, length - 1)}k`;
export const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
export const base64Of = (text: string): string => Buffer.from(text).toString("base64");
export const base64 = (bytes: number): string =>
  Buffer.from(Array.from({ length: bytes }, () => random.below(256))).toString("base64");
