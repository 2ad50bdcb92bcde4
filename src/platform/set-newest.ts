import { keepLast } from "./keep-last.ts";

/** Sets an entry as the newest of a map that serves as a cache, and deletes the oldest beyond `most`. No I/O. */
export function setNewest<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value, most: number): void {
  cache.delete(key);
  cache.set(key, value);
  keepLast(cache, most);
}
