/**
 * Fact: code and expressions that read a member of what is not there fail with `Cannot read properties of undefined
 * (reading 'x')`, or call what is of another type: `… is not a function`, `… is not iterable`. n8n names neither item nor origin: the
 * node's own text says which field it read, its input in which item it lacks, and what ran before who made that.
 */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { dataOutputs } from "../../node-runs.ts";
import { type ExecutionView, goesOn, type SentItem } from "../execution-view.ts";
import { itemsFailedOn } from "../failed-items.ts";
import { type Found, findAt, originOf, typeInWords } from "../field-origin.ts";
import {
  type FieldReference,
  nodesAskedForItem,
  pathText,
  referencesIn,
  textsOf,
} from "../field-references.ts";
import type { Finding } from "../finding.ts";
import { allTextsOf, type Failed, failedName, onFailed } from "../rule.ts";
import { likelyAmong } from "../suspects.ts";

const UNDEFINED =
  /^Cannot read propert(?:y|ies) (?:of (?:undefined|null) \(reading '([^']{1,100})'\)|'([^']{1,100})' of (?:undefined|null))/;
/** With what the code takes apart, as it stands there. */
const DESTRUCTURED =
  /^Cannot destructure property '[^'\n]{1,100}' of '(.{1,300}?)' as it is (?:undefined|null)/;
const NO_FUNCTION = /^(.{1,300}?) is not a function/;
const NOT_ITERABLE = /^(.{1,300}?) is not iterable/;
const NO_ITERABLE_OF =
  /^(?:Spread syntax requires|undefined is not iterable|object null is not iterable|Cannot convert undefined or null to object|.{0,100}is not a valid iterator)/;

/** What the node's text reads that was not there, or was of another type. */
export const missingField = onFailed((view, failed) => {
  const references = textsOf(failed.node?.parameters).flatMap(referencesIn);
  for (const text of allTextsOf(failed.error)) {
    const found = byMessage(text, references, view, failed);
    if (found.length > 0) return found;
  }
  return [];
});

function byMessage(
  text: string,
  references: readonly FieldReference[],
  view: ExecutionView,
  failed: Failed,
): Finding[] {
  const [, member, oldMember] = UNDEFINED.exec(text) ?? [];
  const read = member ?? oldMember;
  if (read !== undefined)
    return [
      ...theOneThatThrows(references, read, view, failed),
      ...firstWithoutItem(read, view, failed),
    ].slice(0, 1);
  const [, taken] = DESTRUCTURED.exec(text) ?? [];
  if (taken !== undefined) {
    const isOwn = textsOf(failed.node?.parameters).some((own) => own.includes(taken));
    return isOwn ? firstLacking(referencesIn(taken), view, failed) : [];
  }
  const [, called] = NO_FUNCTION.exec(text) ?? [];
  if (called !== undefined) {
    const method = /([\w$]+)$/.exec(called)?.[1];
    const calls = references.flatMap((one) =>
      one.path.at(-1) === method
        ? [
            {
              ...one,
              path: one.path.slice(0, -1),
              hasFallback: one.optionalAt.includes(one.path.length - 1),
            },
          ]
        : [],
    );
    const owner = called.slice(0, -1 - (method?.length ?? 0));
    return firstOfOtherType(namedIn(owner, calls), view, failed, `calls "${method ?? ""}" on`);
  }
  if (NOT_ITERABLE.test(text) || NO_ITERABLE_OF.test(text)) {
    const meant = namedIn(NOT_ITERABLE.exec(text)?.[1] ?? "", references);
    const lacking = firstLacking(meant, view, failed);
    return lacking.length > 0 ? lacking : firstNotList(meant, view, failed);
  }
  return [];
}

/** Those that the engine's message spells out; all of them where it spells another, a variable. */
function namedIn(spelt: string, references: readonly FieldReference[]): readonly FieldReference[] {
  const meant = references.filter(({ path }) => path.length > 0 && spelt.endsWith(`json.${pathText(path)}`));
  return meant.length > 0 ? meant : references;
}

/** The read of a member whose owner is not there; `?.` never throws, and what stands after it is not read at all. */
function theOneThatThrows(
  references: readonly FieldReference[],
  member: string,
  view: ExecutionView,
  failed: Failed,
): Finding[] {
  const suspects = references.flatMap((reference) =>
    [...reference.path.entries()].flatMap(([index, key]) => {
      if (key !== member || index === 0 || reference.optionalAt.includes(index)) return [];
      const owner = { ...reference, path: reference.path.slice(0, index) };
      const item = itemsFailedOn(view, failed, owner).find(({ json }) => throwsAt(json, owner));
      return item === undefined ? [] : [{ owner, item }];
    }),
  );
  const line = toErrorFacts(failed.error).lineNumber;
  const likely = likelyAmong(suspects, { texts: textsOf(failed.node?.parameters), line });
  const [first, ...others] = likely.map(({ owner, item }) => lackingFinding(view, failed, owner, item));
  if (first === undefined || others.length === 0) return first === undefined ? [] : [first];
  const all = likely.map(({ owner }) => quoted(pathText(owner.path)));
  return [
    {
      cause: "field_missing",
      node: others.every(({ node }) => node === first.node) ? first.node : failed.name,
      failedNode: failed.name,
      sentence: `${failedName(failed.name)} because it reads ${quoted(member)} of what is not there: of ${all.slice(0, MAX_TOLD).join(" or ")}.`,
      confidence: "observed",
    },
  ];
}

const MAX_TOLD = 3;

/** `$('Node').first().json` of a node that ran and sent nothing. */
function firstWithoutItem(member: string, view: ExecutionView, failed: Failed): Finding[] {
  if (member !== "json" || !view.hasConnections) return [];
  const named = textsOf(failed.node?.parameters).flatMap(nodesAskedForItem);
  const empty = named.find((name) => view.runs.has(name) && hasSentNothing(view, name));
  return empty === undefined
    ? []
    : [
        {
          cause: "input_missing",
          node: empty,
          failedNode: failed.name,
          sentence: `${failedName(failed.name)} because it reads an item of ${quoted(empty)}, which sent none.`,
          confidence: "exact",
        },
      ];
}

/** By its first output, and by all others that lead anywhere: n8n asks the one by which the node that asks is reached. */
const hasSentNothing = (view: ExecutionView, name: string): boolean =>
  view.hasAllRuns(name) &&
  (view.runs.get(name) ?? []).every((run) =>
    dataOutputs(run.data).every(
      ({ length }, output) =>
        length === 0 || (output > 0 && (view.targetsOf(name)[output] ?? []).length === 0),
    ),
  );

/** Whether all of the path but its last member is there, or was passed over by `?.` on the way to a variable. */
function throwsAt(json: SentItem["json"], { path, optionalAt, inVariable }: FieldReference): boolean {
  const found = findAt(json, path);
  if (found.kind !== "absent" && found.kind !== "null") return false;
  const isPassedOver = found.depth < inVariable && inVariable <= path.length;
  return found.depth === path.length || (isPassedOver && optionalAt.includes(found.depth));
}

const isLacking = (found: Found): boolean => found.kind === "absent" || found.kind === "null";

/** The first reference that some item lacks; one that takes care of what is not there is suspected last. */
export function firstLacking(
  references: readonly FieldReference[],
  view: ExecutionView,
  failed: Failed,
): Finding[] {
  const careless = references.filter(({ hasFallback }) => !hasFallback);
  for (const reference of [...careless, ...references.filter(({ hasFallback }) => hasFallback)]) {
    if (reference.path.length === 0) continue;
    const items = itemsFailedOn(view, failed, reference);
    const item = items.find(({ json }) => isLacking(findAt(json, reference.path)));
    if (item !== undefined) return [lackingFinding(view, failed, reference, item)];
  }
  return [];
}

function lackingFinding(
  view: ExecutionView,
  failed: Failed,
  { path }: FieldReference,
  item: SentItem,
): Finding {
  const found = findAt(item.json, path);
  const depth = found.kind === "absent" || found.kind === "null" ? Math.max(1, found.depth) : path.length;
  const lacking = path.slice(0, depth);
  const origin = originOf(view, item, lacking);
  const isNull = found.kind === "null";
  const reads = `reads ${quoted(pathText(path))}`;
  const what = isNull ? `${quoted(pathText(lacking))} is null` : `there is no ${quoted(pathText(lacking))}`;
  const caught = sentCaughtError(view, origin) ? ", which had failed itself and went on with its error" : "";
  return {
    cause: isNull ? "field_null" : "field_missing",
    node: origin.from,
    failedNode: failed.name,
    field: pathText(lacking),
    sentence: `${failedName(failed.name)} because it ${reads}, and ${what} in ${whichItem(view, origin)} that ${quoted(origin.from)} sent${caught}.`,
    confidence: "exact",
    value: origin.json,
  };
}

/** A node that goes on when it fails sends its error in place of its data. */
export function sentCaughtError({ nodes }: ExecutionView, { from, json }: SentItem): boolean {
  const error = findAt(json, ["error"]);
  return goesOn(nodes.get(from)) !== null && error.kind === "there" && error.value !== "";
}

/** `the item`, or which of how many. */
export function whichItem({ runs }: ExecutionView, { from, run, output, index }: SentItem): string {
  const outputs = runs.get(from)?.[run]?.data?.main;
  const sent = Array.isArray(outputs) ? outputs[output] : undefined;
  const count = Array.isArray(sent) ? sent.length : 0;
  return count <= 1 && index === 0
    ? "the item"
    : `item ${index + 1}${count > 0 ? ` of ${counted(count, "item")}`.replace(/ items?$/, "") : ""}`;
}

function firstOfOtherType(
  references: readonly FieldReference[],
  view: ExecutionView,
  failed: Failed,
  does: string,
): Finding[] {
  for (const reference of references) {
    for (const item of itemsFailedOn(view, failed, reference)) {
      const found = findAt(item.json, reference.path);
      if (isLacking(found) && reference.hasFallback) continue;
      if (isLacking(found)) return [lackingFinding(view, failed, reference, item)];
      if (found.kind !== "there" || !lacksMethod(found.value, does)) continue;
      return [typeFinding(view, failed, reference, item, does)];
    }
  }
  return [];
}

const METHODS: Readonly<Record<string, readonly string[]>> = {
  string: [
    ...[
      "toUpperCase",
      "toLowerCase",
      "trim",
      "split",
      "replace",
      "replaceAll",
      "startsWith",
      "endsWith",
      "padStart",
      "padEnd",
    ],
    ...[
      "substring",
      "substr",
      "match",
      "matchAll",
      "charAt",
      "charCodeAt",
      "repeat",
      "normalize",
      "localeCompare",
      "search",
    ],
  ],
  number: ["toFixed", "toPrecision", "toExponential"],
  list: [
    ...[
      "map",
      "filter",
      "forEach",
      "reduce",
      "find",
      "findIndex",
      "some",
      "every",
      "join",
      "push",
      "pop",
      "shift",
    ],
    ...["unshift", "sort", "reverse", "flatMap", "flat", "splice", "entries", "keys", "values"],
  ],
  textOrList: ["slice", "includes", "indexOf", "lastIndexOf", "concat", "at"],
};

/** Whether a value is of a type without the method; false where that is not known. */
function lacksMethod(value: Parameters<typeof typeInWords>[0], does: string): boolean {
  const method = /"([^"]+)"/.exec(does)?.[1] ?? "";
  const isText = typeof value === "string";
  const isList = typeInWords(value) === "a list";
  if (METHODS.string?.includes(method)) return !isText;
  if (METHODS.number?.includes(method)) return typeof value !== "number";
  if (METHODS.list?.includes(method)) return !isList;
  return METHODS.textOrList?.includes(method) === true && !isText && !isList;
}

function firstNotList(references: readonly FieldReference[], view: ExecutionView, failed: Failed): Finding[] {
  for (const reference of references) {
    if (reference.path.length === 0) continue;
    for (const item of itemsFailedOn(view, failed, reference)) {
      const found = findAt(item.json, reference.path);
      if (found.kind === "there" && !["a list", "a text"].includes(typeInWords(found.value)))
        return [typeFinding(view, failed, reference, item, "needs a list in")];
    }
  }
  return [];
}

export function typeFinding(
  view: ExecutionView,
  failed: Failed,
  { path }: FieldReference,
  item: SentItem,
  does: string,
): Finding {
  const origin = originOf(view, item, path);
  const found = findAt(origin.json, path);
  const type = found.kind === "there" ? typeInWords(found.value) : "of another type";
  return {
    cause: "wrong_type",
    node: origin.from,
    failedNode: failed.name,
    field: pathText(path),
    sentence: `${failedName(failed.name)} because it ${does} ${quoted(pathText(path))}, which is ${type} in ${whichItem(view, origin)} that ${quoted(origin.from)} sent.`,
    confidence: "exact",
    ...(found.kind === "there" ? { value: found.value } : {}),
  };
}
