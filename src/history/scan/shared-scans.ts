/**
 * The scans of one n8n, which all who ask share: what one is reading is not read for another, and what is new is
 * looked for once for all who ask at about the same time.
 *
 * Promises: each caller waits until its own window is covered, its own limit is reached or its own time is up; one that
 * goes away stops nothing that others wait for, and where nobody waits any more, nothing more is asked of n8n. What
 * began a quarter of a second before somebody asked is looked for.
 */

import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { N8nClient } from "../../n8n/client.ts";
import type { Clock } from "../../platform/clock.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { PayloadSearch, type RedactLarge } from "../payload/payload-search.ts";
import type { SearchTarget } from "../payload/search-target.ts";
import { PageSize } from "../reading/page-size.ts";
import type { Reading } from "../reading/read-executions.ts";
import type { ComparableIds } from "../request-ids/comparable-ids.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { isNewer } from "../store/traced-execution.ts";
import { type TermSources, takeTerms } from "../terms/term-reading.ts";
import { ReadsUnderWay } from "./reads-under-way.ts";
import { Scan } from "./scan.ts";
import type { HeadOptions, ScanOptions, ScanResult, ScanStop } from "./scan-options.ts";
import { callerGone } from "./stop-facts.ts";
import { isWholeHistory } from "./window.ts";

/** What scans read with: that of whoever began it. */
export interface ScanSources {
  readonly client: N8nClient;
  readonly capabilities: KnownCapabilities;
  readonly digest: CorrelationDigest;
  readonly paths: ComparableIds;
  readonly redactLarge: RedactLarge;
  /** @see ReadOptions.countExecution */
  readonly countExecution?: (() => void) | undefined;
  readonly terms: TermSources;
  readonly clock: Clock;
}

/** Somebody who waits for a scan. */
export interface Waiting {
  /** Epoch ms. */
  readonly deadline: number;
  /** Most executions to read while it waits. */
  readonly limit: number;
  /** Aborts when it has gone away; without it, nobody can tell. */
  readonly gone?: AbortSignal | undefined;
  /** What it looks for in the payload that passes by; null for nothing. */
  readonly searchTarget: SearchTarget | null;
  /** It has time: its look begins a moment later, with all who come meanwhile. */
  readonly gathers?: boolean;
  readonly onRead: (reading: Reading) => void;
  /** Told after each page: how many were read while it waited, and the start of the last one. When it fails, it waits no longer. */
  readonly onPage: (read: number, back: string | null) => Promise<void>;
}

/** A look at what is new that began no longer ago serves whoever asks now. */
export const FRESH_MS = 250;
/** Those who wait look at the same full seconds, by clocks and timers that differ by less. */
const GATHER_MS = 100;
/**
 * Most bytes of payload that a scan redacts to look for what its callers seek: as much as costs it a twentieth of its
 * time over 2,000 executions.
 */
const MAX_SOUGHT_BYTES = 128 * 1024;
/** How much a scan does, by whom it is for. */
interface Effort {
  /** Most bytes of payload that it redacts to take terms of them. */
  readonly maxTermBytes: number;
  /** How many executions a look at what is new lists at first. */
  readonly listed: number;
}

/** Terms: as many as cost it a twentieth of its time, too. Lists: what is new since the last look is mostly less. */
const WHILE_AWAITED: Effort = { maxTermBytes: 128 * 1024, listed: 25 };
/** Terms: what a step may take of the processor. Lists: what n8n has deleted shows among more of them. */
const FOR_NOBODY: Effort = { maxTermBytes: 64 * 1024 * 1024, listed: 100 };
/** How much earlier than a window the oldest known execution has begun: ids count up nearly as starts do. */
const START_MARGIN_MS = 60 * 60 * 1_000;
const NO_WINDOW: TraceWindow = { workflowId: null, startedAfter: null, startedBefore: null };

const keyOf = (window: TraceWindow): string => JSON.stringify(window);

export class SharedScans {
  readonly #store: ExecutionStore;
  readonly #underWay = new ReadsUnderWay();
  readonly #bodies = new Map<string, SharedScan>();
  #head: SharedScan | null = null;
  #nextHead: Promise<SharedScan> | null = null;
  #gathering: Promise<void> | null = null;
  #readingBack: SharedScan | null = null;

  constructor(store: ExecutionStore) {
    this.#store = store;
  }

  get underWay(): ReadsUnderWay {
    return this.#underWay;
  }

  /** True while anything is asked of n8n. */
  get isBusy(): boolean {
    return this.isAwaited || this.#readingBack?.isRunning === true;
  }

  /** True while somebody waits for an answer. */
  get isAwaited(): boolean {
    return this.#bodies.size > 0 || this.#head?.isRunning === true;
  }

  /** What is new, for nobody. Null when nothing is known yet: then there is no head to look at. */
  async lookAtHead(sources: ScanSources, waiting: Waiting): Promise<ScanResult | null> {
    const scope = await scopeOf(sources.capabilities);
    if (this.#store.stretches(scope).length === 0) return null;
    return await (await this.#headScan(null, scope, sources, FOR_NOBODY)).join(waiting);
  }

  /** Below what is known, for nobody. */
  async readBack(sources: ScanSources, waiting: Waiting): Promise<ScanResult> {
    this.#readingBack = new SharedScan(NO_WINDOW, null, this.#options(sources, FOR_NOBODY));
    return await this.#readingBack.join(waiting);
  }

  /** Down to the end of the window, as far as time and limit go. */
  async cover(window: TraceWindow, sources: ScanSources, waiting: Waiting): Promise<ScanResult> {
    if (waiting.gathers === true) await this.#gather();
    const scope = await scopeOf(sources.capabilities);
    if (this.isCovered(window, scope)) return await this.#lookAtHead(window, scope, sources, waiting);
    const running = this.#bodies.get(keyOf(window));
    if (running === undefined || running.isFresh) return await this.#scanBody(window, sources, waiting);
    const [head, body] = await Promise.all([
      (await this.#headScan(running.top, scope, sources)).join(waiting),
      this.#scanBody(window, sources, waiting),
    ]);
    return together(head, body);
  }

  /** Until all who look at the same second have come: they go on together, so that one begins what the others join. */
  async #gather(): Promise<void> {
    this.#gathering ??= new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      this.#gathering = null;
    });
    await this.#gathering;
  }

  /** True when all that began since the window did is known, but for what is new: that is looked at in any case. */
  async isKnownSince(window: TraceWindow, { capabilities }: ScanSources): Promise<boolean> {
    return this.isCovered(window, await scopeOf(capabilities));
  }

  /** True when all of the window is known, but for what is new. */
  isCovered({ startedAfter }: TraceWindow, scope: Scope): boolean {
    const [newest] = this.#store.stretches(scope);
    if (newest === undefined) return false;
    if (newest.isBottom) return true;
    const start = startedAfter === null ? null : this.#store.startOf(newest.low);
    return (
      start !== null &&
      startedAfter !== null &&
      Date.parse(start) <= Date.parse(startedAfter) - START_MARGIN_MS
    );
  }

  async #lookAtHead(
    window: TraceWindow,
    scope: Scope,
    sources: ScanSources,
    waiting: Waiting,
  ): Promise<ScanResult> {
    const head = await (await this.#headScan(null, scope, sources)).join(waiting);
    // n8n has another history than the one that was known.
    const isKnown = this.isCovered(window, scope);
    if (!isKnown && ["complete", "forgotten"].includes(head.stop.reason)) {
      const body = await this.#scanBody(window, sources, waiting);
      return { ...body, read: head.read + body.read };
    }
    const [newest] = this.#store.stretches(scope);
    return { ...head, downTo: newest?.low ?? head.downTo };
  }

  /** Whoever asks while one is under way waits for the next one, which then serves all of them. */
  async #headScan(
    top: string | null,
    scope: Scope,
    sources: ScanSources,
    effort = WHILE_AWAITED,
  ): Promise<SharedScan> {
    if (this.#head?.isFresh === true) return this.#head;
    if (this.#head?.isRunning !== true) return this.#beginHead(top, scope, sources, effort);
    this.#nextHead ??= this.#head.ended.then(() => {
      this.#nextHead = null;
      return this.#beginHead(top, scope, sources, effort);
    });
    return await this.#nextHead;
  }

  /** Without waiting: whoever asks meanwhile would begin another. */
  #beginHead(top: string | null, scope: Scope, sources: ScanSources, effort: Effort): SharedScan {
    const [newest] = this.#store.stretches(scope);
    const known = newest?.high ?? null;
    const stopAt = top !== null && (known === null || isNewer(top, known)) ? top : known;
    const { settledBefore } = this.#store.lookTimes;
    const head = { stopAt, settledBefore, listed: effort.listed };
    this.#head = new SharedScan(NO_WINDOW, head, this.#options(sources, effort));
    return this.#head;
  }

  async #scanBody(window: TraceWindow, sources: ScanSources, waiting: Waiting): Promise<ScanResult> {
    const { clock } = sources;
    let read = 0;
    for (;;) {
      const running = this.#bodies.get(keyOf(window));
      const body = running?.isJoinable === true ? running : this.#beginBody(window, sources);
      const before = read;
      const result = await body.join({
        ...waiting,
        limit: waiting.limit - before,
        onPage: async (readNow, back) => await waiting.onPage(before + readNow, back),
      });
      read += result.read;
      // It ended for others, who had less time or asked for less.
      const isEarly =
        (result.stop.reason === "limit" && read < waiting.limit) ||
        (result.stop.reason === "time" && clock.now() < waiting.deadline) ||
        result.stop.reason === "enough";
      if (!isEarly) return { ...result, read };
    }
  }

  #beginBody(window: TraceWindow, sources: ScanSources): SharedScan {
    const key = keyOf(window);
    const body = new SharedScan(window, null, this.#options(sources));
    this.#bodies.set(key, body);
    void body.ended.then(() => {
      if (this.#bodies.get(key) === body) this.#bodies.delete(key);
    });
    return body;
  }

  #options(sources: ScanSources, { maxTermBytes } = WHILE_AWAITED): SharedOptions {
    return { ...sources, maxTermBytes, store: this.#store, underWay: this.#underWay };
  }
}

export async function scopeOf(capabilities: KnownCapabilities): Promise<Scope> {
  return hidesUnfinished(await capabilities.get()) ? "hidden" : "listed";
}

/** What is new, and what lies below: the one has ended where the other began. */
function together(head: ScanResult, body: ScanResult): ScanResult {
  return {
    stop: head.stop.reason === "complete" ? body.stop : head.stop,
    downTo: body.downTo,
    current: new Set([...head.current, ...body.current]),
    read: head.read + body.read,
    skipped: [...head.skipped, ...body.skipped],
    settles: head.settles,
  };
}

type SharedOptions = ScanSources &
  Pick<ScanOptions, "store" | "underWay"> & {
    /** Most bytes of payload that are redacted to take terms of them. */
    readonly maxTermBytes: number;
  };

/** One who waits, as long as it does. */
interface Member {
  readonly waiting: Waiting;
  /** Executions that the scan had begun to read when it came. */
  readonly askedBefore: number;
  read: number;
  /** What it is told, one after the other. */
  told: Promise<void>;
  readonly leave: (stop: ScanStop) => void;
  readonly fail: (error: unknown) => void;
}

class SharedScan {
  /** Ends with the scan, and never fails. */
  readonly ended: Promise<void>;
  isRunning = true;
  readonly #begunAt: number;
  readonly #options: SharedOptions;
  readonly #members = new Set<Member>();
  readonly #firstMember = Promise.withResolvers<void>();
  /** Aborts when nobody waits any more. */
  readonly #abandoned = new AbortController();
  #scan: Scan;
  #result: ScanResult | null = null;
  #failure: unknown;
  #top: string | null = null;

  constructor(window: TraceWindow, head: HeadOptions | null, options: SharedOptions) {
    this.#options = options;
    this.#begunAt = options.clock.now();
    this.#scan = this.#newScan(window, head);
    this.ended = this.#firstMember.promise.then(async () => await this.#run(window, head));
  }

  /** False once it has ended, or ends since nobody waits. */
  get isJoinable(): boolean {
    return this.isRunning && !this.#abandoned.signal.aborted;
  }

  /** True when what it asks of n8n is as new as if it were asked now. */
  get isFresh(): boolean {
    return this.isJoinable && this.#options.clock.now() - this.#begunAt <= FRESH_MS;
  }

  /** The newest execution that it has listed; null before. */
  get top(): string | null {
    return this.#top;
  }

  /** Waits for the end of the scan, or of one's own time or limit. */
  async join(waiting: Waiting): Promise<ScanResult> {
    if (this.#result !== null) return { ...this.#result, read: 0 };
    const { promise, resolve, reject } = Promise.withResolvers<ScanResult>();
    const member: Member = {
      waiting,
      askedBefore: this.#scan.begun,
      read: 0,
      told: Promise.resolve(),
      leave: (stop) => {
        this.#members.delete(member);
        const result = { ...this.#scan.resultSoFar(stop), read: member.read };
        void member.told.then(() => resolve(result), reject);
      },
      fail: (error) => {
        this.#members.delete(member);
        reject(error);
        if (this.#members.size === 0) this.#abandoned.abort();
      },
    };
    this.#members.add(member);
    this.#firstMember.resolve();
    // The scan itself ends in time, but it may have more time than this one.
    const inTime = Math.max(0, waiting.deadline - this.#options.clock.now());
    const atLast = inTime + OVERTIME_MS.late + OVERTIME_MS.firstPage;
    const timers = [
      setTimeout(() => member.read > 0 && this.#leaveLate(member), inTime),
      setTimeout(() => this.#leaveLate(member), atLast),
    ];
    const leave = (): void => member.fail(callerGone());
    waiting.gone?.addEventListener("abort", leave);
    try {
      return await promise;
    } finally {
      waiting.gone?.removeEventListener("abort", leave);
      timers.forEach(clearTimeout);
    }
  }

  #leaveLate(member: Member): void {
    if (this.#members.size > 1) member.leave({ reason: "time" });
  }

  async #run(window: TraceWindow, head: HeadOptions | null): Promise<void> {
    try {
      this.#result = await this.#scan.run();
      if (this.#result.stop.reason === "forgotten" && this.#members.size > 0) {
        this.#scan = this.#newScan(window, head === null ? null : { ...head, stopAt: null });
        this.#result = await this.#scan.run();
      }
      if (head !== null || isWholeHistory(window)) this.#noteSettled(this.#result);
    } catch (error) {
      this.#failure = error;
    }
    this.isRunning = false;
    for (const member of [...this.#members]) {
      if (this.#result === null) member.fail(this.#failure);
      else member.leave(this.#result.stop);
    }
  }

  #noteSettled({ stop, settles }: ScanResult): void {
    if (stop.reason !== "complete") return;
    const { store, clock } = this.#options;
    store.noteLook(clock.now(), settles);
  }

  #newScan(window: TraceWindow, head: HeadOptions | null): Scan {
    const members = this.#members;
    const most = (of: (member: Member) => number): number => Math.max(0, ...[...members].map(of));
    return new Scan({
      ...this.#options,
      client: this.#options.client.until(this.#abandoned.signal),
      window,
      head,
      own: null,
      pageSize: new PageSize(),
      terms: takeTerms(this.#options.terms, this.#options.maxTermBytes),
      search: new PayloadSearch({
        searchTargets: () => [...members].flatMap(({ waiting }) => waiting.searchTarget ?? []),
        maxBytes: MAX_SOUGHT_BYTES,
      }),
      get deadline() {
        return most(({ waiting }) => waiting.deadline);
      },
      get limit() {
        return most(({ waiting, askedBefore }) => askedBefore + waiting.limit);
      },
      isEnough: () => members.size === 0,
      onTop: (id) => {
        this.#top ??= id;
      },
      onRead: (reading) => {
        for (const member of members) {
          member.read += 1;
          member.waiting.onRead(reading);
        }
      },
      onPage: async (_read, back) => this.#tellPage(back),
    });
  }

  /** Nobody waits for what another is told. */
  #tellPage(back: string | null): void {
    for (const member of [...this.#members]) {
      const { read } = member;
      member.told = member.told.then(async () => await member.waiting.onPage(read, back));
      member.told.catch(member.fail);
      const isLate = this.#options.clock.now() >= member.waiting.deadline;
      if (this.#members.size === 1) continue;
      if (read >= member.waiting.limit) member.leave({ reason: "limit" });
      else if (isLate && read > 0) member.leave({ reason: "time" });
    }
  }
}
