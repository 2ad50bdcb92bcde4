/** Paths of fields for whoever may not see payload: `?` in place of each name that `known-fields.ts` does not let through. Pure. */
import type { KeyDifferences, TypeChange } from "./compare-shapes.ts";
import { ANY_KEY } from "./field-keys.ts";

const UNKNOWN = "?";
/** A quoted key, a plain one, or the brackets of a list. */
const SEGMENT = /\["((?:[^"\\]|\\.)*)"\]|\[\]|[^.[\]]+/g;

/** The path with `?` in place of names that are not known. */
export function maskPath(path: string, isKnown: (key: string) => boolean): string {
  const masked = path.replaceAll(SEGMENT, (segment, quoted: string | undefined) => {
    if (segment === "[]" || segment === ANY_KEY || isKnown(quoted ?? segment)) return segment;
    return quoted === undefined ? UNKNOWN : `.${UNKNOWN}`;
  });
  return masked.replace(/^\./, "");
}

/** Each path once, with what is not known masked. */
export function maskKeys<Keys extends KeyDifferences>(keys: Keys, isKnown: (key: string) => boolean): Keys {
  const masked = (paths: readonly string[]): string[] => [
    ...new Set(paths.map((path) => maskPath(path, isKnown))),
  ];
  const changes = keys.changedTypes.map(
    (change): TypeChange => ({ ...change, path: maskPath(change.path, isKnown) }),
  );
  return {
    ...keys,
    missing: masked(keys.missing),
    added: masked(keys.added),
    changedTypes: [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()],
  };
}
