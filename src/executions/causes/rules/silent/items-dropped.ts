/**
 * Fewer items than there are. Facts: an inner loop that is done does not begin again for new items unless its option
 * Reset is on; Remove Duplicates remembers a value of each item, and the same value for all items makes them all
 * duplicates; an app's node without Return All, and a service that answers by pages, give some items without
 * mentioning the others.
 */

import { lengthOf, memberOf, textAt } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { firstFound } from "../../../../platform/first-found.ts";
import { pattern } from "../../../../platform/pattern.ts";
import { type ExecutionView, parameterOf, ranAfter, type SentItem } from "../../execution-view.ts";
import { findAt, isLacking } from "../../field-origin.ts";
import { pathText, referencesIn, textsOf } from "../../field-references.ts";
import { acts, dependsOnItem, operationOf } from "../../node-effects.ts";
import { LOOP } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { membersNamed } from "../../values-below.ts";
import { beyondInputs, leftOverItems } from "../left-over-items.ts";
import { isOrdered } from "./items-first.ts";
import { inputCountOf, largestOutputOf, unlessUsual } from "./usual.ts";

const notReset = ofNodes((view, node, { type, parameters, typeVersion }, runs) => {
  const entry = runs[0]?.source[0]?.previousNode;
  // Before version 3 it had other outputs.
  if (typeof typeVersion === "number" && typeVersion < 3) return null;
  if (type !== LOOP || ![undefined, false].some((off) => memberOf(parameters, "options", "reset") === off))
    return null;
  const isSkipped = (index: number): boolean =>
    index > 0 && view.sentBy(node, index, 0).length > 0 && view.sentBy(node, index, 1).length === 0;
  const skipped = runs.findIndex(
    ({ source }, index) => source[0]?.previousNode === entry && isSkipped(index),
  );
  const run = runs[skipped];
  const count = run === undefined ? 0 : view.inputOf(run).length;
  if (count === 0) return null;
  const round = runs.slice(0, skipped + 1).filter(({ source }) => source[0]?.previousNode === entry).length;
  return { kind: "dropped.not_reset", node, count, round, from: entry ?? null, confidence: "likely" };
});

const REMEMBERED = ["dedupeValue", "incrementalDedupeValue", "dateDedupeValue"];

const seenBefore = ofNodes((view, node, definition, [run]) => {
  if (definition.type !== "n8n-nodes-base.removeDuplicates") return null;
  const value = REMEMBERED.map((name) => parameterOf(definition, name)).find(
    (one) => typeof one === "string",
  );
  if (typeof value !== "string" || value === "" || run === undefined) return null;
  const isFixed = !(value.startsWith("=") && value.includes("{{"));
  const given = view.inputOf(run).length;
  const dropped = given - view.sentBy(node).length;
  const isSame = isFixed || (given > 1 && !dependsOnItem({ ...definition, parameters: { value } }));
  const fields = referencesIn(value).map(({ path }) => pathText(path));
  if (dropped > 0 && dropped === given && !isSame && fields.length > 0)
    return { kind: "dropped.known", node, given, fields, confidence: "observed" };
  if (dropped === 0 || !isSame) return null;
  return { kind: "dropped.seen", node, isFixed, given, dropped, confidence: "likely" };
});

/** A smaller limit is intended: the newest, the best three. */
const LEAST_LIMIT = 10;

/** The limit of a node that gave as many items as it allows. */
function reachedLimit(view: ExecutionView, name: string): number | null {
  const limits = ["limit", "maxItems", "maxResults", "pageSize"].flatMap((each) => [
    parameterOf(view.nodes.get(name), each),
    parameterOf(view.nodes.get(name), "options", each),
  ]);
  const sent = largestOutputOf(view, name).length;
  return limits.includes(sent) && sent >= LEAST_LIMIT ? sent : null;
}

/** One is the default of Limit, and may be left from testing. */
const cutOff = ofNodes((view, node, { type }, [run]) => {
  const [given, limit] = [inputCountOf(view, node), largestOutputOf(view, node).length];
  const isMeant = limit > 1 && limit < LEAST_LIMIT;
  if (type !== "n8n-nodes-base.limit" || run === undefined || limit >= given || isMeant) return null;
  const isUsed = ranAfter(view, node)
    .map((name) => view.nodes.get(name))
    .some((one) => acts(one) && dependsOnItem(one));
  if (!isUsed || isOrdered(view, run)) return null;
  return { kind: "dropped.limit", node, given, limit, confidence: limit > 1 ? "likely" : "observed" };
});

/** Summarize counts the items that have a value in a field, unless it is told to count empty ones. */
const notCounted = ofNodes((view, node, { type, parameters }, [run]) => {
  const [rows] = membersNamed(parameters, /^fieldsToSummarize$/);
  const counts = memberOf(rows, "values");
  if (!type.endsWith(".summarize") || run === undefined || !Array.isArray(counts)) return null;
  const { items, length: given } = view.inputOf(run);
  for (const row of counts) {
    const field = textAt(row, "field");
    if (field === undefined || textAt(row, "aggregation") !== "count" || items.length < given) continue;
    const isEmpty = ({ json }: SentItem): boolean => {
      const found = findAt(json, field.split("."));
      return isLacking(found) || (found.kind === "there" && found.value === "");
    };
    const left = memberOf(row, "includeEmpty") === true ? 0 : items.filter(isEmpty).length;
    if (left > 0 && left < given) return { kind: "dropped.uncounted", node, field, left, given, ...OBSERVED };
  }
  return null;
});

const OBSERVED = { confidence: "observed" } as const;

const LISTS = /^(?:get|list|search|find|select|read)/i;

const cutByApp = ofNodes((view, node, definition) => {
  const limit = reachedLimit(view, node);
  const all = parameterOf(definition, "returnAll");
  // Off is its default, which n8n does not store.
  const isDefault = all === undefined && LISTS.test(operationOf(definition) ?? "");
  if ((all !== false && !isDefault) || inputCountOf(view, node) > 1 || limit === null) return null;
  return { kind: "dropped.page", node, limit, confidence: isDefault ? "observed" : "likely" };
});

const HAS_MORE = /^(?:has_?(?:more|next)(?:_?page)?|is_?truncated|truncated|incomplete_?results)$/i;
const IS_LAST = /^(?:is_?)?last(?:_?page)?$/i;
const NEXT =
  /^(?:next|next_?(?:page|url|link|cursor|token|records_?url|page_?(?:token|url|link|cursor))|@odata\.nextlink|continuation(?:_?token)?)$/i;
const TOTAL =
  /^(?:total(?:_?(?:count|items|results|records|elements|hits|size|rows))?|count|n(?:um|b)_?(?:found|hits))$/i;
const PAGES = /^(?:(?:total|n(?:um|b))?_?pages|page_?count|last_?page)$/i;
/** These may be the amount of an order, so they count only in what looks like a page. */
const AMOUNTS = /^(?:total|count)$/i;
const OF_PAGES = pattern("i")`
  ^(?:
    limit|offset|skip|take|from|start|cursor|next
    |(?:current_?|total_?|per_?|next_?|prev(?:ious)?_?|last_?)?pages?
    (?:_?(?:size|count|number|index|info|token))?
  )$
`;
/** Members that may hold a page's total, if it is not next to the list. */
const META = /^_?(?:meta(?:data)?|page|paging|pagination|page_?info|info|links)$/i;
const LEAST_PAGE = 5;
/** From this length on, a round number means a page: no order has so many lines. */
const LEAST_ROUND = 20;
const PAGE = /^(?:page|current_?page|page_?(?:number|index)|number)$/i;

/** The member by which an answer says that there is more; `above` is how long the only list beside it is. */
function saysMore(json: ReadValue, above = 0, depth = 0): string | null {
  if (!isReadObject(json) || depth > 3) return null;
  const entries = Object.entries(json);
  const [list = above, ...others] = entries.flatMap(([, value]) => lengthOf(value) ?? []);
  const given = others.length > 0 ? 0 : list;
  const isRound = given % 5 === 0 && (entries.length <= 2 || given >= LEAST_ROUND);
  const isPage = above > 0 || isRound || entries.some(([key]) => OF_PAGES.test(key));
  const page = Number(entries.find(([key, value]) => PAGE.test(key) && value !== "")?.[1]);
  const own = entries.find(
    ([key, value]) =>
      (HAS_MORE.test(key) && value === true) ||
      (IS_LAST.test(key) && value === false) ||
      (NEXT.test(key) &&
        ((typeof value === "string" && value !== "") || (given > 0 && isReadObject(value)))) ||
      (TOTAL.test(key) &&
        (isPage || !AMOUNTS.test(key)) &&
        given >= LEAST_PAGE &&
        Number.isInteger(value) &&
        Number(value) > given) ||
      (PAGES.test(key) &&
        (given > 0 || !/^pages$/i.test(key)) &&
        (page === 0 || page === 1) &&
        Number(value) > 1),
  );
  if (own !== undefined) return own[0];
  return firstFound(entries, ([key, value]) => saysMore(value, META.test(key) ? given : 0, depth + 1));
}

const FETCHES = /\.(?:httpRequest|graphql)$/;

const firstPage = ofNodes((view, node, { type }, runs) => {
  const { items, length } = largestOutputOf(view, node);
  const [only] = items;
  if (!FETCHES.test(type) || runs.length !== 1 || length !== 1 || only === undefined) return null;
  const field = saysMore(only.json);
  return field === null || isReadElsewhere(view, field)
    ? null
    : { kind: "dropped.pages", node, member: field, confidence: "likely" };
});

/** How an expression or code reads a member: `.next`, `["next"]`, `{ next }`. */
const memberRead = (name: string): RegExp =>
  new RegExp(String.raw`(?:\.|["'{,]\s{0,3})${name.replaceAll(/\W/g, String.raw`\$&`)}(?![\w-])`);

/** Whether a node reads it, and so reads the next page or stops on purpose. */
const isReadElsewhere = ({ nodes }: ExecutionView, field: string): boolean =>
  [...nodes.values()].some(
    (node) => node.disabled !== true && textsOf(node.parameters).some((text) => memberRead(field).test(text)),
  );

export const DROPPED_RULES: readonly Rule[] = [
  unlessUsual(notReset, "likely"),
  unlessUsual(seenBefore, "likely"),
  unlessUsual(beyondInputs, "likely"),
  unlessUsual(leftOverItems),
  unlessUsual(firstPage),
  unlessUsual(cutByApp),
  unlessUsual(cutOff),
  unlessUsual(notCounted, "nothing"),
];
