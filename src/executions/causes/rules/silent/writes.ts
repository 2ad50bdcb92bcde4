/**
 * Writes that hit nothing, or each other. Facts: a database node that gets no row back sends `{ success: true }`; an
 * upsert, a file and a key keep only the last of what is stored under the same value.
 */
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import type { WorkflowNode } from "../../../../n8n/schemas.ts";
import { memberOf, textAt } from "../../../json-members.ts";
import type { ExecutionView, SentItem } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { findAt } from "../../field-origin.ts";
import { expressionsIn, plainReference } from "../../field-references.ts";
import type { Rule } from "../../rule.ts";
import { actsFrom, dependsOnItem, givenTo, mostSentBy, ofNodes, unlessUsual } from "./usual.ts";

const CHANGES = /^(?:update|upsert|delete|deleteTable)$/;
const CHANGES_BY_QUERY = /^\s{0,20}(?:update|delete|merge|with)\b/i;

const isDoneOnly = (view: ExecutionView, name: string): boolean => {
  const { items } = mostSentBy(view, name);
  return items.length > 0 && items.every(({ json }) => JSON.stringify(json) === '{"success":true}');
};

const hitsNothing = ofNodes((view, node, { parameters }): Fact | null => {
  const query = textAt(parameters, "query") ?? "";
  const [last] = (view.context.successes ?? []).filter((success) => givenTo(success, node) > 0);
  const isWrite = CHANGES.test(textAt(parameters, "operation") ?? "") || CHANGES_BY_QUERY.test(query);
  if (!isWrite || last === undefined || !isDoneOnly(view, node) || isDoneOnly(last, node)) return null;
  const isLikely = actsFrom(view, [...view.runs.keys()].at([...view.runs.keys()].indexOf(node) + 1) ?? "");
  return {
    kind: "dropped.no_row",
    node,
    before: last.execution.id,
    confidence: isLikely ? "likely" : "observed",
  };
});

interface Key {
  readonly name: string;
  /** The value of an item as an expression or a fixed text; null if it is the item's own field of that name. */
  readonly text: string | null;
}

/** What a node stores each item under; null if it keeps all of them. */
function keyOf({ type, parameters }: WorkflowNode): Key | null {
  const operation = textAt(parameters, "operation") ?? "";
  if (/\.(?:readWriteFile|ftp)$/.test(type) && /^(?:write|upload)$/.test(operation)) {
    const name = type.endsWith(".ftp") ? "path" : "fileName";
    const isAppended = memberOf(parameters, "options", "append") === true;
    return isAppended ? null : { name, text: textAt(parameters, name) ?? "" };
  }
  if (/\.redis$/.test(type) && operation === "set")
    return { name: "key", text: textAt(parameters, "key") ?? "" };
  if (!/^(?:upsert|appendOrUpdate)$/.test(operation)) return null;
  const own = ["email", "externalIdValue"].find((each) => textAt(parameters, each) !== undefined);
  const column =
    textAt(parameters, "columns", "matchingColumns", 0) ??
    ["columnToMatchOn", "updateKey"]
      .map((each) => textAt(parameters, each))
      .find((each) => each !== undefined);
  const name = column ?? own;
  if (name === undefined) return null;
  const path = column === undefined ? [name] : ["columns", "value", name];
  return { name, text: textAt(parameters, ...path) ?? textAt(parameters, "valueToMatchOn") ?? null };
}

/** Undefined where it cannot be told. */
function storedUnder(item: SentItem, { name, text }: Key, definition: WorkflowNode): ReadValue | undefined {
  const [expression = ""] = expressionsIn(text ?? "");
  const isAlone = (text ?? "").replace(expression, "").replaceAll(/[={}\s]/g, "") === "";
  const reference = text !== null && isAlone ? plainReference(expression) : null;
  const path = text === null ? [name] : reference?.node === null ? reference.path : null;
  if (path !== null) {
    const found = findAt(item.json, path);
    return found.kind === "there" ? found.value : undefined;
  }
  return text === null || text === "" || dependsOnItem({ ...definition, parameters: { text } })
    ? undefined
    : text;
}

const overwrites = ofNodes((view, node, definition): Fact | null => {
  const key = keyOf(definition);
  const [run] = view.runs.get(node) ?? [];
  if (key === null || run === undefined) return null;
  const { items, length: count } = view.inputOf(run);
  const known = items.map((item) => storedUnder(item, key, definition));
  // The same item twice leaves nothing out; a file's content is not read.
  const isText = (value: ReadValue | undefined): boolean =>
    typeof value === "string" || typeof value === "number";
  const isAlike = new Set(items.map(({ json }) => JSON.stringify(json))).size < items.length;
  const distinct = new Set(known).size;
  if (!known.every(isText) || distinct === count || items.length < count) return null;
  if (isAlike && items.some(({ json }) => isReadObject(json) && Object.keys(json).length > 0)) return null;
  return { kind: "overwritten", node, key: key.name, count, distinct, confidence: "likely" };
});

export const WRITE_RULES: readonly Rule[] = [unlessUsual(hitsNothing, "likely"), unlessUsual(overwrites)];
