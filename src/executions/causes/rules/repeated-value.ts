/**
 * Evidence: the error names a field that the failed node was given, or repeats its value, such as `Unknown sku "X-1"`.
 * The field is then the place to look. One that the workflow does not mention is told by what is around it.
 */
import { callsWorkflow } from "../../../n8n/workflow-callers.ts";
import { isEachWordMentioned, mentionedIn } from "../../known-fields.ts";
import type { SentItem } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { failedOn, findAt } from "../field-origin.ts";
import { fieldReasonsOf } from "../field-reasons.ts";
import { type FieldReference, ownField, pathText, referencesIn, textsOf } from "../field-references.ts";
import { traceOf } from "../field-trace.ts";
import { GENERAL, isWordOf } from "../names-in-error.ts";
import { CODE } from "../node-kinds.ts";
import { type Failed, onFailed } from "../rule.ts";
import { saidTexts } from "../said.ts";
import { valuesBelow } from "../values-below.ts";
import { MAKES_ERROR } from "./code.ts";
import { placeOf } from "./missing-field.ts";

const MAX_ITEMS = 25;
const MAX_DEPTH = 3;
const MAX_TEXT = 2_000;
const MAX_VALUE = 200;
/** A longer number may be an id or a telephone number. */
const POSITION = /^\d{1,2}$/;
/** PostgreSQL lists all columns, not only the one at fault. */
const WHOLE_ROW = /Failing row contains \(.*\)/g;
/** A word in marks that is no name of a JSON member. */
const MARKED = /["'`“[(]([\p{L}_][\p{L}\p{N}_ .-]{0,60})["'`”\])](?!\s*:)/gu;

type Given = { readonly item: SentItem; readonly path: readonly string[]; readonly value: string };
type Weighed = Given & { readonly weight: number; readonly isRepeated: boolean };

export const repeatedValue = onFailed((failed) => {
  const said = saidTexts(failed.error).join("\n").slice(0, MAX_TEXT).replaceAll('\\"', '"');
  const weigh = weighedBy(failed, said.replaceAll(WHOLE_ROW, "").replaceAll(/<[^<>]{1,300}>/g, " "));
  const best = (read: readonly FieldReference[]): Weighed[] => {
    const all = read.flatMap((reference) => givenBy(failed, reference)).map(weigh);
    const most = Math.max(1, ...all.map(({ weight }) => weight));
    return all.filter(({ weight }) => weight === most);
  };
  const references = textsOf(failed.node?.parameters).flatMap(referencesIn);
  const once = new Map(references.map((one) => [JSON.stringify([one.node, one.which, one.path]), one]));
  const read = best([...once.values()]);
  const [found, ...others] = read.length > 0 || !takesWholeItems(failed) ? read : best([ownField([])]);
  return found === undefined ? null : factOf(failed, found, others);
});

function factOf(failed: Failed, found: Weighed, others: readonly Weighed[]): Fact {
  const { view, item, path } = traceOf(failed.view, found.item, found.path);
  const isKnown = mentionedIn([failed.view.execution]);
  const whole = pathText(found.path);
  const isOne = others.every((one) => one.item === found.item && pathText(one.path) === whole);
  const isHidden = (key: string) => (POSITION.test(key) ? !isOne : !isEachWordMentioned(key, isKnown));
  const shown = (keys: readonly string[]): string =>
    pathText(keys.slice(0, [...keys.map(isHidden), true].indexOf(true)));
  const [field, reads, key = ""] = [shown(path), shown(found.path), found.path.at(-1)];
  return {
    kind: "error_repeats",
    node: item.from,
    failedNode: failed.name,
    ...(field === "" ? {} : { field }),
    reads,
    isPart: reads !== whole,
    isRepeated: found.isRepeated,
    item: isOne ? placeOf(view, item) : null,
    callerId: view === failed.view ? null : view.execution.id,
    value: reads === whole ? found.value : { [key]: found.value },
    valuePath: found.path,
    confidence: "observed",
  };
}

const markedIn = (said: string): string[] => [...said.matchAll(MARKED)].map(([, name = ""]) => name);

/** The first quoted value wins, then a field that is named, then the longest value: a word may be there by chance. */
function weighedBy({ error, node }: Failed, said: string): (given: Given) => Weighed {
  const isThrown = error.lineNumber != null || / \[line \d+/.test(said);
  // The words of its sentence stand where code throws; the value may be anywhere else, such as in a table.
  const own = textsOf(node?.parameters)
    .flatMap((text) => text.split("\n"))
    .filter((line) => !isThrown || MAKES_ERROR.test(line))
    .join("\n");
  const names = [...fieldReasonsOf(error).map(({ field }) => field), ...markedIn(said)].map(
    (name) => name.match(/[^.[\]/]+/g) ?? [],
  );
  const weightOf = (value: string): number => {
    if (value === "" || value.length > MAX_VALUE || GENERAL.test(value)) return 0;
    const at = Math.max(...['"', "'", "`"].map((mark) => said.indexOf(mark + value + mark)));
    if (at >= 0) return 10 * MAX_TEXT - at;
    // Code puts a name or a code into a sentence of its own.
    const isInserted = isThrown && /^\p{Lu}[\p{L}\p{N}]+$/u.test(value) && !said.startsWith(value);
    const isChance = !isInserted && (value.length <= 3 || /^\p{L}+$/u.test(value));
    return isChance || isWordOf(own, value) || !isWordOf(said, value) ? 0 : value.length;
  };
  return (given) => {
    const weight = weightOf(given.value);
    const named = Math.max(0, ...names.map((name) => alikeAtEnd(name, given.path)));
    return { ...given, isRepeated: weight > 0, weight: weight + named * MAX_TEXT };
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
const givenBy = (failed: Failed, reference: FieldReference): Given[] =>
  failedOn(failed, reference)
    .items.slice(0, MAX_ITEMS)
    .flatMap((item) => {
      const found = findAt(item.json, reference.path);
      const values = found.kind === "there" ? valuesBelow(found.value, MAX_DEPTH) : [];
      return values.flatMap(([below, value]): Given[] => {
        const path = [...reference.path, ...below];
        const isText = typeof value === "string" || typeof value === "number";
        return isText && path.length > 0 ? [{ item, path, value: String(value) }] : [];
      });
    });
