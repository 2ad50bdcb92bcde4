/**
 * Evidence: the error repeats a value that the failed node read, such as `Unknown sku "X-1"`, and where that value came
 * from. The field is then the place to look, whatever the error is about.
 */
import { type IsKnownField, isEachWordMentioned, mentionedIn } from "../../known-fields.ts";
import type { SentItem } from "../execution-view.ts";
import { failedOn, findAt } from "../field-origin.ts";
import { type FieldReference, pathText, referencesIn, textsOf } from "../field-references.ts";
import { traceOf } from "../field-trace.ts";
import { GENERAL, isWordOf } from "../names-in-error.ts";
import { type Failed, onFailed } from "../rule.ts";
import { saidTexts } from "../said.ts";
import { valuesBelow } from "../values-below.ts";

const MAX_ITEMS = 25;
const MAX_DEPTH = 3;
const MAX_TEXT = 2_000;
const MAX_VALUE = 200;
/** A longer number may be an id or a telephone number. */
const POSITION = /^\d{1,2}$/;
/** PostgreSQL lists all columns, not only the one at fault. */
const WHOLE_ROW = /Failing row contains \(.*\)/g;

interface Repeated {
  readonly item: SentItem;
  readonly path: readonly string[];
  readonly value: string;
}

export const repeatedValue = onFailed((failed) => {
  const own = textsOf(failed.node?.parameters);
  const said = saidTexts(failed.error).join("\n").slice(0, MAX_TEXT).replaceAll(WHOLE_ROW, "");
  /** The first quoted value wins, then the longest one. An unquoted word may be there by chance. */
  const weightOf = (value: string): number => {
    if (value === "" || value.length > MAX_VALUE || GENERAL.test(value)) return 0;
    const at = quotedAt(said, value);
    if (at >= 0) return MAX_VALUE + MAX_TEXT - at;
    const isChance = value.length <= 3 || /^\p{L}+$/u.test(value) || isWordOf(own.join("\n"), value);
    return isChance || !isWordOf(said, value) ? 0 : value.length;
  };
  const isKnown = mentionedIn([failed.view.execution]);
  const references = new Map(
    own.flatMap(referencesIn).map((one) => [JSON.stringify([one.node, one.which, one.path]), one]),
  );
  const [found] = [...references.values()]
    .flatMap((reference) => readFrom(failed, reference, isKnown))
    .map((one) => ({ ...one, weight: weightOf(one.value) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
  if (found === undefined) return null;
  const { view, item, path } = traceOf(failed.view, found.item, found.path);
  return {
    kind: "error_repeats",
    node: item.from,
    failedNode: failed.name,
    field: pathText(path),
    reads: pathText(found.path),
    callerId: view === failed.view ? null : view.execution.id,
    value: found.value,
    valuePath: found.path,
    confidence: "observed",
  };
});

/** The texts and numbers that a reference reads. Below it, only keys that the workflow mentions: others are payload. */
function readFrom(failed: Failed, reference: FieldReference, isKnown: IsKnownField): Repeated[] {
  return failedOn(failed, reference)
    .items.slice(0, MAX_ITEMS)
    .flatMap((item) => {
      const found = findAt(item.json, reference.path);
      const values = found.kind === "there" ? valuesBelow(found.value, MAX_DEPTH) : [];
      return values.flatMap(([below, value]): Repeated[] => {
        const path = [...reference.path, ...below];
        const isShown = below.every((key) => POSITION.test(key) || isEachWordMentioned(key, isKnown));
        const isText = typeof value === "string" || typeof value === "number";
        return isShown && isText && path.length > 0 ? [{ item, path, value: String(value) }] : [];
      });
    });
}

const quotedAt = (said: string, value: string): number =>
  Math.max(...['"', "'", "`"].map((mark) => said.indexOf(mark + value + mark)));
