/**
 * Fact: a node that continues on failure (`onError`, `continueOnFail`) ends as a success without `error`; the error is
 * an item. n8n treats an item as an error if it has `error` next to `json`, or if `json.error` is alone except for
 * `message` and `details` (n8n-core, `handleNodeErrorOutput`); at an error output, every item is one. The contents of
 * `json` can come unchanged from a caller or a service, so they are reported as what the node's output says.
 * Code and HTTP Request also put `error` next to the input's fields. Without that setting, `json.error` is ordinary data.
 * An error that leaves by a connected error output is handled, not swallowed. If the node throws instead, its run has
 * `error`, and n8n passes the node's input on through the first output as if it had succeeded: the error output stays
 * empty (n8n-core, `handleNodeError`).
 *
 * A sub-node run that failed in a successful execution was handled by its caller: an agent continues when a tool or
 * model fails. Agent 1.x and HTTP and MCP tools end as a success and say `There was an error: "…"`. Whatever they call
 * can say the same, so this is reported as what their output says.
 */
import { memberOf } from "../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import type { NodeError, NodeRun, WorkflowNode } from "../../../n8n/schemas.ts";
import { sumOf } from "../../../platform/sum-of.ts";
import { connectionOf } from "../../agent-run/calls.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { dataOutputs, hasFailed, outputsOf } from "../../node-runs.ts";
import { meaningIn } from "../error-meanings.ts";
import { type ExecutionView, errorRouteOf, isErrorOutput, type SentItem } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import type { Rule } from "../rule.ts";

interface Caught {
  /** Whether n8n keeps it outside the payload: on the run, or next to `json`. */
  readonly isOfN8n: boolean;
  readonly way: "regular" | "error output" | "handed on";
  readonly count: number;
  readonly of: number;
  readonly output: number;
  readonly error: NodeError | undefined;
  /** Payload. */
  readonly value: ReadValue;
}

export const caughtErrors: Rule = (view) => allCaught(view).filter(({ kind }) => kind === "error_caught");

export const handledErrors: Rule = (view) => allCaught(view).filter(({ kind }) => kind === "error_handled");

/** What nodes that go on when they fail sent in place of their data. */
export function allCaught(view: ExecutionView): Fact[] {
  if (view.isWithheld) return [];
  return [...view.runs.keys()].flatMap((name) => {
    const node = view.nodes.get(name);
    const way = errorRouteOf(node);
    if (way === null || name === view.failed?.name) return [];
    const caught =
      passedOn(view, name) ??
      (way === "regular" ? caughtInOutput(view, name, node) : caughtAtErrorOutput(view, name));
    return caught === null ? [] : [toFact(view, name, caught)];
  });
}

function passedOn(view: ExecutionView, name: string): Caught | null {
  const runs = view.runsOf(name);
  const failed = runs.filter(passedInputOn);
  const [first] = failed;
  if (first === undefined) return null;
  const counts = { count: failed.length, of: runs.length, output: 0 };
  return {
    isOfN8n: true,
    way: "handed on",
    ...counts,
    error: first.error,
    value: first.error?.message ?? null,
  };
}

/** A failed run on the main line, as opposed to an agent's tool. */
const passedInputOn = (run: NodeRun): boolean => hasFailed(run) && outputsOf(run.data).has("main");

function caughtInOutput(view: ExecutionView, name: string, node: WorkflowNode | undefined): Caught | null {
  for (const [run, each] of view.runsOf(name).entries()) {
    for (const output of (outputsOf(each.data).get("main") ?? []).keys()) {
      const { items, length: of } = view.sentBy(name, run, output);
      const errors = items.flatMap(({ json, error }) => caughtIn(json, node) ?? error ?? []);
      const [error] = errors;
      if (error === undefined) continue;
      const isOfN8n = items.some((item) => item.error !== undefined);
      const count = errors.length;
      return { isOfN8n, way: "regular", count, of: triedBy(view, each, count, of), output, ...inItem(error) };
    }
  }
  return null;
}

const ALONE = new Set(["error", "message", "details"]);
const HTTP = "n8n-nodes-base.httpRequest";

/** The error in an item, as n8n writes one; undefined if `error` is an ordinary field. */
function caughtIn(json: ReadValue, node: WorkflowNode | undefined): ReadValue | undefined {
  if (!isReadObject(json)) return undefined;
  const { error } = json;
  if (isReadObject(error) && isOfError(error)) return error;
  if (typeof error !== "string" || error === "") return undefined;
  const isAlone = Object.keys(json).every((key) => ALONE.has(key));
  // A service's answer may have its own `error` text: HTTP Request itself writes objects.
  return isAlone && node?.type !== HTTP ? error : undefined;
}

/** Whether a node that continues on failure sent its error in place of its data. */
export function isErrorItem(view: ExecutionView, { from, run, output, json, error }: SentItem): boolean {
  const node = view.nodes.get(from);
  if (errorRouteOf(node) === null) return false;
  const outputs = dataOutputs(view.runsOf(from)[run]?.data).length;
  return isErrorOutput(node, output, outputs) || error !== undefined || caughtIn(json, node) !== undefined;
}

/** The name alone is enough for database nodes, which write an error's members without its message. */
const isOfError = ({ message, name, stack }: { readonly [key: string]: ReadValue }): boolean =>
  (typeof message === "string" && (name !== undefined || stack !== undefined)) ||
  (typeof name === "string" && /^Node\w{1,40}Error$/.test(name));

/** The last output is the error output. It is empty on success. */
function caughtAtErrorOutput(view: ExecutionView, name: string): Caught | null {
  for (const [run, each] of view.runsOf(name).entries()) {
    const outputs = outputsOf(each.data).get("main") ?? [];
    const output = outputs.length - 1;
    if (output < 1) continue;
    const { items, length } = view.sentBy(name, run, output);
    const total = sumOf(outputs, (one) => one.length);
    const [first] = items;
    if (length === 0 || first === undefined) continue;
    const error = isReadObject(first.json) ? (first.json.error ?? first.json) : first.json;
    const isOfN8n = first.error !== undefined;
    const of = triedBy(view, each, length, total);
    return { isOfN8n, way: "error output", count: length, of, output, ...inItem(error) };
  }
  return null;
}

/** How many items a node worked on: its input, since it may make many of one. Code may fail on all items at once. */
function triedBy(view: ExecutionView, run: NodeRun, failed: number, made: number): number {
  const given = view.inputOf(run).length;
  return failed < made && given >= failed ? given : made;
}

const inItem = (error: ReadValue): Pick<Caught, "error" | "value"> => ({
  error: nodeError(error),
  value: error,
});

/** The class and codes of an error in an item. All of them come from the error's author. */
function nodeError(value: ReadValue): NodeError | undefined {
  if (!isReadObject(value)) return undefined;
  const code = value.code ?? value.status ?? value.statusCode ?? value.httpCode;
  const text = typeof code === "number" ? String(code) : code;
  return {
    name: typeof value.name === "string" ? value.name : undefined,
    code: typeof text === "string" ? text : null,
    httpCode: typeof value.status === "number" ? String(value.status) : null,
  };
}

/** The texts of an error in an item: a text, or an object that n8n or a library made. */
const textsIn = (error: ReadValue): string[] =>
  [error, ...["message", "description", "error"].map((name) => memberOf(error, name))].filter(
    (text) => typeof text === "string",
  );

const UNKNOWN = { says: "", see: "" };

function toFact(view: ExecutionView, node: string, caught: Caught): Fact {
  const { isOfN8n, way, count, of, output, error, value } = caught;
  const targets = (view.targetsOf(node)[output] ?? []).filter((target) => view.nodes.has(target.node));
  const target = targets[0]?.node ?? null;
  return {
    kind: way === "error output" && target !== null ? "error_handled" : "error_caught",
    node,
    isOfN8n,
    count,
    of,
    error: error === undefined ? null : toErrorFacts(error, UNKNOWN),
    says: meaningIn(textsIn(value)),
    way: way === "error output" && !view.hasConnections ? "output" : way,
    target,
    confidence: isOfN8n ? "exact" : "observed",
    value,
  };
}

const SAYS_ERROR = /^(?:HTTP \d{3} )?There was an error(?: executing the tool)?: ?/;

export function failedTools(view: ExecutionView): Fact[] {
  return [...view.runs].flatMap(([node, runs]): Fact[] => {
    if (node === view.failed?.name) return [];
    const isCaught = errorRouteOf(view.nodes.get(node)) !== null;
    // On the main line, a node that does not continue on failure has ended the execution.
    if (!isCaught && !servesNode(view, node, runs)) return [];
    const failed = runs.filter(
      (run) => (hasFailed(run) && !(isCaught && passedInputOn(run))) || saysError(run),
    );
    const [first] = failed;
    if (first === undefined) return [];
    const caller = first.source.find((source) => source !== null)?.previousNode;
    const isReported = caller !== undefined && view.nodes.has(caller) && servesNode(view, node, failed);
    const isOfN8n = failed.some(hasFailed);
    const counts = { count: failed.length, of: runs.length };
    const confidence = isOfN8n ? "exact" : "observed";
    return [
      { kind: "tool_failed", node, isOfN8n, ...counts, caller: isReported ? caller : null, confidence },
    ];
  });
}

const servesNode = (view: ExecutionView, name: string, runs: readonly NodeRun[]): boolean =>
  view.isSubNode(name) || runs.some((run) => connectionOf(run) !== undefined);

const saysError = (run: NodeRun): boolean =>
  (outputsOf(run.data).get("ai_tool") ?? [])
    .flatMap(({ items }) => items)
    .some((item) => isReadObject(item) && isReadObject(item.json) && hasErrorText(item.json));

const hasErrorText = ({ response, error, output }: Readonly<Record<string, ReadValue>>): boolean =>
  [response, error, output].some((text) => typeof text === "string" && SAYS_ERROR.test(text));
