/**
 * Fact: an expression about another node fails with `context.type` (`no_execution_data`, `paired_item_…`) or
 * `context.descriptionKey` `nodeNotFound`, and `context.nodeCause` names that other node, which is the root of a pairing error.
 */
import { partOf } from "../../../json/members.ts";
import { closureOf } from "../../../platform/closure.ts";
import { previousIn, sentInAll } from "../execution-view.ts";
import { textsOf } from "../field-references.ts";
import { type Failed, onFailed } from "../rule.ts";

export const referencedNode = onFailed((failed) => {
  const { error, name: node } = failed;
  const type = error.context?.type;
  const about = nodeAbout(failed);
  if (partOf(error, "context", "descriptionKey") === "nodeNotFound")
    return { kind: "node_missing", node, about };
  if (type === "no_execution_data" || type === "no_node_execution_data") {
    const hasRun = about !== null && about !== node && failed.view.runs.has(about);
    return hasRun ? { kind: "pairing.fewer", node, about } : { kind: whyNotRun(failed, about), node, about };
  }
  if (type?.startsWith("paired_item_") !== true) return null;
  const known = about !== null && failed.view.nodes.has(about) ? about : null;
  if (type === "paired_item_multiple_matches") return { kind: "pairing.several", node, about: known };
  if (type === "paired_item_no_connection") return { kind: "pairing.unconnected", node, about: known };
  return known === null
    ? { kind: "pairing", node, about: null }
    : { kind: "pairing", node: known, failedNode: node, about: known };
});

/** `node_not_run`: another branch was taken, so that nothing was sent towards the node, and nothing will be. */
function whyNotRun({ view, name }: Failed, about: string | null): NotRun {
  if (about === null || !view.hasConnections) return "node_not_run.yet";
  const before = previousIn(view, view.nodes.keys());
  const off = closureOf([about], (node) => before(node).filter((one) => !view.runs.has(one)));
  const led = [...off].flatMap(before).filter((one) => view.runs.has(one));
  if (led.length === 0) return "node_not_run.elsewhere";
  const hasSent = (one: string): boolean =>
    view
      .targetsOf(one)
      .some(
        (targets, output) =>
          targets.some((target) => off.has(target.node)) && sentInAll(view, one, output).length > 0,
      );
  return led.some((one) => one === name || hasSent(one)) ? "node_not_run.yet" : "node_not_run";
}

type NotRun = "node_not_run" | "node_not_run.yet" | "node_not_run.elsewhere";

/** The error's author can write any name, so it counts only if the workflow has or mentions such a node. */
function nodeAbout({ view: { nodes }, node, error }: Failed): string | null {
  const name = partOf(error, "context", "nodeCause");
  if (typeof name !== "string" || name === "") return null;
  if (nodes.has(name)) return name;
  return textsOf(node?.parameters).some((text) => namesNode(text, name)) ? name : null;
}

const namesNode = (text: string, name: string): boolean =>
  [`$('${name}')`, `$("${name}")`, `$node["${name}"]`, `$node['${name}']`, `$items("${name}"`].some((form) =>
    text.includes(form),
  );
