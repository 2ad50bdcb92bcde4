/** A rule is a pure function from an execution to the facts that it finds, most informative first. */
import { partOf } from "../../json/members.ts";
import type { NodeError, NodeRun, WorkflowNode } from "../../n8n/schemas.ts";
import { toErrorFacts } from "../error-sentence.ts";
import type { ExecutionView, FailedNode } from "./execution-view.ts";
import type { Fact } from "./fact.ts";

export type Rule = (view: ExecutionView) => readonly Fact[];

export interface Failed extends FailedNode {
  readonly view: ExecutionView;
  readonly error: NodeError;
  /** Of the code that failed. */
  readonly line: number | null;
}

type FindAtNode = (
  view: ExecutionView,
  name: string,
  node: WorkflowNode,
  runs: readonly NodeRun[],
) => Fact | null;

/** Visits every node that ran, and did not only pass its input on because it is disabled. */
export const ofNodes =
  (find: FindAtNode): Rule =>
  (view) =>
    [...view.runs].flatMap(([name, runs]) => {
      const node = view.nodes.get(name);
      return node === undefined || node.disabled === true ? [] : (find(view, name, node, runs) ?? []);
    });

/** Applies the rule only if a node failed and n8n kept its error. */
export const onFailed =
  (rule: (failed: Failed) => readonly Fact[] | Fact | null): Rule =>
  (view) => {
    const { failed, error } = view;
    if (failed === null || error === undefined) return [];
    return [rule({ ...failed, error, view, line: toErrorFacts(error).lineNumber }) ?? []].flat();
  };

/** Whether a service answered with the error: then its text, except for the status, comes from outside. */
const isAnswered = (error: NodeError | undefined): boolean =>
  /^[1-5]\d\d$/.test(error?.httpCode ?? "") || partOf(error, "errorResponse") !== undefined;

/** The error's message: payload, only compared with n8n's own messages and never shown. */
export const messageOf = (error: NodeError | undefined): string =>
  isAnswered(error) ? "" : (error?.message ?? "");

/** Code can throw any text, with its line; n8n 1.x does not keep its class. */
export const isThrown = (error: NodeError | undefined): boolean => error?.lineNumber != null;

/** All texts of the error; none when a service wrote them. */
export const allTextsOf = (error: NodeError | undefined): string[] =>
  isAnswered(error) ? [] : rawTextsOf(error).filter((text) => !QUERY.test(text));

/** A database node's description repeats the query, which may hold any words. */
const QUERY = /^(?:Failed query|sql): /;

export function rawTextsOf(error: NodeError | undefined): string[] {
  const messages = partOf(error, "messages");
  const more = Array.isArray(messages) ? messages.filter((text) => typeof text === "string") : [];
  return [error?.message, error?.description, partOf(error, "cause", "message"), ...more].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
}

export const matchesAny = (texts: readonly string[], form: RegExp): boolean =>
  texts.some((text) => form.test(text));

/** The first captured group in the texts that match. */
export function firstCapture(texts: readonly string[], form: RegExp): string | undefined {
  const groups = texts.flatMap((text) => form.exec(text)?.slice(1) ?? []);
  return groups.find((group) => group !== undefined);
}

/**
 * The class of an error that code throws is in its wrapper's description; that of a NodeApiError is the service's
 * text.
 */
export function isOfClass(error: NodeError, ...classes: readonly string[]): boolean {
  return [error.name, error.name === "NodeApiError" ? null : error.description].some(
    (name) => typeof name === "string" && classes.includes(name),
  );
}

/** The index of the error's item in the node's input; null if it has none. The code that throws the error sets it. */
export function itemIndexOf(error: NodeError | undefined): number | null {
  const index = partOf(error, "context", "itemIndex");
  return typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : null;
}
