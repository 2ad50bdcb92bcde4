/**
 * Writes that match nothing, or overwrite each other. Facts: a database node that gets no row back sends `{ success:
 * true }`; an upsert, a file or a key keeps only what was stored last under the same value.
 */

import { memberOf, textAt } from "../../../../json/members.ts";
import type { ReadValue } from "../../../../json/omitted.ts";
import type { WorkflowNode } from "../../../../n8n/schemas.ts";
import { type ExecutionView, ranAfter, type SentItem } from "../../execution-view.ts";
import { valueAt } from "../../field-origin.ts";
import { plainReference } from "../../field-references.ts";
import { acts, dependsOnItem, operationOf } from "../../node-effects.ts";
import { DECIDES } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { inputCountOf, unlessUsual } from "./usual.ts";

const CHANGES = /^(?:update|upsert|delete|deleteTable)$|^=?\s{0,20}(?:update|delete)\s/i;

/** Whether a run got no row back, such as one of the rounds of a loop. */
const isDoneOnly = (view: ExecutionView, name: string): boolean =>
  view.runsOf(name).some((_run, index) => {
    const { items } = view.sentBy(name, index);
    return items.length > 0 && items.every(({ json }) => JSON.stringify(json) === '{"success":true}');
  });

const hitsNothing = ofNodes((view, node, { parameters }) => {
  const isWrite = ["operation", "query"].some((name) => CHANGES.test(textAt(parameters, name) ?? ""));
  const last = view.successes.find((success) => inputCountOf(success, node) > 0);
  if (!isWrite || last === undefined || !isDoneOnly(view, node) || isDoneOnly(last, node)) return null;
  const after = ranAfter(view, node).map((name) => view.nodes.get(name));
  // A decision behind it may look at whether there was a row.
  const isSeen = after.some((one) => DECIDES.test(one?.type ?? ""));
  const confidence = after.some(acts) && !isSeen ? "likely" : "observed";
  return { kind: "dropped.no_row", node, before: last.execution.id, confidence };
});

/** Node type, operation, and the parameter that says under what an item is stored. */
const PLACES = [
  [".readWriteFile", "write", "fileName"],
  [".ftp", "upload", "path"],
  [".redis", "set", "key"],
] as const;

/** What a node stores each item under, a fixed text or an expression; null if it keeps all of them. */
function keyOf(node: WorkflowNode) {
  const { type, parameters } = node;
  const at = (...path: readonly (string | number)[]): string | undefined => textAt(parameters, ...path);
  const operation = operationOf(node) ?? "";
  const place = PLACES.find(([end, does]) => type.endsWith(end) && does === operation)?.[2];
  if (place !== undefined)
    return memberOf(parameters, "options", "append") === true ? null : { name: place, text: at(place) ?? "" };
  // Of several matching columns, a single one decides nothing.
  if (at("columns", "matchingColumns", 1) !== undefined) return null;
  const name = at("columns", "matchingColumns", 0) ?? at("columnToMatchOn") ?? at("updateKey");
  if (name === undefined || name.includes(",") || !/^(?:upsert|appendOrUpdate)$/.test(operation)) return null;
  const own = `={{ $json[${JSON.stringify(name)}] }}`;
  return { name, text: at("columns", "value", name) ?? at("valueToMatchOn") ?? own };
}

const ALONE = /^=\s{0,5}\{\{([^{}]{1,300})\}\}\s{0,5}$/;

/** Undefined where it cannot be told. */
function storedUnder({ json }: SentItem, text: string, definition: WorkflowNode): ReadValue | undefined {
  const reference = plainReference(ALONE.exec(text)?.[1] ?? "");
  if (reference?.node === null) return valueAt(json, reference.path);
  return text === "" || dependsOnItem({ ...definition, parameters: { text } }) ? undefined : text;
}

const overwrites = ofNodes((view, node, definition, [run]) => {
  const key = keyOf(definition);
  if (key === null || run === undefined) return null;
  const { items, length: count } = view.inputOf(run);
  const known = items.map((item) => storedUnder(item, key.text, definition));
  const distinct = new Set(known).size;
  const contents = new Set(items.map(({ json }) => JSON.stringify(json)));
  // Storing the same item twice loses nothing; the content of files is not read.
  const isSame = contents.size === distinct && !contents.has("{}");
  const isReadable = known.every((value) => typeof value === "string" || typeof value === "number");
  if (!isReadable || isSame || distinct === count || items.length < count) return null;
  return { kind: "overwritten", node, key: key.name, count, distinct, confidence: "likely" };
});

export const WRITE_RULES: readonly Rule[] = [unlessUsual(hitsNothing, "likely"), unlessUsual(overwrites)];
