/** Blanks out what reads no fields in code, and finds the parameters of functions. By pattern, linear; pure. */

/** A character, an escape or a class of a regular expression. */
const REGEX_PART = String.raw`(?:[^\\/\n[$]|\$(?!\{)|\\.|\[(?:[^\]\\\n]|\\.){0,50}\])`;
/** Regular expressions, comments and string literals: they read no fields. */
const LITERALS = new RegExp(
  [
    String.raw`(?<=[(,=!&|?;[]\s{0,5})\/(?![/*])${REGEX_PART}{1,100}\/`,
    String.raw`(?<![:\\}])\/\/[^\n]*`,
    String.raw`\/\*[\s\S]{0,2000}?\*\/`,
    String.raw`(?<!\\)(["'])(?:(?!\1)[^\\\n]|\\.){0,2000}\1`,
  ].join("|"),
  "g",
);
/** A literal is read if it names a node or a member, or has a `${…}` of a template. */
const isReference = (part: string, before: string): boolean =>
  part.includes("${") || /(?:[\w$)\]?.]\[|\$(?:items)?\()\s{0,3}$/.test(before);

/** Keeps all indexes valid. A template is kept whole: the `//` of a URL in it starts no comment. */
export function blankLiterals(text: string): string {
  if (text.startsWith("=") || text.includes("{{")) return text;
  return text.replaceAll(LITERALS, (part: string, quote: string | undefined, at: number) =>
    quote !== undefined && isReference(part, text.slice(Math.max(0, at - 10), at))
      ? part
      : part.replaceAll(/[^\n]/g, " "),
  );
}

/** Parameters of functions. A parameter hides the variable of the same name. */
const PARAMETERS =
  /\(([^()]{1,100})\)\s{0,5}=>|(?<![\w$])([A-Za-z_$][\w$]{0,60})\s{0,5}=>|\bfunction\b[^()]{0,60}\(([^()]{1,100})\)/g;
export const parametersIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(PARAMETERS)].flatMap(
      ([, ...given]) => given.join(" ").match(/[A-Za-z_$][\w$]*/g) ?? [],
    ),
  );

/** The ranges of functions with a parameter of this name; functions inside them are part of the outer range. */
export function scopesOf(name: string, text: string): (readonly [from: number, to: number])[] {
  const scopes: [from: number, to: number][] = [];
  for (const { index, 0: found } of text.matchAll(PARAMETERS))
    if (index >= (scopes.at(-1)?.[1] ?? 0) && parametersIn(found).has(name))
      scopes.push([index, endOfBody(text, index + found.length)]);
  return scopes;
}

export function endOfBody(text: string, from: number): number {
  const isBlock = /^\s{0,20}\{/.test(text.slice(from, from + 30));
  let open = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if ("([{".includes(character)) open += 1;
    else if (")]}".includes(character)) open -= 1;
    if (open < 0 || (open === 0 && (isBlock ? "}" : ",;").includes(character))) return at;
  }
  return text.length;
}
