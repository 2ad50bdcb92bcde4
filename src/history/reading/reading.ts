/** What is read of an execution, and the dependencies for reading it. */

import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import type { N8nClient } from "../../n8n/client.ts";
import type { WalkedExecution } from "../../n8n/execution-walk.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CollectedIds } from "../payload/id-collector.ts";
import type { RedactLarge } from "../payload/payload-items.ts";
import type { PayloadSearch, SearchedPayload } from "../payload/payload-search.ts";
import type { ComparableIds } from "../request-ids/comparable-ids.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import type { TermTaking } from "../terms/term-reading.ts";
import type { PageSize } from "./page-size.ts";
import type { SharedThread } from "./shared-thread.ts";

export interface Reading extends Pick<WalkedExecution, "isWithheld" | "isTooLarge" | "savesProgress"> {
  readonly execution: TracedExecution;
  readonly ids: CollectedIds;
  /** Null when no search is running. */
  readonly searched: SearchedPayload | null;
  readonly facts: ExecutionFacts;
  /** Made only from redacted data; null when there are too many terms. */
  readonly termFilter: Uint8Array | null;
}

export interface ReadingEvents {
  read(reading: Reading): void;
  /** @param id null if it could not be read either */
  unreadable(id: string | null, reason: string): void;
  /** Listed, but deleted by n8n before it was read. */
  vanished(id: string): void;
}

/** The same events with another `read`. */
export const replaceRead = (events: ReadingEvents, read: ReadingEvents["read"]): ReadingEvents => ({
  read,
  unreadable: (id, reason) => events.unreadable(id, reason),
  vanished: (id) => events.vanished(id),
});

/** What a scan reads with, whichever executions it reads. */
export interface ReadSources {
  readonly client: N8nClient;
  readonly paths: ComparableIds;
  readonly digest: CorrelationDigest;
  readonly redactLarge: RedactLarge;
  /** Called for each execution that has streamed in. */
  readonly countExecution?: (() => void) | undefined;
  readonly clock: Clock;
}

export interface ReadOptions extends ReadSources {
  readonly terms: TermTaking;
  readonly search: PayloadSearch | null;
  /** For a search only, which pauses for other users; a shared scan must not, because others wait for it. */
  readonly thread?: SharedThread;
  /** Epoch ms. */
  readonly deadline: number;
  readonly pageSize: PageSize;
}
