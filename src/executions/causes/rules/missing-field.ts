/**
 * Fact: code and expressions that read a member of a missing value fail with `Cannot read properties of undefined
 * (reading 'x')`, and those that use a value of another type with `… is not a function` or `… is not iterable`. n8n names
 * neither item nor origin: the node's text shows which field it read, its input which item lacks it, and the runs before
 * it which node made that item.
 */
import { parsedJson, textAt } from "../../../json/members.ts";
import { defined } from "../../../platform/defined.ts";
import { firstFound } from "../../../platform/first-found.ts";
import { pattern } from "../../../platform/pattern.ts";
import { dataOutputs } from "../../node-runs.ts";
import type { ExecutionView, SentItem } from "../execution-view.ts";
import type { Fact, FactOf } from "../fact.ts";
import {
  failedOn,
  findAt,
  firstRead,
  isLacking,
  originOf,
  type Read,
  typeOf,
  valueAt,
} from "../field-origin.ts";
import {
  type FieldReference,
  nodesReadForOneItem,
  pathText,
  type ReadOnLine,
  referencesIn,
  referencesOnLine,
  textsOf,
  variableIn,
} from "../field-references.ts";
import { chainOf, traceOf } from "../field-trace.ts";
import { allTextsOf, type Failed, onFailed } from "../rule.ts";
import { holdsAnswer, readsAnswer, unguardedAmong } from "../suspects.ts";
import type { ItemPlace, Use } from "../wording/clauses.ts";
import { isErrorItem } from "./caught-errors.ts";

const UNDEFINED =
  /^Cannot read propert(?:y|ies) (?:of (?:undefined|null) \(reading '([^']{1,100})'\)|'([^']{1,100})' of (?:undefined|null))/;
/** Captures the destructured expression, as the code writes it. */
const DESTRUCTURED =
  /^Cannot destructure property '[^'\n]{1,100}' of '(.{1,300}?)' as it is (?:undefined|null)/;
const NO_FUNCTION = /^(.{1,300}?) is not a function/;
const NOT_ITERABLE = /^(.{1,300}?) is not iterable/;
const NO_ITERABLE_OF = pattern()`
  ^(?:
    Spread syntax requires|undefined is not iterable|object null is not iterable
    |Cannot convert undefined or null to object|.{0,100}is not a valid iterator
  )
`;

export const missingField = onFailed((failed) => {
  const references = textsOf(failed.node?.parameters).flatMap((text) => referencesOnLine(text, failed.line));
  return firstFound(allTextsOf(failed.error), (text) => byMessage(text, references, failed));
});

function byMessage(text: string, references: readonly ReadOnLine[], failed: Failed): Fact | null {
  const [, member, oldMember] = UNDEFINED.exec(text) ?? [];
  const read = member ?? oldMember;
  if (read !== undefined)
    return (
      matchOfNothing(references, text, read, failed) ??
      readOfNothing(references, read, failed) ??
      readOfNoItem(read, failed)
    );
  const [, taken] = DESTRUCTURED.exec(text) ?? [];
  if (taken !== undefined) {
    const isOwn = textsOf(failed.node?.parameters).some((own) => own.includes(taken));
    return isOwn ? firstLacking(referencesIn(taken), failed) : null;
  }
  const [, called] = NO_FUNCTION.exec(text) ?? [];
  if (called !== undefined) {
    if (isOfAnswer(called, failed)) return null;
    const method = /([\w$]+)$/.exec(called)?.[1] ?? "";
    const calls = references.flatMap((one) =>
      one.called === method ? [{ ...one, hasFallback: one.optionalAt.includes(one.path.length) }] : [],
    );
    return firstOfOtherType(namedIn(called.slice(0, -1 - method.length), calls), failed, method);
  }
  if (NOT_ITERABLE.test(text) || NO_ITERABLE_OF.test(text)) {
    const expression = NOT_ITERABLE.exec(text)?.[1] ?? "";
    if (isOfAnswer(expression, failed)) return null;
    const matching = listsIn(expression, references, failed);
    return firstLacking(matching, failed) ?? firstNotList(matching, failed);
  }
  return null;
}

/** Whether the expression in the engine's message begins with a service's answer. */
function isOfAnswer(expression: string, { node }: Failed): boolean {
  const [root = ""] = expression.split(/\W/);
  return textsOf(node?.parameters).some((code) => holdsAnswer(code, root));
}

/** The references that the engine's message spells out; all of them if it names something else, such as a variable. */
function namedIn(expression: string, references: readonly FieldReference[]): readonly FieldReference[] {
  const matching = references.filter(
    ({ path }) => path.length > 0 && expression.endsWith(`json.${pathText(path)}`),
  );
  return matching.length > 0 ? matching : references;
}

/** What the engine writes in place of the expression: the value, or that it has no name. */
const UNNAMED = /^(?:$|(?:undefined|null|object|number|string|boolean|symbol|bigint)\b|\(intermediate)/;

/** What should be a list: what the engine's message names, or else every reference that is not only an index. */
function listsIn(expression: string, references: readonly ReadOnLine[], { node }: Failed) {
  if (UNNAMED.test(expression)) return references.filter(({ isKey }) => !isKey);
  const matching = references.filter(
    ({ path, written }) =>
      written === expression || (path.length > 0 && expression.endsWith(`json.${pathText(path)}`)),
  );
  const variables = textsOf(node?.parameters).flatMap((text) => variableIn(text, expression) ?? []);
  return [...matching, ...variables];
}

/** `text.match(…)[1]`: match gives null for a text in which it finds nothing. */
function matchOfNothing(references: readonly FieldReference[], text: string, part: string, failed: Failed) {
  const [searched, ...others] = references.filter(({ called }) => called === "match");
  if (!/\bnull\b/.test(text) || !/^(?:\d{1,2}|groups|index)$/.test(part) || others.length > 0) return null;
  return firstRead<Fact>(failed, searched === undefined ? [] : [searched], ({ reference, item, found }) =>
    found.kind === "there" && typeof found.value === "string"
      ? {
          kind: "field_missing.no_match",
          node: originOf(failed.view, item, reference.path).from,
          failedNode: failed.name,
          field: pathText(reference.path),
          value: found.value,
          confidence: "likely",
        }
      : null,
  );
}

/** The read of a member whose owner is missing; `?.` never throws, and skips the rest of its chain. */
function readOfNothing(references: readonly FieldReference[], member: string, failed: Failed): Fact | null {
  const ofMember = new RegExp(String.raw`\b([A-Za-z_]\w{0,60})(?:\??\.\w{1,60}){0,9}\??\.${member}\b`, "g");
  const isName = /^\w{1,60}$/.test(member);
  if (isName && readsAnswer(textsOf(failed.node?.parameters), failed.line, ofMember)) return null;
  const suspects = references.flatMap((reference) =>
    [...reference.path, reference.called].flatMap((key, index) => {
      if (key !== member || index === 0 || reference.optionalAt.includes(index)) return [];
      const owner = { ...reference, path: reference.path.slice(0, index) };
      const item = failedOn(failed, owner).items.find(({ json }) => throwsAt(json, owner));
      return item === undefined ? [] : [{ owner, item }];
    }),
  );
  const likely = unguardedAmong(suspects, textsOf(failed.node?.parameters));
  const [first, ...others] = likely.map(({ owner, item }) => lackingFact(failed, owner, item));
  if (first === undefined || others.length === 0) return first ?? null;
  return {
    kind: "field_missing.one_of",
    node: others.every(({ node }) => node === first.node) ? first.node : failed.name,
    failedNode: failed.name,
    member,
    owners: likely.map(({ owner }) => pathText(owner.path)).slice(0, MAX_SHOWN),
    confidence: "observed",
  };
}

const MAX_SHOWN = 3;

/** A read of `$('Node').first().json` from a node that ran and sent nothing. */
function readOfNoItem(member: string, failed: Failed): Fact | null {
  if (member !== "json" || !failed.view.hasConnections) return null;
  const named = textsOf(failed.node?.parameters).flatMap(nodesReadForOneItem);
  const node = named.find((name) => failed.view.runs.has(name) && hasSentNothing(failed.view, name));
  return node === undefined ? null : { kind: "input_missing.no_item", node, failedNode: failed.name };
}

/** Checks the first output and all connected ones: n8n reads the output through which the reading node is reached. */
const hasSentNothing = (view: ExecutionView, name: string): boolean =>
  view.hasAllRuns(name) &&
  view
    .runsOf(name)
    .every((run) =>
      dataOutputs(run.data).every(
        ({ length }, output) =>
          length === 0 || (output > 0 && (view.targetsOf(name)[output] ?? []).length === 0),
      ),
    );

/** Whether all of the path except its last member is there, or was skipped by `?.` on the way to a variable. */
function throwsAt(json: SentItem["json"], { path, optionalAt, inVariable }: FieldReference): boolean {
  const found = findAt(json, path);
  if (!("depth" in found)) return false;
  const isPassedOver = found.depth < inVariable && inVariable <= path.length;
  return found.depth === path.length || (isPassedOver && optionalAt.includes(found.depth));
}

type LackingFact = FactOf<"field_missing" | "field_null">;

/** The first reference that some item lacks; those with a fallback are suspected last. */
export function firstLacking(references: readonly FieldReference[], failed: Failed): LackingFact | null {
  const read = references.filter(({ path }) => path.length > 0);
  const byFallback = Map.groupBy(read, ({ hasFallback }) => hasFallback);
  const inOrder = [...(byFallback.get(false) ?? []), ...(byFallback.get(true) ?? [])];
  return firstRead(failed, inOrder, ({ reference, item, found }) =>
    isLacking(found) ? lackingFact(failed, reference, item) : null,
  );
}

function lackingFact(failed: Failed, { path }: FieldReference, item: SentItem): LackingFact {
  const found = findAt(item.json, path);
  const lacking = "depth" in found ? path.slice(0, Math.max(1, found.depth)) : path;
  const trace = traceOf(failed.view, item, lacking);
  const { item: origin, view } = trace;
  return {
    kind: findAt(origin.json, trace.path).kind === "null" ? "field_null" : "field_missing",
    node: origin.from,
    failedNode: failed.name,
    field: pathText(trace.path),
    reads: pathText(path),
    item: placeOf(view, origin),
    hadFailed: isErrorItem(view, origin),
    value: origin.json,
    valuePath: [],
    ...(trace.path[0] === "body" && isUnreadJson(origin.json) ? { isUnreadJson: true } : {}),
    ...chainOf(failed.view, trace),
  };
}

/** A webhook reads a body as JSON only if its content type is that of JSON. */
function isUnreadJson(json: SentItem["json"]): boolean {
  const body = parsedJson(textAt(json, "body") ?? "");
  const type = textAt(json, "headers", "content-type");
  return typeof body === "object" && body !== null && type !== undefined && !/json/i.test(type);
}

export const placeOf = (view: ExecutionView, { from, run, output, index }: SentItem): ItemPlace => ({
  index,
  count: view.sentBy(from, run, output).length,
});

const firstOfOtherType = (references: readonly FieldReference[], failed: Failed, method: string) =>
  firstRead<Fact>(failed, references, (read) => {
    const { reference, item, found } = read;
    if (isLacking(found)) return reference.hasFallback ? null : lackingFact(failed, reference, item);
    return found.kind === "there" && lacksMethod(found.value, method)
      ? typeFact(failed, read, { does: "calls", method })
      : null;
  });

const METHODS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  [
    {
      types: ["text", "empty text"],
      methods: `toUpperCase toLowerCase trim split replace replaceAll startsWith endsWith padStart padEnd substring
        substr match matchAll charAt charCodeAt repeat normalize localeCompare search`,
    },
    { types: ["number"], methods: "toFixed toPrecision toExponential" },
    {
      types: ["list"],
      methods: `map filter forEach reduce find findIndex some every join push pop shift unshift sort reverse flatMap
        flat splice entries keys values`,
    },
    { types: ["text", "empty text", "list"], methods: "slice includes indexOf lastIndexOf concat at" },
  ].flatMap(({ types, methods }) => methods.split(/\s+/).map((method) => [method, types] as const)),
);

const lacksMethod = (value: SentItem["json"], method: string): boolean =>
  METHODS_OF.get(method)?.includes(typeOf(value)) === false;

/** A text is iterable too, as a list of characters. */
const ITERABLE: ReadonlySet<string> = new Set(["list", "text"]);

const firstNotList = (references: readonly FieldReference[], failed: Failed): Fact | null =>
  firstRead(failed, references, (read) =>
    read.reference.path.length > 0 && read.found.kind === "there" && !ITERABLE.has(typeOf(read.found.value))
      ? typeFact(failed, read, { does: "lists" })
      : null,
  );

export function typeFact(
  failed: Failed,
  { reference: { path }, item }: Pick<Read, "reference" | "item">,
  use: Use,
): FactOf<"wrong_type"> {
  const origin = originOf(failed.view, item, path);
  const value = valueAt(origin.json, path);
  return {
    kind: "wrong_type",
    node: origin.from,
    failedNode: failed.name,
    field: pathText(path),
    use,
    type: value === undefined ? null : typeOf(value),
    item: placeOf(failed.view, origin),
    ...defined({ value }),
  };
}
