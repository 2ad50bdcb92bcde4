/**
 * A checkpoint in parts that a call of a Durable Object can carry: 32 MiB at most. What is claimed of the whole
 * comes with the last. Pure.
 */
import type { Checkpoint, MemorableExecution } from "./execution-memory.ts";

/** At most two bytes each on their way: 8 MB, and one execution more. */
export const MAX_PART_CHARACTERS = 4_000_000;
/** Names of members, and what tells lengths and types. */
const AROUND_AN_ENTRY = 60;

/** In the order in which they are to be kept; at least one. */
export function* partsOf(checkpoint: Checkpoint): Generator<Checkpoint> {
  let { forgotten } = checkpoint;
  let executions: MemorableExecution[] = [];
  let characters = 0;
  for (const one of checkpoint.executions) {
    const own = charactersOf(one);
    if (executions.length > 0 && characters + own > MAX_PART_CHARACTERS) {
      yield { executions, forgotten, empty: [], claims: [], generation: checkpoint.generation };
      forgotten = [];
      executions = [];
      characters = 0;
    }
    executions.push(one);
    characters += own;
  }
  yield { ...checkpoint, executions, forgotten };
}

function charactersOf({ correlations, execution: { subExecutions } }: MemorableExecution): number {
  const inCorrelations = correlations.reduce(
    (sum, { digest, nodeName, path }) =>
      sum + AROUND_AN_ENTRY + digest.length + (nodeName?.length ?? 0) + path.length,
    0,
  );
  return subExecutions.reduce(
    (sum, { executionId, nodeName }) => sum + AROUND_AN_ENTRY + executionId.length + nodeName.length,
    inCorrelations,
  );
}
