/** n8n's lists of the executions with one status, without data, and single reads of listed executions. */
import { filtersByStatus } from "../../n8n/capabilities/capabilities.ts";
import type { ExecutionQuery } from "../../n8n/client.ts";
import { refusalOf } from "../../n8n/refusal.ts";
import type { ExecutionListItem, ExecutionStatus } from "../../n8n/schemas.ts";
import { ObserverError } from "../../platform/errors.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import type { ReadingEvents } from "../reading/reading.ts";
import { MAX_LISTED } from "../store/tables.ts";
import type { ScanSession } from "./session.ts";

export interface StatusList {
  readonly items: readonly ExecutionListItem[];
  /** False if older executions were left out. */
  readonly isWhole: boolean;
  /** Number of requests, including failed ones. */
  readonly requests: number;
}

/** Bounds of a longer list. */
export interface LongListLimits {
  readonly most: number;
  /** Epoch ms. */
  readonly until: number;
}

export class StatusLists {
  readonly #session: ScanSession;

  constructor(session: ScanSession) {
    this.#session = session;
  }

  async canList(status: ExecutionStatus): Promise<boolean> {
    return filtersByStatus(await this.#session.options.capabilities.get(), status);
  }

  query(status: ExecutionStatus, limit: number, cursor?: string): ExecutionQuery {
    return { workflowId: this.#session.options.window.workflowId ?? undefined, status, limit, cursor };
  }

  /**
   * The newest executions with this status, without data; empty if n8n refuses to filter by it.
   * @param more to list more than `MAX_LISTED`
   */
  async allOf(status: ExecutionStatus, more?: LongListLimits): Promise<StatusList> {
    const { clock } = this.#session.options;
    const mayList = (listed: number): boolean =>
      listed < MAX_LISTED || (more !== undefined && listed < more.most && clock.now() < more.until);
    const items: ExecutionListItem[] = [];
    let requests = 0;
    let cursor: string | undefined;
    try {
      // Counts pages, not items: a page may have no readable items and still have a next page.
      for (let listed = 0; mayList(listed); listed += MAX_PAGE_SIZE) {
        const page = await this.#session.list(this.query(status, MAX_PAGE_SIZE, cursor));
        items.push(...page.executions);
        requests += page.tries;
        if (page.nextCursor === null) return { items, isWhole: true, requests };
        cursor = page.nextCursor;
      }
    } catch (error) {
      if (!(await this.#isRefused(error))) throw error;
      return { items: [], isWhole: true, requests };
    }
    return { items, isWhole: false, requests };
  }

  /** True if n8n no longer filters by this status. Such executions are then requested by their ids. */
  async #isRefused(error: unknown): Promise<boolean> {
    const refusal = refusalOf(error);
    if (refusal?.parameter !== "status") return false;
    await this.#session.options.capabilities.learn({ statuses: [...refusal.allowed] });
    return true;
  }

  /** @param what the beginning of the reason if n8n fails @param events see `ScanSession.readOne` */
  async readAgain(id: string, what: string, events?: ReadingEvents): Promise<void> {
    const outcome = await this.#session.readOne(id, events);
    if (outcome === "gone") this.#session.ledger.noteDeleted(id);
    else if (outcome instanceof ObserverError)
      this.#session.ledger.unreadable(id, `${what}n8n failed to return it (${outcome.code})`);
  }
}
