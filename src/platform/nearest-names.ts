/** The existing names nearest to an unknown one, best first, without invisible characters. */
import { distance } from "fastest-levenshtein";
import { MAX_NAME, visibleName } from "./display-name.ts";

const MAX_COMPARED_LENGTH = 200;

export function nearestNames(given: string, names: Iterable<string>, count = 5): string[] {
  const fold = (text: string): string => text.toLowerCase().slice(0, MAX_COMPARED_LENGTH);
  const target = fold(given);
  return [...new Set(names)]
    .filter((name) => name.length <= MAX_NAME)
    .map((name) => {
      const folded = fold(name);
      // A name that contains the other is nearer than any merely similar one.
      const isPart = target !== "" && (folded.includes(target) || target.includes(folded));
      return { name, score: isPart ? -1 : distance(target, folded) };
    })
    .sort((a, b) => a.score - b.score)
    .slice(0, count)
    .map(({ name }) => visibleName(name));
}
