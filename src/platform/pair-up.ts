/** Pairs the items of two lists by their keys. Pure. */

export interface Pairs<Item> {
  /** In the order of the second list. */
  readonly pairs: readonly { readonly before: Item; readonly now: Item }[];
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
}

/** @param keys in order of preference. An empty key matches nothing; of items with equal keys the first is paired */
export function pairUp<Item extends object>(
  before: readonly Item[],
  now: readonly Item[],
  keys: readonly ((item: Item) => string)[],
): Pairs<Item> {
  const partners = new Map<Item, Item>();
  const removed = new Set(before);
  for (const keyOf of keys) {
    // A map keeps the last of equal keys.
    const waiting = new Map([...removed].reverse().map((item) => [keyOf(item), item]));
    waiting.delete("");
    for (const item of now) {
      const partner = partners.has(item) ? undefined : waiting.get(keyOf(item));
      if (partner === undefined) continue;
      partners.set(item, partner);
      removed.delete(partner);
      waiting.delete(keyOf(item));
    }
  }
  return {
    pairs: now.flatMap((item) => {
      const partner = partners.get(item);
      return partner === undefined ? [] : [{ before: partner, now: item }];
    }),
    added: now.filter((item) => !partners.has(item)),
    removed: [...removed],
  };
}
