/**
 * What a trace itself remembers between calls; what it learnt of executions is in the history of its n8n.
 * Plain JSON, checked by its schema when it comes back from storage.
 */
import * as z from "zod";
import { traceWindow } from "../store/trace-window.ts";
import { NOTHING_READ, ownStretches } from "./own-reading.ts";

const mention = z.object({ nodeName: z.string().nullable(), path: z.string() });

export const traceState = z.object({
  /** Counted up when the shape changes: an older state is not read, the trace begins anew. */
  version: z.literal(3),
  /** What was asked: a request id as it is; of a search only a digest, since it may be anyone's data. */
  asked: z.string(),
  window: traceWindow,
  /** True when everything is read anew, for mentions. */
  deep: z.boolean(),
  /** Executions in which the id was looked for beyond the known paths. */
  searched: z.number().int(),
  /** Executions that hold the id elsewhere than at a known path. */
  mentions: z.record(z.string(), mention),
  /** Of a trace or search that believes nothing: what it has read itself. */
  own: ownStretches,
});
export type TraceState = z.infer<typeof traceState>;

/** Where one user's traces stand. */
export interface OwnTraces {
  readonly load: (traceId: string) => TraceState | null;
  readonly save: (traceId: string, state: TraceState) => void;
}

export const MAX_MENTIONS = 200;

export function beginTrace(asked: string, window: TraceState["window"], deep: boolean): TraceState {
  return { version: 3, asked, window, deep, searched: 0, mentions: {}, own: NOTHING_READ };
}
