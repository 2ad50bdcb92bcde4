/**
 * The n8n client: the requests to n8n's public API, and the shapes of its answers. Every answer is checked against a
 * schema on arrival; `requests.ts` sends the requests and ensures that they only read.
 *
 * Throws `ObserverError` with the `N8N_…` codes, the requested resource's not-found code, or `RATE_LIMITED`.
 */
import { type ReadBounds, readBounded, readBoundedStream } from "../json/bounded-reader.ts";
import { type Element, splitElements } from "../json/element-splitter.ts";
import { ObserverError } from "../platform/errors.ts";
import { memoizeLast } from "../platform/memoize.ts";
import { apiPath } from "./api-path.ts";
import type { Retrying } from "./back-off.ts";
import type { ByteSink } from "./execution-walk.ts";
import type { Endpoint } from "./n8n-errors.ts";
import { executionNotFound, historyUnknown, versionNotFound, workflowNotFound } from "./n8n-errors.ts";
import { refusalOf } from "./refusal.ts";
import {
  type N8nAccess,
  type N8nRequest,
  N8nRequests,
  type QueryParameters,
  type RequestEnvironment,
  type RequestOptions,
} from "./requests.ts";
import {
  discovery,
  type ExecutionListItem,
  type ExecutionStatus,
  type ExecutionWithData,
  executionDataList,
  executionList,
  executionListItem,
  executionWithData,
  listEnvelope,
  type WorkflowListItem,
  workflowListItem,
} from "./schemas.ts";
import type { SharedTurn } from "./slot.ts";
import {
  idOf,
  type ListedWorkflow,
  readListedWorkflow,
  readWorkflowNameIn,
  WHOLE_WORKFLOW,
  WORKFLOW_FACTS,
  WORKFLOW_OUTLINE,
} from "./workflow-reading.ts";
import {
  toWorkflowSource,
  toWorkflowWithNodes,
  type WorkflowFacts,
  type WorkflowHistoryItem,
  type WorkflowSource,
  type WorkflowWithNodes,
  workflowFacts,
  workflowHistory,
} from "./workflow-schemas.ts";

export interface ExecutionQuery {
  readonly workflowId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  /** ISO 8601, inclusive. Known to n8n since about 2.36; older versions answer 400 or ignore it. */
  readonly startedAfter?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly startedBefore?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface WorkflowQuery {
  readonly active?: boolean | undefined;
  readonly name?: string | undefined;
  /** Names of tags, separated by commas: a workflow must have all of them. */
  readonly tags?: string | undefined;
  readonly projectId?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ListedExecutions {
  readonly executions: readonly ExecutionListItem[];
  /** Ids of elements whose shape is unknown; null for one without an id. */
  readonly unrecognizedIds: readonly (string | null)[];
  readonly nextCursor: string | null;
}

export interface WorkflowPage<One> {
  workflows: One[];
  /** Ids of workflows that could not be read; null where the id could not be read either. */
  unread: (string | null)[];
  nextCursor: string | null;
}

/** List elements up to this size are held while they are read; an isolate has only 128 MB. */
const MAX_ELEMENT_BYTES = 8 * 1024 * 1024;

export const createN8nClient = (access: N8nAccess, environment: RequestEnvironment = {}): N8nClient =>
  new N8nClient(new N8nRequests(access, environment));

export class N8nClient {
  readonly #requests: N8nRequests;

  constructor(requests: N8nRequests) {
    this.#requests = requests;
  }

  /**
   * Returns the same client, whose requests end once nobody waits for them.
   * @param abandoned when it aborts, all requests fail with `INTERRUPTED`, including requests in flight
   */
  until(abandoned: AbortSignal): N8nClient {
    return new N8nClient(this.#requests.with({ abandoned }));
  }

  /** Returns the same client with at most `most()` concurrent requests; requests that share a turn are exempt. */
  atMost(most: () => number): N8nClient {
    return new N8nClient(this.#requests.atMost(most));
  }

  /** Returns the same client, which retries transient failures within each request's timeout. */
  retrying(retrying: Retrying): N8nClient {
    return new N8nClient(this.#requests.with({ retrying }));
  }

  /** Returns a client for requests that belong together, and their shared turn, which the caller must end. */
  sharingTurn(): { readonly client: N8nClient; readonly turn: SharedTurn } {
    const { requests, turn } = this.#requests.sharingTurn();
    return { client: new N8nClient(requests), turn };
  }

  /** One page of workflows without their nodes. Workflows over 8 MB are `unread`. */
  async listWorkflows(
    query: WorkflowQuery,
    options: RequestOptions = {},
  ): Promise<WorkflowPage<WorkflowListItem>> {
    return await this.#readWorkflows(query, options, (bytes) =>
      workflowListItem.parse(readBounded(bytes, WORKFLOW_OUTLINE)),
    );
  }

  /** One page of facts about workflows. Workflows that are too large or of unknown shape are `unread`. */
  async listWorkflowFacts(
    query: WorkflowQuery,
    options: RequestOptions = {},
  ): Promise<WorkflowPage<WorkflowFacts>> {
    return await this.#readWorkflows(
      query,
      options,
      (bytes) => workflowFacts.safeParse(readBounded(bytes, WORKFLOW_FACTS)).data,
    );
  }

  /** @param read returns undefined for a workflow that it cannot read */
  async #readWorkflows<One>(
    query: WorkflowQuery,
    options: RequestOptions,
    read: (bytes: Uint8Array) => One | undefined,
  ): Promise<WorkflowPage<One>> {
    return await this.#requests.read(workflowList(query, options), async (body) => {
      const workflows: One[] = [];
      const unread: (string | null)[] = [];
      const nextCursor = await eachElement(body, (element) => {
        const one = element.kind === "too_large" ? undefined : read(element.bytes);
        if (one === undefined) unread.push(idOf(element));
        else workflows.push(one);
      });
      return { workflows, unread, nextCursor };
    });
  }

  /**
   * One page of workflows with their nodes, passed on one by one as they arrive. Pinned data is not sent.
   * An element that is too large or not a workflow does not affect the others.
   * @returns the next cursor
   */
  async streamWorkflows(
    query: WorkflowQuery,
    take: (listed: ListedWorkflow) => void,
    options: RequestOptions = {},
  ): Promise<string | null> {
    return await this.#requests.read(
      { ...workflowList(query, options), isStreamed: true },
      async (body) => await eachElement(body, (element) => take(readListedWorkflow(element))),
    );
  }

  /** One workflow with its nodes, within bounds; `isCut` says whether something was left out. */
  async readWorkflowWithNodes(id: string, options: RequestOptions = {}): Promise<WorkflowWithNodes> {
    return await this.#requests.read(oneWorkflow(id, options), async (body) =>
      toWorkflowWithNodes(await readBoundedStream(body, WHOLE_WORKFLOW)),
    );
  }

  /** One workflow as n8n returns it, for an export. Pinned data is not sent. */
  async readWorkflowSource(id: string): Promise<WorkflowSource> {
    return await this.#readSource(oneWorkflow(id));
  }

  /** One version from a workflow's history: nodes and connections, no settings. Available since n8n 2.40 or so. */
  async readWorkflowVersion(id: string, versionId: string): Promise<WorkflowSource> {
    const notFound = versionNotFound(id);
    const request = { ...oneWorkflow(id), endpoint: workflowRead(() => notFound) };
    try {
      const path = apiPath`/workflows/${id}/versions/${versionId}`;
      return await this.#readSource({ ...request, path });
    } catch (error) {
      if (error !== notFound) throw error;
      // The path before 2.40, which is still served.
      return await this.#readSource({ ...request, path: apiPath`/workflows/${id}/${versionId}` });
    }
  }

  async listWorkflowVersions(id: string, limit: number): Promise<readonly WorkflowHistoryItem[]> {
    const endpoint = workflowRead(() => historyUnknown(id));
    const path = apiPath`/workflows/${id}/history`;
    const history = { path, parameters: { limit }, endpoint, options: {} };
    return (await this.#requests.readJson(history, workflowHistory)).data;
  }

  /**
   * The name of one workflow. n8n writes it before the nodes, and reading stops once it has arrived. Pinned data is
   * not sent.
   */
  async readWorkflowName(id: string, options: RequestOptions = {}): Promise<string> {
    return await this.#requests.read(oneWorkflow(id, options), readWorkflowNameIn);
  }

  /** One page of executions without data, newest first by id. Running ones appear only if queried by that status. */
  async listExecutions(query: ExecutionQuery, options: RequestOptions = {}): Promise<ListedExecutions> {
    const list = await this.#requests.readText(executionsList({ ...query }, options), parseExecutionList);
    return {
      executions: list.data.flatMap((one) => ("unrecognizedId" in one ? [] : [one])),
      unrecognizedIds: list.data.flatMap((one) => ("unrecognizedId" in one ? [one.unrecognizedId] : [])),
      nextCursor: list.nextCursor,
    };
  }

  /** One page of executions with data, passed on chunk by chunk as it arrives. */
  async streamExecutions(query: ExecutionQuery, sink: ByteSink, options: RequestOptions = {}): Promise<void> {
    const request = executionsList({ ...query, includeData: true }, options);
    // A list by status (what is running now) is short and processed at once: reading ahead would only add cost.
    await this.#drain({ ...request, isReadAhead: query.status === undefined }, sink);
  }

  /**
   * One page of executions of any size, each with as much of its data as the bounds select. An element of unknown
   * shape does not affect the others.
   * @param bounds for the whole list
   */
  async readExecutions(
    query: ExecutionQuery,
    bounds: ReadBounds,
    options: RequestOptions = {},
  ): Promise<readonly ExecutionWithData[]> {
    const request = executionsList({ ...query, includeData: true }, options);
    return await this.#requests.read(request, async (body) => {
      const { data } = executionDataList.parse(await readBoundedStream(body, bounds));
      return data.flatMap((one) => executionWithData.safeParse(one).data ?? []);
    });
  }

  /** One execution of any size with its data, passed on chunk by chunk as it arrives. */
  async streamExecution(id: string, sink: ByteSink, options: RequestOptions = {}): Promise<void> {
    await this.#drain({ ...oneExecution(id, { includeData: true }, options), isReadAhead: true }, sink);
  }

  async readExecutionItem(id: string, options: RequestOptions = {}): Promise<ExecutionListItem> {
    return await this.#requests.readJson(oneExecution(id, {}, options), executionListItem);
  }

  /** One execution of any size with as much of its data as the bounds select. */
  async readExecution(
    id: string,
    bounds: ReadBounds,
    options: RequestOptions = {},
  ): Promise<ExecutionWithData> {
    return await this.#requests.read(oneExecution(id, { includeData: true }, options), async (body) =>
      executionWithData.parse(await readBoundedStream(body, bounds)),
    );
  }

  /** The scopes of our own key, or undefined if n8n is too old to report them. */
  async discoverScopes(options: RequestOptions = {}): Promise<string[] | undefined> {
    const unknown = new ObserverError("N8N_BAD_RESPONSE", "This n8n does not tell a key's scopes.", {
      solution: "Update n8n if you want this check.",
    });
    try {
      const endpoint: Endpoint = { scope: "none", notFound: () => unknown };
      const answer = await this.#requests.readJson(
        { path: apiPath`/discover`, endpoint, options },
        discovery,
      );
      return answer.data.scopes;
    } catch (error) {
      if (error === unknown) return undefined;
      throw error;
    }
  }

  /**
   * Whether n8n knows `redactExecutionData`. The parameter is never sent with a valid value: an n8n that knows it
   * refuses the value as malformed.
   */
  async discoverRedaction(): Promise<boolean> {
    const request = executionsList({ limit: 1, redactExecutionData: "neither" }, {});
    try {
      await this.#requests.readJson(request, executionList);
      return false;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal.parameter === "redactExecutionData" && !refusal.isUnknown;
    }
  }

  async #readSource(request: N8nRequest): Promise<WorkflowSource> {
    return await this.#requests.read(request, async (body) =>
      toWorkflowSource(await readBoundedStream(body, WHOLE_WORKFLOW)),
    );
  }

  async #drain(request: N8nRequest, sink: ByteSink): Promise<void> {
    await this.#requests.read({ ...request, isStreamed: true }, async (body) => {
      for await (const chunk of body) {
        sink.write(chunk);
        await request.options.afterPiece?.();
      }
      sink.end();
    });
  }
}

/** Polls for the newest, the waiting and the queued executions mostly return the same text as the poll before. */
const parseExecutionList = memoizeLast((text) => executionList.parse(JSON.parse(text)), 8);

const WITHOUT_PINNED_DATA = { excludePinnedData: true };

const workflowList = (query: WorkflowQuery, options: RequestOptions): N8nRequest => ({
  path: apiPath`/workflows`,
  parameters: { ...query, ...WITHOUT_PINNED_DATA },
  endpoint: { scope: "workflow:list" },
  options,
});

const workflowRead = (notFound: () => ObserverError): Endpoint => ({ scope: "workflow:read", notFound });

const oneWorkflow = (id: string, options: RequestOptions = {}): N8nRequest => ({
  path: apiPath`/workflows/${id}`,
  parameters: WITHOUT_PINNED_DATA,
  endpoint: workflowRead(() => workflowNotFound(id)),
  options,
});

const executionsList = (parameters: QueryParameters, options: RequestOptions): N8nRequest => ({
  path: apiPath`/executions`,
  parameters,
  endpoint: { scope: "execution:list" },
  options,
});

const oneExecution = (id: string, parameters: QueryParameters, options: RequestOptions): N8nRequest => ({
  path: apiPath`/executions/${id}`,
  parameters,
  endpoint: { scope: "execution:read", notFound: () => executionNotFound(id) },
  options,
});

/** Passes on each element of a list as it arrives. @returns the next cursor */
async function eachElement(
  body: AsyncIterable<Uint8Array>,
  take: (element: Element) => void,
): Promise<string | null> {
  return listEnvelope.parse(await splitElements(body, MAX_ELEMENT_BYTES, take)).nextCursor;
}
