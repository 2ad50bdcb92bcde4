/** Caches of pure functions. For functions of the settings, see `memoizeBySettings`. */
import { setNewest } from "./bounded-collections.ts";
import { sha256Text } from "./sha256.ts";

/** Keeps each result for as long as the object lives. */
export function memoizeByObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

/** Longer texts rarely repeat and would fill the memory. */
const MAX_LENGTH = 256;
/** Results per generation. Two generations are held; results that are requested again move to the newer one. */
const MAX_RESULTS = 5_000;

/** Caches the results of recently requested short texts, such as names, which repeat often. */
export function memoizeByText<Value>(make: (text: string) => Value): (text: string) => Value {
  let recent = new Map<string, Value>();
  let older = new Map<string, Value>();
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const value = older.get(text) ?? make(text);
    if (text.length > MAX_LENGTH) return value;
    if (recent.size >= MAX_RESULTS) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, value);
    return value;
  };
}

/** Longer texts are cached under their digest, so that they are not held in memory. */
const MAX_HELD_LENGTH = 32 * 1024;

/** An LRU cache for `most` results, for answers that rarely change. */
export function memoizeLast<Value>(make: (text: string) => Value, most: number): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const key = text.length <= MAX_HELD_LENGTH ? text : sha256Text("base64", text);
    const value = known.get(key) ?? make(text);
    setNewest(known, key, value, most);
    return value;
  };
}
