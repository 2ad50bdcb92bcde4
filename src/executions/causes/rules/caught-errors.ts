/**
 * Fact: a node that goes on when it fails (`onError`, `continueOnFail`) ends as a success without `error`; the error is
 * an item. n8n itself takes an item for one when it has `error` beside `json`, or when `json.error` stands alone but for
 * `message` and `details` (n8n-core, `handleNodeErrorOutput`); with an error output, all that comes out there is.
 * Code and HTTP Request put `error` beside the input's fields too. `json.error` of a node without that setting is ordinary data.
 */

import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { outputsOf } from "../../node-runs.ts";
import { type ExecutionView, goesOn, sentBy } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import { firstSentence, lowerFirst, type Rule } from "../rule.ts";
import { nodeError, type WorkflowNode } from "./node-error.ts";

interface Caught {
  readonly count: number;
  readonly of: number;
  readonly output: number;
  readonly run: number;
  readonly error: ReadValue;
}

export const caughtErrors: Rule = (view) => {
  if (view.isWithheld) return [];
  return [...view.runs.keys()].flatMap((name) => {
    const node = view.nodes.get(name);
    const way = goesOn(node);
    if (way === null || name === view.failed?.name) return [];
    const caught = way === "regular" ? caughtInOutput(view, name, node) : caughtAtErrorOutput(view, name);
    return caught === null ? [] : [toFinding(view, name, way, caught)];
  });
};

function caughtInOutput(view: ExecutionView, name: string, node: WorkflowNode | undefined): Caught | null {
  let found: Caught | null = null;
  for (const [run, each] of (view.runs.get(name) ?? []).entries()) {
    for (const output of (outputsOf(each.data).get("main") ?? []).keys()) {
      const { items, length } = sentBy(name, each, run, output);
      const errors = items.flatMap(({ json }) => caughtIn(json, node) ?? []);
      const [error] = errors;
      if (error !== undefined) found ??= { count: errors.length, of: length, output, run, error };
    }
  }
  return found;
}

const ALONE = new Set(["error", "message", "details"]);
const HTTP = "n8n-nodes-base.httpRequest";

/** The error in an item, as n8n writes one; undefined where `error` is a field like others. */
function caughtIn(json: ReadValue, node: WorkflowNode | undefined): ReadValue | undefined {
  if (!isReadObject(json)) return undefined;
  const { error } = json;
  const isObjectError =
    isReadObject(error) && typeof error.message === "string" && ("name" in error || "stack" in error);
  if (isObjectError) return error;
  if (typeof error !== "string" || error === "") return undefined;
  const isAlone = Object.keys(json).every((key) => ALONE.has(key));
  // What a service answers may have an `error` of its own: HTTP Request writes objects.
  return isAlone && node?.type !== HTTP ? error : undefined;
}

/** The last output is that of errors. It is empty on success. */
function caughtAtErrorOutput(view: ExecutionView, name: string): Caught | null {
  for (const [run, each] of (view.runs.get(name) ?? []).entries()) {
    const outputs = outputsOf(each.data).get("main") ?? [];
    const output = outputs.length - 1;
    if (output < 1) continue;
    const { items, length } = sentBy(name, each, run, output);
    const total = outputs.reduce((sum, one) => sum + one.length, 0);
    const [first] = items;
    if (length === 0 || first === undefined) continue;
    const error = isReadObject(first.json) ? (first.json.error ?? first.json) : first.json;
    return { count: length, of: total, output, run, error };
  }
  return null;
}

function toFinding(
  view: ExecutionView,
  name: string,
  way: "regular" | "error output",
  caught: Caught,
): Finding {
  const { count, of, output, error } = caught;
  const targets = (view.targetsOf(name)[output] ?? [])
    .map(({ node }) => node)
    .filter((node) => view.nodes.has(node));
  const all =
    of > count ? `${count} of ${counted(of, "item")}` : of > 1 ? `all ${counted(of, "item")}` : "its item";
  const then = goneOn(view, way, targets);
  return {
    cause: "error_caught",
    node: name,
    sentence: `${quoted(name)} failed on ${all}${kindOf(error)} and the error was swallowed: ${then}.`,
    confidence: "exact",
    value: error,
  };
}

function goneOn(view: ExecutionView, way: "regular" | "error output", targets: readonly string[]): string {
  const [first] = targets;
  if (way === "error output")
    return first === undefined
      ? view.hasConnections
        ? "it came out of the error output, which leads nowhere"
        : "it came out of the error output"
      : `it came out of the error output, and went to ${quoted(first)}`;
  return first === undefined
    ? "the node goes on when it fails"
    : `the node goes on when it fails, and handed it to ${quoted(first)}`;
}

/** The class and code of the error, where they are known ones. */
function kindOf(error: ReadValue): string {
  const parsed = nodeError(error);
  if (parsed === undefined) return "";
  const { httpCode, code, sentence } = toErrorFacts(parsed, "");
  const facts = [httpCode, code].filter((fact) => fact !== null && fact !== "other");
  return facts.length === 0 ? "" : ` (${facts.join(", ")}: ${lowerFirst(firstSentence(sentence))})`;
}
