/** Finds our own secrets by their value: raw, and in every encoding in which they could occur. */
import { memoizeByObject } from "../platform/memoize.ts";
import type { TextRule } from "./text-rule.ts";

/** Shorter secrets would occur by chance, and settings reject them. */
const SHORTEST = 8;

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/**
 * How the secret appears inside the base64 of a longer text, which depends on where in a group of three bytes it begins.
 * Its first and last letters depend on the neighbouring bytes, too, and are left out.
 */
function insideBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const from = Math.ceil((offset * 4) / 3);
    const whole = toBase64(padded).replace(/(?<!=)=+$/, "");
    const inner = whole.slice(from, Math.floor((padded.length * 8) / 6));
    return inner.length >= SHORTEST ? [inner] : [];
  });
}

/** Most tokens: JSON, URLs and forms do not escape them. */
const NEEDS_NO_ESCAPE = /^[\w.-]*$/;

function escapesOf(secret: string): string[] {
  if (NEEDS_NO_ESCAPE.test(secret)) return [];
  const encoded = encodeURIComponent(secret);
  return [
    JSON.stringify(secret).slice(1, -1),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
}

function spellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = [toBase64(bytes).replace(/(?<!=)=+$/, ""), ...insideBase64(bytes)];
  const inUrls = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [secret, ...escapesOf(secret), ...base64, ...inUrls];
}

/** The settings hand out the same list to all calls, so that its spellings are made once. */
const spellingsOfAll = memoizeByObject((secrets: readonly string[]): readonly string[] =>
  secrets.filter((secret) => secret.length >= SHORTEST).flatMap(spellingsOf),
);

/**
 * Marks carry no number, so that they do not reveal which of our secrets it was.
 * @param secrets of the deployment; the list must not change
 * @param secretsOfCaller the secrets of one call
 */
export function ownSecretsRule(secrets: readonly string[], secretsOfCaller: readonly string[]): TextRule {
  const spellings = [...new Set([...spellingsOfAll(secrets), ...spellingsOfAll(secretsOfCaller)])]
    // Longest first, so that no remainder of one is left.
    .sort((a, b) => b.length - a.length);
  const shortest = spellings.at(-1)?.length ?? Number.POSITIVE_INFINITY;
  return (text, { mark }) => {
    if (text.length < shortest) return text;
    let result = text;
    for (const spelling of spellings)
      if (result.includes(spelling)) result = result.replaceAll(spelling, () => mark("own-secret"));
    return result;
  };
}
