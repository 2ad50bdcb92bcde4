/** What was found out about names: they repeat, and there is a bound for those that do not. */

/** Longer ones are no names that repeat, and would take up the memory. */
const MAX_LENGTH = 256;

/**
 * Remembers what a pure function says of a name.
 * @param most names that are kept; up to twice as many for a while, and those that are asked for again stay
 */
export function remembering<Result>(find: (name: string) => Result, most: number): (name: string) => Result {
  let recent = new Map<string, Result>();
  let older = new Map<string, Result>();
  return (name) => {
    const known = recent.get(name);
    if (known !== undefined) return known;
    const result = older.get(name) ?? find(name);
    if (name.length > MAX_LENGTH) return result;
    if (recent.size >= most) {
      older = recent;
      recent = new Map();
    }
    recent.set(name, result);
    return result;
  };
}
