/**
 * The n8n client. Read-only is a property of its types: its only method is GET, to one fixed base
 * URL, and a redirect is never followed, so that the key goes nowhere else. `fetch` to n8n is called
 * here and nowhere else.
 *
 * Every request has a slot, from its sending to the end of its answer, whatever becomes of it. Every answer is
 * checked by a schema where it enters, read within bounds and within a time-out, and let go of in every way out.
 * Throws `ObserverError` with the `N8N_…` codes, the not-found code of what was asked for, or `RATE_LIMITED`.
 */

import type * as z from "zod";
import { type ReadBounds, readBounded, readBoundedStream } from "../json/bounded-reader.ts";
import { splitElements } from "../json/element-splitter.ts";
import { ObserverError } from "../platform/errors.ts";
import { outcomeOfError, type Span, type Spans, WITHOUT_SPANS } from "../platform/spans.ts";
import { LEAST_REQUEST_MS, LONGEST_REQUEST_MS, REQUEST_MS } from "../platform/time-limits.ts";
import type { N8nSettings } from "../settings/index.ts";
import { AnswerBody, streamOf } from "./answer-body.ts";
import { type ApiPath, apiPath } from "./api-path.ts";
import type { ByteSink } from "./execution-walk.ts";
import { isJson } from "./in-front.ts";
import {
  type Asked,
  askedPauseSeconds,
  toBadResponse,
  toStatusError,
  toTransportError,
} from "./n8n-errors.ts";
import { refusalOf } from "./refusal.ts";
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
import { SharedTurn } from "./shared-turn.ts";
import { type Slot, type TakeSlot, type TakeTurn, takeSlotAtOnce, turnsOf } from "./slot.ts";
import {
  type ListedWorkflow,
  readListedWorkflow,
  readWorkflowNameIn,
  WHOLE_WORKFLOW,
  WORKFLOW_OUTLINE,
} from "./workflow-reading.ts";
import { toWorkflowWithNodes, type WorkflowWithNodes } from "./workflow-schemas.ts";
import {
  toWorkflowSource,
  type WorkflowHistoryItem,
  type WorkflowSource,
  workflowHistory,
} from "./workflow-source.ts";

/** Where n8n is, and what opens it. */
export type N8nAccess = Pick<N8nSettings, "baseUrl" | "apiKey"> &
  Partial<Pick<N8nSettings, "apiPath" | "headers">>;

/** The part of `fetch` that is used. Tests pass their own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ExecutionQuery {
  readonly workflowId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  /** ISO 8601, inclusive. n8n knows it since about 2.36; before, it answers 400 or ignores it. */
  readonly startedAfter?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly startedBefore?: string | undefined;
  /** 1 to 250. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface WorkflowQuery {
  readonly active?: boolean | undefined;
  readonly name?: string | undefined;
  /** Names of tags, separated by commas: a workflow must have all of them. */
  readonly tags?: string | undefined;
  readonly projectId?: string | undefined;
  /** 1 to 250. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ListedExecutions {
  readonly executions: readonly ExecutionListItem[];
  /** Of elements whose shape is unknown; null for one that has not even an id. */
  readonly unrecognizedIds: readonly (string | null)[];
  readonly nextCursor: string | null;
}

export interface RequestOptions {
  /** Longest time for the slot and the whole answer, in milliseconds; none is longer than `LONGEST_REQUEST_MS`. */
  readonly timeoutMs?: number | undefined;
  /** Waited for after each piece of an answer that is handed on, before the next one is. */
  readonly afterPiece?: (() => Promise<void>) | undefined;
}

/** n8n's own default: `N8N_PUBLIC_API_ENDPOINT` is `api`. */
const DEFAULT_API_PATH = "/api/v1";
/** A list without data is small; one that is not is no list of n8n's. */
const MAX_SMALL_ANSWER_BYTES = 8 * 1024 * 1024;
/** An element of a list under this size is held while it is read; 128 MB is all an isolate has. */
const MAX_ELEMENT_BYTES = 8 * 1024 * 1024;

async function* limitBytes(stream: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of stream) {
    total += chunk.length;
    if (total > limit) throw toBadResponse("it is far larger than such an answer can be");
    yield chunk;
  }
}

function executionNotFound(id: string): ObserverError {
  return new ObserverError("EXECUTION_NOT_FOUND", `There is no execution ${id}.`, {
    field: "id",
    solution:
      "It was deleted or pruned by n8n, or never existed. get_workflow_executions lists the ones that exist.",
  });
}

function workflowNotFound(id: string): ObserverError {
  return new ObserverError("WORKFLOW_NOT_FOUND", `There is no workflow ${id}.`, {
    field: "workflowId",
    solution:
      "list_workflows lists the ones that exist; set active to false for those that are not published.",
  });
}

function versionNotFound(id: string): ObserverError {
  return new ObserverError("WORKFLOW_NOT_FOUND", `Workflow ${id} has no such version.`, {
    field: "versionId",
    solution: `n8n keeps versions for a limited time. diff_workflow({"workflowId":"${id}"}) lists the newest.`,
  });
}

function historyUnknown(id: string): ObserverError {
  return new ObserverError(
    "WORKFLOW_NOT_FOUND",
    `There is no workflow ${id}, or this n8n gives no history.`,
    {
      field: "workflowId",
      solution:
        "list_workflows lists the workflows. Where n8n is too old to list versions, compare with an export: diff_workflow with against.",
    },
  );
}

export class N8nClient {
  readonly #access: N8nAccess;
  readonly #fetch: Fetch;
  readonly #countBytes: (bytes: number) => void;
  readonly #takeSlot: TakeSlot;
  readonly #takeTurn: TakeTurn;
  readonly #abandoned: AbortSignal | undefined;
  readonly #countRequest: () => void;
  readonly #spans: Spans;

  /** @param countBytes is called with the size of each piece of a body as it is read */
  constructor(
    access: N8nAccess,
    fetchFromN8n: Fetch = (url, init) => fetch(url, init),
    countBytes: (bytes: number) => void = () => {},
    takeSlot: TakeSlot = takeSlotAtOnce,
    takeTurn: TakeTurn = turnsOf(takeSlot),
    abandoned?: AbortSignal,
    countRequest: () => void = () => {},
    spans: Spans = WITHOUT_SPANS,
  ) {
    this.#access = access;
    this.#fetch = fetchFromN8n;
    this.#countBytes = countBytes;
    this.#takeSlot = takeSlot;
    this.#takeTurn = takeTurn;
    this.#abandoned = abandoned;
    this.#countRequest = countRequest;
    this.#spans = spans;
  }

  /**
   * The same client, whose requests end once nobody waits for them.
   * @param abandoned then they fail with `INTERRUPTED`, also those under way
   */
  until(abandoned: AbortSignal): N8nClient {
    return this.#with(this.#takeSlot, abandoned);
  }

  /** The same client, for requests that belong together, and what they share. It has to be ended, whatever became of them. */
  sharingTurn(): { readonly client: N8nClient; readonly turn: SharedTurn } {
    const turn = new SharedTurn(this.#takeSlot, this.#takeTurn);
    return { client: this.#with(turn.take, this.#abandoned), turn };
  }

  #with(takeSlot: TakeSlot, abandoned: AbortSignal | undefined): N8nClient {
    return new N8nClient(
      this.#access,
      this.#fetch,
      this.#countBytes,
      takeSlot,
      this.#takeTurn,
      abandoned,
      this.#countRequest,
      this.#spans,
    );
  }

  /** One page of workflows, without their nodes; `tooLarge` counts those over 8 MB, which are not read. */
  async listWorkflows(
    query: WorkflowQuery,
    options: RequestOptions = {},
  ): Promise<{ workflows: WorkflowListItem[]; tooLarge: number; nextCursor: string | null }> {
    const parameters = { ...query, excludePinnedData: true };
    return await this.#read(
      apiPath`/workflows`,
      parameters,
      { scope: "workflow:list" },
      options,
      async (body) => {
        const workflows: WorkflowListItem[] = [];
        let tooLarge = 0;
        const elements = splitElements(body, MAX_ELEMENT_BYTES);
        for (let next = await elements.next(); ; next = await elements.next()) {
          if (next.done) return { workflows, tooLarge, nextCursor: readNextCursor(next.value) };
          if (next.value.kind === "too_large") tooLarge += 1;
          else workflows.push(workflowListItem.parse(readBounded(next.value.bytes, WORKFLOW_OUTLINE)));
        }
      },
    );
  }

  /**
   * One page of workflows with their nodes, handed on one by one as they arrive. Pinned data is not sent.
   * One that is too large or no workflow does not cost the others.
   * @returns the next cursor
   */
  async streamWorkflows(
    query: WorkflowQuery,
    take: (listed: ListedWorkflow) => void,
    options: RequestOptions = {},
  ): Promise<string | null> {
    const parameters = { ...query, excludePinnedData: true };
    const asked: Asked = { scope: "workflow:list" };
    return await this.#read(apiPath`/workflows`, parameters, asked, options, async (body) => {
      const elements = splitElements(body, MAX_ELEMENT_BYTES);
      for (let next = await elements.next(); ; next = await elements.next()) {
        if (next.done) return readNextCursor(next.value);
        take(readListedWorkflow(next.value));
      }
    });
  }

  /** One workflow with its nodes, within bounds: `isCut` says when it has more. */
  async readWorkflowWithNodes(id: string, options: RequestOptions = {}): Promise<WorkflowWithNodes> {
    const asked: Asked = { scope: "workflow:read", notFound: () => workflowNotFound(id) };
    const parameters = { excludePinnedData: true };
    return await this.#read(apiPath`/workflows/${id}`, parameters, asked, options, async (body) =>
      toWorkflowWithNodes(await readBoundedStream(body, WHOLE_WORKFLOW)),
    );
  }

  /** One workflow as n8n gives it, for an export. Pinned data is not sent. */
  async readWorkflowSource(id: string, options: RequestOptions = {}): Promise<WorkflowSource> {
    const asked: Asked = { scope: "workflow:read", notFound: () => workflowNotFound(id) };
    return await this.#readSource(apiPath`/workflows/${id}`, asked, options);
  }

  /** One version of a workflow's history: nodes and connections, no settings. n8n has it since 2.40 or so. */
  async readWorkflowVersion(
    id: string,
    versionId: string,
    options: RequestOptions = {},
  ): Promise<WorkflowSource> {
    const notFound = versionNotFound(id);
    const asked: Asked = { scope: "workflow:read", notFound: () => notFound };
    try {
      return await this.#readSource(apiPath`/workflows/${id}/versions/${versionId}`, asked, options);
    } catch (error) {
      if (error !== notFound) throw error;
      // Its address before 2.40, still served there.
      return await this.#readSource(apiPath`/workflows/${id}/${versionId}`, asked, options);
    }
  }

  /** The newest versions of a workflow, newest first. */
  async listWorkflowVersions(
    id: string,
    limit: number,
    options: RequestOptions = {},
  ): Promise<readonly WorkflowHistoryItem[]> {
    const asked: Asked = { scope: "workflow:read", notFound: () => historyUnknown(id) };
    const path = apiPath`/workflows/${id}/history`;
    return (await this.#readJson(path, { limit }, asked, options, workflowHistory)).data;
  }

  /**
   * The name of one workflow. n8n writes it before the nodes, and no more is read than that takes. Pinned data is
   * not sent.
   */
  async readWorkflowName(id: string, options: RequestOptions = {}): Promise<string> {
    const asked: Asked = { scope: "workflow:read", notFound: () => workflowNotFound(id) };
    const parameters = { excludePinnedData: true };
    return await this.#read(apiPath`/workflows/${id}`, parameters, asked, options, readWorkflowNameIn);
  }

  /** One page of executions without data, newest first by id. Running ones only with that status. */
  async listExecutions(query: ExecutionQuery, options: RequestOptions = {}): Promise<ListedExecutions> {
    const list = await this.#readJson(
      apiPath`/executions`,
      { ...query },
      { scope: "execution:list" },
      options,
      executionList,
    );
    return {
      executions: list.data.flatMap((one) => ("unrecognizedId" in one ? [] : [one])),
      unrecognizedIds: list.data.flatMap((one) => ("unrecognizedId" in one ? [one.unrecognizedId] : [])),
      nextCursor: list.nextCursor,
    };
  }

  /** One page of executions with data, handed on chunk by chunk as it arrives. */
  async streamExecutions(query: ExecutionQuery, sink: ByteSink, options: RequestOptions = {}): Promise<void> {
    const parameters = { ...query, includeData: true };
    const asked: Asked = { scope: "execution:list" };
    await this.#read(apiPath`/executions`, parameters, asked, options, (body) =>
      drain(body, sink, options.afterPiece),
    );
  }

  /**
   * One page of executions, each with as much of its data as the bounds select, however large they are. One of an
   * unknown shape does not cost the others.
   * @param bounds for the whole list: paths begin with `data`, and the number of the execution
   */
  async readExecutions(
    query: ExecutionQuery,
    bounds: ReadBounds,
    options: RequestOptions = {},
  ): Promise<readonly ExecutionWithData[]> {
    const parameters = { ...query, includeData: true };
    const asked: Asked = { scope: "execution:list" };
    return await this.#read(apiPath`/executions`, parameters, asked, options, async (body) => {
      const { data } = executionDataList.parse(await readBoundedStream(body, bounds));
      return data.flatMap((one) => {
        const execution = executionWithData.safeParse(one);
        return execution.success ? [execution.data] : [];
      });
    });
  }

  /** One execution with its data, handed on chunk by chunk as it arrives, however large it is. */
  async streamExecution(id: string, sink: ByteSink, options: RequestOptions = {}): Promise<void> {
    const asked: Asked = { scope: "execution:read", notFound: () => executionNotFound(id) };
    const parameters = { includeData: true };
    await this.#read(apiPath`/executions/${id}`, parameters, asked, options, (body) =>
      drain(body, sink, options.afterPiece),
    );
  }

  /** One execution without data. */
  async readExecutionItem(id: string, options: RequestOptions = {}): Promise<ExecutionListItem> {
    const asked: Asked = { scope: "execution:read", notFound: () => executionNotFound(id) };
    return await this.#readJson(apiPath`/executions/${id}`, {}, asked, options, executionListItem);
  }

  /** One execution with as much of its data as the bounds select, however large it is. */
  async readExecution(
    id: string,
    bounds: ReadBounds,
    options: RequestOptions = {},
  ): Promise<ExecutionWithData> {
    const asked: Asked = { scope: "execution:read", notFound: () => executionNotFound(id) };
    const parameters = { includeData: true };
    return await this.#read(apiPath`/executions/${id}`, parameters, asked, options, async (body) =>
      executionWithData.parse(await readBoundedStream(body, bounds)),
    );
  }

  /** The scopes of our own key, or undefined where n8n is too old to report them. */
  async discoverScopes(options: RequestOptions = {}): Promise<string[] | undefined> {
    const unknown = new ObserverError("N8N_BAD_RESPONSE", "This n8n does not tell a key's scopes.", {
      solution: "Update n8n if you want this check.",
    });
    try {
      const asked: Asked = { scope: "none", notFound: () => unknown };
      const answer = await this.#readJson(apiPath`/discover`, {}, asked, options, discovery);
      return answer.data.scopes;
    } catch (error) {
      if (error === unknown) return undefined;
      throw error;
    }
  }

  /**
   * Whether it knows `redactExecutionData`, which is never sent with a value that n8n could follow: what it knows
   * it refuses as malformed.
   */
  async discoverRedaction(options: RequestOptions = {}): Promise<boolean> {
    const parameters = { limit: 1, redactExecutionData: "neither" };
    const asked: Asked = { scope: "execution:list" };
    try {
      await this.#readJson(apiPath`/executions`, parameters, asked, options, executionList);
      return false;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal.parameter === "redactExecutionData" && !refusal.isUnknown;
    }
  }

  async #readSource(path: ApiPath, asked: Asked, options: RequestOptions): Promise<WorkflowSource> {
    return await this.#read(path, { excludePinnedData: true }, asked, options, async (body) =>
      toWorkflowSource(await readBoundedStream(body, WHOLE_WORKFLOW)),
    );
  }

  async #readJson<T extends z.ZodType>(
    path: ApiPath,
    parameters: QueryParameters,
    asked: Asked,
    options: RequestOptions,
    schema: T,
  ): Promise<z.infer<T>> {
    return await this.#read(path, parameters, asked, options, async (body) => {
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of limitBytes(body, MAX_SMALL_ANSWER_BYTES))
        text += decoder.decode(chunk, { stream: true });
      return schema.parse(JSON.parse(text + decoder.decode()));
    });
  }

  async #read<T>(
    path: ApiPath,
    parameters: QueryParameters,
    asked: Asked,
    options: RequestOptions,
    consume: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    return await this.#spans.enter("n8n_observer.n8n_request", async (span) => {
      span.set({ "n8n.scope": asked.scope });
      try {
        const read = await this.#readInSlot(path, parameters, asked, options, consume, span);
        span.set({ "n8n.outcome": "success" });
        return read;
      } catch (error) {
        span.set({ "n8n.outcome": outcomeOfError(error) });
        throw error;
      }
    });
  }

  async #readInSlot<T>(
    path: ApiPath,
    parameters: QueryParameters,
    asked: Asked,
    options: RequestOptions,
    consume: (body: AsyncIterable<Uint8Array>) => Promise<T>,
    span: Span<"n8n_observer.n8n_request">,
  ): Promise<T> {
    this.#refuseAbandoned();
    const longest = Math.min(LONGEST_REQUEST_MS, options.timeoutMs ?? REQUEST_MS.usual);
    const began = Date.now();
    const slot = await this.#takeSlot(longest);
    span.set({ "n8n.waited_ms": Date.now() - began });
    // However long the wait for the slot, n8n is given its least to answer, unless less was asked for.
    const left = Math.max(LEAST_REQUEST_MS, longest - (Date.now() - began));
    const timeoutMs = Math.min(longest, left);
    // Not `AbortSignal.timeout`: its timer would keep a Durable Object awake long after the answer.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(timeIsOver()), timeoutMs);
    const abandon = (): void => controller.abort(isAbandoned());
    this.#abandoned?.addEventListener("abort", abandon);
    try {
      this.#refuseAbandoned();
      const body = await this.#open(path, parameters, asked, controller.signal, slot);
      try {
        return await consume(this.#counted(body, span));
      } finally {
        await body.letGo();
      }
    } catch (error) {
      throw toTransportError(error, timeoutMs);
    } finally {
      clearTimeout(timer);
      this.#abandoned?.removeEventListener("abort", abandon);
      slot.end();
    }
  }

  #refuseAbandoned(): void {
    if (this.#abandoned?.aborted === true) throw isAbandoned();
  }

  async *#counted(body: AnswerBody, span: Span<"n8n_observer.n8n_request">): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const piece of body.pieces()) {
        this.#countBytes(piece.length);
        bytes += piece.length;
        yield piece;
      }
    } finally {
      span.set({ "n8n.bytes_read": bytes });
    }
  }

  /** The one place from which a request leaves for n8n. Whoever gets the body lets it go. */
  async #open(
    path: ApiPath,
    parameters: QueryParameters,
    asked: Asked,
    signal: AbortSignal,
    slot: Slot,
  ): Promise<AnswerBody> {
    const { baseUrl, apiKey, apiPath: root = DEFAULT_API_PATH, headers = {} } = this.#access;
    const url = `${baseUrl}${root}${path}${toQuery(parameters)}`;
    this.#countRequest();
    const response = await this.#fetch(url, {
      method: "GET",
      redirect: "manual",
      // Names in lower case, as those of the setting are: of two spellings `fetch` would send both.
      headers: { ...headers, "x-n8n-api-key": apiKey, accept: "application/json" },
      signal,
    });
    const stream = streamOf(response);
    const body = stream === null ? null : new AnswerBody(stream, signal);
    if (body !== null && response.status === 200 && isJson(response)) return body;
    const refusal = await readRefusalAndLetGo(response.status, body);
    if (response.status === 200 && body !== null) throw toBadResponse("it is not JSON");
    const pause = askedPauseSeconds(response);
    if (pause !== undefined) await slot.pause(pause);
    throw toStatusError(response, asked, url, refusal);
  }
}

const isAbandoned = (): ObserverError =>
  new ObserverError("INTERRUPTED", "The caller stopped waiting for n8n's answer.", {
    solution: "Call again.",
  });

const timeIsOver = (): DOMException => new DOMException("Time is over.", "TimeoutError");

/** A refusal is a sentence; what is longer is none of n8n's. */
const MAX_REFUSAL_BYTES = 4 * 1024;

/** As much of a body as a refusal can have; empty for another status. */
async function readRefusalAndLetGo(status: number, body: AnswerBody | null): Promise<string> {
  if (body === null) return "";
  try {
    return status === 400 ? await readStart(body.pieces()) : "";
  } finally {
    await body.letGo();
  }
}

async function readStart(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.length;
    if (bytes >= MAX_REFUSAL_BYTES) break;
  }
  return text;
}

type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

function toQuery(parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

async function drain(
  body: AsyncIterable<Uint8Array>,
  sink: ByteSink,
  afterPiece: RequestOptions["afterPiece"],
): Promise<void> {
  for await (const chunk of body) {
    sink.write(chunk);
    await afterPiece?.();
  }
  sink.end();
}

function readNextCursor(envelope: string): string | null {
  return listEnvelope.parse(JSON.parse(envelope)).nextCursor;
}
