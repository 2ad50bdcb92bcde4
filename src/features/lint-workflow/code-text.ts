/** The source of Code nodes, as far as rules look at its words: it is read, never run, and in linear time. Pure. */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { textAt } from "../../workflows/node-parameters.ts";

const CODE_TYPES = new Set(
  ["code", "function", "functionItem", "aiTransform"].map((name) => `n8n-nodes-base.${name}`),
);

/** The source of a Code node without its comments, in whichever language; undefined for other nodes. */
export function codeOf({ type, parameters }: WorkflowNodeWithParameters): string | undefined {
  if (!CODE_TYPES.has(type)) return undefined;
  const isPython = textAt(parameters, "language")?.toLowerCase().startsWith("python") === true;
  const source = isPython
    ? textAt(parameters, "pythonCode")
    : (textAt(parameters, "jsCode") ?? textAt(parameters, "functionCode"));
  return isPython ? withoutPythonComments(source ?? "") : withoutComments(source ?? "");
}

/** Takes JavaScript's comments out. `//` after a colon or a quote is part of an address, and stays. */
export function withoutComments(source: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = source.indexOf("/*"); at !== -1; at = source.indexOf("/*", from)) {
    const end = source.indexOf("*/", at + 2);
    if (end === -1) break;
    kept.push(source.slice(from, at));
    from = end + 2;
  }
  kept.push(source.slice(from));
  return kept.join(" ").replace(/(^|[^:"'`\w])\/\/[^\n]*/g, "$1");
}

function withoutPythonComments(source: string): string {
  return source.replace(/(^|\s)#[^\n]*/g, "$1");
}

/** Takes quoted texts out, and all of a template but the code within `${ }`. */
export function withoutQuoted(source: string): string {
  const plain = source.replace(/"[^"\n]*"|'[^'\n]*'/g, '""');
  return plain.replace(/`[^`]*`/g, (template) =>
    [...template.matchAll(/\$\{([^{}]*)\}/g)].map(([, code]) => `(${code})`).join("+"),
  );
}
