/**
 * Facts: n8n's own hints are in a run's `hints[].message`; a disabled node passes its input on; to n8n, a sub-workflow or
 * tool that answers `{ status: "error", … }` succeeded; `$getWorkflowStaticData` keeps values from run to run.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { defined } from "../../../platform/defined.ts";
import { isObject } from "../../../platform/is-object.ts";
import type { ExecutionView } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { textsOf } from "../field-references.ts";
import { ofNodes, type Rule } from "../rule.ts";

export const errorAsData = ofNodes((view, node, { type }, runs) => {
  if (view.isWithheld || !type.endsWith(".executeWorkflow")) return null;
  // A list of jobs or orders may well hold one that failed.
  const says = runs.some((run, index) => {
    const { items } = view.sentBy(node, index);
    const saying = items.filter(({ json }) => saysError(json)).length;
    return saying > 0 && (saying === items.length || items.length <= view.inputOf(run).length);
  });
  const [executionId] = runs.flatMap(({ metadata }) => metadata?.subExecution?.executionId ?? []);
  return says ? { kind: "error_as_data", node, confidence: "observed", ...defined({ executionId }) } : null;
});

function saysError(json: ReadValue): boolean {
  if (!isReadObject(json)) return false;
  if (json.status === "error" && ("data" in json || "error" in json || "message" in json)) return true;
  return typeof json.error === "string" && json.error !== "" && Object.keys(json).length === 1;
}

export const hints: Rule = ({ runs }) =>
  [...runs].flatMap(([node, own]): Fact[] => {
    const messages = own.flatMap(({ hints: left }) => (Array.isArray(left) ? left : [])).map(messageOf);
    const value = messages.find((message) => message !== "");
    return value === undefined ? [] : [{ kind: "hint", node, confidence: "observed", value }];
  });

const messageOf = (hint: unknown): string =>
  isObject(hint) && typeof hint.message === "string" ? hint.message : "";

export const disabledNodes: Rule = (view: ExecutionView) =>
  [...view.runs.keys()]
    .filter((name) => view.nodes.get(name)?.disabled === true)
    .map((node) => ({ kind: "node_disabled", node, confidence: "observed" }));

const STORED = /(?:(\w{1,60})\s{0,5}=\s{0,5})?\$?\bgetWorkflowStaticData\(/;
/** A value that is only stored decides nothing. */
const isRead = (code: string, name: string): boolean =>
  new RegExp(String.raw`\b${name}(?:\??\.\w+\b|\[[^\]]{1,60}\])(?!\s{0,5}=[^=])`).test(code);

/** Reported if the fact began in code that reads what earlier runs stored. */
export function storedData({ node }: Fact, { nodes }: ExecutionView): Fact | null {
  if (node === null) return null;
  const codes = textsOf(nodes.get(node)?.parameters);
  const isStored = codes.some((code) => {
    const [whole, name] = STORED.exec(code) ?? [];
    return whole !== undefined && (name === undefined || isRead(code, name));
  });
  return isStored ? { kind: "stored_data", node, confidence: "observed" } : null;
}
