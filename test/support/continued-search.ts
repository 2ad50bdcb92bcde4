/** A search of one user over one or more calls, each continuing the one before. */
import type { SearchedFor } from "../../src/history/payload/search-target.ts";
import type { SharedThread } from "../../src/history/reading/shared-thread.ts";
import type { HistorySearch } from "../../src/history/search/search-query.ts";
import type { TraceWindow } from "../../src/history/store/trace-window.ts";
import type { View } from "../../src/n8n/view.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import type { FakeN8n } from "./fake-n8n.ts";
import { queriesOf } from "./local-history.ts";
import { type TestTraces, WINDOW } from "./test-traces.ts";

interface SharedHistory {
  readonly traces: TestTraces;
  readonly n8n: FakeN8n;
  /** The user; by default one with the view of `traces`. Their rules may change between two calls. */
  readonly user?: { readonly userId: string; readonly view: View };
  /** Receives the progress messages. */
  readonly progress?: (message: string) => void;
}

export class ContinuedSearch {
  /** Ids of the executions with hits in all calls. */
  readonly found = new Set<string>();
  readonly #at: SharedHistory;
  readonly #query: SearchedFor;
  readonly #window: TraceWindow;
  #searchId: string | undefined;
  readonly #thread: SharedThread;

  /** @param at the shared history and its n8n */
  constructor(at: SharedHistory, query: SearchedFor, window: TraceWindow = WINDOW) {
    this.#at = at;
    this.#query = query;
    this.#window = window;
    this.#thread = sometimesShared(async () => await at.traces.clock.sleep(0));
  }

  /** @returns null when n8n failed */
  async call(limit: number): Promise<HistorySearch | null> {
    const { traces, n8n, user = { userId: "anna", view: traces.view }, progress } = this.#at;
    const sources = traces.sourcesOf(n8n);
    const newId = (): string => String(Math.random());
    const queries = queriesOf(traces.history, {
      userId: user.userId,
      view: user.view,
      sources,
      newId,
      thread: this.#thread,
    });
    const range = { window: this.#window, limit, maxHits: 10_000, timeBudgetMs: 20_000 };
    const args = { ...range, query: this.#query, searchId: this.#searchId };
    try {
      const tell = async (_read: number, message: string) => progress?.(message);
      const answer = await queries.search(args, tell, sources.redactLarge);
      this.#searchId = answer.searchId;
      for (const { executionId } of answer.hits) this.found.add(executionId);
      return answer;
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      // The search has expired, or its position was lost with a failed answer.
      if (error.code === "TRACE_NOT_FOUND") this.#restart();
      return null;
    }
  }

  #restart(): void {
    this.#searchId = undefined;
    this.found.clear();
  }
}

/** A thread that is shared on and off, so that pages are small or large, and read one or two at a time. */
function sometimesShared(giveWay: () => Promise<void>): SharedThread {
  let looks = 0;
  return {
    get isShared() {
      looks += 1;
      return looks % 5 < 3;
    },
    giveWay,
  };
}
