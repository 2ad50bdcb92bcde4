/** What was found out about names: they repeat, and there is a bound for those that do not. */

/** Longer ones are no names that repeat, and would take up the memory. */
const MAX_LENGTH = 256;

/** So many are kept, and up to twice as many for a while; those that are asked for again stay. */
const MOST = 5_000;

/** Remembers what a pure function says of a name. */
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
