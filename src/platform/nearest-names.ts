/** The nearest names to one that does not exist, best first: what the caller probably meant. Shown without what does not show. */
import { distance } from "fastest-levenshtein";
import { visibleName } from "./display-name.ts";

const MAX_COMPARED_LENGTH = 200;
/** No argument takes a longer name, so that it would be no help. */
const MAX_NAME_LENGTH = 256;

export function nearestNames(wanted: string, names: Iterable<string>, count = 5): string[] {
  const fold = (text: string): string => text.toLowerCase().slice(0, MAX_COMPARED_LENGTH);
  const target = fold(wanted);
  return [...new Set(names)]
    .filter((name) => name.length <= MAX_NAME_LENGTH)
    .map((name) => {
      const folded = fold(name);
      // A name that holds the other is nearer than any that is only spelled alike.
      const isPart = target !== "" && (folded.includes(target) || target.includes(folded));
      return { name, score: isPart ? -1 : distance(target, folded) };
    })
    .sort((a, b) => a.score - b.score)
    .slice(0, count)
    .map(({ name }) => visibleName(name));
}
