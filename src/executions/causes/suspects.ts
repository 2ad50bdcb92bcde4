/**
 * Narrows down which of several reads in a node's text failed: drops those that the text itself guards (`if (x)`, `x
 * &&`, `try`), and those of a service's answer. If several are left, it is unknown which one failed. By pattern;
 * nothing is evaluated. Pure.
 */
import { type FieldReference, pathText } from "./field-references.ts";

export function unguardedAmong<One extends { readonly owner: FieldReference }>(
  suspects: readonly One[],
  texts: readonly string[],
): One[] {
  const once = new Map(suspects.map((one) => [`${one.owner.node ?? ""}\n${pathText(one.owner.path)}`, one]));
  const text = texts.join("\n");
  return [...once.values()].filter(({ owner }) => !isGuarded(text, owner));
}

const TRY_BLOCKS = /\btry\s{0,5}\{[^{}]{0,2000}\}\s{0,5}catch\b/g;

const ASSIGNED =
  /(?<![\w$.])([A-Za-z_]\w{0,60}|[{[][^{}[\]]{1,200}[}\]])\s{0,20}=(?![=>])\s{0,20}(?=(?:JSON\.parse\()?\(?([^;\n]{1,40}))/g;
const CALLS_SERVICE = /^(?:await\b(?!\s{0,5}\$(?:input|json|\())|(?:this\.|\$)?helpers\.\w|fetch\(|axios\b)/;

/** Whether a variable holds a service's answer or a part of it, and so nothing of an item. */
export function holdsAnswer(code: string, variable: string): boolean {
  const answers = new Set<string>();
  for (const [, target = "", value = ""] of code.matchAll(ASSIGNED)) {
    const [of = ""] = /^\w+/.exec(value) ?? [];
    if (CALLS_SERVICE.test(value) || answers.has(of))
      for (const name of target.match(/\w+/g) ?? []) answers.add(name);
  }
  return answers.has(variable);
}

/** Whether the line of an error reads such a variable. @param pattern its first group is the variable's name */
export function readsAnswer(codes: readonly string[], line: number | null, pattern: RegExp): boolean {
  if (line === null) return false;
  return codes.some((code) =>
    [...(code.split("\n")[line - 1] ?? "").matchAll(pattern)].some(([, name = ""]) =>
      holdsAnswer(code, name),
    ),
  );
}

function isGuarded(text: string, { path }: FieldReference): boolean {
  const read = `json.${pathText(path)}`;
  if (text.includes(read) && !text.replaceAll(TRY_BLOCKS, "").includes(read)) return true;
  const literal = read.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const whole = String.raw`${literal}(?![\w$.[(])`;
  return new RegExp(
    String.raw`\b(?:if|while)\s{0,3}\([^()\n]{0,200}${whole}|${whole}\s{0,5}(?:&&|\?(?![.?])|!==?)`,
  ).test(text);
}
