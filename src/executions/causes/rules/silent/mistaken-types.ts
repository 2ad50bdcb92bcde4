/**
 * Facts: n8n raises no error if a value has another type than a node assumes. The text "false" counts as true in
 * JavaScript; Sort orders texts alphabetically; Merge and Compare Datasets do not match 7 with "7"; code continues
 * without an answer that it does not await; Wait does not wait for a past time.
 */
import { memberOf, textAt } from "../../../../json/members.ts";
import type { ReadValue } from "../../../../json/omitted.ts";
import type { NodeRun, WorkflowNode } from "../../../../n8n/schemas.ts";
import { MINUTE_MS } from "../../../../platform/durations.ts";
import { firstFound } from "../../../../platform/first-found.ts";
import { type ExecutionView, inputsOf, parameterOf, type SentItem } from "../../execution-view.ts";
import { certainlyReadBy, originOf, readBy, sentEver, typeOf, valueAt } from "../../field-origin.ts";
import {
  expressionsIn,
  type FieldReference,
  pathText,
  plainReference,
  referencesIn,
  textsOf,
} from "../../field-references.ts";
import { CODE, mergesIn } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { membersNamed } from "../../values-below.ts";
import { unlessUsual, withoutComments } from "./usual.ts";

export const SPAN = String.raw`(?<![\w$.])(?:\$|item\.json)(?:[\w$.]|\?\.|\[[^\]\n]{1,60}\]|\([^()\n]{0,80}\))+`;
/** A field that is only tested for being truthy. */
const TRUTH = new RegExp(
  String.raw`(?:!|\bif\s?\(|\bBoolean\()\s?(${SPAN})(?=\s?(?:[)&|?}]|$))|(?<![=!<>]=\s?|[<>]\s?)(${SPAN})(?=\s{0,20}(?:\?(?![.?])|&&))`,
  "g",
);
const MEANS_NO = /^(?:false|no|off|0|null|undefined)$/i;

export const matchesIn = ({ parameters, type }: WorkflowNode, form: RegExp): RegExpExecArray[] =>
  textsOf(parameters).flatMap((text) => {
    const start = text.slice(0, 20_000);
    return [...(CODE.test(type) ? withoutComments(start) : start).matchAll(form)];
  });

/** Blanks or line breaks around an expression make a text of its value. */
export const PADDED = /^=\s+\{\{.*\}\}\s*$|^=\{\{.*\}\}\s+$/s;

/**
 * Conditions of IF, Filter and Switch that test whether a value is truthy: texts until version 2 of conditions, and
 * since then what n8n does not read as true or false.
 */
const looseConditions = ({ parameters }: WorkflowNode) =>
  membersNamed(parameters, /^conditions$/).flatMap((group) => {
    const isOld = Number(memberOf(group, "options", "version") ?? 1) < 2;
    const rows = memberOf(group, "conditions");
    if (textAt(group, "options", "typeValidation") !== "loose" || !Array.isArray(rows)) return [];
    return rows
      .filter((row) => textAt(row, "operator", "type") === "boolean" && !asksOnlyIfThere(row))
      .map((row) => textAt(row, "leftValue") ?? "")
      .filter((text) => isOld || PADDED.test(text))
      .flatMap((text) =>
        expressionsIn(text).flatMap((one) => {
          const reference = plainReference(one);
          return reference === null ? [] : [{ reference, isPadded: PADDED.test(text) }];
        }),
      );
  });

const asksOnlyIfThere = (row: ReadValue): boolean =>
  /(?:exists|empty)$/i.test(textAt(row, "operator", "operation") ?? "");

const textsAsTruth = ofNodes((view, name, node, runs) => {
  const inExpressions = matchesIn(node, TRUTH).flatMap(({ 1: one, 2: other, input }) => {
    const [reference] = referencesIn(one ?? other ?? "");
    return reference === undefined
      ? []
      : [{ reference, isPadded: false, testsPresence: presenceTestIn(input, one ?? other ?? "") }];
  });
  const inConditions = looseConditions(node).map((one) => ({ ...one, testsPresence: () => false }));
  for (const { reference, isPadded, testsPresence } of [...inExpressions, ...inConditions]) {
    const items = runs.flatMap((run) => certainlyReadBy(view, run, reference).items);
    for (const item of items) {
      const read = valueAt(item.json, reference.path);
      const value = isPadded && read === false ? String(read) : textAt(item.json, ...reference.path);
      if (value === undefined || !MEANS_NO.test(value) || testsPresence(value)) continue;
      if (/^(?:no|off)$/i.test(value) && !isFlag(view, item, reference)) continue;
      const { from } = originOf(view, item, reference.path);
      const field = pathText(reference.path);
      return { kind: "mistaken_type.truth", node: name, field, from, isPadded, value, ...LIKELY };
    }
  }
  return null;
});

/**
 * Whether an expression tests only for presence, because it also compares or converts the value; for the text "0", a
 * number to most, any second use is enough.
 */
const presenceTestIn = (text: string, span: string) => {
  const literal = `${span.replaceAll(/[^\w\s]/g, String.raw`\$&`)}(?![\\w$])`;
  const isReadAgain = [...text.matchAll(new RegExp(literal, "g"))].length > 1;
  const converts = new RegExp(
    String.raw`\b(?:Number|String|parse(?:Int|Float)?)\(${literal}|${literal}(?:\)?\s?[=!<>]=|\??\.\w+\()`,
  );
  return (value: string): boolean => isReadAgain && (value === "0" || converts.test(text));
};

/** A "No" may be free text: it is a flag only if other items or successes have a yes there. */
const isFlag = (view: ExecutionView, { from }: SentItem, reference: FieldReference): boolean =>
  [view, ...view.successes].some((one) =>
    sentEver(one, from).items.some(({ json }) =>
      /^(?:true|false|yes|on)$/i.test(String(valueAt(json, reference.path))),
    ),
  );

const LIKELY = { confidence: "likely" } as const;

const valuesAt = (items: readonly SentItem[], field: string): ReadValue[] =>
  items.map(({ json }) => valueAt(json, field.split("."))).filter((value) => value !== undefined);

/** The number that a text stands for; a date with the day first becomes a timestamp. */
function numberOf(text: ReadValue): number {
  if (typeof text !== "string") return Number.NaN;
  const [, d = "", m = "", y = ""] = /^(\d\d?)\.(\d\d?)\.(\d{4})\b/.exec(text) ?? [];
  return y === ""
    ? Number(text.trim() === "" ? Number.NaN : text)
    : Date.UTC(Number(y), Number(m) - 1, Number(d));
}

/** Fields whose digits are no number. */
const POSTCODE = /zip|post(?:al|_?code)|plz/i;

const sortedTexts = ofNodes((view, name, node) => {
  const field = textAt(node.parameters, "sortFieldsUi", "sortField", 0, "fieldName");
  if (field === undefined || POSTCODE.test(field) || parameterOf(node, "type") === "random") return null;
  const numbers = valuesAt(view.sentBy(name).items, field).map(numberOf);
  const isDown = textAt(node.parameters, "sortFieldsUi", "sortField", 0, "order") === "descending";
  const isSorted = numbers.every((one, index) => {
    const before = numbers[index - 1] ?? one;
    return isDown ? before >= one : before <= one;
  });
  return isSorted || numbers.some(Number.isNaN)
    ? null
    : { kind: "mistaken_type.sort", node: name, field, ...LIKELY };
});

const TOTALS = /^(?:sum|average)$/;

const summedTexts = ofNodes((view, name, node, [run]) => {
  if (!/\.summarize$/.test(node.type) || run === undefined) return null;
  const rows = memberOf(node.parameters, "fieldsToSummarize", "values");
  const fields = (Array.isArray(rows) ? rows : [])
    .filter((row) => TOTALS.test(textAt(row, "aggregation") ?? ""))
    .map((row) => textAt(row, "field") ?? "");
  const isText = (value: ReadValue): boolean => typeof value === "string" && !Number.isNaN(numberOf(value));
  const field = fields.find((one) => valuesAt(view.inputOf(run).items, one).some(isText));
  return field === undefined ? null : { kind: "mistaken_type.sum", node: name, field, ...LIKELY };
});

/** The pairs of fields by which two inputs are put together. */
export function keysOf({ parameters }: WorkflowNode): (readonly [string, string])[] {
  const [listed = ""] = membersNamed(parameters, /^fieldsToMatchString$/);
  const same = String(listed)
    .split(",")
    .map((name) => name.trim());
  const pairs = membersNamed(parameters, /^values$/).flatMap((values) =>
    Array.isArray(values)
      ? values.map((pair) => [textAt(pair, "field1") ?? "", textAt(pair, "field2") ?? ""] as const)
      : [],
  );
  return [...same.map((name) => [name, name] as const), ...pairs].filter(
    ([one, other]) => one !== "" && other !== "",
  );
}

const spelled = (value: ReadValue): string => {
  const isInside = value !== null && typeof value === "object";
  return (isInside ? JSON.stringify(value) : String(value ?? "")).trim().toLowerCase();
};

/** Fields may be left over from another mode. */
const NOT_BY_FIELDS =
  /^(?:append|chooseBranch|combineBySql|combineByPosition|combineAll|mergeByPosition|multiplex)$/;

/** n8n compares all keys of two items, and lists and objects by what is in them. */
const unlikeKeys = ofNodes((view, name, node, [run]) => {
  if (!/\.(?:merge|compareDatasets)$/.test(node.type) || run?.source.length !== 2) return null;
  const isFuzzy = membersNamed(node.parameters, /^fuzzyCompare$/).includes(true);
  const keys = keysOf(node);
  if (
    isFuzzy ||
    mergesIn(node, NOT_BY_FIELDS) ||
    keys.length === 0 ||
    inputsOf(view, run).some(({ items, length }) => items.length < length)
  )
    return null;
  const [left = [], right = []] = inputsOf(view, run).map(({ items }, index) =>
    items.map(({ json }) => {
      const values = keys.map((pair) => valueAt(json, (pair[index] ?? "").split(".")) ?? null);
      return { values, whole: JSON.stringify(values), alike: values.map(spelled) };
    }),
  );
  const wholes = [left, right].map((items) => new Set(items.map(({ whole }) => whole)));
  const unmatched = Map.groupBy(
    right.filter(({ whole }) => wholes[0]?.has(whole) !== true),
    ({ alike }) => alike.join("\n"),
  );
  const isPart = right.some(({ whole }) => wholes[0]?.has(whole));
  return firstFound(left, ({ values, whole, alike }) => {
    const [other] = unmatched.get(alike.join("\n")) ?? [];
    if (other === undefined || alike.includes("") || wholes[1]?.has(whole)) return null;
    const at = values.findIndex(
      (value, index) => JSON.stringify(value) !== JSON.stringify(other.values[index]),
    );
    const [value = null, its = null] = [values[at], other.values[at]];
    const types = [typeOf(value), typeOf(its)];
    return {
      kind: "mistaken_type.keys",
      node: name,
      field: keys[at]?.[0] ?? "",
      types,
      isPart,
      value,
      ...LIKELY,
    };
  });
});

/** A call at the start of a statement: not the body of an arrow function, nor an argument. */
const STARTS = new RegExp(
  [
    // The line does not await or return it, and is no comment.
    String.raw`^(?!.*\b(?:await|return|yield)\b|\s*(?:\/\/|\*))\s*`,
    String.raw`(?<!(?:[>(,[?:&|=]|\bawait|\breturn)\s*)`,
    String.raw`(?:(?:const|let|var)\s+(\w+)\s*=\s*)?`,
    String.raw`(?:(?:this\.|\$)?helpers\.(?:httpRequest|request)\w*|fetch|axios(?:\.\w+)?)\(`,
    String.raw`|\.forEach\(\s*async\b`,
  ].join(""),
  "m",
);

const notAwaited = ofNodes((_view, name, node) => {
  const written = parameterOf(node, "jsCode") ?? parameterOf(node, "functionCode");
  const code = typeof written === "string" ? withoutComments(written) : "";
  if (/\bPromise(?:\.\w+)?\(|\bfor await\b/.test(code)) return null;
  const started = STARTS.exec(code);
  const [, variable] = started ?? [];
  const isAwaitedLater =
    variable !== undefined && new RegExp(String.raw`(?:await|return)\s+${variable}\b`).test(code);
  return started === null || isAwaitedLater ? null : { kind: "mistaken_type.promise", node: name, ...LIKELY };
});

const LITERAL = String.raw`'[^'\n]{0,60}'|"[^"\n]{0,60}"|-?\d+(?:\.\d+)?`;
/** An operand with arithmetic is a number already. */
const COMPARISON = new RegExp(
  String.raw`(?<![+*/-]\s?)(${SPAN})\s?([<>]=?|[=!]==)\s?(${SPAN}|${LITERAL})(?![\w$.?[(]|\s?[*/+-])`,
  "g",
);

/** `length` counts unread ones, too. */
type Values = Readonly<{ values: ReadValue[]; length: number }>;

/** The value of a literal or of a field, for each item that a node was given in a run. */
function valuesIn(view: ExecutionView, text: string): (run: NodeRun) => Values {
  if (/^['"]/.test(text)) return () => ({ values: [text.slice(1, -1)], length: 1 });
  if (/^[-\d]/.test(text)) return () => ({ values: [Number(text)], length: 1 });
  const [reference] = referencesIn(text);
  return (run) => {
    if (reference === undefined) return { values: [], length: 0 };
    const { items, length } = certainlyReadBy(view, run, reference);
    return { values: items.map(({ json }) => valueAt(json, reference.path) ?? null), length };
  };
}

/** The values on both sides, for each item of all runs. */
export const valuePairs = (view: ExecutionView, name: string, left: string, right: string) => {
  const [ofLeft, ofRight] = [valuesIn(view, left), valuesIn(view, right)];
  return view.runsOf(name).flatMap((run) => {
    const [one, other] = [ofLeft(run), ofRight(run)];
    const at = ({ values, length }: Values, index: number) => values[length === 1 ? 0 : index] ?? null;
    const longer = one.length === 1 ? other : one;
    return longer.values.map((_, index): [ReadValue, ReadValue] => [at(one, index), at(other, index)]);
  });
};

const comparedAsTexts = ofNodes((view, name, node) => {
  for (const { 1: left = "", 2: sign = "", 3: right = "", input } of matchesIn(node, COMPARISON)) {
    const path = referencesIn(left)[0]?.path ?? [];
    for (const [value, other] of valuePairs(view, name, left, right)) {
      const fact = { node: name, field: pathText(path), value, ...LIKELY };
      if (sign.endsWith("==") && areUnlikeTypes(value, other) && !handlesBothTypes(left, input, value))
        return { kind: "mistaken_type.strict", types: [typeOf(value), typeOf(other)], ...fact };
      if (typeof value !== "string" || typeof other !== "string" || sign.endsWith("==")) continue;
      const [one, two] = [numberOf(value), numberOf(other)];
      if (!Number.isNaN(one + two) && value > other !== one > two)
        return { kind: "mistaken_type.letters", ...fact };
    }
  }
  return null;
});

/** The literals that a line compares with, or lists. */
const COMPARED_WITH = /(?:[=!]==?|[[,|])\s?('[^'\n]{0,60}'|"[^"\n]{0,60}"|[\w.-]{1,60})/g;

/** Code that compares with both types of a value on one line handles both. */
const handlesBothTypes = (span: string, text: string, value: ReadValue): boolean =>
  text
    .split("\n")
    .filter((line) => line.includes(span))
    .flatMap((line) => [...line.matchAll(COMPARED_WITH)].map(([, literal = ""]) => literal))
    .some((literal) =>
      typeof value === "string" ? [`'${value}'`, `"${value}"`].includes(literal) : literal === String(value),
    );

const areUnlikeTypes = (one: ReadValue, other: ReadValue): boolean =>
  typeof one !== typeof other &&
  [one, other].every((value) => value !== null && typeof value !== "object") &&
  spelled(one) === spelled(other);

/** `a || 5`, `Number(a) || 5` and `a ? a : 5`, but not `b / (a || 1)`, which must not divide by zero. */
const DEFAULT = new RegExp(
  String.raw`(?<![/%]\s?\(?(?:\w+\()?)(${SPAN})(\)|,\s?10\))?\s?(?:\|\||\?\s?\1\2?\s?:)\s?(-?\d+(?:\.\d+)?|true)\b`,
  "g",
);

const defaultInstead = ofNodes((view, name, node, runs) => {
  for (const [, span = "", wrapped, literal = ""] of matchesIn(node, DEFAULT)) {
    const all = runs.map(valuesIn(view, span));
    const values = Number(literal) === 0 ? [] : all.flatMap((one) => one.values);
    const of = all.reduce((sum, { length }) => sum + length, 0);
    const lost = literal === "true" ? false : 0;
    const isLost = (value: ReadValue): boolean =>
      value === lost || (lost === 0 && wrapped !== undefined && value === "0");
    const count = values.filter(isLost).length;
    const field = pathText(referencesIn(span)[0]?.path ?? []);
    const part = { count, of, atLeast: values.length < of };
    if (count > 0) return { kind: "default_instead", node: name, field, literal, ...part, ...LIKELY };
  }
  return null;
});

/** The only argument by which a date is written; other libraries take the value beside it, and other letters. */
const FORMATTED = /\.(to)?[fF]ormat\(\s{0,5}(?:'([^'\n]{4,40})'|"([^"\n]{4,40})")\s{0,5}\)/g;
/** Minutes beside a day or a year. */
const MINUTES =
  /(?:y{2,4}|d{1,2})[-/.]mm[-/.](?:y{2,4}|d{1,2})|(?<![-/.:Hhm])mm[-/.]d{1,2}[-/.]y{2,4}|^mm[-/.]y{4}/;

const unlikelyFormat = ofNodes((_view, name, node) => {
  const own = /\.dateTime$/.test(node.type) ? textAt(node.parameters, "customFormat") : undefined;
  // Date & Time was Moment's before version 2.
  const isLuxon = Number(node.typeVersion ?? 1) >= 2;
  const written = matchesIn(node, FORMATTED).map(([, to, one, other]) => [one ?? other ?? "", to] as const);
  const formats = [...written, ...(own === undefined ? [] : [[own, isLuxon ? "to" : undefined] as const])];
  if (formats.some(([text]) => MINUTES.test(text)))
    return { kind: "mistaken_type.minutes", node: name, ...LIKELY };
  return formats.some(([text, to]) => to !== undefined && /Y{4}/.test(text))
    ? { kind: "mistaken_type.tokens", node: name, ...LIKELY }
    : null;
});

/** n8n decodes all of it as base64, the beginning "data:image/png;base64," too. */
const dataUriAsBase64 = ofNodes((view, name, node, [run]) => {
  const field = parameterOf(node, "sourceProperty");
  const isConversion = /\.convertToFile$/.test(node.type) && parameterOf(node, "operation") === "toBinary";
  if (!isConversion || run === undefined || typeof field !== "string" || field.startsWith("=")) return null;
  const path = field.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  const item = view.inputOf(run).items.find(({ json }) => DATA_URI.test(String(valueAt(json, path))));
  if (item === undefined) return null;
  const { from } = originOf(view, item, path);
  return { kind: "mistaken_type.data_uri", node: name, field, from, confidence: "observed" };
});

const DATA_URI = /^data:[^,]{0,99};base64,/;

/** Without a zone, the time is in n8n's own, which may be unknown. */
const MOMENT = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/;

/** A Wait's run starts when it resumes, so the end of the node before it is what counts. */
const waitsForPast = ofNodes((view, name, node, [run]) => {
  const text = parameterOf(node, "dateTime");
  const [source] = run?.source ?? [];
  const before = view.runsOf(source?.previousNode ?? "")[source?.previousNodeRun ?? 0];
  if (!/\.wait$/.test(node.type) || parameterOf(node, "resume") !== "specificTime" || before === undefined)
    return null;
  const [expression] = typeof text === "string" ? expressionsIn(text) : [];
  const reference = expression === undefined || expression.endsWith(")") ? null : plainReference(expression);
  const [item] = reference === null ? [] : readBy(view, run, reference).items;
  const value = expression === undefined ? text : textAt(item?.json, ...(reference?.path ?? []));
  const until = typeof value === "string" && MOMENT.test(value) ? Date.parse(value) : Number.NaN;
  return until < before.startTime + before.executionTime - MINUTE_MS
    ? { kind: "mistaken_type.past", node: name, value: value ?? null, ...LIKELY }
    : null;
});

export const MISTAKEN_RULES: readonly Rule[] = [
  ...[
    textsAsTruth,
    sortedTexts,
    summedTexts,
    unlikeKeys,
    notAwaited,
    comparedAsTexts,
    defaultInstead,
    unlikelyFormat,
  ].map((rule) => unlessUsual(rule, "likely")),
  unlessUsual(waitsForPast),
  unlessUsual(dataUriAsBase64),
];
