/** From what was read to what is remembered: of correlation ids, only digests; all of bounded length. Pure. */

import { keptName } from "../../platform/display-name.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import { formatKeptPath } from "../request-ids/request-id-paths.ts";
import type { MemorableExecution } from "../store/memorable-execution.ts";
import type { Reading } from "./read-executions.ts";

/** Why something that was read is not known wholly. */
const WITHHELD = "n8n withholds its data (redaction policy): the id may stand in it";
const TOO_LARGE =
  "its data is too large for n8n to display (EXECUTIONS_DATA_MAX_DISPLAY_SIZE): the id may stand in it";
const PARTIAL = "parts of it are too large, or its ids too many, to be looked at";

/** Executions that one has called; thirty times what a trace shows. */
export const MAX_SUB_EXECUTIONS = 10_000;
const MANY_CALLS = `it called more than ${MAX_SUB_EXECUTIONS} executions, and only so many are remembered`;

function problemOf({ execution, look, isWithheld, isTooLarge }: Reading): string | null {
  if (isWithheld) return WITHHELD;
  if (isTooLarge) return TOO_LARGE;
  if (look.isPartial) return PARTIAL;
  return execution.subExecutions.length > MAX_SUB_EXECUTIONS ? MANY_CALLS : null;
}

export function toMemorable(reading: Reading, digest: CorrelationDigest): MemorableExecution {
  const { execution, look } = reading;
  return {
    execution: {
      ...execution,
      workflowName: keptName(execution.workflowName),
      subExecutions: execution.subExecutions
        .slice(0, MAX_SUB_EXECUTIONS)
        .map(({ executionId, nodeName }) => ({ executionId, nodeName: keptName(nodeName) })),
    },
    correlations: [...look.correlations, ...look.customValues].map(([value, place]) => ({
      digest: digest(value),
      needsData: !("isOpen" in place && place.isOpen),
      nodeName: keptName(place.run?.nodeName ?? null),
      path: formatKeptPath(place.path),
    })),
    problem: problemOf(reading),
    facts: reading.facts,
    termFilter: reading.termFilter,
  };
}
