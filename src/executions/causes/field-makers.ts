/** Finds the expression by which code makes a field. By pattern. Pure. */
import { END_OF_VALUE, type FieldReference, MAX_TEXT, readingOf } from "./field-references.ts";

/** An expression that makes a field; `reference` is the field that it copies, or null if it computes something. */
export interface Maker {
  readonly text: string;
  readonly reference: FieldReference | null;
}

/** What code writes after `key:` for a path such as `{ customer: { id: b.id } }`; undefined if it does not. */
export function makerInCode(code: string, path: readonly string[]): Maker | undefined {
  const { located, variables } = readingOf(code);
  let from = 0;
  for (const [depth, key] of path.entries()) {
    const literal = key.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const form = new RegExp(
      String.raw`(?<=[{,]\s{0,40})(?:${literal}|["']${literal}["'])\s{0,5}(:\s{0,20}|(?=[,}]))`,
      "g",
    );
    const text = code.slice(0, MAX_TEXT);
    const begin = depth === 0 ? returnedAt(text, form) : from;
    if (begin === undefined) return undefined;
    form.lastIndex = begin;
    const found = form.exec(text);
    if (found === null) return undefined;
    const at = found.index + found[0].length;
    const start = found[1] === "" ? found.index : at;
    const rest = path.slice(depth + 1);
    const known = located.find((one) => one.at === start);
    const [name = ""] = /^[A-Za-z_$][\w$]*/.exec(code.slice(start)) ?? [];
    const variable = known === undefined ? variables.find((one) => one.name === name) : undefined;
    const end = known?.end ?? start + name.length;
    const reference = known?.reference ?? variable?.reference;
    if (reference !== undefined && END_OF_VALUE.test(code.slice(end, end + 30)))
      return {
        text: code.slice(start, end),
        reference: { ...reference, path: [...reference.path, ...rest] },
      };
    if (code[start] !== "{")
      return { text: code.slice(start, start + 200).split("\n")[0] ?? "", reference: null };
    from = start;
  }
  return undefined;
}

const RETURNS = /\breturn\b|\bjson\s{0,5}:/g;
const ASKS_SERVICE = /\b(?:httpRequest\w{0,40}|fetch|axios)\b/;

/**
 * Where the item begins that holds the last match of a global pattern; undefined if there is no match, or if it may
 * only be sent to a service.
 */
function returnedAt(code: string, form: RegExp): number | undefined {
  const last = [...code.matchAll(form)].at(-1);
  if (last === undefined) return undefined;
  const begin = [...code.matchAll(RETURNS)].findLast(({ index }) => index < last.index);
  return begin?.index ?? (ASKS_SERVICE.test(code) ? undefined : 0);
}
