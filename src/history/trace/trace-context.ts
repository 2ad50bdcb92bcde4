/** What the parts of one trace call share. */
import { PageSize } from "../reading/page-size.ts";
import type { OwnReads } from "../resuming/own-reads.ts";
import type { TraceState } from "../resuming/trace-state.ts";
import { takeTerms } from "../terms/term-reading.ts";
import type { Finder } from "./find-matches.ts";
import type { TraceDependencies, TraceQuery } from "./history-trace.ts";
import type { SingleReadOptions } from "./single-reads.ts";

export interface TraceContext {
  readonly args: TraceQuery;
  readonly dependencies: TraceDependencies;
  /** A copy for this call; `searched` and `mentions` grow while it reads. */
  readonly state: TraceState;
  readonly own: OwnReads;
  readonly finder: Finder;
  /** Epoch ms. */
  readonly deadline: number;
}

export function readOptionsOf({ dependencies, deadline }: TraceContext): SingleReadOptions {
  const { store, known, sources, disconnected } = dependencies;
  const client = disconnected === undefined ? sources.client : sources.client.until(disconnected);
  const terms = takeTerms(sources.terms, Number.POSITIVE_INFINITY);
  const pageSize = new PageSize();
  return { ...sources, client, store, known, terms, deadline, search: null, pageSize };
}
