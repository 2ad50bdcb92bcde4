/**
 * What the last nodes of a tool answer, told from their parameters: which of the standard members they yield,
 * and which codes and texts. Code is read by its words, never run. Pure.
 */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { MAIN, type WorkflowGraph } from "../graph.ts";
import { listAt, parameterAt, textAt } from "../node-parameters.ts";
import { shortType } from "../node-types.ts";
import { codeOf } from "./node-kinds.ts";
import type { AuditSubject } from "./subject.ts";

/** The members of the guide's standard answer. */
export const MEMBERS = ["status", "data", "meta", "timestamp"] as const;
export type Member = (typeof MEMBERS)[number];

export interface NodeAnswer {
  readonly node: string;
  /** Undefined when only a run can tell, since it hands on what it is given. */
  readonly members: ReadonlySet<Member> | undefined;
  readonly isError: boolean;
  /** Literal error codes. */
  readonly codes: readonly string[];
  /** Which of `message` and `text` it uses. */
  readonly texts: readonly ("message" | "text")[];
}

/** Steps of the flow at which an execution ends. */
export function lastNodes({
  graph,
  nodes,
}: Pick<AuditSubject, "graph" | "nodes">): WorkflowNodeWithParameters[] {
  return nodes.filter(({ name }) => isStep(graph, name) && graph.outgoing(name).length === 0);
}

function isStep(graph: WorkflowGraph, name: string): boolean {
  return graph.incoming(name, MAIN).length > 0;
}

/** What a last node answers; undefined for nodes that build no answer of their own. */
export function answerOf(node: WorkflowNodeWithParameters): NodeAnswer | undefined {
  const text = codeOf(node) ?? setText(node);
  return text === undefined ? undefined : answerIn(node.name, text);
}

/** What a Set node sets, as if it were written in code. */
function setText({ type, parameters, typeVersion }: WorkflowNodeWithParameters): string | undefined {
  if (shortType(type) !== "set") return undefined;
  if (textAt(parameters, "mode") === "raw") return textAt(parameters, "jsonOutput") ?? "";
  const fields =
    typeVersion < 3
      ? ["string", "number", "boolean"].flatMap((kind) => listAt(parameters, "values", kind))
      : listAt(parameters, "assignments", "assignments");
  return fields.map((field) => `${fieldText(field)},`).join("\n");
}

function fieldText(field: Parameters<typeof parameterAt>[0]): string {
  const [name, value] = [parameterAt(field, "name"), parameterAt(field, "value")];
  const keys = String(name ?? "").split(".");
  return `${keys.map((key) => `"${key}":`).join(" ")} ${typeof value === "string" ? `"${value}"` : String(value)}`;
}

const STATUS_ERROR = /\bstatus["'`]?\s*:\s*["'`]=?error["'`]/;
const ERROR_CODE = /\bcode["'`]?\s*:\s*["'`]=?([^"'`\s{}]{1,80})["'`]/g;
/** A spread, or items that are handed on: what is in them is not written here. */
const HANDED_ON = /\.\.\.|return\s+(\$input|items|\$json)\b|\bobject\.assign\b/i;

function answerIn(node: string, text: string): NodeAnswer {
  const members = new Set(MEMBERS.filter((member) => hasKey(text, member)));
  const isHandedOn = members.size < MEMBERS.length && HANDED_ON.test(text);
  return {
    node,
    members: isHandedOn ? undefined : members,
    isError: STATUS_ERROR.test(text),
    codes: [...text.matchAll(ERROR_CODE)].flatMap(([, code]) => code ?? []),
    texts: (["message", "text"] as const).filter((key) => hasKey(text, key)),
  };
}

/** As a key of an object, quoted or not, in short form too: `{ status, data: {} }`. */
function hasKey(text: string, key: string): boolean {
  return new RegExp(`(?:^|[{,\\s"'\`])${key}["'\`]?\\s*(?::|,|\\})`).test(text);
}
