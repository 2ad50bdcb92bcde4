/**
 * Compares two states of a workflow, both in the form for version control: nodes added, removed, renamed, moved and
 * changed; connections; settings. Nodes are matched by id or, since the editor's import creates new ids, by name and
 * type. No changes means that the texts for version control are equal except for ids. Linear except for sorting. Pure.
 */
import {
  compareValues,
  type Json,
  keysOf,
  memberOf,
  type RedactedPair,
  type ValueChange,
} from "../../../platform/compare-values.ts";
import { counted } from "../../../platform/counted.ts";
import { displayName, quoted } from "../../../platform/display-name.ts";
import { type Pairs, pairUp } from "../../../platform/pair-up.ts";
import { sumOf } from "../../../platform/sum-of.ts";
import { compareConnections } from "./compare-connections.ts";
import type { GitWorkflow } from "./git-workflow.ts";

/** A workflow, and a copy with redacted secrets that may be shown. */
export interface ShownWorkflow {
  readonly raw: GitWorkflow;
  readonly shown: Json;
}

export type WorkflowChanges = ReturnType<typeof compareWorkflows>;

interface PlacedNode {
  readonly node: RedactedPair;
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** Names and positions are compared separately; ids have no effect, and some imports replace them. */
const COMPARED_APART = new Set(["id", "name", "position"]);

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function nodesOf(workflow: ShownWorkflow): PlacedNode[] {
  const list = memberOf(workflow, "nodes").shown;
  return workflow.raw.nodes.map((node, index) => ({
    node: { raw: node, shown: Array.isArray(list) ? list[index] : undefined },
    id: text(node.id),
    name: text(node.name),
    type: text(node.type),
  }));
}

type Pair = Pairs<PlacedNode>["pairs"][number];

function compareNode({ before, now }: Pair): ValueChange[] {
  const keys = new Set([before, now].flatMap(({ node }) => keysOf(node.raw)));
  return [...keys]
    .filter((key) => !COMPARED_APART.has(key))
    .flatMap((key) => compareValues(memberOf(before.node, key), memberOf(now.node, key), key));
}

function isMoved({ before, now }: Pair): boolean {
  const position = ({ node }: PlacedNode): string => JSON.stringify(memberOf(node, "position").raw ?? null);
  return position(before) !== position(now);
}

const nameAndType = ({ name, type }: PlacedNode) => ({ name, type });

/** Compares everything except nodes and connections. Versions in the history have neither name nor settings. */
function compareRest(before: ShownWorkflow, after: ShownWorkflow): ValueChange[] {
  const inBoth = ["name", "settings"].filter(
    (key) => before.raw[key] !== undefined && after.raw[key] !== undefined,
  );
  return [...inBoth, "nodeGroups"].flatMap((key) =>
    compareValues(listIfAbsent(memberOf(before, key), key), listIfAbsent(memberOf(after, key), key), key),
  );
}

/** Absent groups equal an empty list. */
const listIfAbsent = (value: RedactedPair, key: string): RedactedPair =>
  key === "nodeGroups" && value.raw === undefined ? { raw: [], shown: [] } : value;

export function compareWorkflows(before: ShownWorkflow, after: ShownWorkflow) {
  const { pairs, added, removed } = pairUp(nodesOf(before), nodesOf(after), [
    ({ id }) => id,
    ({ name, type }) => JSON.stringify([name, type]),
  ]);
  const renamed = pairs.filter((pair) => pair.before.name !== pair.now.name);
  return {
    nodes: {
      added: added.map(nameAndType),
      removed: removed.map(nameAndType),
      renamed: renamed.map((pair) => ({ old: pair.before.name, new: pair.now.name })),
      /** Only their position in the editor changed. */
      moved: pairs.filter(isMoved).map(({ now }) => now.name),
      changed: pairs
        .map((pair) => ({ node: pair.now.name, changes: compareNode(pair) }))
        .filter(({ changes }) => changes.length > 0),
    },
    connections: compareConnections(
      before.raw.connections,
      after.raw.connections,
      new Map(renamed.map((pair) => [pair.before.name, pair.now.name])),
    ),
    /** Name, settings and groups, if both states have them. */
    workflow: compareRest(before, after),
  };
}

const MAX_NAMED = 3;

function named(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).join(", ");
  return names.length > MAX_NAMED ? `${first} and ${names.length - MAX_NAMED} more` : first;
}

const nodesSentence = (names: readonly string[], what: string): string | false =>
  names.length > 0 && `${counted(names.length, "node")} ${what} (${named(names)})`;

export const isUnchanged = ({ nodes: all, connections, workflow }: WorkflowChanges): boolean =>
  [...Object.values(all), ...Object.values(connections), workflow].every(({ length }) => length === 0);

/** For example: 1 node added ("Log"), 1 node renamed ("A" to "B"), 2 changes in "Check", 1 connection added. */
export function changesSentence({ nodes: all, connections, workflow }: WorkflowChanges): string {
  const quotedNames = (some: readonly { readonly name: string }[]) => some.map(({ name }) => quoted(name));
  const renamed = all.renamed.map((each) => `${quoted(each.old)} to ${quoted(each.new)}`);
  const changes = sumOf(all.changed, (each) => each.changes.length);
  const where = named(all.changed.map(({ node }) => quoted(node)));
  const { added, removed, reordered } = connections;
  const paths = named(workflow.map(({ path }) => displayName(path)));
  return [
    nodesSentence(quotedNames(all.added), "added"),
    nodesSentence(quotedNames(all.removed), "removed"),
    nodesSentence(renamed, "renamed"),
    nodesSentence(all.moved.map(quoted), "moved"),
    changes > 0 && `${counted(changes, "change")} in ${where}`,
    added.length > 0 && `${counted(added.length, "connection")} added`,
    removed.length > 0 && `${counted(removed.length, "connection")} removed`,
    nodesSentence(reordered.map(quoted), "with connections in another order"),
    workflow.length > 0 && `${counted(workflow.length, "change")} of the workflow (${paths})`,
  ]
    .filter(Boolean)
    .join(", ");
}
