/**
 * Fact: an expression about another node fails with `context.type` (`no_execution_data`, `paired_item_…`) or
 * `context.descriptionKey` `nodeNotFound`, and `context.nodeCause` names the node that it is about: exactly the root of a pairing error.
 */
import { quoted } from "../../../platform/display-name.ts";
import { type ExecutionView, partOf } from "../execution-view.ts";
import { textsOf } from "../field-references.ts";
import type { Finding } from "../finding.ts";
import { type Failed, failedName, onFailed } from "../rule.ts";

export const referencedNode = onFailed((view, failed) => {
  const { error, name } = failed;
  const type = error.context?.type;
  const about = nodeAbout(view, failed);
  const found = (finding: Pick<Finding, "cause" | "sentence"> & Partial<Finding>): Finding[] => [
    { node: name, confidence: "exact", ...finding },
  ];
  if (partOf(error, "context", "descriptionKey") === "nodeNotFound") {
    const which = about === null ? "a node" : `the node ${quoted(about)}`;
    return found({
      cause: "node_missing",
      sentence: `${failedName(name)} because an expression in it names ${which}, which this workflow does not have (any more).`,
    });
  }
  if (type === "no_execution_data" || type === "no_node_execution_data") {
    const which = about === null ? "a node" : quoted(about);
    return found({
      cause: "node_not_run",
      sentence: `${failedName(name)} because an expression in it reads ${which}, which did not run in this execution: another branch was taken.`,
    });
  }
  if (type?.startsWith("paired_item_") !== true) return [];
  const known = about !== null && view.nodes.has(about);
  const why = WHY[type];
  if (why !== undefined)
    return found({
      cause: "pairing",
      sentence: `${failedName(name)} because ${why}${known ? ` (of ${quoted(about)})` : ""}.`,
    });
  return found({
    cause: "pairing",
    node: known ? about : name,
    ...(known ? { failedNode: name } : {}),
    sentence: `${failedName(name)} because n8n cannot tell which item of an earlier node is paired with this one${known ? `: ${quoted(about)} makes items without saying which they came from` : ""}.`,
  });
});

const WHY: Readonly<Record<string, string>> = {
  paired_item_multiple_matches:
    "an expression asks for the one item that belongs to this one, and there are several",
  paired_item_no_connection: "an expression reads a node that this one is not connected to",
};

/** Whoever throws an error can write a name into it: it counts where the workflow has it, or names it. */
function nodeAbout({ nodes }: ExecutionView, { node, error }: Failed): string | null {
  const name = partOf(error, "context", "nodeCause");
  if (typeof name !== "string" || name === "") return null;
  if (nodes.has(name)) return name;
  return textsOf(node?.parameters).some((text) => namesNode(text, name)) ? name : null;
}

const namesNode = (text: string, name: string): boolean =>
  [`$('${name}')`, `$("${name}")`, `$node["${name}"]`, `$node['${name}']`, `$items("${name}"`].some((form) =>
    text.includes(form),
  );
