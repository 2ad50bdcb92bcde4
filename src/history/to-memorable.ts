/** From what was read to what is remembered: of correlation ids, only digests. Pure. */
import type { CorrelationDigest } from "./correlation-digest.ts";
import type { MemorableExecution } from "./execution-memory.ts";
import type { Reading } from "./read-executions.ts";
import { formatPath } from "./request-id-paths.ts";

/** Why something that was read is not known wholly. */
const WITHHELD = "n8n withholds its data (redaction policy): the id may stand in it";
const TOO_LARGE =
  "its data is too large for n8n to display (EXECUTIONS_DATA_MAX_DISPLAY_SIZE): the id may stand in it";
const PARTIAL = "parts of it are too large, or its ids too many, to be looked at";

function problemOf({ look, isWithheld, isTooLarge }: Reading): string | null {
  if (isWithheld) return WITHHELD;
  if (isTooLarge) return TOO_LARGE;
  return look.isPartial ? PARTIAL : null;
}

export function toMemorable(reading: Reading, digest: CorrelationDigest): MemorableExecution {
  const { execution, look } = reading;
  return {
    execution,
    correlations: [...look.correlations, ...look.customValues].map(([value, place]) => ({
      digest: digest(value),
      nodeName: place.run?.nodeName ?? null,
      path: formatPath(place.path),
    })),
    problem: problemOf(reading),
    isRead: true,
  };
}
