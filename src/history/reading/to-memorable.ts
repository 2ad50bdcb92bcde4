/**
 * Turns a reading into what is stored: correlation ids only as digests, everything of bounded length, and at most a
 * few kilobytes per execution, so that a sender of many ids cannot fill the index. Pure.
 */
import { hasLostData } from "../../executions/execution-facts.ts";
import { keptName } from "../../platform/display-name.ts";
import type { ValuePlace } from "../payload/id-collector.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import { formatKeptPath } from "../request-ids/request-id-paths.ts";
import {
  type CorrelationPlace,
  KNOWN_IN_PART,
  MAX_SUB_EXECUTIONS,
  type MemorableExecution,
} from "../store/memorable-execution.ts";
import { type FilteredId, MAX_FILTERED_IDS, toIdFilter } from "../terms/id-filter.ts";
import type { Reading } from "./reading.ts";

/** Reasons caused by n8n, not by the payload. */
const WITHHELD = "n8n withholds its data (redaction policy): it may contain the id";
const LOST = "n8n lost its data when its worker died: it may have contained the id";

/** Bytes for the id rows of one execution, about ten rows. Further ids go into a filter. */
const MAX_ID_BYTES = 800;
/** With more ids than this in its filter, an execution gets no term filter. */
const MAX_IDS_BESIDE_TERMS = 450;
/** Bytes per id besides node and path: its digest twice, and SQLite's overhead per row. */
const ID_BYTES = 64;

function problemOf(
  { execution, ids, facts, isWithheld, isTooLarge }: Reading,
  isCut: boolean,
): string | null {
  if (isWithheld) return WITHHELD;
  if (hasLostData(facts)) return LOST;
  if (isTooLarge) return KNOWN_IN_PART.tooLarge;
  if (ids.isPartial || isCut) return KNOWN_IN_PART.beyondReading;
  return execution.subExecutions.length > MAX_SUB_EXECUTIONS ? KNOWN_IN_PART.manyCalls : null;
}

type FoundValue = readonly [value: string, place: ValuePlace & { readonly isOpen?: boolean }];

/** Round-robin over the nodes in the order of execution, so that none displaces others. The `wanted` id comes first. */
function inTurns({ ids }: Reading, wanted: string | null): FoundValue[] {
  const all: FoundValue[] = [...ids.correlations, ...ids.customValues];
  if (all.length < 2) return all;
  const byOrder = all.toSorted(([, { run: a }], [, { run: b }]) => (a?.order ?? -1) - (b?.order ?? -1));
  const turns = new Map<string | undefined, number>();
  const inTurn = byOrder.map((found) => {
    const [value, { run }] = found;
    const turn = turns.get(run?.nodeName) ?? 0;
    turns.set(run?.nodeName, turn + 1);
    return { found, turn: value === wanted ? -1 : turn };
  });
  return inTurn.toSorted((one, other) => one.turn - other.turn).map(({ found }) => found);
}

/** @param wanted an id that gets a row before all others */
export function toMemorable(
  reading: Reading,
  digest: CorrelationDigest,
  wanted: string | null = null,
): MemorableExecution {
  const { execution } = reading;
  const correlations: CorrelationPlace[] = [];
  const others: FilteredId[] = [];
  let room = MAX_ID_BYTES;
  for (const [value, place] of inTurns(reading, wanted)) {
    const id = { digest: digest(value), needsData: place.isOpen !== true };
    const nodeName = keptName(place.run?.nodeName ?? null);
    const path = formatKeptPath(place.path);
    room -= ID_BYTES + Buffer.byteLength(path) + Buffer.byteLength(nodeName ?? "");
    if (room >= 0 || correlations.length === 0) correlations.push({ ...id, nodeName, path });
    else others.push(id);
  }
  return {
    execution: {
      ...execution,
      workflowName: keptName(execution.workflowName),
      mcpTrigger: keptName(execution.mcpTrigger),
      subExecutions: execution.subExecutions
        .slice(0, MAX_SUB_EXECUTIONS)
        .map(({ executionId, nodeName }) => ({ executionId, nodeName: keptName(nodeName) })),
    },
    correlations,
    otherIds: toIdFilter(others),
    problem: problemOf(reading, others.length > MAX_FILTERED_IDS),
    facts: reading.facts,
    termFilter: others.length > MAX_IDS_BESIDE_TERMS ? null : reading.termFilter,
  };
}
