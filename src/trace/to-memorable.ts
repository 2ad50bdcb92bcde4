/** From what was read to what is remembered: of correlation ids, only digests. Pure. */
import type { CorrelationDigest } from "./correlation-digest.ts";
import type { MemorableExecution } from "./execution-memory.ts";
import type { Reading } from "./read-executions.ts";
import { formatPath } from "./request-id-paths.ts";

/** Why something that was read is not known wholly. */
const PARTIAL = "parts of it are too large, or its ids too many, to be looked at";

export function toMemorable({ execution, look }: Reading, digest: CorrelationDigest): MemorableExecution {
  return {
    execution,
    correlations: [...look.correlations].map(([value, place]) => ({
      digest: digest(value),
      nodeName: place.run?.nodeName ?? null,
      path: formatPath(place.path),
    })),
    problem: look.isPartial ? PARTIAL : null,
    isRead: true,
  };
}
