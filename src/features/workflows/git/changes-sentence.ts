/** What changed, in one sentence: names and counts, never a value. Pure. */
import { displayName, quoted } from "../../../platform/display-name.ts";
import type { WorkflowChanges } from "./compare-workflows.ts";

const MAX_NAMED = 3;

const some = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function named(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).join(", ");
  return names.length > MAX_NAMED ? `${first} and ${names.length - MAX_NAMED} more` : first;
}

function nodes(names: readonly string[], what: string): string[] {
  return names.length === 0 ? [] : [`${some(names.length, "node")} ${what} (${named(names)})`];
}

/** True when there is nothing to tell. */
export function isUnchanged({ nodes: all, connections, workflow }: WorkflowChanges): boolean {
  return [...Object.values(all), ...Object.values(connections), workflow].every(({ length }) => length === 0);
}

/** Such as: 1 node added ("Log"), 1 node renamed ("A" to "B"), 2 changes in "Check", 1 connection added. */
export function changesSentence({ nodes: all, connections, workflow }: WorkflowChanges): string {
  const count = all.changed.reduce((sum, { changes }) => sum + changes.length, 0);
  const where = named(all.changed.map(({ node }) => quoted(node)));
  const reordered = connections.reordered.map(quoted);
  return [
    ...nodes(
      all.added.map(({ name }) => quoted(name)),
      "added",
    ),
    ...nodes(
      all.removed.map(({ name }) => quoted(name)),
      "removed",
    ),
    ...nodes(
      all.renamed.map((each) => `${quoted(each.old)} to ${quoted(each.new)}`),
      "renamed",
    ),
    ...nodes(all.moved.map(quoted), "moved"),
    ...(count === 0 ? [] : [`${some(count, "change")} in ${where}`]),
    ...(connections.added.length === 0 ? [] : [`${some(connections.added.length, "connection")} added`]),
    ...(connections.removed.length === 0
      ? []
      : [`${some(connections.removed.length, "connection")} removed`]),
    ...nodes(reordered, "with connections in another order"),
    ...(workflow.length === 0
      ? []
      : [
          `${some(workflow.length, "change")} of the workflow (${named(workflow.map(({ path }) => displayName(path)))})`,
        ]),
  ].join(", ");
}
