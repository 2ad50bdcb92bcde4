/**
 * Recognizes checks and critical calls, as the guide defines them, and prepares the source of Code nodes for rules that
 * search it. Code is never run, and read in linear time. Pure.
 */
import { textAt } from "../../json/members.ts";
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { isTriggerType, shortType } from "../../workflows/node-types.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Nodes of n8n itself that touch nothing outside the execution. All others may fail, or have an effect. */
const LOCAL = words(
  `aggregate aiTransform code compareDatasets compression convertToFile crypto dateTime debugHelper
  dynamicCredentialCheck editImage evaluation executionData extractFromFile filter form function functionItem html
  htmlExtract iCal if interval itemLists jwt limit markdown merge moveBinaryData n8nTrainingCustomerDatastore
  n8nTrainingCustomerMessenger noOp readPDF removeDuplicates renameKeys respondToWebhook set simulate sort
  splitInBatches splitOut spreadsheetFile start stickyNote stopAndError summarize switch timeSaved totp wait xml`,
);
/** Nodes of n8n's AI package that touch nothing outside the execution. */
const LOCAL_AI = words("chat memoryManager memoryChatRetriever");

/** A call that can fail for reasons outside the workflow: HTTP, databases, files, services, models, other workflows. */
export function isCritical({ type }: Pick<WorkflowNodeWithParameters, "type">): boolean {
  if (isTriggerType(type)) return false;
  if (type.startsWith("n8n-nodes-base.")) return !LOCAL.has(shortType(type));
  if (type.startsWith("@n8n/n8n-nodes-langchain.")) return !LOCAL_AI.has(shortType(type));
  return true;
}

const CHECKS = words("if switch filter guardrails");
/** Matches code with a condition, or a call that is named after a check. */
const CHECKING_CODE =
  /\bif\s*\(|\bif\s[^:\n]{1,200}:|\bswitch\s*\(|\bthrow\b|\braise\b|\bvalidat|\bsafeParse\b|\bassert|(?<!\?)\?\s*[{[]/i;

export function isCheck(node: WorkflowNodeWithParameters): boolean {
  const code = codeOf(node);
  return code === undefined ? CHECKS.has(shortType(node.type)) : CHECKING_CODE.test(code);
}

const CODE_TYPES = words(
  "n8n-nodes-base.code n8n-nodes-base.function n8n-nodes-base.functionItem n8n-nodes-base.aiTransform",
);

/** The source of a Code node without comments, in either language; undefined for other nodes. */
export function codeOf({ type, parameters }: WorkflowNodeWithParameters): string | undefined {
  if (!CODE_TYPES.has(type)) return undefined;
  if (textAt(parameters, "language")?.toLowerCase().startsWith("python"))
    return textAt(parameters, "pythonCode")?.replace(/(^|\s)#[^\n]*/g, "$1") ?? "";
  return withoutComments(textAt(parameters, "jsCode") ?? textAt(parameters, "functionCode") ?? "");
}

/** Removes JavaScript comments. `//` after a colon or a quote is part of a URL, and stays. */
export function withoutComments(source: string): string {
  const { outside } = splitAt(source, "/*", "*/");
  return outside.join(" ").replace(/(^|[^:"'`\w])\/\/[^\n]*/g, "$1");
}

/** The text outside and inside of a pair of marks, in linear time even if many are never closed. */
export function splitAt(text: string, open: string, close: string) {
  const outside: string[] = [];
  const inside: string[] = [];
  let from = 0;
  for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, from)) {
    const begin = at + open.length;
    const end = text.indexOf(close, begin);
    if (end === -1) break;
    outside.push(text.slice(from, at));
    inside.push(text.slice(begin, end));
    from = end + close.length;
  }
  outside.push(text.slice(from));
  return { outside, inside };
}

/** Removes string literals, and the text of templates, but keeps the code within `${ }`. */
export function withoutQuoted(source: string): string {
  const plain = source.replace(/"[^"\n]*"|'[^'\n]*'/g, '""');
  return plain.replace(/`[^`]*`/g, (template) =>
    [...template.matchAll(/\$\{([^{}]*)\}/g)].map(([, code]) => `(${code})`).join("+"),
  );
}
