/**
 * Why a request was refused, beyond the service's answer: a value that came out empty, a number that JavaScript cannot
 * hold, a day of another time zone. Facts: n8n resolves an expression that reads nothing to an empty text; JSON.parse
 * rounds integers above 2^53.
 */

import { textAt } from "../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import type { NodeError } from "../../../n8n/schemas.ts";
import { defined } from "../../../platform/defined.ts";
import { DAY_MS } from "../../../platform/durations.ts";
import { firstFound } from "../../../platform/first-found.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { mentionedIn } from "../../known-fields.ts";
import { type ExecutionView, type SentItem, zoneOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { failedOn, findAt, sentEver, valueAt } from "../field-origin.ts";
import { expressionsIn, type FieldReference, pathText, referencesOf } from "../field-references.ts";
import { chainOf, filledAt, isBlank, successWith, traceOf } from "../field-trace.ts";
import { CODE } from "../node-kinds.ts";
import { openAt } from "../open-texts.ts";
import { type ParameterRead, parameterReadsOf } from "../parameter-reads.ts";
import { type Failed, itemIndexOf, onFailed } from "../rule.ts";
import { saidIn, saidTexts } from "../said.ts";
import { BROKEN_TEXTS, MASKED } from "../value-breaks.ts";
import { oddIn } from "../value-changes.ts";
import { valuesBelow } from "../values-below.ts";
import type { Lack } from "../wording/chain-sentences.ts";

/** Statuses that are about the request's content, not about the caller, the rate, or the service itself. */
const OF_WHAT_WAS_SENT = /^(?:400|404|405|409|410|412|415|422)$/;
/** Databases: not null, out of range, wrong text, syntax, no such table. */
const OF_A_VALUE =
  /^(?:23502|22\w{3}|42601|42P01|ER_(?:BAD_NULL|PARSE|NO_SUCH_TABLE|TRUNCATED|WARN_DATA|DATA_TOO|NO_DEFAULT)\w*)$/;

interface Value {
  readonly read: ParameterRead;
  readonly item: SentItem;
  readonly path: readonly string[];
  /** Undefined if it was not there. */
  readonly value: ReadValue | undefined;
  readonly hasFallback: boolean;
}

function valuesOf(failed: Failed, reads = parameterReadsOf(failed.node)): Value[] {
  return reads.flatMap((read) =>
    read.references.flatMap((reference): Value[] => {
      // Of several items, the one that failed, or that another node's item is paired with, is unknown.
      const { items, length } = failedOn(failed, reference);
      const [item] = items;
      if (item === undefined || (length > 1 && itemIndexOf(failed.error) !== 0)) return [];
      return [reference.path, ...lackingIn(failed.view, item, reference)].flatMap((path): Value[] => {
        const found = findAt(item.json, path);
        if (found.kind === "unread") return [];
        const value = found.kind === "there" ? found.value : found.kind === "null" ? null : undefined;
        return [{ read, item, path, value, hasFallback: reference.hasFallback }];
      });
    }),
  );
}

/** If a whole item is sent: the fields that it had in the last success, and lacks now. */
function lackingIn(
  view: ExecutionView,
  { from, output, json }: SentItem,
  { path }: FieldReference,
): string[][] {
  const [success] = view.successes;
  if (path.length > 0 || success === undefined) return [];
  const [before] = sentEver(success, from, output).items;
  const isKnown = mentionedIn([view.execution]);
  const names = isReadObject(before?.json) ? Object.keys(before.json).filter(isKnown) : [];
  const isFilled = (value: ReadValue, name: string): boolean => filledAt(value, [name]) !== null;
  return names.flatMap((name) =>
    isFilled(before?.json ?? null, name) && !isFilled(json, name) ? [[name]] : [],
  );
}

function statusOf(error: NodeError): string | null {
  const { httpCode, code } = toErrorFacts(error);
  return httpCode ?? code;
}

/** Whether the request's content may be the reason: no code says otherwise. */
export function isAboutContent(error: NodeError): boolean {
  const status = statusOf(error);
  return status === null || OF_WHAT_WAS_SENT.test(status) || OF_A_VALUE.test(status);
}

export const refusedFor = onFailed((failed) => {
  const status = statusOf(failed.error);
  // If the node has a credential, the service refused that.
  if (/^40[13]$/.test(status ?? ""))
    return failed.node?.credentials === undefined
      ? maskedValue(failed, valuesOf(failed).filter(isOfAccess), status)
      : null;
  // GraphQL and others refuse in words alone.
  if ((status === null && failed.error.name !== "NodeApiError") || !isAboutContent(failed.error)) return null;
  const values = valuesOf(failed);
  const made = [emptyValue, brokenValue, roundedNumber, dayOfZone].flatMap(
    (find) => find(failed, values, status) ?? [],
  );
  return made.slice(0, 1);
});

type Find = (failed: Failed, values: readonly Value[], status: string | null) => Fact | null;

const isEmpty = ({ value }: Value): boolean => value === undefined || isBlank(value);

/** Whether an expression is only in the query of a URL, not in its path. */
function isInQuery(url: string, expression: string): boolean {
  // Expressions have question marks of their own.
  const query = url.replaceAll(/\{\{.*?\}\}/gs, (one) => one.replaceAll("?", " ")).indexOf("?");
  return query !== -1 && !expressionsIn(url.slice(0, query)).includes(expression);
}

/** An expression directly after another one may be empty, and the URL still complete. */
const isAddition = (url: string, expression: string): boolean =>
  url.replaceAll(/(?<=\{\{)\s+|\s+(?=\}\})/g, "").includes(`}}{{${expression}}}`);

/** `due_date`, `dueDate` and `due-date` are one name. */
const normalized = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The names that a word may stand for: `body.items[0].email`, `missing_email`, `customerId` of a `customer`. */
function namesIn(word: string): string[] {
  const members = word.split(/[.[\]]+/).slice(0, MAX_DEPTH);
  const runs = members.flatMap((_, from) => members.map((__, to) => members.slice(from, to + 1).join("")));
  const informative = members.map((member) =>
    member
      .split(/[_-]|(?<=\p{Ll})(?=\p{Lu})/u)
      .filter((part) => !/^ids?$/i.test(part) && !SAYS_NOTHING.has(part.toLowerCase()))
      .join(""),
  );
  return [...runs, ...informative].map(normalized);
}

const answerOf = ({ error }: Failed): string => [saidIn(error) ?? "", ...saidTexts(error)].join(" ");

type IsNamed = (value: Pick<Value, "read" | "path">) => boolean;

/** Whether the service's answer names a value, by its parameter or by its field. */
function namedBy(failed: Failed): IsNamed {
  const named = new Set(
    answerOf(failed)
      .split(/[^\p{L}\p{N}_.[\]-]+/u)
      .flatMap(namesIn),
  );
  return ({ read, path }) =>
    [read.parameter, ...path.map((_, at) => path.slice(at).join(""))]
      .map(normalized)
      .some((name) => name.length > 1 && named.has(name));
}

const emptyValue: Find = (failed, values, status) => {
  const said = answerOf(failed).toLowerCase();
  const isNamed = namedBy(failed);
  const url = textAt(failed.node?.parameters, "url") ?? "";
  const isAnotherNamed = values.some((one) => !isEmpty(one) && isNamed(one));
  const empty = values.filter((one) => !one.hasFallback && one.path.length > 0 && isEmpty(one));
  for (const one of empty.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))) {
    const { read, item, path } = one;
    const trace = traceOf(failed.view, item, path);
    const { instead, ...chain } = chainOf(failed.view, trace);
    const isUsual = failed.view.successes.some((success) => wasEmpty(success, item.from, path));
    if (isUsual) continue;
    // The service says what it missed, and it is not this.
    const isNotNamed = isAnotherNamed && !isNamed(one);
    if (isNotNamed && instead === null) continue;
    const found = findAt(trace.item.json, trace.path);
    const lack: Lack = found.kind === "there" ? "empty" : found.kind === "null" ? "null" : "absent";
    const isOfUrl = /^url$/i.test(read.parameter);
    const isOfQuery = isOfUrl && isInQuery(url, read.expression);
    // A 404 is about the path.
    if (isOfQuery && status === "404" && !isNamed(one)) continue;
    const isInPath = isOfUrl && !isOfQuery && !isAddition(url, read.expression);
    const isInUrl = isInPath && /^40[045]$/.test(status ?? "");
    const isGuess = !isInUrl && !isNamed(one) && (instead === null || isNotNamed);
    // An optional field may be empty: the service's own explanation is better than a guess.
    if (isGuess && saysWhy(said)) continue;
    return {
      kind: isGuess ? "parameter_empty.guess" : "parameter_empty",
      node: trace.item.from,
      failedNode: failed.name,
      status,
      field: pathText(trace.path),
      reads: pathText(path),
      lack,
      isSure: isInUrl || (instead !== null && !isGuess),
      instead,
      ...chain,
      value: trace.item.json,
      valuePath: [],
      confidence: isInUrl ? "exact" : isGuess ? "observed" : "likely",
    };
  }
  return null;
};

/** Words of an answer that says no more than that the request was wrong. */
const SAYS_NOTHING = new Set(
  `a an and are be been bad blank body but code content could data detail details empty entity error errors failed field
  fields for found given has have http in input invalid is it malformed message missing must not null of one or parameter
  parameters payload please processed properties property request requestid required resource should some status
  statuscode the this title to type unprocessable valid validation value values was were with wrong your`.split(
    /\s+/,
  ),
);

const saysWhy = (said: string): boolean =>
  (said.match(/[\p{L}\p{N}_]+/gu) ?? []).some((word) => /^\p{L}+$/u.test(word) && !SAYS_NOTHING.has(word));

function wasEmpty(success: ExecutionView, node: string, path: readonly string[]): boolean {
  const items = sentEver(success, node).items;
  return items.length > 0 && items.every(({ json }) => filledAt(json, path) === null);
}

const MAX_DEPTH = 6;

/** The path of an integer that JavaScript cannot hold, in a value or below it. */
const unsafeIn = (value: ReadValue | undefined) =>
  firstFound(valuesBelow(value, MAX_DEPTH), ([path, one]) =>
    Number.isInteger(one) && !Number.isSafeInteger(one) ? path : null,
  );

/** A key below what the workflow reads may be payload. */
function shownPath(keys: readonly string[], { view }: Failed): string {
  const isKnown = mentionedIn([view.execution]);
  return pathText(keys.map((key) => (/^\d+$/.test(key) || isKnown(key) ? key : "?")));
}

const roundedNumber: Find = (failed, values, status) => {
  const isNamed = namedBy(failed);
  const isOther = values.some(isNamed) && saysWhy(answerOf(failed).toLowerCase());
  for (const { read, item, path, value } of values) {
    const below = unsafeIn(value);
    if (below === null) continue;
    const reads = [...path, ...below];
    if (isOther && !isNamed({ read, path: reads })) continue;
    const { view, item: origin, path: field, by } = traceOf(failed.view, item, reads);
    return {
      kind: "number_rounded",
      node: origin.from,
      failedNode: failed.name,
      status,
      field: shownPath(field, failed),
      reads: shownPath(reads, failed),
      valuePath: reads,
      by,
      instead: null,
      callerId: view === failed.view ? null : view.execution.id,
      ...defined({ value: valueAt(origin.json, field) }),
      confidence: "likely",
    };
  }
  return null;
};

/** Whether its name is that of an access token or another proof of identity. */
const isOfAccess = ({ read, path }: Value): boolean =>
  [read.parameter, path.at(-1) ?? ""].some((name) => ACCESS.test(name));
const ACCESS = /auth|access|token|key|secret|bearer|cookie|session|pass|credential|signature/i;

const brokenBy =
  (forms: typeof BROKEN_TEXTS): Find =>
  (failed, values, status) => {
    for (const { item, path, value } of values) {
      if (typeof value !== "string") continue;
      const [how] = forms.find(([, form]) => form.exec(value)?.[0] === value) ?? [];
      if (how === undefined) continue;
      const { item: origin, path: began } = traceOf(failed.view, item, path);
      const isSame = valueAt(origin.json, began) === value;
      const [from, field] = isSame ? [origin.from, began] : [item.from, path];
      return {
        kind: "value_broken",
        node: from,
        failedNode: failed.name,
        status,
        field: pathText(field),
        how,
        value,
        confidence: "likely",
      };
    }
    return null;
  };

/** A text that is nothing but a failed conversion of a date, number or object. */
const brokenValue = brokenBy(BROKEN_TEXTS);
const maskedValue = brokenBy(MASKED);

const NOW = /\$now\b|\$today\b|new Date\(\)|Date\.now\(\)|DateTime\.(?:now|local)\(/;
const DAY = /(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)/;

const dayOfZone: Find = (failed, values, status) => {
  const { execution, successes } = failed.view;
  const today = (execution.startedAt ?? "").slice(0, 10);
  for (const { item, path, value } of values) {
    const trace = traceOf(failed.view, item, path);
    const day = typeof value === "string" ? DAY.exec(value)?.slice(1).join("-") : undefined;
    if (day === undefined || day === today || !NOW.test(trace.text ?? "")) continue;
    if (Math.abs(Date.parse(day) - Date.parse(today)) > DAY_MS) continue;
    const zone = zoneOf(failed.view);
    const before = successes[0];
    return {
      kind: "day_by_zone",
      node: trace.item.from,
      failedNode: failed.name,
      status,
      field: pathText(trace.path),
      zone,
      changed: before !== undefined && zoneOf(before) !== zone ? before.execution.id : null,
      value: day,
      confidence: "observed",
    };
  }
  return null;
};

type AtPath = readonly [path: readonly string[], value: ReadValue];

/** An object with each value at its path: the redactor recognizes a value by the names above it. */
function atPaths(values: readonly AtPath[]): ReadValue {
  const here = values.find(([path]) => path.length === 0);
  if (here !== undefined) return here[1];
  const byKey = Map.groupBy(values, ([[key = ""]]) => key);
  const below = [...byKey].map(([key, all]) => [
    key,
    atPaths(all.map(([path, one]) => [path.slice(1), one])),
  ]);
  return Object.fromEntries(below);
}

const MAX_SHOWN = 4;

/** Where what was read differs in kind from what it was in the last successes. */
function oddOf(failed: Failed, reads: readonly ParameterRead[]) {
  const isAboutTwins = /\b(?:duplicated?s?|unique|twice|second time|same|already)\b/i.test(answerOf(failed));
  const all = reads.flatMap(({ references }) =>
    references.flatMap((reference) => {
      const { items, length } = failedOn(failed, reference);
      const odd = oddIn(failed.view, items, reference.path, isAboutTwins);
      return odd === null ? [] : { ...odd, field: shownPath(odd.path, failed), count: length, reference };
    }),
  );
  return [...new Map(all.map((one) => [pathText(one.path), one])).values()].slice(0, 2);
}

/** Evidence: what the parameters were, where that was made, and what differs from the last success; empty ones first. */
const parametersNamed = (names: RegExp) =>
  onFailed((failed) => {
    const isCode = CODE.test(failed.node?.type ?? "");
    const inCode = { parameter: "", expression: "", references: isCode ? referencesOf(failed.node) : [] };
    const reads = [inCode, ...parameterReadsOf(failed.node)].filter(({ parameter }) => names.test(parameter));
    const odd = oddOf(failed, reads);
    const all = valuesOf(failed, reads).filter(({ path }) => path.length > 0);
    const values = [...all.filter(isEmpty), ...all.filter((one) => !isEmpty(one))];
    const once = [...new Map(values.map((one) => [pathText(one.path), one])).entries()].slice(0, MAX_SHOWN);
    if (once.length + odd.length === 0) return null;
    const was = once.flatMap(([name, { item, path, value }]) => {
      const success = successWith(failed.view, item, path);
      const before = success === null ? null : filledAt(success.item.json, path);
      const hadRun = failed.view.successes.some(
        ({ execution, runs }) => execution.id === success?.id && runs.has(failed.name),
      );
      return success === null || !hadRun || JSON.stringify(before) === JSON.stringify(value)
        ? []
        : [{ name, at: [path, openAt(success.item.json, path)] as const, id: success.id }];
    });
    const read = once.map(([name, one]) => {
      const { item, path, by } = traceOf(failed.view, one.item, one.path);
      return { name, isEmpty: isEmpty(one), from: item.from, field: by === null ? null : pathText(path) };
    });
    // Whole, as the names above a value may say that it is a secret.
    const wholes = odd.map(({ item, reference: { path } }) => ({ path, item }));
    const shown = [...wholes.filter(({ path }) => path.length > 0), ...once.map(([, one]) => one)];
    const only = odd.map(({ field: name, item }) => ({ name, from: item.from, isEmpty: false, field: null }));
    return {
      kind: "parameters",
      node: failed.name,
      read: read.length === 0 ? only : read,
      odd: odd.map(({ field, how, lengths, item: { index }, count }) => ({
        field,
        how,
        lengths,
        item: { index, count },
      })),
      changed: was.map(({ name }) => name),
      before: was[0]?.id ?? null,
      unresolved: parameterReadsOf(failed.node).filter(({ references }) => references.length === 0).length,
      value: atPaths(shown.map(({ path, item }) => [path, openAt(item.json, path)])),
      ...(was.length === 0 ? {} : { was: atPaths(was.map(({ at }) => at)) }),
    };
  });

export const resolvedParameters = parametersNamed(/^/);
/** Those that an address is made of. */
export const addressParameters = parametersNamed(
  /url|host|server|domain|address|endpoint|path|port$|bucket/i,
);
