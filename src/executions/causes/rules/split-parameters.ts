/**
 * Fact: the query parameters of database nodes are one text, which n8n splits at every comma: a comma in an inserted
 * value shifts all values behind it. An expression that gives a list is not split.
 */
import { parameterOf } from "../execution-view.ts";
import { firstRead } from "../field-origin.ts";
import { pathText, referencesIn } from "../field-references.ts";
import { onFailed, rawTextsOf } from "../rule.ts";

/** At least two expressions, separated by a comma. */
const SEPARATED = /^=[^{}]*\{\{[^{}]{1,1000}\}\}\s*,/;

export const splitParameters = onFailed((failed) => {
  const text = parameterOf(failed.node, "options", "queryReplacement");
  const [said = ""] = rawTextsOf(failed.error);
  if (typeof text !== "string" || !SEPARATED.test(text)) return null;
  return firstRead(failed, referencesIn(text), ({ reference, item, found }) => {
    const value = found.kind === "there" ? found.value : null;
    const parts = typeof value === "string" ? value.split(",").map((part) => part.trim()) : [];
    // A shorter part may be in an error by chance.
    if (parts.length < 2 || !parts.some((part) => part.length > 2 && said.includes(`"${part}"`))) return null;
    const field = pathText(reference.path);
    return { kind: "database.split", node: failed.name, field, from: item.from, value } as const;
  });
});
