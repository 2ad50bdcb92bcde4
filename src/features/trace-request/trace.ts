/**
 * "What happened to requestId X?": scan, follow the links, answer. The one entry of the trace engine.
 */

import { type Failure, failureOf, type OwnText, ownTextOf, toFailure } from "../../executions/failure.ts";
import type { CorrelationDigest } from "../../history/correlation-digest.ts";
import { type Coverage, coverageOf } from "../../history/coverage.ts";
import { type KnownFamily, MAX_MATCHES, type RememberedMatch } from "../../history/execution-memory.ts";
import { type FollowedFamily, followLinks } from "../../history/follow-links.ts";
import { newSingleAsks } from "../../history/hidden.ts";
import { PageSize } from "../../history/page-size.ts";
import { PayloadSearch, type RedactLarge } from "../../history/payload-search.ts";
import type { Reading } from "../../history/read-executions.ts";
import { formatKeptPath, type RequestIdPaths } from "../../history/request-id-paths.ts";
import { type ScanResult, type ScanStop, scan } from "../../history/scan.ts";
import { soughtId, soughtText } from "../../history/sought.ts";
import { keptName } from "../../history/to-memorable.ts";
import type { TraceMemory } from "../../history/trace-memory.ts";
import {
  beginTrace,
  MAX_MENTIONS,
  type SkippedExecution,
  scopesOfTrace,
  type TraceState,
} from "../../history/trace-state.ts";
import type { TraceWindow } from "../../history/trace-window.ts";
import { hasEnded, type TracedExecution } from "../../history/traced-execution.ts";
import { timeoutOf, withRetries } from "../../n8n/back-off.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { OUTLINE } from "../../n8n/read-plans.ts";
import type { Clock } from "../../platform/clock.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { type AskedExecution, executionNotFound, readAskedExecution } from "./asked-execution.ts";
import { ASKED_BY_ID, type FoundRequest, findRequest, visibleMatches } from "./find-matches.ts";
import { timeInId } from "./id-time.ts";
import { outcomeSentence } from "./outcome-sentence.ts";
import { type FoundAs, formOf, isTraceId, type RequestForm } from "./request-forms.ts";
import { isEasilyGuessed, ONLY_KNOWN_PATHS } from "./short-ids.ts";
import { type TimelineEvent, timelineOf } from "./timeline.ts";
import {
  buildTree,
  deepestFailure,
  type Match,
  type Outcome,
  type RequestTree,
  type TreeNode,
} from "./tree.ts";
import { type UnsavedWorkflow, unsavedWorkflows } from "./unsaved-workflows.ts";

export interface TraceArguments {
  /** May be left out when `traceId` is given. */
  readonly requestId: string | undefined;
  readonly window: TraceWindow;
  /** Most executions to read in this call. */
  readonly limit: number;
  /** Goes on with an earlier call of the same user. */
  readonly traceId: string | undefined;
  /** Reads again what is known, for mentions. */
  readonly deep: boolean;
  /** Longest time for the scan, in milliseconds. */
  readonly timeBudgetMs: number;
}

export interface TraceDependencies {
  readonly client: N8nClient;
  readonly capabilities: KnownCapabilities;
  readonly memory: TraceMemory;
  readonly digest: CorrelationDigest;
  readonly paths: RequestIdPaths;
  readonly clock: Clock;
  readonly newTraceId: () => string;
  /** Else anyone could try out what a secret is: an id that stands in one is not found there. Keeps nothing. */
  readonly redactLarge: RedactLarge;
  /** False when the caller may see no payload: then short values are looked for at known paths alone. */
  readonly mayReadData: boolean;
  /** Told as the trace goes on; `scanned` counts executions. */
  readonly progress: (scanned: number, message: string) => Promise<void>;
}

export interface TraceFailure extends Failure {
  readonly executionId: string;
  readonly workflowName: string | null;
}

/** A failure, and beside it what its error says in its own words: payload, to be shown to who may see it alone. */
interface ReadFailure {
  readonly failure: TraceFailure | null;
  readonly ownText: OwnText | null;
}

export interface TraceCoverage extends Coverage {
  /** In how many the id was looked for beyond the known request-id paths. */
  readonly searchedForMentions: number;
  /** Published workflows that do not keep all executions; null where it was not asked, or n8n does not tell. */
  readonly unsavedWorkflows: readonly UnsavedWorkflow[] | null;
}

export interface TraceAnswer {
  readonly sentence: string;
  readonly requestId: string;
  readonly found: boolean;
  /** As what the id was found; null when it was not. */
  readonly foundAs: FoundAs | null;
  readonly outcome: Outcome;
  /** Where it began: the deepest sub-workflow that failed. */
  readonly failure: TraceFailure | null;
  /** What its error says in its own words: payload. */
  readonly ownText: OwnText | null;
  /** Each execution after the one that caused it. */
  readonly executions: readonly TreeNode[];
  /** The execution whose status is the request's. */
  readonly decidingId: string | null;
  readonly timeline: readonly TimelineEvent[];
  readonly coverage: TraceCoverage;
  /** @see Reach */
  readonly isAtKnownPathsOnly: boolean;
  readonly traceId: string;
  /** n8n's failure, when it ended the scan early. */
  readonly scanError: ObserverError | null;
}

/**
 * Most bytes of payload that a trace which is not deep redacts, to look for mentions: as much as costs it a
 * twentieth of its time over 2,000 executions.
 */
const MAX_MENTION_BYTES = 128 * 1024;
/** Around the time in an id: clocks differ, and a request may have been queued. */
const BEFORE_ID_TIME_MS = 10 * 60 * 1_000;
const AFTER_ID_TIME_MS = 60 * 60 * 1_000;

async function openTrace(args: TraceArguments, memory: TraceMemory): Promise<TraceState> {
  if (args.traceId === undefined) {
    if (args.requestId !== undefined) return beginTrace(args.requestId, args.window, args.deep);
    throw new ObserverError("VALIDATION_ERROR", "requestId is missing.", {
      field: "requestId",
      expected: "the request id to look for, unless traceId is given",
      solution: "Call again with requestId.",
    });
  }
  const state = await memory.loadTrace(args.traceId);
  if (state === null) {
    throw new ObserverError("TRACE_NOT_FOUND", "There is no such trace, or it has expired.", {
      field: "traceId",
      solution:
        "Leave traceId out and begin anew with the requestId. A trace can be gone on with for 24 hours, by the user who began it.",
    });
  }
  if (args.requestId !== undefined && args.requestId !== state.asked) {
    throw new ObserverError("VALIDATION_ERROR", "This traceId belongs to another requestId.", {
      field: "traceId",
      expected: "the traceId that was answered for this requestId",
      solution: "Leave traceId out to begin a trace of this requestId.",
    });
  }
  return args.deep && !state.deep ? { ...state, deep: true, searched: 0 } : state;
}

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before the
 * request was found; its details then have a `traceId` to go on with, if anything was read. Once the request
 * was found, n8n's failure is a part of the answer.
 */
export async function traceRequest(
  args: TraceArguments,
  dependencies: TraceDependencies,
): Promise<TraceAnswer> {
  const state = await openTrace(args, dependencies.memory);
  const traceId = args.traceId ?? dependencies.newTraceId();
  return await new Trace(state, traceId, args, dependencies).run();
}

class Trace {
  #state: TraceState;
  readonly #traceId: string;
  readonly #args: TraceArguments;
  readonly #dependencies: TraceDependencies;
  readonly #deadline: number;
  #readNow = 0;
  /** Of those that were looked at in this call: the ones that will be looked at again. */
  #unfinished = 0;
  readonly #skipped: SkippedExecution[] = [];
  readonly #asks = newSingleAsks();
  readonly #form: RequestForm;
  /** The execution whose id was asked for, if there is one. */
  #askedExecution: AskedExecution | null = null;
  /** Null when the id is looked for at known paths alone. */
  #search: PayloadSearch | null = null;
  #isAtKnownPathsOnly = false;
  readonly #current = new Set<string>();
  /** How many executions the client was told are read. */
  #toldRead = 0;
  /** The state as it was kept last. */
  #saved = "";

  constructor(state: TraceState, traceId: string, args: TraceArguments, dependencies: TraceDependencies) {
    this.#state = state;
    this.#traceId = traceId;
    this.#args = args;
    this.#dependencies = dependencies;
    this.#deadline = dependencies.clock.now() + args.timeBudgetMs;
    this.#form = formOf(state.asked);
  }

  #newSearch(): PayloadSearch | null {
    const { mayReadData, redactLarge } = this.#dependencies;
    const { deep } = this.#state;
    const { value } = this.#form;
    // Digits that are an execution's id stand in many places that have nothing to do with it.
    if (value === null || (this.#askedExecution !== null && !deep)) return null;
    if (!mayReadData && isEasilyGuessed(value)) {
      this.#isAtKnownPathsOnly = true;
      this.#skip(ONLY_KNOWN_PATHS);
      return null;
    }
    return new PayloadSearch({
      sought: isTraceId(value) ? soughtText(value) : soughtId(value),
      redact: redactLarge,
      maxBytes: deep ? Number.POSITIVE_INFINITY : MAX_MENTION_BYTES,
    });
  }

  async run(): Promise<TraceAnswer> {
    this.#askedExecution = await this.#readAsked();
    this.#search = this.#newSearch();
    // The state is kept before all that takes long: a client that goes away can go on with what it was told.
    let [, result] = await Promise.all([Promise.all([this.#save(), this.#tellKnown()]), this.#scanAll()]);
    let request = await this.#findRequest();
    if (request.matches.length === 0 && result.stop.reason === "complete" && (await this.#isOtherN8n())) {
      result = await this.#scan(this.#state.window);
      request = await this.#findRequest();
    }
    const { matches: found, family: known } = request;
    const matches = found.slice(0, MAX_MATCHES);
    if (found.length > MAX_MATCHES)
      this.#skip(`more than ${MAX_MATCHES} executions hold the id; the newest were followed`);
    const family = await this.#follow(
      matches.map(({ executionId }) => executionId),
      known,
    );
    const [coverage] = await Promise.all([this.#coverage(result, family), this.#save()]);
    if (result.stop.reason === "n8n" && matches.length === 0)
      throw this.#toResumable(
        result.stop.error,
        Math.max(coverage.scannedExecutions, coverage.searchedForMentions),
      );
    return await this.#answer(result.stop, { ...request, matches }, family, coverage);
  }

  /** Asked before it is said that there is nothing. @throws ObserverError when n8n fails */
  async #isOtherN8n(): Promise<boolean> {
    const { capabilities, client, clock } = this.#dependencies;
    const deadline = Math.max(this.#deadline, clock.now() + OVERTIME_MS.askingAnew);
    const ask = () => capabilities.hasChanged(client, timeoutOf(clock, deadline));
    return await withRetries(ask, clock, deadline);
  }

  /** @throws ObserverError `EXECUTION_NOT_FOUND` when nothing else can be meant */
  async #readAsked(): Promise<AskedExecution | null> {
    const { value, executionId } = this.#form;
    if (executionId === null) return null;
    const asked = await readAskedExecution(executionId, this.#readOptions());
    if (asked === null && value === null) throw executionNotFound(executionId);
    if (asked?.isGone === true)
      this.#skipped.push({ executionId, reason: "n8n has deleted it; what was remembered of it is told" });
    return asked;
  }

  async #findRequest(): Promise<FoundRequest> {
    return await findRequest({
      ...this.#dependencies,
      window: this.#state.window,
      form: this.#form,
      executionId: this.#askedExecution?.execution.id ?? null,
      readLinked: async (id) => {
        const known = await this.#dependencies.memory.family([id]);
        return (await this.#follow([id], known)).executions;
      },
    });
  }

  /** What the caller may know of, as far as it is known. */
  async #knownMatches(window: TraceWindow): Promise<readonly RememberedMatch[]> {
    return await visibleMatches({ ...this.#dependencies, form: this.#form }, window);
  }

  /** Where nothing has changed, nothing is kept anew. */
  async #save(): Promise<void> {
    const text = JSON.stringify(this.#state);
    if (text === this.#saved) return;
    this.#saved = text;
    await this.#dependencies.memory.saveTrace(this.#traceId, this.#state);
  }

  async #scanAll(): Promise<ScanResult> {
    return (await this.#scanAroundIdTime()) ?? (await this.#scan(this.#state.window));
  }

  /** What earlier traces have seen of the id is told before anything is asked of n8n. */
  async #tellKnown(): Promise<void> {
    const { progress } = this.#dependencies;
    const asked = this.#askedExecution;
    if (asked !== null) return await progress(0, foundMessage("Found", asked.execution));
    const [newest] = await this.#knownMatches(this.#state.window);
    if (newest !== undefined)
      return await progress(0, `Found: execution ${newest.executionId}, known from an earlier trace`);
    // The scan has begun meanwhile, and may have told more than that.
    if (this.#toldRead === 0) await progress(0, "Reading executions, newest first");
  }

  #skip(reason: string): void {
    this.#skipped.push({ executionId: null, reason });
  }

  /**
   * An id that carries its time says where to look first. Null when it carries none, or was not found there:
   * then the whole window is scanned, which reads none of it again.
   */
  async #scanAroundIdTime(): Promise<ScanResult | null> {
    const { clock } = this.#dependencies;
    const { window } = this.#state;
    const { value } = this.#form;
    if (value === null || this.#askedExecution !== null) return null;
    if (this.#args.traceId !== undefined || window.startedAfter !== null || window.startedBefore !== null)
      return null;
    const time = timeInId(value, clock.now());
    if (time === null) return null;
    const around = {
      ...window,
      startedAfter: new Date(time - BEFORE_ID_TIME_MS).toISOString(),
      startedBefore: new Date(time + AFTER_ID_TIME_MS).toISOString(),
    };
    const result = await this.#scan(around);
    const found = await this.#knownMatches(around);
    const isListed = result.stop.reason === "complete" || result.stop.reason === "gaps";
    const mayGoOn = isListed && this.#readNow < this.#args.limit;
    if (found.length === 0 && mayGoOn) return null;
    // The id was sent again later, as an earlier trace has seen.
    const anywhere = await this.#knownMatches(window);
    if (anywhere.length > found.length) return mayGoOn ? null : result;
    if (found.length > 0) this.#state = { ...this.#state, window: around };
    return result;
  }

  /** For reading without a search. */
  #readOptions() {
    const { client, capabilities, memory, digest, paths, redactLarge, clock } = this.#dependencies;
    const deadline = this.#deadline;
    return {
      client,
      capabilities,
      asks: this.#asks,
      memory,
      digest,
      paths,
      redactLarge,
      clock,
      deadline,
      search: null,
      pageSize: new PageSize(),
    };
  }

  async #scan(window: TraceWindow): Promise<ScanResult> {
    const before = this.#readNow;
    const result = await scan({
      ...this.#readOptions(),
      window,
      search: this.#search,
      limit: this.#args.limit - before,
      ownScopes: this.#state.deep ? scopesOfTrace(this.#traceId) : null,
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#tellPage(before + read, back),
    });
    this.#readNow = before + result.read;
    this.#skipped.push(...result.skipped);
    for (const id of result.current) this.#current.add(id);
    return result;
  }

  /** Hits that are being told; each gives its failure, or null. */
  readonly #telling: Promise<unknown>[] = [];

  #note({ execution, look, searched }: Reading): void {
    const { id } = execution;
    if (searched?.isWhole === true) {
      if (hasEnded(execution)) this.#state.searched += 1;
      else this.#unfinished += 1;
    }
    if (searched?.isPartial === true) this.#notePartial(id);
    const { value } = this.#form;
    if (value === null) return;
    const exact = look.correlations.get(value);
    const custom = this.#dependencies.mayReadData ? look.customValues.get(value) : undefined;
    const place = exact ?? custom ?? searched?.hits[0];
    if (place === undefined) return;
    const mention = { nodeName: keptName(place.run?.nodeName ?? null), path: formatKeptPath(place.path) };
    const isNew = !(id in this.#state.mentions);
    if (exact === undefined && Object.keys(this.#state.mentions).length < MAX_MENTIONS)
      this.#state.mentions[id] = mention;
    const kind = exact === undefined ? "Mentioned" : "Found";
    if (isNew) this.#tell(foundMessage(kind, execution));
  }

  #notePartial(executionId: string): void {
    this.#skipped.push({
      executionId,
      reason: "a part of it is too large to be redacted: the id was looked for at known paths alone there",
    });
  }

  /** At once, while the page still streams in; whether it went well is seen to after the page. */
  #tell(message: string): void {
    const told = this.#dependencies.progress(this.#readNow, message);
    this.#telling.push(
      told.then(
        () => null,
        (error: unknown) => error,
      ),
    );
  }

  async #tellPage(read: number, back: string | null): Promise<void> {
    const failure = (await Promise.all(this.#telling.splice(0))).find((error) => error !== null);
    if (failure !== undefined) throw failure;
    await this.#save();
    // Of a look into n8n's lists that showed nothing new, nothing is told.
    if (read <= this.#toldRead) return;
    this.#toldRead = read;
    const where = back === null ? "" : `, back to ${back}`;
    await this.#dependencies.progress(read, `Read ${counted(read, "execution")}${where}`);
  }

  async #follow(matchIds: readonly string[], family: KnownFamily): Promise<FollowedFamily> {
    return await followLinks({
      ...this.#readOptions(),
      deadline: Math.max(this.#deadline, this.#dependencies.clock.now() + OVERTIME_MS.links),
      matchIds,
      family,
      current: this.#current,
    });
  }

  async #coverage(result: ScanResult, family: FollowedFamily): Promise<TraceCoverage> {
    const cut = family.isCut
      ? [{ executionId: null, reason: "there are more linked executions than could be followed" }]
      : [];
    const skipped = [...this.#skipped, ...family.skipped, ...cut];
    const { memory } = this.#dependencies;
    const coverage = await coverageOf(memory, this.#state.window, result, this.#readNow, skipped);
    const searched = this.#state.searched + this.#unfinished;
    const isBounded = result.downTo !== null;
    return {
      ...coverage,
      searchedForMentions: isBounded ? Math.min(searched, coverage.scannedExecutions) : searched,
      unsavedWorkflows: null,
    };
  }

  /** "Not found" would be wrong when it was n8n that failed. What was read is kept: the next call goes on. */
  #toResumable(error: ObserverError, scannedExecutions: number): ObserverError {
    if (scannedExecutions === 0) return error;
    return new ObserverError(error.code, error.message, {
      ...error.details,
      solution: `${error.details.solution} What was read is kept: call again with the traceId to go on.`,
      scannedExecutions,
      traceId: this.#traceId,
    });
  }

  /** The keys of a payload are payload. */
  #toMatch(kind: Match["kind"], { nodeName, path }: Omit<Match, "kind">): Match {
    const { mayReadData, paths } = this.#dependencies;
    if (path === ASKED_BY_ID) return { kind, nodeName, path };
    return { kind, nodeName, path: mayReadData ? path : paths.withoutPayload(path) };
  }

  async #answer(
    stop: ScanStop,
    request: FoundRequest,
    family: FollowedFamily,
    coverage: TraceCoverage,
  ): Promise<TraceAnswer> {
    const { memory, client } = this.#dependencies;
    const isAtKnownPathsOnly = this.#isAtKnownPathsOnly;
    const mentions = [
      ...request.others
        .slice(0, MAX_MENTIONS)
        .map(({ executionId, ...place }) => [executionId, place] as const),
      ...Object.entries(this.#state.mentions),
    ];
    const mentioned = [...new Set(mentions.map(([id]) => id))];
    const mentioning = mentioned.length === 0 ? [] : await memory.executions(mentioned);
    const matches = new Map<string, Match>([
      ...mentions.map(([id, place]) => [id, this.#toMatch("mentioned", place)] as const),
      ...request.matches.map(
        ({ executionId, ...place }) => [executionId, this.#toMatch("exact", place)] as const,
      ),
    ]);
    const tree = buildTree({ family: family.executions, mentioning, matches });
    const { failure, ownText } = await failureOfTree(tree, client);
    const isRead = stop.reason === "complete";
    const reach = {
      ...coverage,
      unsavedWorkflows: tree.deciding === null && isRead ? await unsavedWorkflows(client) : null,
    };
    const foundAs = tree.deciding === null ? null : request.foundAs;
    const asked = {
      text: this.#state.asked,
      foundAs,
      form: this.#form,
      execution: this.#askedExecution?.execution ?? null,
    };
    return {
      sentence: outcomeSentence(asked, tree, failure?.nodeName ?? null, { ...reach, isAtKnownPathsOnly }),
      requestId: this.#state.asked,
      foundAs,
      found: tree.deciding !== null,
      // An answer that is not the last word does not sound like it.
      outcome:
        tree.outcome === "not_found" && coverage.stoppedBy !== "complete" ? "not_found_yet" : tree.outcome,
      failure,
      ownText,
      executions: tree.nodes,
      decidingId: tree.deciding?.id ?? null,
      timeline: timelineOf(tree.nodes),
      coverage: reach,
      isAtKnownPathsOnly,
      traceId: this.#traceId,
      scanError: stop.reason === "n8n" ? stop.error : null,
    };
  }
}

const foundMessage = (kind: "Found" | "Mentioned", execution: TracedExecution): string =>
  `${kind}: execution ${execution.id} of ${quoted(execution.workflowName ?? execution.workflowId)}, status ${execution.status}`;

async function failureOfTree(tree: RequestTree, client: N8nClient): Promise<ReadFailure> {
  const node = deepestFailure(tree);
  if (node === null) return { failure: null, ownText: null };
  const { id: executionId, workflowName } = node;
  const unread = (sentence: string): ReadFailure => ({
    failure: { executionId, workflowName, ...toFailure(null, undefined, sentence) },
    ownText: null,
  });
  try {
    const execution = await client.readExecution(executionId, OUTLINE, {
      timeoutMs: OVERTIME_MS.failingNode,
    });
    const failure = failureOf(execution);
    if (failure === null) return unread("The execution failed; n8n has no error for it.");
    return { failure: { executionId, workflowName, ...failure }, ownText: ownTextOf(execution) };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return unread(`The failed execution could not be read again: ${error.message}`);
  }
}
