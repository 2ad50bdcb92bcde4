/**
 * What differs between two executions of a workflow, node by node, in the order in which the nodes ran. It holds
 * names, types and counts, and no value of a payload. Names of fields come from the payload: whoever may not see that
 * is shown only those that `known-fields.ts` lets through.
 *
 * What also varies between ordinary executions is no difference, where such are given: fields that are there
 * sometimes, outputs that are used sometimes. Linear in what was read. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { IsKnownField } from "../known-fields.ts";
import { runsByNode } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import {
  type Change,
  type Comparable,
  compareNode,
  type DifferenceKind,
  kindsOf,
  type NodeDifference,
  onlyEdited,
} from "./compare-nodes.ts";
import type { KeyDifferences } from "./compare-shapes.ts";
import { changesOf, editedNodes, type PairedNodes, pairNodes } from "./node-pairs.ts";
import { type NodePlace, namesBefore, placesOf } from "./node-places.ts";

export {
  type Change,
  DIFFERENCE_KINDS,
  type DifferenceKind,
  kindsOf,
  type NodeDifference,
  type OutputKeys,
} from "./compare-nodes.ts";

/** Why something was not compared. */
export type NotCompared =
  | "withheld"
  /** n8n kept no data of it, or it has not begun. */
  | "no_data"
  | "unfinished";

export interface ExecutionComparison {
  /** The nodes that differ, in the order in which they ran; those that did not run now at their place before. */
  readonly nodes: readonly NodeDifference[];
  /**
   * The first node in the order of execution that differs in keys and types, else the first in outputs, status or
   * items, else the first that was edited. On real failures the first in keys was the root in 38 of 54.
   */
  readonly firstDifference: { readonly nodeName: string; readonly by: DifferenceKind } | null;
  /** What started it, and how its item differs; null when nothing ran. */
  readonly trigger: {
    readonly nodeName: string;
    /** False when another node started it before. */
    readonly isSame: boolean;
    readonly keys: KeyDifferences;
  } | null;
  readonly ranBeforeNotNow: readonly string[];
  readonly ranNowNotBefore: readonly string[];
  readonly workflow: {
    readonly isSame: boolean;
    readonly versionBefore: string | null;
    readonly versionNow: string | null;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly renamed: readonly Change<string>[];
    /** How many nodes both have. */
    readonly shared: number;
  };
  /** What could not be compared, of which of the two. */
  readonly notCompared: readonly { readonly of: "before" | "now"; readonly why: NotCompared }[];
}

const NO_KEYS: KeyDifferences = { missing: [], added: [], changedTypes: [] };

/**
 * @param now the execution that is asked about
 * @param before the one it is compared with
 * @param ordinary others like `before`: what differs from one of them, but not from another, is not told
 * @param isKnown which names of fields are compared; all where it is left out. Whoever may not see a name must not
 * learn it from a payload of their own that has the same
 */
export function compareExecutions(
  now: ExecutionWithData,
  before: ExecutionWithData,
  ordinary: readonly ExecutionWithData[] = [],
  isKnown?: IsKnownField,
): ExecutionComparison {
  const paired = pairNodes(before, now);
  const oldNames = namesBefore(paired);
  const places = placesOf(now, before, ordinary, oldNames, isKnown);
  const differences = differencesOf(places, paired, {
    shapes: !isWithheldByN8n(now) && !isWithheldByN8n(before),
    runs: hasRun(now) && hasRun(before),
    mayGoOn: isUnfinished(now),
  });
  const nodes = differences.filter((node) => kindsOf(node).length > 0 || node.nameBefore !== undefined);
  return {
    nodes,
    firstDifference: firstDifferenceOf(nodes),
    trigger: triggerOf(places, nodes),
    ranBeforeNotNow: nodes.filter(({ ran }) => ran?.now === 0).map(({ nodeName }) => nodeName),
    ranNowNotBefore: nodes.filter(({ ran }) => ran?.before === 0).map(({ nodeName }) => nodeName),
    workflow: {
      isSame: now.workflowId === before.workflowId,
      versionBefore: versionOf(before),
      versionNow: versionOf(now),
      added: paired.added,
      removed: paired.removed,
      renamed: paired.pairs
        .filter((pair) => pair.before.name !== pair.now.name)
        .map((pair) => ({ before: pair.before.name, now: pair.now.name })),
      shared: paired.pairs.length,
    },
    notCompared: [...limitsOf("before", before), ...limitsOf("now", now)],
  };
}

/** Those that ran, then those that were edited alone. */
function differencesOf(
  places: readonly NodePlace[],
  paired: PairedNodes,
  comparable: Comparable,
): NodeDifference[] {
  const ran = new Set(places.map(({ nodeName }) => nodeName));
  const edited = new Map(
    editedNodes(paired).map((node) => [node.nodeName, changesOf(node).map(({ path }) => path)]),
  );
  const types = new Map(paired.pairs.map(({ now }) => [now.name, now.type]));
  const others = [...edited].filter(([nodeName]) => !ran.has(nodeName));
  return [
    ...places.map((place) => compareNode(place, edited.get(place.nodeName) ?? [], comparable)),
    ...others.map(([nodeName, paths]) => onlyEdited(nodeName, types.get(nodeName) ?? null, paths)),
  ];
}

/** Its version, where n8n keeps versions. */
export function versionOf({ workflowVersionId, workflowData }: ExecutionWithData): string | null {
  const kept = workflowData?.versionId;
  return workflowVersionId ?? (typeof kept === "string" ? kept : null);
}

/** Passes over what says least, unless there is nothing else. */
const FIRST_BY: readonly (readonly DifferenceKind[])[] = [
  ["keys"],
  ["outputs", "status", "ran"],
  ["items"],
  ["edited"],
  ["durationMs"],
];

function firstDifferenceOf(nodes: readonly NodeDifference[]): ExecutionComparison["firstDifference"] {
  for (const kinds of FIRST_BY) {
    for (const node of nodes) {
      const by = kindsOf(node).find((kind) => kinds.includes(kind));
      if (by !== undefined) return { nodeName: node.nodeName, by };
    }
  }
  return null;
}

/** What ran first started it. */
function triggerOf(
  places: readonly NodePlace[],
  differences: readonly NodeDifference[],
): ExecutionComparison["trigger"] {
  const trigger = places.find(({ now }) => now !== undefined);
  if (trigger === undefined) return null;
  const { nodeName } = trigger;
  const first = places.find(({ before }) => before !== undefined);
  const { missing, added, changedTypes } =
    differences.find((one) => one.nodeName === nodeName)?.keys[0] ?? NO_KEYS;
  return { nodeName, isSame: first === trigger, keys: { missing, added, changedTypes } };
}

const UNFINISHED = new Set(["new", "running", "waiting", "unknown"]);

const isUnfinished = ({ status }: ExecutionWithData): boolean => UNFINISHED.has(status);
const hasRun = (execution: ExecutionWithData): boolean => runsByNode(execution).size > 0;

function limitsOf(of: "before" | "now", execution: ExecutionWithData): ExecutionComparison["notCompared"] {
  return [
    ...(isWithheldByN8n(execution) ? [{ of, why: "withheld" } as const] : []),
    ...(!hasRun(execution) && !isUnfinished(execution) ? [{ of, why: "no_data" } as const] : []),
    ...(isUnfinished(execution) ? [{ of, why: "unfinished" } as const] : []),
  ];
}
