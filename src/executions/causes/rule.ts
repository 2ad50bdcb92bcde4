/** What a rule is: pure, from an execution as it was read to what it finds, the most telling first. */

import type { NodeError } from "../../n8n/schemas.ts";
import { quoted } from "../../platform/display-name.ts";
import { type ExecutionView, type FailedNode, partOf } from "./execution-view.ts";
import type { Finding } from "./finding.ts";

export type Rule = (view: ExecutionView) => readonly Finding[];

/** A node that failed, with its error. */
export interface Failed extends FailedNode {
  readonly error: NodeError;
}

/** Only where a node failed, and n8n says with what. */
export const onFailed =
  (rule: (view: ExecutionView, failed: Failed) => readonly Finding[]): Rule =>
  (view) => {
    const { failed, error } = view;
    if (failed === null || error === undefined) return [];
    return rule(view, { ...failed, error });
  };

/** The first words of a sentence. */
export const failedName = (name: string): string => `${quoted(name)} failed`;

/** Sentences of our tables begin with a capital, and end with a full stop. */
export const lowerFirst = (sentence: string): string =>
  /^(?:[A-Z][a-z]|A )/.test(sentence) && !sentence.startsWith("I ")
    ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
    : sentence;

/** Its first sentence, without the stop. */
export const firstSentence = (text: string): string => (/^.*?(?=\.(?:\s|$))/.exec(text)?.[0] ?? text).trim();

/** A service answered with it: all that it says besides its status is the service's, and so anybody's. */
const isAnswered = (error: NodeError | undefined): boolean =>
  /^[1-5]\d\d$/.test(error?.httpCode ?? "") || partOf(error, "errorResponse") !== undefined;

/** What the error says: payload, to be compared with what n8n itself writes, and never told. */
export const messageOf = (error: NodeError | undefined): string =>
  isAnswered(error) ? "" : (error?.message ?? "");

/** The same of all that it says; of what a service said, nothing. */
export const allTextsOf = (error: NodeError | undefined): string[] =>
  isAnswered(error) ? [] : saidTextsOf(error);

/** What a service said, too. */
export function saidTextsOf(error: NodeError | undefined): string[] {
  const messages = partOf(error, "messages");
  const more = Array.isArray(messages) ? messages.filter((text) => typeof text === "string") : [];
  return [error?.message, error?.description, partOf(error, "cause", "message"), ...more].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
}

/** A class, as far as n8n keeps it: what code throws stands in the description of what wraps it, what a service says in another's. */
export function isOfClass(error: NodeError, ...classes: readonly string[]): boolean {
  return [error.name, error.name === "NodeApiError" ? null : error.description].some(
    (name) => typeof name === "string" && classes.includes(name),
  );
}
