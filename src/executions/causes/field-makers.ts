/** Finds the expression by which code makes a field. By pattern. Pure. */
import { END_OF_VALUE, type FieldReference, MAX_TEXT, readingOf } from "./field-references.ts";
import { returnedAt } from "./returned-by-code.ts";

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
