/**
 * What a trace itself remembers between calls; what it learnt of executions is in the memory of its user.
 * Plain JSON, checked by its schema when it comes back from storage.
 */
import * as z from "zod";
import { traceWindow } from "./trace-window.ts";

/** Something that could not be looked at, and why. */
export interface SkippedExecution {
  readonly executionId: string | null;
  readonly reason: string;
}

const mention = z.object({ nodeName: z.string().nullable(), path: z.string() });

export const traceState = z.object({
  /** Counted up when the shape changes: an older state is not read, the trace begins anew. */
  version: z.literal(2),
  /** What was asked: a request id as it is; of a search only a digest, since it may be anyone's data. */
  asked: z.string(),
  window: traceWindow,
  /** True when everything is read anew, for mentions. */
  deep: z.boolean(),
  /** Executions in which the id was looked for beyond the known paths. */
  searched: z.number().int(),
  /** Executions that hold the id elsewhere than at a known path. */
  mentions: z.record(z.string(), mention),
});
export type TraceState = z.infer<typeof traceState>;

export const MAX_MENTIONS = 200;

export function beginTrace(asked: string, window: TraceState["window"], deep: boolean): TraceState {
  return { version: 2, asked, window, deep, searched: 0, mentions: {} };
}

/** The scopes under which a trace that believes nothing keeps what it has read. */
export interface OwnScopes {
  /** Stretches that need not be listed again: nothing can have been missed in them. */
  readonly settled: string;
  /** Stretches whose executions need not be read again. */
  readonly read: string;
}

export const scopesOfTrace = (traceId: string): OwnScopes => ({
  settled: traceId,
  read: `${traceId}/read`,
});

/** The same scope, where executions may be in no list: a claim then leaves out the gaps. */
export const hiddenScope = (scope: string): string => `${scope}/listed`;

/** Every scope that a trace may have kept something under. */
export const allScopesOfTrace = (traceId: string): string[] =>
  Object.values(scopesOfTrace(traceId)).flatMap((scope) => [scope, hiddenScope(scope)]);
