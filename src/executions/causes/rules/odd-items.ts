/**
 * Fact: a Code node that runs for each item says nothing of which item it failed on. What its own text reads, and some of
 * its items lack while others have it, is worth telling: an observation, not the reason.
 */
import { quoted } from "../../../platform/display-name.ts";
import { findAt, itemsReadBy } from "../field-origin.ts";
import { pathText, referencesIn, textsOf } from "../field-references.ts";
import { onFailed } from "../rule.ts";

export const oddItems = onFailed((view, failed) => {
  for (const reference of textsOf(failed.node?.parameters).flatMap(referencesIn)) {
    if (reference.path.length === 0 || reference.node !== null) continue;
    const items = itemsReadBy(view, failed, reference);
    const lacking = items.filter(({ json }) => findAt(json, reference.path).kind === "absent");
    const [first] = lacking;
    if (first === undefined || lacking.length > items.length / 2) continue;
    const path = pathText(reference.path);
    return [
      {
        cause: "item",
        node: first.from,
        field: path,
        sentence: `${quoted(path)}, which ${quoted(failed.name)} reads, is not in item ${first.index + 1}${lacking.length > 1 ? ` and ${lacking.length - 1} more` : ""} of the ${items.length} that ${quoted(first.from)} sent.`,
        confidence: "observed",
      },
    ];
  }
  return [];
});
