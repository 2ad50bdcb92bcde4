/** A bounded cache for results about names, which often repeat. */

/** Longer names rarely repeat and would fill the memory. */
const MAX_LENGTH = 256;

/** Number of names kept, temporarily up to twice as many; names requested again are kept. */
const MOST = 5_000;

/** Caches the results of a pure function of a name. */
export function remembering<Result>(find: (name: string) => Result): (name: string) => Result {
  let recent = new Map<string, Result>();
  let older = new Map<string, Result>();
  return (name) => {
    const known = recent.get(name);
    if (known !== undefined) return known;
    const result = older.get(name) ?? find(name);
    if (name.length > MAX_LENGTH) return result;
    if (recent.size >= MOST) {
      older = recent;
      recent = new Map();
    }
    recent.set(name, result);
    return result;
  };
}
