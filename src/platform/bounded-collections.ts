/** Caches that keep their newest entries: maps and sets iterate in the order of insertion. No I/O. */

/** Deletes the oldest entries beyond `most`. */
export function keepLast<Key>(entries: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(key);
  }
}

/** Sets an entry as the newest, and deletes the oldest beyond `most`. */
export function setNewest<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value, most: number): void {
  cache.delete(key);
  cache.set(key, value);
  keepLast(cache, most);
}
