/**
 * Narrows down which of several reads in a node's text failed: prefers those on the line that n8n names, and drops
 * those that the text itself guards (`if (x)`, `x &&`, `try`). If several are left, the failed one is unknown. Works by
 * pattern; nothing is evaluated. Pure.
 */
import { type FieldReference, pathText, referencesIn } from "./field-references.ts";

export interface Source {
  /** All texts of the node's parameters, including its code. */
  readonly texts: readonly string[];
  /** Line of the code, counted from 1; null if n8n names none. */
  readonly line: number | null;
}

interface Suspect {
  readonly owner: FieldReference;
}

export function likelyAmong<One extends Suspect>(suspects: readonly One[], { texts, line }: Source): One[] {
  const once = [...new Map(suspects.map((one) => [keyOf(one.owner), one])).values()];
  const read = new Set(texts.flatMap((text) => readsOnLine(text, line)));
  const onLine = once.filter(({ owner }) => [...read].some((path) => path.startsWith(keyOf(owner))));
  const text = texts.join("\n");
  return (onLine.length > 0 ? onLine : once).filter(({ owner }) => !isTakenCareOf(text, owner));
}

const keyOf = ({ node, path }: FieldReference): string => `${node ?? ""}\n${pathText(path)}`;

function readsOnLine(text: string, line: number | null): string[] {
  if (line === null) return [];
  const [own = ""] = text.split("\n").slice(line - 1, line);
  return referencesIn(own).map(keyOf);
}

const TRIED = /\btry\s{0,5}\{[^{}]{0,2000}\}\s{0,5}catch\b/g;

/** Whether the code assigns to the variable what a service answered: that holds nothing of an item. */
export const holdsAnswer = (code: string, variable: string): boolean =>
  /^[A-Za-z_]\w{0,60}$/.test(variable) &&
  new RegExp(
    String.raw`(?:const|let|var)\s{1,20}${variable}\s{0,20}=\s{0,20}(?:\(?await\b|(?:this\.|\$)?helpers\.\w|fetch\(|axios\b)`,
  ).test(code);

/** Whether such a variable is in what the pattern, whose first group is a name, finds on the line that n8n names. */
export function readsAnswer(codes: readonly string[], line: number | null, pattern: RegExp): boolean {
  if (line === null) return false;
  return codes.some((code) =>
    [...(code.split("\n")[line - 1] ?? "").matchAll(pattern)].some(([, name = ""]) =>
      holdsAnswer(code, name),
    ),
  );
}

function isTakenCareOf(text: string, { path }: FieldReference): boolean {
  const read = `json.${pathText(path)}`;
  if (text.includes(read) && !text.replaceAll(TRIED, "").includes(read)) return true;
  const literal = read.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const whole = String.raw`${literal}(?![\w$.[(])`;
  return new RegExp(
    String.raw`\b(?:if|while)\s{0,3}\([^()\n]{0,200}${whole}|${whole}\s{0,5}(?:&&|\?(?![.?])|!==?)`,
  ).test(text);
}
