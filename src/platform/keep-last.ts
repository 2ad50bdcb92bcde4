/** Deletes the oldest entries of a map or set beyond `most`. No I/O. */
export function keepLast<Key>(entries: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(key);
  }
}
