/**
 * The items on which a node failed, as far as n8n says: `error.context.itemIndex` is the item's number in the node's
 * own input. Code that runs once for all items reads them all, and its index says nothing.
 * Pure.
 */
import { type ExecutionView, parameterOf, type SentItem } from "./execution-view.ts";
import { itemsReadBy } from "./field-origin.ts";
import type { FieldReference } from "./field-references.ts";
import { type Failed, itemIndexOf } from "./rule.ts";

const CODE = /\.(?:code|function)$/;

/** All items that the reference reads where n8n names none, or does not say which of several inputs it means. */
export function itemsFailedOn(
  view: ExecutionView,
  failed: Failed,
  reference: FieldReference,
): readonly SentItem[] {
  const items = itemsReadBy(view, failed, reference);
  const index = failedItem(failed);
  if (index === null || reference.node !== null || failed.run?.source.length !== 1) return items;
  return index < view.inputOf(failed.run).length ? items.filter((item) => item.index === index) : items;
}

/** Its number in the input, from 0; null where n8n names none. */
function failedItem({ error, node }: Failed): number | null {
  const isForAll = CODE.test(node?.type ?? "") && parameterOf(node, "mode") !== "runOnceForEachItem";
  return isForAll ? null : itemIndexOf(error);
}
