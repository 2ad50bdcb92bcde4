/**
 * A recorded n8n: a small HTTP server on loopback that answers as the public API of a real n8n did, 2.40.5 unless an
 * older version is requested.
 * Filters, cursors, clamps, refusals and their messages are n8n's; answers are the recorded ones.
 * It records the method and path of every request, and refuses every method but GET.
 * Unlike n8n it never compresses an answer, and it refuses HEAD too.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { defaultN8nVersion, type RecordedVersion } from "../real-n8n/versions.ts";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";
import { type Dialect, dialectOf } from "./dialects.ts";
import {
  createExecutionStore,
  type ExecutionStore,
  isUnfinished,
  type StoredExecution,
} from "./executions.ts";
import { createFaultPlan, type Faults, strike } from "./faults.ts";
import { LoadCounter } from "./load-counter.ts";
import {
  checkOldParameters,
  type Description,
  oldExecutionParameters,
  oldTagsParameters,
  oldWorkflowParameters,
  oldWorkflowsParameters,
  readOldExecutionId,
  readOldExecutionsQuery,
} from "./old-query.ts";
import {
  type ExecutionsQuery,
  Refusal,
  readExecutionsQuery,
  readIncludeData,
  readTagsQuery,
  readWorkflowsQuery,
  type WorkflowsQuery,
  writeCursor,
} from "./query.ts";
import { type RecordedScenario, type RecordedWorkflow, type Recording, readRecording } from "./recording.ts";

export interface RecordedN8nOptions {
  /** Selects the recording and the dialect of the public API. Default: the newest. */
  version?: RecordedVersion;
  /** Replaces the saved recording of that version; `failures.ts` makes one of the recorded kinds. */
  recording?: Recording;
  /** 0, the default, takes any free port. */
  port?: number;
  apiKey?: string;
  /** The key's scopes; by default those of the recorded read-only key. */
  scopes?: string[];
  /** The total number of executions, including copies of the recorded ones. By default as recorded. */
  multiplyTo?: number;
  onRequest?: (request: ReceivedRequest) => void;
}

interface ReceivedRequest {
  method: string;
  /** With its query, as received. */
  path: string;
}

export interface RecordedN8n {
  baseUrl: string;
  apiKey: string;
  /** Every request since the start, in order. */
  requests: ReceivedRequest[];
  /** The load since the start. */
  load: LoadCounter;
  faults: Faults;
  /** The recorded requests, with the truth about each. Their ids are those that this server answers. */
  scenarios: RecordedScenario[];
  /** The same in a copy that `multiplyTo` made: request ids are `<id>-copy-<copyNumber>`. Copies count from 1. */
  scenariosOfCopy: (copyNumber: number) => RecordedScenario[];
  /** The number of copies; the oldest, which is the last, may lack some requests. */
  copies: number;
  close: () => Promise<void>;
}

/** The state that routes use. */
interface Instance {
  dialect: Dialect;
  recording: Recording;
  executions: ExecutionStore;
  apiKey: string;
  scopes: string[];
}

export async function startRecordedN8n(options: RecordedN8nOptions = {}): Promise<RecordedN8n> {
  const dialect = dialectOf(options.version ?? defaultN8nVersion);
  const recording = options.recording ?? (await readRecording(dialect.version));
  const executions = createExecutionStore(recording, options.multiplyTo);
  const apiKey = options.apiKey ?? "recorded-n8n-api-key";
  const scopes = options.scopes ?? (dialect.discovers ? discoveryOf(recording, "read").data.scopes : []);
  const instance = { dialect, recording, executions, apiKey, scopes };
  const faults = createFaultPlan();
  const requests: ReceivedRequest[] = [];
  const load = new LoadCounter();

  const server = createServer(async (request, response) => {
    const received = { method: request.method ?? "", path: request.url ?? "" };
    requests.push(received);
    load.begin(response);
    options.onRequest?.(received);
    const { status, body } = answerRequest(instance, request);
    const answer = () => send(response, status, body);
    const fault = faults.take(received.path);
    if (fault) await strike(fault, response, body, answer);
    else answer();
  });
  // Longer than any pause in a test: a request on a connection that is just being closed would fail.
  server.keepAliveTimeout = 60_000;
  return {
    baseUrl: await listenOnLoopback(server, options.port),
    apiKey,
    requests,
    load,
    faults,
    scenarios: executions.scenarios(0),
    scenariosOfCopy: executions.scenarios,
    copies: executions.copies,
    close: () => stopServer(server),
  };
}

function send(response: ServerResponse, status: number, body: string): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function answerRequest(instance: Instance, request: IncomingMessage): { status: number; body: string } {
  try {
    return { status: 200, body: route(instance, request) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: JSON.stringify({ message: error.message }) };
  }
}

interface Route {
  path: RegExp;
  scope?: string;
  /** The parameters of n8n 1.x; without them 1.x has no such path. */
  oldParameters?: Description;
  answer: (instance: Instance, rawQuery: string, id: string) => string;
}

const routes: Route[] = [
  // An old n8n's filters depend on its version, so `listExecutions` checks them.
  { path: /^\/executions$/, scope: "execution:list", answer: listExecutions },
  {
    path: /^\/executions\/([^/]+)$/,
    scope: "execution:read",
    oldParameters: oldExecutionParameters,
    answer: getExecution,
  },
  { path: /^\/executions\/([^/]+)\/tags$/, scope: "executionTags:list", answer: getExecutionTags },
  {
    path: /^\/workflows$/,
    scope: "workflow:list",
    oldParameters: oldWorkflowsParameters,
    answer: listWorkflows,
  },
  {
    path: /^\/workflows\/([^/]+)$/,
    scope: "workflow:read",
    oldParameters: oldWorkflowParameters,
    answer: getWorkflow,
  },
  {
    path: /^\/workflows\/([^/]+)\/tags$/,
    scope: "workflowTags:list",
    oldParameters: {},
    answer: getWorkflowTags,
  },
  { path: /^\/tags$/, scope: "tag:list", oldParameters: oldTagsParameters, answer: listTags },
  { path: /^\/discover$/, answer: discover },
];

function route(instance: Instance, request: IncomingMessage): string {
  if (request.method !== "GET") throw new Refusal(405, `${request.method} method not allowed`);
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/.exec(request.url ?? "") ?? [];
  const apiPath = /^\/api\/v1(\/.*?)\/?$/.exec(path)?.[1] ?? "";
  const { dialect } = instance;
  for (const { path: pattern, scope, oldParameters, answer } of routes) {
    const match = pattern.exec(apiPath);
    if (!match) continue;
    if (dialect.old && oldParameters === undefined && answer !== listExecutions) break;
    requireKey(instance, request);
    if (scope && !isAllowed(instance, scope)) throw new Refusal(403, "Forbidden");
    const id = decodeSegment(dialect, match[1] ?? "");
    if (dialect.old && oldParameters !== undefined) checkOldParameters(query, oldParameters);
    return answer(instance, query, id);
  }
  if (dialect.hasVersions && /^\/workflows\/[^/]+\/[^/]+$/.test(apiPath)) {
    throw new Refusal(404, "Version not found");
  }
  throw new Refusal(404, "not found");
}

function requireKey({ dialect, apiKey }: Instance, { headers }: IncomingMessage): void {
  const key = headers["x-n8n-api-key"];
  if (key === apiKey) return;
  if (!dialect.old) throw new Refusal(401, "Unauthorized");
  throw new Refusal(401, key === undefined ? "'X-N8N-API-KEY' header required" : "unauthorized");
}

/** An old n8n without a licence gives keys scopes, but does not enforce them. */
function isAllowed({ dialect, scopes }: Instance, scope: string): boolean {
  return !dialect.discovers || scopes.includes(scope);
}

function decodeSegment({ old }: Dialect, segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw old ? new Refusal(400, "malformed uri'") : new Refusal(500, "Internal server error");
  }
}

function listExecutions({ dialect, recording, executions }: Instance, rawQuery: string): string {
  const query = dialect.old
    ? readOldExecutionsQuery(rawQuery, dialect)
    : readExecutionsQuery(new URLSearchParams(rawQuery));
  const known = query.projectId === undefined || projectIds(recording).has(query.projectId);
  const matching = known ? firstMatching(executions, query, dialect) : [];
  const page = query.limit === 0 ? matching : matching.slice(0, query.limit);
  const form = query.includeData ? "itemWithData" : "item";
  const last = page.at(-1);
  const more = last !== undefined && matching.length > page.length;
  const nextCursor = more ? writeCursor({ lastId: String(last.id), limit: query.limit }) : null;
  return writePage(
    page.map((each) => each.write(form)),
    nextCursor,
  );
}

/** At most one more than the limit. As in n8n, the time does not depend on the length of the history. */
function firstMatching(
  executions: ExecutionStore,
  query: ExecutionsQuery,
  dialect: Dialect,
): StoredExecution[] {
  const { status = "" } = query;
  const among = isUnfinished(status) ? executions.unfinished : executions.all;
  const matching: StoredExecution[] = [];
  for (let at = firstBelow(among, query.lastId); at < among.length; at += 1) {
    const each = among[at];
    if (each !== undefined && matches(each, query, dialect)) matching.push(each);
    if (query.limit > 0 && matching.length > query.limit) break;
  }
  return matching;
}

/** The index of the first execution with a lower id. */
function firstBelow(newestFirst: readonly StoredExecution[], lastId = Number.POSITIVE_INFINITY): number {
  let [from, to] = [0, newestFirst.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((newestFirst[middle]?.id ?? 0) >= lastId) from = middle + 1;
    else to = middle;
  }
  return from;
}

function matches(execution: StoredExecution, query: ExecutionsQuery, dialect: Dialect): boolean {
  const { id, status, workflowId, startedAt } = execution;
  if (!isListed(execution, query, dialect)) return false;
  if (query.lastId !== undefined && id >= query.lastId) return false;
  if (query.status !== undefined && query.status !== (dialect.old && status === "crashed" ? "error" : status))
    return false;
  if (query.workflowId !== undefined && workflowId !== query.workflowId) return false;
  if (query.startedAfter !== undefined && (startedAt === null || startedAt < query.startedAfter))
    return false;
  return query.startedBefore === undefined || (startedAt !== null && startedAt <= query.startedBefore);
}

/** Running and held executions are omitted, unless running ones are requested. */
function isListed({ status }: StoredExecution, query: ExecutionsQuery, { unlisted }: Dialect): boolean {
  return query.status === "running" || !unlisted.includes(status);
}

/** The cursor comes last, as in n8n, so a reader of the stream gets it only at the end. */
function writePage(elements: string[], nextCursor: string | null): string {
  return `{"data":[${elements.join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

function getExecution(instance: Instance, rawQuery: string, id: string): string {
  const execution = findExecution(instance, id);
  const includeData = readIncludeData(new URLSearchParams(rawQuery));
  if (!execution) throw new Refusal(404, "Not Found");
  return execution.write(includeData ? "detailWithData" : "detail");
}

function getExecutionTags(instance: Instance, _rawQuery: string, id: string): string {
  if (!findExecution(instance, id)) throw new Refusal(404, "Not Found");
  return "[]";
}

function findExecution({ dialect, executions }: Instance, id: string): StoredExecution | undefined {
  if (dialect.old) return executions.find(readOldExecutionId(id));
  const isPositive = /^\d+$/.test(id) && Number(id) > 0;
  if (!isPositive) throw new Refusal(400, "request/params/executionId must be a positive integer");
  return executions.find(Number(id));
}

function listWorkflows({ recording }: Instance, rawQuery: string): string {
  const query = readWorkflowsQuery(new URLSearchParams(rawQuery));
  const matching = recording.workflows.filter((each) => matchesWorkflow(each, query));
  const { page, nextCursor } = takePage(matching, query);
  const elements = page.map((each) => JSON.stringify(withoutPins(each, query.excludePinnedData)));
  return writePage(elements, nextCursor);
}

function matchesWorkflow(workflow: RecordedWorkflow, query: WorkflowsQuery): boolean {
  const { active, name, tags, shared = [] } = workflow;
  if (query.active !== undefined && active !== query.active) return false;
  if (query.name && !query.name.test(name)) return false;
  if (!query.tags.every((name) => tags.some((tag) => tag.name === name))) return false;
  return !query.projectId || shared.some(({ projectId }) => projectId === query.projectId);
}

function withoutPins(workflow: RecordedWorkflow, exclude: boolean): RecordedWorkflow {
  if (!exclude) return workflow;
  const { pinData: _, ...rest } = workflow;
  return rest;
}

function getWorkflow({ recording }: Instance, rawQuery: string, id: string): string {
  const { excludePinnedData } = readWorkflowsQuery(new URLSearchParams(rawQuery));
  return JSON.stringify(withoutPins(findWorkflow(recording, id), excludePinnedData));
}

function getWorkflowTags({ dialect, recording }: Instance, _rawQuery: string, id: string): string {
  const { tags } = findWorkflow(recording, id);
  if (!dialect.old) return JSON.stringify(tags);
  // Here an old n8n uses the order of all tags, and in the workflow itself another order.
  return JSON.stringify(recording.tags.filter((tag) => tags.some((own) => own.id === tag.id)));
}

function findWorkflow(recording: Recording, id: string): RecordedWorkflow {
  const workflow = recording.workflowDetails.find((each) => each.id === id);
  if (!workflow) throw new Refusal(404, "Not Found");
  return workflow;
}

function listTags({ recording }: Instance, rawQuery: string): string {
  const { page, nextCursor } = takePage(recording.tags, readTagsQuery(new URLSearchParams(rawQuery)));
  return writePage(
    page.map((tag) => JSON.stringify(tag)),
    nextCursor,
  );
}

/** A limit of 0 returns everything, with a cursor that leads to the same page again, as in n8n. */
function takePage<Element>(
  elements: Element[],
  { limit, offset }: { limit: number; offset: number },
): { page: Element[]; nextCursor: string | null } {
  const page = limit === 0 ? elements.slice(offset) : elements.slice(offset, offset + limit);
  const more = elements.length > offset + limit;
  return { page, nextCursor: more ? writeCursor({ limit, offset: offset + limit }) : null };
}

/** The key's scopes. A key with scopes beyond the recorded read-only ones gets the answer of the writing key. */
function discover({ recording, scopes }: Instance): string {
  const readable = discoveryOf(recording, "read");
  const writes = scopes.some((scope) => !readable.data.scopes.includes(scope));
  const answer = writes ? discoveryOf(recording, "write") : readable;
  return JSON.stringify({ ...answer, data: { ...answer.data, scopes } });
}

function discoveryOf(
  recording: Recording,
  key: "read" | "write",
): Recording["discoveries"][number]["answer"] {
  const found = recording.discoveries.find((each) => each.key === key);
  if (!found) throw new Error(`The recording lacks what n8n tells a ${key} key about itself.`);
  return found.answer;
}

function projectIds(recording: Recording): Set<string> {
  return new Set(recording.workflows.flatMap(({ shared = [] }) => shared.map(({ projectId }) => projectId)));
}
