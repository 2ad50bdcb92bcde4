/**
 * Finds out from node parameters what a tool answers: which standard members, codes and texts. Code is searched for
 * words and never run; where the words are not conclusive, the answer is unknown. Pure.
 */
import { memberOf, textAt } from "../../json/members.ts";
import { isReadObject } from "../../json/omitted.ts";
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { MAIN } from "../../workflows/graph.ts";
import { isExpression, listAt, type NodeParameters } from "../../workflows/node-parameters.ts";
import { shortType } from "../../workflows/node-types.ts";
import { codeOf } from "./node-kinds.ts";
import type { AuditSubject } from "./subject.ts";
import { endsOf, flowOf } from "./tool-flow.ts";

export const MEMBERS = ["status", "data", "meta", "timestamp"] as const;
const TEXT_KEYS = ["message", "text"] as const;

/** Nodes that pass their items on unchanged. */
const PASSING = new Set(["noOp", "limit", "wait", "executionData", "respondToWebhook", "if", "filter"]);

/**
 * The nodes that build a tool's answer: its last nodes or, where a last node only passes items on, the nodes before it.
 * A trigger among them means that the tool returns its own input.
 */
export function answeringNodes(subject: AuditSubject): WorkflowNodeWithParameters[] {
  const { graph } = subject;
  const flow = flowOf(subject);
  const found = new Set<WorkflowNodeWithParameters>();
  const waiting = new Set(endsOf(subject));
  // Iterating a set also visits elements that are added meanwhile.
  for (const node of waiting) {
    if (!passesOn(node)) {
      found.add(node);
      continue;
    }
    for (const { from } of graph.incoming(node.name, MAIN)) {
      const before = graph.nodes.get(from);
      if (before !== undefined && flow.has(from)) waiting.add(before);
    }
  }
  return [...found];
}

function passesOn(node: WorkflowNodeWithParameters): boolean {
  if (node.disabled || PASSING.has(shortType(node.type))) return true;
  if (shortType(node.type) === "merge")
    return ["append", undefined].includes(textAt(node.parameters, "mode"));
  return returnsItemsUnchanged(codeOf(node) ?? "");
}

const RETURNS_ITEMS = /\breturn\s{1,20}(?:[$_]input\.all\(\)|[$_]?items)\s{0,20};?\s{0,20}$/;
const CHANGES_ITEMS = /\.json\b[\w.[\]"']{0,100}\s{0,20}=(?!=)/;

/** Whether code, such as logging code, returns its items unchanged. */
function returnsItemsUnchanged(code: string): boolean {
  const isOnlyReturn = code.split(/\breturn\b/, 3).length === 2;
  return isOnlyReturn && RETURNS_ITEMS.test(code.slice(-200)) && !CHANGES_ITEMS.test(code);
}

export const answersOf = (subject: AuditSubject) =>
  answeringNodes(subject).flatMap((node) => answerOf(node) ?? []);

export function answerOf(node: WorkflowNodeWithParameters) {
  const code = codeOf(node);
  if (code !== undefined) return answerIn(node.name, code, keepsInputInCode(code));
  if (shortType(node.type) !== "set") return undefined;
  return answerIn(node.name, setText(node), keepsInputInSet(node));
}

/** Writes the fields of a Set node as code. */
function setText({ parameters, typeVersion }: WorkflowNodeWithParameters): string {
  if (textAt(parameters, "mode") === "raw") return textAt(parameters, "jsonOutput") ?? "";
  const hasPaths = memberOf(parameters, "options", "dotNotation") !== false;
  return setFields(parameters, typeVersion)
    .map(({ name, value }) => {
      const keys = hasPaths ? name.split(".") : [name];
      const text = typeof value === "string" ? `"${value}"` : isReadObject(value) ? "{}" : String(value);
      return `${keys.map((key) => `"${key}":`).join(" ")} ${text},`;
    })
    .join("\n");
}

/** The parameter depends on the node's version: `values` until 2, `fields` until 3.2, then `assignments`. */
function setFields(parameters: NodeParameters, typeVersion: number) {
  const isMiddle = typeVersion >= 3 && typeVersion < 3.3;
  const fields =
    typeVersion < 3
      ? ["string", "number", "boolean"].flatMap((kind) => listAt(parameters, "values", kind))
      : listAt(parameters, ...(isMiddle ? ["fields", "values"] : ["assignments", "assignments"]));
  return fields.map((field) => {
    // `{ name, type: "stringValue", stringValue: … }` from 3 to 3.2.
    const type = isMiddle ? (memberOf(field, "type") ?? "stringValue") : "value";
    const key = typeof type === "string" ? type : "stringValue";
    return { name: String(memberOf(field, "name") ?? ""), value: memberOf(field, key) };
  });
}

function keepsInputInSet({ parameters, typeVersion }: WorkflowNodeWithParameters): boolean {
  if (typeVersion < 3) return parameters.keepOnlySet !== true;
  const json = textAt(parameters, "jsonOutput") ?? "";
  // `={{ $json }}`: an expression without an object literal.
  const isWhole =
    textAt(parameters, "mode") === "raw" && isExpression(json) && !json.replace("{{", "").includes("{");
  if (isWhole) return true;
  return typeVersion < 3.3
    ? (textAt(parameters, "include") ?? "all") !== "none"
    : parameters.includeOtherFields === true;
}

/** A spread, or items that are passed on, whose members are unknown. */
const KEEPS_INPUT = /\.\.\.|\breturn\s{1,20}\[?\s{0,20}[$_]?(?:input|items?|json)\b|\bobject\.assign\b/i;
/** `{ json: name }` and `{ json }`. */
const JSON_OF = /["']?\bjson["']?\s{0,20}(?::\s{0,20}([A-Za-z_$][\w$]*)|[,}])/g;

function keepsInputInCode(code: string): boolean {
  if (KEEPS_INPUT.test(code)) return true;
  return [...code.matchAll(JSON_OF)].some(([, name]) => {
    const holder = name ?? "json";
    return !new RegExp(`(?:^|[^\\w$.])${holder.replaceAll("$", "\\$")}\\s{0,20}=\\s{0,20}\\{`).test(code);
  });
}

const STATUS = /\bstatus["'`]?\s{0,20}[:=]\s{0,20}["'`]=?([^"'`\n]{0,40})["'`]/g;
const ERROR_CODE = /\bcode["'`]?\s{0,20}:\s{0,20}["'`]=?([^"'`\s{}]{1,80})["'`]/g;
/** An object literal, also within an expression. */
const META_OBJECT = /\bmeta["'`]?\s{0,20}:\s{0,20}["'`]?(?:=?\{\{\s*\{|\{(?!\{))/;

function answerIn(node: string, text: string, keepsInput: boolean) {
  const members = new Set(MEMBERS.filter((member) => hasKey(text, member)));
  const isMetaElsewhere = members.has("meta") && !members.has("timestamp") && !META_OBJECT.test(text);
  const isUnknown = members.size < MEMBERS.length && (keepsInput || isMetaElsewhere);
  const statuses = [...text.matchAll(STATUS)].flatMap(([, status]) => status ?? []);
  const isLiteral = statuses.length > 0 && !statuses.some((status) => status.includes("{{"));
  return {
    node,
    /** Undefined when the node passes its input on, so that only a run can show them. */
    members: isUnknown ? undefined : members,
    /** All its statuses are literals, and none is `success` or `error`. */
    hasStrangeStatus: isLiteral && !statuses.some((status) => status === "success" || status === "error"),
    isError: statuses.includes("error"),
    codes: [...text.matchAll(ERROR_CODE)].flatMap(([, code]) => code ?? []),
    texts: TEXT_KEYS.filter((key) => hasKey(text, key)),
  };
}

/** Whether an object has the key, quoted, unquoted or in shorthand: `{ status, data: {} }`. */
const hasKey = (text: string, key: string): boolean =>
  new RegExp(`(?:^|[{,\\s"'\`])${key}["'\`]?\\s{0,20}(?::|,|\\})`).test(text);
