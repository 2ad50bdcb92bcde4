/** What a trace remembers itself by: the calling user's memory, wherever it is kept. */
import type { Checkpoint, ExecutionMemory } from "./execution-memory.ts";
import type { TraceState } from "./trace-state.ts";

/** A method of the memory, seen from outside of it. */
type Remote<Method extends keyof ExecutionMemory> = ExecutionMemory[Method] extends (
  ...args: infer Arguments
) => infer Result
  ? (...args: Arguments) => Promise<Result>
  : never;

export interface TraceMemory {
  readonly known: Remote<"known">;
  readonly unknownOf: Remote<"unknownOf">;
  readonly gapsIn: Remote<"gapsIn">;
  readonly matchesOf: Remote<"matchesOf">;
  readonly correlationsOf: Remote<"correlationsOf">;
  readonly coverage: Remote<"coverage">;
  readonly executions: Remote<"executions">;
  readonly family: Remote<"family">;
  readonly request: Remote<"request">;
  keep(checkpoint: Checkpoint): Promise<void>;
  /** Null when there is none, it has expired, or its shape is not the present one. */
  loadTrace(traceId: string): Promise<TraceState | null>;
  saveTrace(traceId: string, state: TraceState): Promise<void>;
}
