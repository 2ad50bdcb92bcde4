/**
 * What an earlier success of the same workflow adds: the nodes edited since, and the first node that sends different
 * fields or types (on real failures this was the root in 38 of 54). Field names that the workflow itself does not
 * mention are shown as `?`, since they may be payload. Pure.
 */
import { partOf } from "../../json/members.ts";
import type { ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { closureOf } from "../../platform/closure.ts";
import { defined } from "../../platform/defined.ts";
import { isObject } from "../../platform/is-object.ts";
import type { ExecutionComparison, NodeDifference } from "../comparison/compare-executions.ts";
import { type KeyDifferences, maskKeys, NO_KEYS } from "../comparison/compare-shapes.ts";
import { allTargetsOf } from "../connections.ts";
import type { IsKnownField } from "../known-fields.ts";
import { nodesByName, runsByNode } from "../node-runs.ts";
import { placeOf } from "./edit-places.ts";
import type { Fact } from "./fact.ts";
import { rewiredFact } from "./rewired.ts";

const MAX_EDITED = 3;
const MAX_PLACES = 4;

interface Compared {
  readonly isKnown: IsKnownField;
  readonly now: ExecutionWithData;
  readonly before: ExecutionWithData;
  readonly comparison: ExecutionComparison;
  /** The node to explain: nodes that ran after it, or do not lead to it, cannot be the cause. */
  readonly node: string | null;
}

export function comparedFacts({ isKnown, now, before, comparison, node }: Compared): Fact[] {
  // A removed node leads to nothing, and another node may have its name now.
  const nodes = comparison.nodes.filter(({ isRemoved }) => isRemoved !== true);
  const end = nodes.findIndex(({ nodeName }) => nodeName === node);
  const leading = node === null ? null : leadingTo(node, now);
  const leadingNodes = nodes.filter(({ nodeName }) => leading === null || leading.has(nodeName));
  const upTo = leadingNodes.filter((one) => end === -1 || nodes.indexOf(one) <= end);
  // A sub-node runs after the node that it serves has begun.
  const editable = leadingNodes.filter((one) => upTo.includes(one) || isSubNode(now, one.nodeName));
  const edited = editable
    .filter((one) => one.edited.length > 0 && tookPart(one.nodeName, now))
    .slice(0, MAX_EDITED)
    .map((one) => editedFact(one, now, before));
  const differing = upTo.flatMap((one) => keysFact(one, before, isKnown) ?? []);
  const first = differing.find(({ field }) => field !== undefined) ?? differing[0];
  return [
    ...edited,
    ...rewiredFact(now, before, leading),
    ...settingsFact(now, before),
    ...(first === undefined ? [] : [first]),
  ];
}

const isSubNode = (execution: ExecutionWithData, name: string): boolean =>
  allTargetsOf(execution, name).some(({ type }) => type !== "main");

/** Whether a node ran, or is a sub-node of one that did. A node that was interrupted has no run. */
function tookPart(name: string, execution: ExecutionWithData): boolean {
  const ran = runsByNode(execution);
  const served = closureOf([name], (one) =>
    allTargetsOf(execution, one).flatMap(({ node, type }) => (type === "main" ? [] : [node])),
  );
  const isEnded = execution.status === "canceled" || execution.status === "crashed";
  const wasNext = (one: string): boolean =>
    isEnded && [...ran.keys()].some((from) => allTargetsOf(execution, from).some(({ node }) => node === one));
  return ran.size === 0 || [...served].some((one) => ran.has(one) || wasNext(one));
}

/** The node and all from which connections lead to it. */
export function leadingTo(node: string, execution: ExecutionWithData): Set<string> {
  const names = [...nodesByName(execution).keys()];
  const leading = closureOf([node], (target) =>
    names.filter((name) => allTargetsOf(execution, name).some((one) => one.node === target)),
  );
  // A sub-node's connection leads to the node that calls it.
  for (const { node: served, type } of allTargetsOf(execution, node))
    if (type !== "main") leading.add(served);
  return leading.size > 1 ? leading : new Set(names);
}

function editedFact(
  { nodeName, nameBefore = nodeName, edited }: NodeDifference,
  now: ExecutionWithData,
  before: ExecutionWithData,
): Fact {
  const [old, own] = [nodesByName(before).get(nameBefore), nodesByName(now).get(nodeName)];
  const { was, value, path } = firstChange(old?.parameters, own?.parameters) ?? {};
  const saved = partOf(now.workflowData, "updatedAt");
  return {
    kind: "edited",
    node: nodeName,
    before: before.id,
    places: [...new Set(edited.map((path) => placeOf(path, old, own)))].slice(0, MAX_PLACES),
    saved:
      typeof saved === "string" && TIME.test(saved) && saved > (before.startedAt ?? saved) ? saved : null,
    confidence: "compared",
    ...defined({ was, value, valuePath: path }),
  };
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/;

interface Change {
  readonly was: ReadValue;
  readonly value: ReadValue;
  readonly path: readonly string[];
}

/** The first row that differs, with all its scalars: the redactor recognizes secrets by the names around them. */
function firstChange(before: unknown, now: unknown, path: readonly string[] = []): Change | null {
  const [old, own] = [membersOf(before), membersOf(now)];
  const changed = [...new Set([...old.keys(), ...own.keys()])].filter(
    (key) => JSON.stringify(old.get(key)) !== JSON.stringify(own.get(key)),
  );
  const below = changed
    .map((key) => firstChange(old.get(key), own.get(key), [...path, key]))
    .find((one) => one !== null);
  return below ?? (changed.length === 0 ? null : { was: scalarsOf(before), value: scalarsOf(now), path });
}

const membersOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(Array.isArray(value) || isObject(value) ? Object.entries(value) : []);

function scalarsOf(row: unknown): ReadValue {
  const own = isObject(row) ? Object.entries(row) : [];
  return Object.fromEntries(
    own.flatMap(([key, value]) =>
      key === "id" || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
        ? []
        : [[key, value]],
    ),
  );
}

/** Settings of a workflow that change how it runs, by n8n's names. */
const SETTINGS = ["timezone", "executionOrder", "executionTimeout"] as const;

function settingsFact(now: ExecutionWithData, before: ExecutionWithData): Fact[] {
  const of = ({ workflowData }: ExecutionWithData, name: string) => partOf(workflowData?.settings, name);
  const settings = SETTINGS.filter((name) => of(now, name) !== of(before, name));
  if (settings.length === 0) return [];
  const shown = (execution: ExecutionWithData): ReadValue =>
    Object.fromEntries(settings.map((name) => [name, String(of(execution, name) ?? "")]));
  return [
    {
      kind: "edited.settings",
      node: null,
      before: before.id,
      settings,
      value: shown(now),
      was: shown(before),
      confidence: "compared",
    },
  ];
}

function keysFact(
  { nodeName, comparedWith, keys: [first] }: NodeDifference,
  before: ExecutionWithData,
  isKnown: IsKnownField,
): Fact | null {
  // The fact would name `before`, which did not run this node.
  if (comparedWith !== undefined) return null;
  const masked = maskKeys<KeyDifferences>(first ?? NO_KEYS, isKnown);
  // Fields that the workflow does not mention are matched by type and position alone, which is not reliable.
  const isNamed = (path: string): boolean => path !== "" && !path.includes("?");
  const missing = masked.missing.filter(isNamed);
  const added = masked.added.filter(isNamed);
  const changedTypes = masked.changedTypes.filter(({ path }) => isNamed(path));
  if (missing.length + added.length + changedTypes.length === 0) return null;
  const field = missing[0] ?? changedTypes[0]?.path;
  return {
    kind: "differs",
    node: nodeName,
    before: before.id,
    missing,
    added,
    changedTypes,
    confidence: "compared",
    ...defined({ field }),
  };
}
