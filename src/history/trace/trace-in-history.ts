/**
 * "What happened to requestId X?", as far as the history of one n8n goes: looks for new executions, finds those that
 * hold the id, and follows their links. The feature interprets the result.
 */
import { withRetries } from "../../n8n/back-off.ts";
import { type ErrorCode, ObserverError, orElse } from "../../platform/errors.ts";
import { isNewer } from "../../platform/id-order.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { OwnReads } from "../resuming/own-reads.ts";
import { MAX_MENTIONS, openTrace } from "../resuming/trace-state.ts";
import { coverageOf, withRemovedStop } from "../scan/coverage.ts";
import { scanAgainIfChanged } from "../scan/scan-again.ts";
import type { ScanResult, ScanStop, SkippedExecution } from "../scan/scan-options.ts";
import { stopFacts } from "../scan/stop-facts.ts";
import { hasWindowEnded, isInWindow } from "../scan/window.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { type KnownFamily, MAX_MATCHES, type RememberedMatch } from "../store/known-requests.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import {
  type FoundRequest,
  failuresFirst,
  findRequest,
  NO_FAMILY,
  refreshed,
  requestWithId,
  visibleMatches,
  withHolders,
} from "./find-matches.ts";
import type { HistoryCoverage, HistoryTrace, TraceDependencies, TraceQuery } from "./history-trace.ts";
import {
  executionNotFound,
  type FollowedFamily,
  type FollowOptions,
  followLinks,
  type RequestedExecution,
  readRequestedExecution,
} from "./single-reads.ts";
import { readOptionsOf, type TraceContext } from "./trace-context.ts";
import { TraceProgress } from "./trace-progress.ts";
import { TraceScans } from "./trace-scans.ts";
import { traceTarget } from "./trace-target.ts";

/** Executions with many ids that are read to check for the requested one. About one in 100,000 is a false positive. */
const MAX_CANDIDATES = 10;
const TOO_MANY_CANDIDATES =
  "more executions with many ids may contain it than were read: failures were read first";

const MAX_EXECUTION_ID = String(2 ** 31 - 1);

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, `INSUFFICIENT_SCOPE`, or an `N8N_…` code if n8n failed
 * before the request was found; if anything was read, its details have a `traceId` to continue with. Once the request
 * was found, n8n's failure is part of the answer.
 */
export async function traceInHistory(
  args: TraceQuery,
  dependencies: TraceDependencies,
): Promise<HistoryTrace> {
  const context = contextOf(args, dependencies);
  const traceId = args.traceId ?? args.newTraceId ?? dependencies.newTraceId();
  return await new Trace(context, traceId, await readIfExecutionId(context)).run();
}

function contextOf(args: TraceQuery, dependencies: TraceDependencies): TraceContext {
  const { known, sources, traces } = dependencies;
  const opened = openTrace(args, traces);
  const state = { ...opened, mentions: { ...opened.mentions } };
  const mayReadData = args.mayReadData && known.view.mayReadData(null);
  const target = traceTarget(state.asked, state.deep, mayReadData, sources.paths);
  const { value } = target.form;
  const finder = { known, sources, target, digest: value === null ? null : sources.digest(value) };
  const own = new OwnReads(state.own, sources.digest(known.view.key));
  return { args, dependencies, state, own, finder, deadline: sources.clock.now() + args.timeBudgetMs };
}

/**
 * The execution with the requested id; null if there is none; n8n's failure if the id can mean something else.
 * @throws ObserverError `EXECUTION_NOT_FOUND` if the id can mean nothing else
 */
async function readIfExecutionId(context: TraceContext): Promise<RequestedExecution | ObserverError | null> {
  const { value, executionId } = context.finder.target.form;
  const { sources, store } = context.dependencies;
  if (executionId === null || (value !== null && exceedsAllIds(executionId, store))) return null;
  const ask = () => readRequestedExecution(executionId, readOptionsOf(context));
  const asked = await orElse(
    async () => await withRetries(ask, sources, context.deadline),
    (error) => {
      if (value === null || !SINGLE_EXECUTION_FAILURES.has(error.code)) throw error;
      return error;
    },
  );
  if (asked === null && value === null) throw executionNotFound(executionId);
  return asked;
}

/** Failures that may concern a single execution. */
const SINGLE_EXECUTION_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "N8N_UNREACHABLE",
  "N8N_BAD_RESPONSE",
  "N8N_TIMEOUT",
]);

/** True for a number above all execution ids: n8n on PostgreSQL uses 32 bits, and fails if asked for more. */
const exceedsAllIds = (id: string, { executions }: ExecutionStore): boolean =>
  [MAX_EXECUTION_ID, executions.newest?.id ?? "0"].every((highest) => isNewer(id, highest));

class Trace {
  readonly #context: TraceContext;
  readonly #traceId: string;
  readonly #requestedExecution: TracedExecution | null;
  readonly #progress: TraceProgress;
  readonly #scans: TraceScans;
  /** Why it is unknown whether there is one. */
  readonly #requestedFailure: ObserverError | null;
  readonly #skipped: SkippedExecution[] = [];
  #saved = "";

  constructor(context: TraceContext, traceId: string, found: RequestedExecution | ObserverError | null) {
    const { dependencies, finder, state } = context;
    this.#context = context;
    this.#traceId = traceId;
    this.#requestedFailure = found instanceof ObserverError ? found : null;
    const asked = found instanceof ObserverError ? null : found;
    this.#requestedExecution = asked?.execution ?? null;
    this.#progress = new TraceProgress(dependencies.progress);
    const isExecutionRead = asked !== null;
    // The digits of an execution id occur in many unrelated places.
    const searchTarget = isExecutionRead && !state.deep ? null : finder.target.mention;
    const save = () => this.#save();
    this.#scans = new TraceScans(context, { progress: this.#progress, searchTarget, isExecutionRead, save });
    if (this.#requestedFailure !== null)
      this.#skip(
        `it may be the one asked for, but reading it failed with ${this.#requestedFailure.code}`,
        finder.target.form.executionId,
      );
    if (asked?.isGone === true)
      this.#skip("n8n has deleted it; this is what the index knew of it", asked.execution.id);
  }

  async run(): Promise<HistoryTrace> {
    const { args, deadline, dependencies, finder, state } = this.#context;
    const { scans, store } = dependencies;
    const found = this.#requestedExecution ?? this.#knownMatches[0]?.executionId;
    // Explaining while others wait for n8n's lists would take their slots and delay them all.
    const reportedKnown = scans.hasCallers ? null : this.#scans.requestsSent.then(() => this.#reportKnown());
    const timesForgotten = store.timesForgotten;
    let [result] = await Promise.all([this.#scans.run(), this.#progress.begin(found), reportedKnown]);
    await this.#readCandidates();
    await this.#readRemoved();
    let request = await this.#findRequest();
    if (result.stop.reason === "complete") {
      const wasFound = request.matches.length > 0;
      const hasFound = (): boolean => wasFound || this.#knownMatches.length > 0;
      const { isFurtherLook } = args;
      const { window, deep } = state;
      const asking = { ...dependencies, window, hasFound, hasLooked: !deep, isFurtherLook, deadline };
      const before = result;
      result = await scanAgainIfChanged(asking, result, () => this.#scans.again());
      if (!wasFound || result !== before) request = await this.#findRequest();
    }
    // What the scan has read may have been removed since, to make room.
    const isForgotten = store.timesForgotten !== timesForgotten && result.stop.reason === "complete";
    if (request.matches.length === 0 && isForgotten) result = { ...result, stop: { reason: "forgotten" } };
    if (!state.deep) result = withRemovedStop(result, store);
    request = failuresFirst(request, dependencies.known);
    const matches = request.matches.slice(0, MAX_MATCHES);
    if (matches.length < request.matches.length)
      this.#skip(`more than ${MAX_MATCHES} executions hold the id; failures and the newest were followed`);
    request = withHolders({ ...request, matches }, finder);
    const family = await this.#follow(request.family, () => {
      request = refreshed(request, finder);
      return request.family;
    });
    const coverage = this.#coverage(result, family);
    this.#save(coverage.complete);
    const failure = "error" in result.stop ? result.stop.error : this.#requestedFailure;
    if (failure !== null && matches.length === 0)
      throw this.#toResumable(failure, Math.max(coverage.scannedExecutions, coverage.searchedForMentions));
    return this.#answer(result.stop, request, family, coverage);
  }

  async #findRequest(): Promise<FoundRequest> {
    const { dependencies, finder, state } = this.#context;
    const readLinked = async (id: string) => {
      const familyNow = () => dependencies.known.requests.family([id]);
      return (await this.#follow(familyNow(), familyNow)).executions;
    };
    const requested = this.#requestedExecution;
    // Digits may mean an execution, but not one outside the requested window.
    const isMeant = finder.target.form.value === null || (requested && isInWindow(state.window, requested));
    return await findRequest(finder, state.window, isMeant ? (requested?.id ?? null) : null, readLinked);
  }

  /** Reads executions with more ids than rows, whose filters may contain the id. */
  async #readCandidates(): Promise<void> {
    const { known, digest, target } = this.#context.finder;
    const { form, visible } = target;
    if (digest === null) return;
    const candidates = known.requests.candidatesOf(
      digest,
      this.#context.state.window,
      visible,
      MAX_CANDIDATES,
    );
    if (candidates.isCut) this.#skip(TOO_MANY_CANDIDATES);
    await this.#readEach(candidates.ids, { wanted: form.value, because: "it may hold the id" });
  }

  /**
   * Reads what a deep trace found earlier and the index has removed since, to make room. An execution that n8n has
   * deleted, too, is reported once, because it can never be found again.
   */
  async #readRemoved(): Promise<void> {
    const { finder, own } = this.#context;
    const { known, target } = finder;
    const there = new Set(known.executions.withIds(own.held).map(({ id }) => id));
    const forgotten = own.held.filter((id) => !there.has(id));
    const onGone = (id: string): void => own.forgetMatch(id);
    await this.#readEach(forgotten, { wanted: target.form.value, because: "it holds the id", onGone });
  }

  async #readEach(
    missing: readonly string[],
    why: Pick<FollowOptions, "wanted" | "because" | "onGone">,
  ): Promise<void> {
    if (missing.length === 0) return;
    const { skipped } = await this.#follow({ ...NO_FAMILY, missing }, () => NO_FAMILY, why);
    this.#skipped.push(...skipped);
  }

  get #knownMatches(): readonly RememberedMatch[] {
    return visibleMatches(this.#context.finder, this.#context.state.window);
  }

  #reportKnown(): void {
    const { dependencies, finder, state } = this.#context;
    const { onKnown, known } = dependencies;
    if (onKnown === undefined) return;
    const { matches, family } = withHolders(requestWithId(finder, state.window), finder);
    if (matches.length === 0) return;
    onKnown({ ...family, matches, family: known.executions.onlyVisible(family.executions) });
  }

  #save(isComplete = false): void {
    const { dependencies, own, state } = this.#context;
    const saved = { ...state, own: own.state, isComplete };
    const text = JSON.stringify(saved);
    if (text === this.#saved) return;
    this.#saved = text;
    dependencies.traces.save(this.#traceId, saved);
  }

  #skip(reason: string, executionId: string | null = null): void {
    this.#skipped.push({ executionId, reason });
  }

  async #follow(
    family: KnownFamily,
    familyNow: () => KnownFamily,
    why: Pick<FollowOptions, "wanted" | "because" | "onGone"> = {},
  ): Promise<FollowedFamily> {
    const deadline = this.#context.dependencies.sources.clock.now() + OVERTIME_MS.links;
    return await followLinks({
      ...readOptionsOf(this.#context),
      ...why,
      deadline: Math.max(this.#context.deadline, deadline),
      family,
      familyNow,
      current: this.#scans.current,
      isFurtherLook: this.#context.args.isFurtherLook === true,
    });
  }

  #coverage(result: ScanResult, family: FollowedFamily): HistoryCoverage {
    const skipped = [...this.#scans.skipped, ...this.#skipped, ...family.skipped];
    if (family.isCut)
      skipped.push({ executionId: null, reason: "there are more linked executions than could be followed" });
    const { dependencies, own, state } = this.#context;
    const { known } = dependencies;
    const { covered: window, inPart, shown } = this.#scans;
    const coverage = coverageOf(known, window, result, shown, skipped, inPart);
    const isAsSearched = (one: TracedExecution): boolean =>
      one.status === "new" ? own.hasReadQueued(one.id) : one.status === "running" && own.hasReadRunning(one);
    const notSearchedAgain = known.executions
      .withIds([...own.queued, ...own.unfinished])
      .filter((one) => isAsSearched(one) && isInWindow(window, one));
    const unfinished = new Set([...this.#scans.unfinished, ...notSearchedAgain.map(({ id }) => id)]);
    const searched = state.searched + unfinished.size;
    const most = result.downTo === null ? searched : coverage.scannedExecutions;
    return { ...coverage, searchedForMentions: Math.min(searched, most) };
  }

  /** "Not found" would be wrong if n8n failed. What was read is stored, so the next call continues. */
  #toResumable(error: ObserverError, scannedExecutions: number): ObserverError {
    if (scannedExecutions === 0) return error;
    return new ObserverError(error.code, error.message, {
      ...error.details,
      solution: `${error.details.solution} What was read is kept: asking again continues from there.`,
      scannedExecutions,
      traceId: this.#traceId,
    });
  }

  #answer(
    stop: ScanStop,
    { matches, others, foundAs }: FoundRequest,
    { executions, deleted, swallowing, unjudged }: FollowedFamily,
    coverage: HistoryCoverage,
  ): HistoryTrace {
    const { dependencies, finder, state } = this.#context;
    const { workflowId, startedBefore } = state.window;
    const { known, target } = finder;
    // Mentions that the same user found with `n8n:data` are not shown without it.
    const shownMentions = target.visible === "all" ? Object.entries(state.mentions) : [];
    const mentions = [
      ...others.slice(0, MAX_MENTIONS),
      ...shownMentions.map(([executionId, place]) => ({ executionId, ...place })),
    ];
    const mentioning = known.executions.withIds(mentions.map(({ executionId }) => executionId));
    const { syncedAt } = dependencies.store.lookTimes;
    return {
      requestId: state.asked,
      traceId: this.#traceId,
      endsAt: hasWindowEnded(state.window, dependencies.sources.clock.now()) ? startedBefore : null,
      scope: {
        ...state.window,
        workflowId: workflowId !== null && known.view.has(workflowId) ? workflowId : null,
        isOfOneWorkflow: workflowId !== null,
        deep: state.deep,
      },
      matches,
      foundAs,
      mentions: known.isWhole
        ? mentions
        : mentions.filter((one) => mentioning.some(({ id }) => id === one.executionId)),
      family: known.executions.onlyVisible(executions),
      mentioning: known.executions.onlyVisible(mentioning),
      otherWorkflows: known.executions.otherWorkflowsOf(executions.map(({ id }) => id)),
      deleted,
      swallowing,
      unjudged,
      requestedExecution: this.#requestedExecution,
      coverage,
      isAtKnownPathsOnly: target.visible === "open" && target.form.value !== null,
      stop: stopFacts(stop),
      queue: queueFor(known, executions),
      asOf: syncedAt === null ? null : new Date(syncedAt).toISOString(),
    };
  }
}

function queueFor(known: VisibleHistory, family: readonly TracedExecution[]): HistoryTrace["queue"] {
  const facts = known.queue;
  const queued = family.filter(({ status }) => status === "new");
  return (
    facts && { ...facts, before: Object.fromEntries(queued.map(({ id }) => [id, known.queuedBefore(id)])) }
  );
}
