/**
 * Which of the reads in a node's text can be the one that failed, where several could: the one on the line that n8n
 * names, and none that the text itself takes care of (`if (x)`, `x &&`, `try`). What is left may still be several; then
 * nobody knows. By form, nothing is evaluated. Pure.
 */
import { type FieldReference, pathText, referencesIn } from "./field-references.ts";

export interface Source {
  /** All texts of the node's parameters, its code among them. */
  readonly texts: readonly string[];
  /** Of the code, from 1; null where n8n names none. */
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

function isTakenCareOf(text: string, { path }: FieldReference): boolean {
  const read = `json.${pathText(path)}`;
  if (text.includes(read) && !text.replaceAll(TRIED, "").includes(read)) return true;
  const literal = read.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const whole = String.raw`${literal}(?![\w$.[(])`;
  return new RegExp(
    String.raw`\b(?:if|while)\s{0,3}\([^()\n]{0,200}${whole}|${whole}\s{0,5}(?:&&|\?(?![.?])|!==?)`,
  ).test(text);
}
