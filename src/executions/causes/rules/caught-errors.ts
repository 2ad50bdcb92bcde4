/**
 * Fact: a node that goes on when it fails (`onError`, `continueOnFail`) ends as a success without `error`; the error is
 * an item. n8n itself takes an item for one when it has `error` beside `json`, or when `json.error` stands alone but for
 * `message` and `details` (n8n-core, `handleNodeErrorOutput`); with an error output, all that comes out there is. What stands
 * in `json` can come from a caller or a service as it is, and be routed so: it is told as what the node's output says.
 * Code and HTTP Request put `error` beside the input's fields too. `json.error` of a node without that setting is ordinary data.
 * What comes out of a connected error output is handled, and not swallowed. A node that throws instead has a run with `error`, and n8n hands
 * on what the node was given by its first output, as if all were well: the error output stays empty (n8n-core, `handleNodeError`).
 */

import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import type { NodeError, NodeRun } from "../../../n8n/schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { outputsOf } from "../../node-runs.ts";
import { type ExecutionView, goesOn, sentBy } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import { firstSentence, lowerFirst, type Rule } from "../rule.ts";
import { nodeError, type WorkflowNode } from "./node-error.ts";

interface Caught {
  /** Whether n8n keeps it where no payload is: on the run, or beside `json`. */
  readonly isOfN8n: boolean;
  readonly way: "regular" | "error output" | "handed on";
  readonly count: number;
  readonly of: number;
  readonly output: number;
  readonly run: number;
  /** Class and codes, as far as they are known. */
  readonly error: NodeError | undefined;
  /** Payload. */
  readonly value: ReadValue;
}

/** Errors that nothing in the workflow took care of. */
export const caughtErrors: Rule = (view) => allCaught(view).filter(({ cause }) => cause === "error_caught");

/** Errors that a branch of the workflow is there for. */
export const handledErrors: Rule = (view) => allCaught(view).filter(({ cause }) => cause === "error_handled");

function allCaught(view: ExecutionView): Finding[] {
  if (view.isWithheld) return [];
  return [...view.runs.keys()].flatMap((name) => {
    const node = view.nodes.get(name);
    const way = goesOn(node);
    if (way === null || name === view.failed?.name) return [];
    const caught =
      handedOn(view, name) ??
      (way === "regular" ? caughtInOutput(view, name, node) : caughtAtErrorOutput(view, name));
    return caught === null ? [] : [toFinding(view, name, caught)];
  });
}

/** A run that failed, and sent what it was given. */
function handedOn(view: ExecutionView, name: string): Caught | null {
  const runs = view.runs.get(name) ?? [];
  const failed = runs.filter(isHandedOn);
  const [first] = failed;
  if (first === undefined) return null;
  const { error } = first;
  return {
    isOfN8n: true,
    way: "handed on",
    count: failed.length,
    of: runs.length,
    output: 0,
    run: runs.indexOf(first),
    error,
    value: error?.message ?? null,
  };
}

/** A run of a node of the main line, and not of an agent's tool. */
export const isHandedOn = (run: NodeRun): boolean =>
  (run.executionStatus === "error" || run.error !== undefined) && outputsOf(run.data).has("main");

function caughtInOutput(view: ExecutionView, name: string, node: WorkflowNode | undefined): Caught | null {
  let found: Caught | null = null;
  for (const [run, each] of (view.runs.get(name) ?? []).entries()) {
    for (const output of (outputsOf(each.data).get("main") ?? []).keys()) {
      const { items, length } = sentBy(name, each, run, output);
      const errors = items.flatMap(({ json, error }) => caughtIn(json, node) ?? error ?? []);
      const [error] = errors;
      const isOfN8n = items.some((item) => item.error !== undefined);
      if (error !== undefined)
        found ??= {
          isOfN8n,
          way: "regular",
          count: errors.length,
          of: length,
          output,
          run,
          ...inItem(error),
        };
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
    const isOfN8n = first.error !== undefined;
    return { isOfN8n, way: "error output", count: length, of: total, output, run, ...inItem(error) };
  }
  return null;
}

const inItem = (error: ReadValue): Pick<Caught, "error" | "value"> => ({
  error: nodeError(error),
  value: error,
});

function toFinding(view: ExecutionView, name: string, caught: Caught): Finding {
  const { isOfN8n, way, count, of, output, error, value } = caught;
  const [target] = (view.targetsOf(name)[output] ?? [])
    .map(({ node }) => node)
    .filter((node) => view.nodes.has(node));
  const isHandled = way === "error output" && target !== undefined;
  const unit = way === "handed on" ? "run" : "item";
  const all =
    of > count ? `${count} of ${counted(of, unit)}` : of > 1 ? `all ${counted(of, unit)}` : `its ${unit}`;
  const isUnknown = way === "error output" && !view.hasConnections;
  const then = isUnknown
    ? "it came out of the error output"
    : THEN[way](target === undefined ? null : quoted(target));
  return {
    cause: isHandled ? "error_handled" : "error_caught",
    node: name,
    sentence: `${quoted(name)}${isOfN8n ? "" : ": its output says that it"} failed on ${all}${kindOf(error)}${isHandled ? "" : " and the error was swallowed"}${isHandled ? ", and " : ": "}${then}.`,
    confidence: isOfN8n ? "exact" : "observed",
    value,
  };
}

/** What became of it; null where nothing is connected. */
const THEN: Readonly<Record<Caught["way"], (target: string | null) => string>> = {
  regular: (target) =>
    `the node goes on when it fails${target === null ? "" : `, and handed it to ${target}`}`,
  "error output": (target) =>
    target === null
      ? "it came out of the error output, which leads nowhere"
      : `its error branch took it over: it went to ${target}`,
  "handed on": (target) =>
    `the node goes on when it fails, and ${target === null ? "what it was given went" : `${target} was given what it was given,`} on as if nothing had happened`,
};

/** The class and code of the error, where they are known ones. */
function kindOf(error: NodeError | undefined): string {
  if (error === undefined) return "";
  const { httpCode, code, sentence } = toErrorFacts(error, "");
  const facts = [httpCode, code].filter((fact) => fact !== null && fact !== "other");
  return facts.length === 0 ? "" : ` (${facts.join(", ")}: ${lowerFirst(firstSentence(sentence))})`;
}
