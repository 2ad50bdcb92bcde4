/** Bounds for maps and sets that keep the entries added last. Pure. */

/** Removes the oldest entries beyond `most`. */
export function keepLast<Key>(entries: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(key);
  }
}

/** Sets an entry and moves it to the end, so that it is removed last; then removes the oldest beyond `most`. */
export function setLast<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  keepLast(entries, most);
}
