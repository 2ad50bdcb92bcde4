/**
 * What an earlier success of the same workflow adds: nodes that were edited since, and the first that sends other fields
 * or types (on real failures the root in 38 of 54). Names of fields that the workflow does not mention itself are `?`: they may be payload.
 * Pure.
 */

import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { ExecutionComparison, NodeDifference } from "../comparison/compare-executions.ts";
import type { KeyDifferences } from "../comparison/compare-shapes.ts";
import { maskKeys } from "../comparison/mask-keys.ts";
import type { IsKnownField } from "../known-fields.ts";
import type { Finding } from "./finding.ts";

/** More than these in one sentence nobody reads. */
const MAX_NAMES = 3;
const MAX_EDITED = 3;

export interface Compared {
  /** Which names of fields may be told. */
  readonly isKnown: IsKnownField;
  readonly before: ExecutionWithData;
  readonly comparison: ExecutionComparison;
  /** Nodes that ran after it, or beside it, are no reason for what it did. */
  readonly node: string | null;
}

export function comparedFindings({ isKnown, before, comparison, node }: Compared): Finding[] {
  const { nodes } = comparison;
  const end = nodes.findIndex(({ nodeName }) => nodeName === node);
  const upTo = end === -1 ? nodes : nodes.slice(0, end + 1);
  const edited = upTo
    .filter((one) => one.edited.length > 0)
    .slice(0, MAX_EDITED)
    .map((one) => editedFinding(one, before));
  const first = upTo.find(({ keys }) => keys.length > 0);
  return [...edited, ...(first === undefined ? [] : [keysFinding(first, before, isKnown)])];
}

function editedFinding({ nodeName, edited }: NodeDifference, before: ExecutionWithData): Finding {
  const places = [...new Set(edited.map(placeOf))];
  return {
    cause: "edited",
    node: nodeName,
    sentence: `${quoted(nodeName)} was edited since the last success (execution ${before.id}): ${listed(places)}.`,
    confidence: "compared",
  };
}

/** The parameter's own name, as its node type has it; below it, keys may be anybody's. */
const placeOf = (path: string): string =>
  path
    .split(/[.[]/)
    .slice(0, 2)
    .map((name) => (/^[A-Za-z][A-Za-z0-9]{0,60}$/.test(name) ? name : "?"))
    .join(".");

function keysFinding(
  { nodeName, keys }: NodeDifference,
  before: ExecutionWithData,
  isKnown: (key: string) => boolean,
): Finding {
  const [all] = keys;
  const masked = maskKeys<KeyDifferences>(all ?? { missing: [], added: [], changedTypes: [] }, isKnown);
  const parts = [
    part(masked.missing, "lacks"),
    part(masked.added, "has new"),
    masked.changedTypes.length === 0
      ? ""
      : listed(
          masked.changedTypes.map(
            ({ path, before: old, now }) => `${quoted(path)} is ${now.join(" or ")}, was ${old.join(" or ")}`,
          ),
        ),
  ].filter((text) => text !== "");
  const [field] = [...masked.missing, ...masked.changedTypes.map(({ path }) => path)].filter(
    (path) => !path.includes("?"),
  );
  return {
    cause: "differs",
    node: nodeName,
    sentence: `What ${quoted(nodeName)} sent differs from the last success (execution ${before.id}): it ${parts.join("; ")}.`,
    confidence: "compared",
    ...(field === undefined ? {} : { field }),
  };
}

const part = (paths: readonly string[], words: string): string =>
  paths.length === 0 ? "" : `${words} ${listed(paths.map((path) => quoted(path)))}`;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length <= MAX_NAMES
    ? shown
    : `${shown} and ${counted(names.length - MAX_NAMES, "more", "more")}`;
}
