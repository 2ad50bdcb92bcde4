/**
 * Runs that continued with something else than the last successes. Facts: a Wait for a call or a form, and a step
 * that sends and waits, continue with their input when their time limit is over, or when the execution is retried while
 * it waits or after it was stopped there; an answer brings items of its own.
 * A file or page of another kind is still read as rows or values, none of which later nodes look for.
 */

import { memberOf, textAt } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { isInherited } from "../../../../n8n/run-order.ts";
import { mentionedIn } from "../../../known-fields.ts";
import { waitsFor } from "../../../waits.ts";
import { testsOf } from "../../conditions.ts";
import { type ExecutionView, nextOf, ranAfter, type SentItem } from "../../execution-view.ts";
import { referencesOf, textsOf } from "../../field-references.ts";
import { actsFrom } from "../../node-effects.ts";
import { DECIDES } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { outputsUsedBy } from "./decisions-compared.ts";
import { refusalIn } from "./report-in.ts";
import { checkedBy } from "./reported-failures.ts";
import { unlessUsual } from "./usual.ts";

const DEFAULTS_TO_YES = /(?:\?\?|\|\|)\s?(?:true\b|['"](?:approved?|accepted?|yes|ok)['"])/i;

/** n8n's API stores `false` for a Wait without a limit. */
const LIMITED = /"limitWaitTime\w*":(?!false)/;

const unanswered = ofNodes((view, name, node, [run]) => {
  const isRetried =
    run !== undefined && view.execution.mode === "retry" && !isInherited(view.execution, run.startTime);
  const mayGoOn = isRetried || LIMITED.test(JSON.stringify(node.parameters));
  if (run === undefined || waitsFor(node) === null || !mayGoOn) return null;
  const jsons = (items: readonly { readonly json: ReadValue }[]) =>
    JSON.stringify(items.map(({ json }) => json));
  const given = view.inputOf(run).items;
  const isHandedOn = given.length > 0 && jsons(given) === jsons(view.sentBy(name).items);
  if (!isHandedOn) return null;
  const by = approvedBy(view, name);
  const kind = isRetried ? "unanswered.retry" : "unanswered";
  return { kind, node: name, by, confidence: by === null ? "observed" : "likely" };
});

/** An approval by message answers so, whichever service it went through. */
const declined = ofNodes((view, node, { parameters }, runs) => {
  const field = "data.approved";
  const isDeclined = ({ json }: SentItem): boolean => memberOf(json, "data", "approved") === false;
  const asked = textAt(parameters, "operation") === "sendAndWait";
  const said = runs.flatMap((_run, index) => view.sentBy(node, index).items.filter(isDeclined));
  return !asked || said.length === 0
    ? null
    : { kind: "declined", node, field, value: false, count: said.length, confidence: "observed" };
});

/** The decision that only looks for a refusal, or takes a missing answer for a yes, so that what follows ran. */
function approvedBy(view: ExecutionView, name: string): string | null {
  const next = nextOf(view, name);
  const both = [...next, ...next.flatMap((node) => nextOf(view, node))];
  const found = both.find((node) => {
    const definition = view.nodes.get(node);
    if (definition === undefined || !view.runs.has(node) || !actsFrom(view, node)) return false;
    const outputs = outputsUsedBy(view, node);
    const tests = /\.(?:if|filter)$/.test(definition.type) ? testsOf(definition) : [];
    const isLetBy = tests.some(
      ({ operation, right }) => refusalIn(right) !== null && outputs.includes(/^not/.test(operation) ? 0 : 1),
    );
    return isLetBy || textsOf(definition.parameters).some((text) => DEFAULTS_TO_YES.test(text));
  });
  return found ?? null;
}

const READS_FILES =
  /\.(?:extractFromFile|spreadsheetFile|readPDF|html|htmlExtract|xml|googleSheets|microsoftExcel|rssFeedRead|httpRequest)$/;
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^\s*%PDF/, "a PDF file"],
  [/^PK\p{Cc}/u, "a ZIP or Office file"],
  [/^\s*(?:<!doctype html|<html[\s>])/i, "a web page (HTML)"],
];
const isEmpty = (value: ReadValue): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** The names of all filled fields of what a node sent first. */
function filledBy(view: ExecutionView, name: string): Set<string> {
  const { items } = view.sentBy(name);
  return new Set(
    items.flatMap(({ json }) =>
      isReadObject(json) ? Object.entries(json).flatMap(([key, value]) => (isEmpty(value) ? [] : [key])) : [],
    ),
  );
}

/** The later node that reads a field, unless all of them have a fallback. */
function neededBy(view: ExecutionView, name: string, key: string): string | null {
  const by = checkedBy(view, name, { key, shows: "count" });
  const readIn = (node: string) =>
    referencesOf(view.nodes.get(node)).filter(({ path }) => path.includes(key));
  if (by === null || readIn(by).length === 0) return by;
  const later = ranAfter(view, name);
  return later.find((node) => readIn(node).some(({ hasFallback }) => !hasFallback)) ?? null;
}

const readOtherwise = ofNodes((view, name, node) => {
  const before = view.successes.map((one) => filledBy(one, name)).filter(({ size }) => size > 0);
  const [first] = view.sentBy(name).items;
  const [usual] = before;
  if (!READS_FILES.test(node.type) || before.length < 2 || usual === undefined || !isReadObject(first?.json))
    return null;
  const now = filledBy(view, name);
  const common = [...usual].filter((key) => before.every((own) => own.has(key)));
  if (common.some((key) => now.has(key)) || (now.size === 0 && /httpRequest$/.test(node.type))) return null;
  const fields = common.filter(mentionedIn([view.execution]));
  const by = fields.map((key) => neededBy(view, name, key)).find((one) => one !== null);
  if (by === undefined || DECIDES.test(view.typeOf(by))) return null;
  const [start = ["", null]] = Object.entries(first.json);
  const [, instead = null] = KINDS.find(([form]) => start.some((one) => form.test(String(one)))) ?? [];
  const successes = before.length;
  return { kind: "read_otherwise", node: name, fields, by, instead, successes, confidence: "likely" };
});

export const UNLIKE_BEFORE_RULES: readonly Rule[] = [
  unlessUsual(unanswered, "likely"),
  unlessUsual(declined),
  unlessUsual(readOtherwise, "nothing"),
];
