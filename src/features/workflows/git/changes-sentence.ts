/** What changed, in one sentence: names and counts, never a value. Pure. */

import { counted } from "../../../platform/counted.ts";
import { displayName, quoted } from "../../../platform/display-name.ts";
import type { WorkflowChanges } from "./compare-workflows.ts";

const MAX_NAMED = 3;

function named(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).join(", ");
  return names.length > MAX_NAMED ? `${first} and ${names.length - MAX_NAMED} more` : first;
}

function nodes(names: readonly string[], what: string): string | false {
  return names.length > 0 && `${counted(names.length, "node")} ${what} (${named(names)})`;
}

/** True when there is nothing to tell. */
export function isUnchanged({ nodes: all, connections, workflow }: WorkflowChanges): boolean {
  return [...Object.values(all), ...Object.values(connections), workflow].every(({ length }) => length === 0);
}

/** Such as: 1 node added ("Log"), 1 node renamed ("A" to "B"), 2 changes in "Check", 1 connection added. */
export function changesSentence({ nodes: all, connections, workflow }: WorkflowChanges): string {
  const quotedNames = (some: readonly { readonly name: string }[]) => some.map(({ name }) => quoted(name));
  const renamed = all.renamed.map((each) => `${quoted(each.old)} to ${quoted(each.new)}`);
  const changes = all.changed.reduce((sum, each) => sum + each.changes.length, 0);
  const where = named(all.changed.map(({ node }) => quoted(node)));
  const { added, removed, reordered } = connections;
  const paths = named(workflow.map(({ path }) => displayName(path)));
  return [
    nodes(quotedNames(all.added), "added"),
    nodes(quotedNames(all.removed), "removed"),
    nodes(renamed, "renamed"),
    nodes(all.moved.map(quoted), "moved"),
    changes > 0 && `${counted(changes, "change")} in ${where}`,
    added.length > 0 && `${counted(added.length, "connection")} added`,
    removed.length > 0 && `${counted(removed.length, "connection")} removed`,
    nodes(reordered.map(quoted), "with connections in another order"),
    workflow.length > 0 && `${counted(workflow.length, "change")} of the workflow (${paths})`,
  ]
    .filter(Boolean)
    .join(", ");
}
