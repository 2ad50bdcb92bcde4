/**
 * Evidence: the error names a field that the failed node was given, or repeats its value, such as `Unknown sku "X-1"`.
 * The field is then the place to look. If the workflow does not mention its name, the sentence names what it is in.
 */
import { callsWorkflow } from "../../../n8n/workflow-callers.ts";
import { isEachWordMentioned, mentionedIn } from "../../known-fields.ts";
import type { SentItem, SentItems } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { failedOn, findAt } from "../field-origin.ts";
import { fieldReasonsOf } from "../field-reasons.ts";
import { type FieldReference, ownField, pathText, referencesOf, textsOf } from "../field-references.ts";
import { traceOf } from "../field-trace.ts";
import { GENERAL, isWordOf } from "../names-in-error.ts";
import { CODE } from "../node-kinds.ts";
import { type Failed, onFailed } from "../rule.ts";
import { saidTexts } from "../said.ts";
import { valuesBelow } from "../values-below.ts";
import { MAKES_ERROR, throwsItself } from "./code.ts";
import { placeOf } from "./missing-field.ts";

const MAX_ITEMS = 25;
const MAX_DEPTH = 3;
const MAX_TEXT = 2_000;
const MAX_VALUE = 200;
/** A longer number may be an id or a telephone number. */
const POSITION = /^\d{1,2}$/;
/** PostgreSQL lists all columns, not only the one at fault. */
const WHOLE_ROW = /Failing row contains \(.*\)/g;
/** Services write such numbers of their own accord: limits, years. */
const USUAL_NUMBER = /^\d{4}$|^\d+000$/;
/** A word in marks that is the name of neither a JSON member nor a table. */
const MARKED =
  /(?<!\b(?:relation|table|constraint|index|database|user|role|type) )["'`“[(]([\p{L}_][\p{L}\p{N}_ .-]{0,60})["'`”\])](?!\s*:)/gu;

/** `among`: the items that were compared, of how many. */
interface Given {
  readonly item: SentItem;
  readonly path: readonly string[];
  readonly value: string;
  readonly among: SentItems;
}
/** `named`: how many keys at the end of its path the error names. */
interface Weighed extends Given {
  readonly weight: number;
  readonly isRepeated: boolean;
  readonly named: number;
}

export const repeatedValue = onFailed((failed) => {
  const said = saidTexts(failed.error).join("\n").slice(0, MAX_TEXT).replaceAll('\\"', '"');
  const weigh = weighedBy(failed, said.replaceAll(WHOLE_ROW, "").replaceAll(/<[^<>]{1,300}>/g, " "));
  const best = (read: readonly FieldReference[]): Weighed[] => {
    const all = read.flatMap((reference) => givenBy(failed, reference)).map(weigh);
    const most = all.reduce((weight, one) => Math.max(weight, one.weight), 1);
    return all.filter(({ weight }) => weight === most);
  };
  const references = referencesOf(failed.node);
  const once = new Map(references.map((one) => [JSON.stringify([one.node, one.which, one.path]), one]));
  const read = best([...once.values()]);
  return factOf(failed, read.length > 0 || !takesWholeItems(failed) ? read : best([ownField([])]));
});

const fieldOf = ({ path }: Given): string => pathText(path.filter((key) => !POSITION.test(key)));

function factOf(failed: Failed, all: readonly Weighed[]): Fact | null {
  const isKnown = mentionedIn([failed.view.execution]);
  const isTold = (key: string): boolean => POSITION.test(key) || isEachWordMentioned(key, isKnown);
  // A value may be there twice: under a name that the workflow uses, and as it came in.
  const found = all.find(({ path }) => path.every(isTold)) ?? all[0];
  if (found === undefined) return null;
  const others = all.filter((one) => one !== found);
  // If several fields have the name, it is not known which is meant.
  if (!found.isRepeated && others.some((one) => fieldOf(one) !== fieldOf(found))) return null;
  const { view, item, path } = traceOf(failed.view, found.item, found.path);
  const { isItem, isValue, isEntry } = certaintyOf(found, others);
  const isHidden = (key: string, at: number, { length }: readonly string[]) =>
    !isTold(key) || (POSITION.test(key) && !isEntry(length - at));
  const shown = (keys: readonly string[]): string =>
    pathText(keys.slice(0, [...keys.map(isHidden), true].indexOf(true)));
  const whole = pathText(found.path);
  const [field, reads, key = ""] = [shown(path), shown(found.path), found.path.at(-1)];
  if (reads === "" && !isValue) return null;
  return {
    kind: "error_repeats",
    node: item.from,
    failedNode: failed.name,
    ...(field === "" ? {} : { field }),
    reads,
    isPart: reads !== whole,
    isRepeated: found.isRepeated,
    item: isItem ? placeOf(view, item) : null,
    callerId: view === failed.view ? null : view.execution.id,
    ...(isValue ? { value: reads === whole ? found.value : { [key]: found.value } } : {}),
    valuePath: found.path,
    confidence: "observed",
  };
}

/** Whether the error means this item, this value, and the entry of a list at this distance from the end of its path. */
function certaintyOf(found: Weighed, others: readonly Weighed[]) {
  const { isRepeated, named, among, path } = found;
  const isOneItem = others.every(({ item }) => item === found.item);
  // An item that lacks the named field is not compared; items that were not read may have the same value.
  const isItem = isOneItem && (isRepeated ? among.items.length === among.length : among.length === 1);
  const isOneEntry =
    isOneItem &&
    others.every((one) => fieldOf(one) !== fieldOf(found) || pathText(one.path) === pathText(path));
  return {
    isItem,
    isValue: isRepeated || (isItem && !path.slice(0, -named).some((key) => POSITION.test(key))),
    isEntry: (fromEnd: number): boolean => isOneEntry && (isRepeated || fromEnd <= named),
  };
}

/** The first quoted value wins, then a field that is named, then the longest value: a word may be there by chance. */
function weighedBy(failed: Failed, said: string): (given: Given) => Weighed {
  const { error, node } = failed;
  const isThrown = throwsItself(failed);
  const code = textsOf(node?.parameters).join("\n");
  // The words of its sentence stand where code throws; the value may be anywhere else, such as in a table.
  const throwing = code.split("\n").filter((line) => !isThrown || MAKES_ERROR.test(line));
  const own = throwing.join("\n");
  // An error of code names variables and members of its own.
  const marked = CODE.test(node?.type ?? "") ? [] : [...said.matchAll(MARKED)].map(([, name = ""]) => name);
  const names = [...new Set([...fieldReasonsOf(error).map(({ field }) => field), ...marked])].map(
    (name) => name.match(/[^.[\]/]+/g) ?? [],
  );
  const weightOf = (value: string, isNamed: boolean): number => {
    if (value === "" || value.length > MAX_VALUE || GENERAL.test(value)) return 0;
    const at = Math.max(...['"', "'", "`"].map((mark) => said.indexOf(mark + value + mark)));
    if (at >= 0) return 10 * MAX_TEXT - at;
    if (!isWordOf(said, value)) return 0;
    // Code puts a name or a code into a sentence of its own.
    const isInserted =
      isThrown && /^\p{Lu}[\p{L}\p{N}]+$/u.test(value) && !said.startsWith(value) && !isWordOf(code, value);
    const isUsual = !isThrown && !isNamed && USUAL_NUMBER.test(value);
    const isChance = isUsual || value.length <= 3 || /^\p{L}+$/u.test(value);
    return (isChance && !isInserted) || isWordOf(own, value) ? 0 : value.length;
  };
  return (given) => {
    const named = Math.max(0, ...names.map((name) => alikeAtEnd(name, given.path)));
    const weight = weightOf(given.value, named > 0);
    return { ...given, isRepeated: weight > 0, named, weight: weight + named * MAX_TEXT };
  };
}

/** How many keys at their ends two paths have in common; a general name alone says nothing. */
function alikeAtEnd(name: readonly string[], path: readonly string[]): number {
  const differs = path.findIndex((_, back) => path.at(-1 - back) !== name.at(-1 - back));
  const alike = differs === -1 ? path.length : differs;
  return alike === 1 && GENERAL.test(path.at(-1) ?? "") ? 0 : alike;
}

/** Code, a called workflow, and columns that are mapped by name take every field. */
const takesWholeItems = ({ node }: Failed): boolean =>
  callsWorkflow(node?.type) ||
  textsOf(node?.parameters).some((text) =>
    CODE.test(node?.type ?? "") ? READS_INPUT.test(text) : text === "autoMapInputData",
  );
const READS_INPUT = /\$input\b|\$json\b|\bitems?\b|\b_(?:input|items?|json)\b/;

/** The texts and numbers that a reference reads. */
function givenBy(failed: Failed, reference: FieldReference): Given[] {
  const { items, length } = failedOn(failed, reference);
  const among = { items: items.slice(0, MAX_ITEMS), length };
  return among.items.flatMap((item) => {
    const found = findAt(item.json, reference.path);
    const values = found.kind === "there" ? valuesBelow(found.value, MAX_DEPTH) : [];
    return values.flatMap(([below, value]): Given[] => {
      const path = [...reference.path, ...below];
      const isText = typeof value === "string" || typeof value === "number";
      return isText && path.length > 0 ? [{ item, path, value: String(value), among }] : [];
    });
  });
}
