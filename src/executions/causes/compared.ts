/**
 * What an earlier success of the same workflow adds: the nodes edited since, and the first node that sends different
 * fields or types (on real failures this was the root in 38 of 54). Field names that the workflow itself does not
 * mention are shown as `?`, since they may be payload.
 * Pure.
 */

import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { ExecutionComparison, NodeDifference } from "../comparison/compare-executions.ts";
import type { KeyDifferences } from "../comparison/compare-shapes.ts";
import { maskKeys } from "../comparison/compare-shapes.ts";
import type { IsKnownField } from "../known-fields.ts";
import type { Fact } from "./fact.ts";

const MAX_EDITED = 3;

export interface Compared {
  readonly isKnown: IsKnownField;
  readonly before: ExecutionWithData;
  readonly comparison: ExecutionComparison;
  /** Nodes that ran after it cannot have caused what it did. */
  readonly node: string | null;
}

export function comparedFacts({ isKnown, before, comparison, node }: Compared): Fact[] {
  const { nodes } = comparison;
  const end = nodes.findIndex(({ nodeName }) => nodeName === node);
  const upTo = end === -1 ? nodes : nodes.slice(0, end + 1);
  const edited = upTo
    .filter((one) => one.edited.length > 0)
    .slice(0, MAX_EDITED)
    .map((one) => editedFact(one, before));
  const first = upTo.find(({ keys }) => keys.length > 0);
  return [...edited, ...(first === undefined ? [] : [keysFact(first, before, isKnown)])];
}

const editedFact = ({ nodeName, edited }: NodeDifference, before: ExecutionWithData): Fact => ({
  kind: "edited",
  node: nodeName,
  before: before.id,
  places: [...new Set(edited.map(placeOf))],
  confidence: "compared",
});

/** Keeps the parameter's own name, which its node type defines; deeper keys may be user data. */
const placeOf = (path: string): string =>
  path
    .split(/[.[]/)
    .slice(0, 2)
    .map((name) => (/^[A-Za-z][A-Za-z0-9]{0,60}$/.test(name) ? name : "?"))
    .join(".");

const NO_KEYS: KeyDifferences = { missing: [], added: [], changedTypes: [] };

function keysFact(
  { nodeName, keys: [first] }: NodeDifference,
  before: ExecutionWithData,
  isKnown: IsKnownField,
): Fact {
  const { missing, added, changedTypes } = maskKeys<KeyDifferences>(first ?? NO_KEYS, isKnown);
  const field = [...missing, ...changedTypes.map(({ path }) => path)].find((path) => !path.includes("?"));
  return {
    kind: "differs",
    node: nodeName,
    before: before.id,
    missing,
    added,
    changedTypes,
    confidence: "compared",
    ...(field === undefined ? {} : { field }),
  };
}
