/**
 * n8n as one caller may see it: the only client that tools have. Methods do what those of `N8nClient` do, through the
 * caller's view.
 *
 * Hidden workflows and executions are treated as if they did not exist: in texts, in requests to n8n, in counts and in
 * pages. An execution is first requested without its data, so that a hidden one costs as much as a missing one. A link
 * to another workflow shows only that (`ANOTHER_WORKFLOW`). A visible workflow's data and definition are shown whole.
 */
import type { ReadBounds } from "../json/bounded-reader.ts";
import { mapConcurrently } from "../platform/bounded-concurrency.ts";
import { ObserverError } from "../platform/errors.ts";
import { isNewer, newestFirst } from "../platform/id-order.ts";
import { learnEverything } from "./capabilities/learn.ts";
import type { KnownCapabilities } from "./capabilities/store.ts";
import type { ExecutionQuery, ListedExecutions, N8nClient, WorkflowQuery } from "./client.ts";
import { cursorBelow, readExecutionCursor, withLimit } from "./execution-cursor.ts";
import { executionNotFound, workflowNotFound } from "./n8n-errors.ts";
import type { RequestOptions } from "./requests.ts";
import type { ExecutionListItem, ExecutionWithData, WorkflowListItem } from "./schemas.ts";
import { View } from "./view.ts";
import { withoutHiddenLinks } from "./visible-links.ts";
import type { ListedWorkflow } from "./workflow-reading.ts";

const PAGE = 250;
/** For up to this many workflows, executions are listed separately for each workflow. */
const FEW_WORKFLOWS = 20;
/** How far a list is searched for visible entries. Time is checked before each page, so the last one may exceed it. */
const MAX_PAGES = 40;
const MAX_SEARCH_MS = 30_000;
const CONCURRENCY = 2;

interface Found extends Pick<ListedExecutions, "unrecognizedIds"> {
  /** Newest first; one more than requested, if there are more. */
  readonly found: readonly ExecutionListItem[];
  /** The id at which a list was cut, below which it may have more; null if none was cut, or enough was found. */
  readonly downTo: string | null;
}

const NO_EXECUTIONS: ListedExecutions = { executions: [], unrecognizedIds: [], nextCursor: null };

export class VisibleN8n {
  readonly #client: N8nClient;
  readonly #view: () => Promise<View>;
  readonly #isForData: boolean;

  /** @param isForData whether the tool shows payload, whatever it reads */
  constructor(client: N8nClient, view: () => Promise<View>, isForData = false) {
    this.#client = client;
    this.#view = view;
    this.#isForData = isForData;
  }

  /** For the operator, and for data that is stored for all callers. */
  static whole(client: N8nClient): VisibleN8n {
    return new VisibleN8n(client, async () => View.everything);
  }

  /** Whether the view hides nothing, so that an id unknown to n8n does not exist. */
  async seesAll(): Promise<boolean> {
    return (await this.#view()).ids === null;
  }

  /** Throws if n8n does not answer; the answer itself is ignored. */
  async probe(): Promise<void> {
    await this.#client.listExecutions({ limit: 1 });
  }

  async discoverScopes(): Promise<string[] | undefined> {
    return await this.#client.discoverScopes();
  }

  /** Needs no view: capabilities reveal nothing about what n8n holds. */
  async learnEverything(isLate: () => boolean) {
    return await learnEverything(this.#client, isLate);
  }

  async withStatuses(capabilities: KnownCapabilities) {
    return await capabilities.withStatuses(this.#client);
  }

  async listWorkflows(
    query: WorkflowQuery,
    options: RequestOptions = {},
  ): ReturnType<N8nClient["listWorkflows"]> {
    const view = await this.#view();
    if (view.ids === null) return await this.#client.listWorkflows(query, options);
    const visible: WorkflowListItem[] = [];
    const unread: (string | null)[] = [];
    const offset = offsetOf(query.cursor);
    const end = offset + query.limit;
    const isRead = await readPages(undefined, async (cursor) => {
      const page = await this.#client.listWorkflows({ ...query, limit: PAGE, cursor }, options);
      visible.push(...page.workflows.filter(({ id }) => view.has(id)));
      unread.push(...page.unread.filter((id) => view.has(id)));
      return visible.length > end ? null : page.nextCursor;
    });
    const workflows = visible.slice(offset, end);
    if (!isRead && workflows.length === 0) throw tooManyHiddenWorkflows();
    const next = { offset: offset + workflows.length, limit: query.limit };
    const isLast = isRead && visible.length <= end;
    return { workflows, unread, nextCursor: isLast ? null : btoa(JSON.stringify(next)) };
  }

  async listWorkflowFacts(query: WorkflowQuery, options: RequestOptions = {}) {
    const view = await this.#view();
    const listed = await this.#client.listWorkflowFacts(query, options);
    if (view.ids === null) return listed;
    return {
      ...listed,
      workflows: listed.workflows.filter(({ id }) => view.has(id)),
      unread: listed.unread.filter((id) => view.has(id)),
    };
  }

  async streamWorkflows(
    query: WorkflowQuery,
    take: (listed: ListedWorkflow) => void,
    options: RequestOptions = {},
  ): Promise<string | null> {
    const view = await this.#view();
    const isVisible = (listed: ListedWorkflow) =>
      view.has(listed.kind === "read" ? listed.workflow.id : listed.id);
    return await this.#client.streamWorkflows(query, (listed) => isVisible(listed) && take(listed), options);
  }

  readonly readWorkflowWithNodes = this.#ofWorkflow((id, options?: RequestOptions) =>
    this.#client.readWorkflowWithNodes(id, options),
  );
  readonly readWorkflowSource = this.#ofWorkflow((id) => this.#client.readWorkflowSource(id));
  readonly readWorkflowVersion = this.#ofWorkflow((id, versionId: string) =>
    this.#client.readWorkflowVersion(id, versionId),
  );
  readonly listWorkflowVersions = this.#ofWorkflow((id, limit: number) =>
    this.#client.listWorkflowVersions(id, limit),
  );
  readonly readWorkflowName = this.#ofWorkflow((id) => this.#client.readWorkflowName(id));

  /** @throws ObserverError also `VALIDATION_ERROR`, when too many hidden executions would have to be skipped */
  async listExecutions(query: ExecutionQuery, options: RequestOptions = {}): Promise<ListedExecutions> {
    const view = await this.#view();
    const { ids } = view;
    if (ids === null) return await this.#client.listExecutions(query, options);
    if (query.workflowId !== undefined)
      return view.has(query.workflowId) ? await this.#client.listExecutions(query, options) : NO_EXECUTIONS;
    // Ask for one more, to know whether there are more.
    const limit = Math.min(query.limit, PAGE - 1);
    const { found, unrecognizedIds, downTo } =
      ids.length <= FEW_WORKFLOWS
        ? await this.#listOfEach(ids, { ...query, limit: limit + 1 }, options)
        : await this.#listFiltered(view, query, options);
    const executions = found.slice(0, limit);
    const end = found.length > limit ? (executions.at(-1)?.id ?? null) : downTo;
    const isListed = (id: string | null): boolean => id === null || end === null || !isNewer(end, id);
    return {
      executions,
      unrecognizedIds: unrecognizedIds.filter(isListed),
      nextCursor: end === null ? null : cursorBelow(end, limit),
    };
  }

  async #listOfEach(
    ids: readonly string[],
    { cursor, ...query }: ExecutionQuery,
    options: RequestOptions,
  ): Promise<Found> {
    const from = cursor === undefined ? {} : { cursor: withLimit(cursor, query.limit) };
    const lists = await mapConcurrently(ids, CONCURRENCY, async (workflowId) => {
      const queryOfWorkflow = { ...query, ...from, workflowId };
      return await this.#client.listExecutions(queryOfWorkflow, options);
    });
    // Below this id, a list that was cut may have more.
    const [downTo = null] = lists.flatMap((list) => lowestIdOf(list) ?? []).sort(newestFirst);
    const found = lists
      .flatMap(({ executions }) => executions)
      .filter(({ id }) => downTo === null || !isNewer(downTo, id))
      .sort((a, b) => newestFirst(a.id, b.id));
    return { found, unrecognizedIds: lists.flatMap((list) => list.unrecognizedIds), downTo };
  }

  async #listFiltered(
    view: View,
    { cursor: from, ...query }: ExecutionQuery,
    options: RequestOptions,
  ): Promise<Found> {
    const found: ExecutionListItem[] = [];
    const first = from === undefined ? undefined : withLimit(from, PAGE);
    const isRead = await readPages(first, async (cursor) => {
      const listed = await this.#client.listExecutions({ ...query, limit: PAGE, cursor }, options);
      found.push(...listed.executions.filter(({ workflowId }) => view.has(workflowId)));
      return found.length > query.limit ? null : listed.nextCursor;
    });
    const last = found.at(-1);
    if (!isRead && last === undefined) throw tooManyHiddenExecutions();
    return { found, unrecognizedIds: [], downTo: isRead || last === undefined ? null : last.id };
  }

  async readExecutions(
    query: ExecutionQuery,
    bounds: ReadBounds,
    options: RequestOptions = {},
  ): Promise<readonly ExecutionWithData[]> {
    const view = await this.#view();
    if (query.workflowId !== undefined && !view.has(query.workflowId)) return [];
    const read = await this.#client.readExecutions(query, bounds, options);
    return read
      .filter(({ workflowId }) => view.has(workflowId))
      .map((execution) => withoutHiddenLinks(execution, view));
  }

  async readExecutionItem(id: string, options: RequestOptions = {}): Promise<ExecutionListItem> {
    const view = await this.#view();
    const item = await this.#client.readExecutionItem(id, options);
    if (!view.has(item.workflowId)) throw executionNotFound(id);
    if (this.#isForData && !view.mayReadData(item.workflowId)) throw needsData(id);
    return item;
  }

  async readExecution(
    id: string,
    bounds: ReadBounds,
    options: RequestOptions = {},
  ): Promise<ExecutionWithData> {
    const view = await this.#view();
    if (view.ids !== null || (this.#isForData && !view.isWhole)) await this.readExecutionItem(id, options);
    const execution = await this.#client.readExecution(id, bounds, options);
    // If n8n was restored in between, the id may now belong to another execution.
    if (!view.has(execution.workflowId)) throw executionNotFound(id);
    return withoutHiddenLinks(execution, view);
  }

  /** Sends no request for a hidden workflow, which throws as a missing one does. */
  #ofWorkflow<Others extends readonly unknown[], Read>(
    read: (id: string, ...others: Others) => Promise<Read>,
  ) {
    return async (id: string, ...others: Others): Promise<Read> => {
      if (!(await this.#view()).has(id)) throw workflowNotFound(id);
      return await read(id, ...others);
    };
  }
}

/**
 * Reads page after page, up to `MAX_PAGES` and `MAX_SEARCH_MS`.
 * @param readPage returns where the next one begins, null if no more is needed
 * @returns false if more would be needed
 */
async function readPages(
  first: string | undefined,
  readPage: (cursor: string | undefined) => Promise<string | null>,
): Promise<boolean> {
  const until = Date.now() + MAX_SEARCH_MS;
  let cursor = first;
  for (let page = 0; page < MAX_PAGES && Date.now() < until; page += 1) {
    const next = await readPage(cursor);
    if (next === null) return true;
    cursor = next;
  }
  return false;
}

/** The lowest id of a list that has more pages; null if it has none. */
function lowestIdOf({ executions, unrecognizedIds, nextCursor }: ListedExecutions): string | null {
  if (nextCursor === null) return null;
  const ids = [...executions.map(({ id }) => id), ...unrecognizedIds.filter((id) => id !== null)];
  return readExecutionCursor(nextCursor)?.lastId ?? ids.toSorted(newestFirst).at(-1) ?? null;
}

/** The offset in our own cursor, which has n8n's form; 0 for any other cursor. */
function offsetOf(cursor: string | undefined): number {
  try {
    const { offset } = Object(JSON.parse(atob(cursor ?? "")));
    return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
  } catch {
    return 0;
  }
}

const tooManyHiddenExecutions = (): ObserverError =>
  new ObserverError(
    "VALIDATION_ERROR",
    "Too few of n8n's newest executions are of workflows that you may see.",
    {
      field: "workflowId",
      expected: "the id of a workflow, or its name as workflowName",
      solution: "Call again for one workflow: list_workflows has those that you may see.",
    },
  );

const tooManyHiddenWorkflows = (): ObserverError =>
  new ObserverError("N8N_TIMEOUT", "n8n's list of workflows is too long to be looked through for yours.", {
    timeoutMs: MAX_SEARCH_MS,
    solution: "Call again with what narrows the list: a name, a tag or a project.",
  });

const needsData = (id: string): ObserverError =>
  new ObserverError("INSUFFICIENT_SCOPE", `You may see execution ${id}, but not its payload.`, {
    expected: "n8n:read n8n:data",
    solution:
      "Use get_execution or explain_failure, or ask whoever runs the server for n8n:data on this workflow.",
  });
