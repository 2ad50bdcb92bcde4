/**
 * One scan and the callers that wait for it. Each gets its result once the scan ends, or its own limit or deadline is
 * reached. The scan stops once no caller waits any more.
 */
import { OVERTIME_MS, TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { PayloadSearch } from "../payload/payload-search.ts";
import type { SearchTarget } from "../payload/search-target.ts";
import { PageSize } from "../reading/page-size.ts";
import type { Reading, ReadSources } from "../reading/reading.ts";
import { isWholeHistory, type TraceWindow } from "../store/trace-window.ts";
import type { TermTaking } from "../terms/term-reading.ts";
import { Scan } from "./scan.ts";
import type { LookOptions, ScanEnvironment, ScanOptions, ScanResult, ScanStop } from "./scan-options.ts";
import { LISTS_BEFORE_A_PAGE, PAGE_IN_ANSWERS } from "./session.ts";
import { callerDisconnected } from "./stop-facts.ts";

/** A caller that waits for a scan. */
export interface ScanCaller
  extends Pick<ScanOptions, "deadline" | "limit" | "onRequestsSent" | "onRead" | "onPage"> {
  /** Aborts when the caller disconnects; without it, a disconnect goes unnoticed. */
  readonly disconnected?: AbortSignal | undefined;
  readonly searchTarget: SearchTarget | null;
  /** True for a caller that polls: its look starts a moment later, shared with callers that arrive meanwhile. */
  readonly batchesWithOthers?: boolean;
}

/** A look for new executions that began at most this long ago also serves a new caller. */
export const FRESH_MS = 250;
/** Maximum payload bytes that a scan redacts to search for its callers' targets: a twentieth of its time. */
const MAX_SEARCHED_BYTES = 128 * 1024;

/** How long an answer waits for the last progress report to be delivered. */
const LAST_REPORT_MS = 1_000;

export interface SharedOptions extends ReadSources, ScanEnvironment {
  readonly newTerms: () => TermTaking;
}

/** The result of a scan that has not begun. */
const NOTHING_READ = {
  downTo: null,
  current: new Set<string>(),
  skipped: [],
  leftRunning: new Set<string>(),
  settles: null,
};

interface Member {
  readonly caller: ScanCaller;
  /** Executions that the scan had begun to read before this caller joined. */
  readonly begunBefore: number;
  read: number;
  /** Resolves after the latest progress report to the caller; reports are sent one after the other. */
  lastReport: Promise<void>;
  readonly timers: ReturnType<typeof setTimeout>[];
  readonly result: PromiseWithResolvers<ScanResult>;
}

export class SharedScan {
  /** Resolves when the scan ends, and never rejects. */
  readonly ended: Promise<void>;
  #isRunning = true;
  #hasSentRequests = false;
  /** Epoch ms; null until it begins. */
  #begunAt: number | null = null;
  readonly #options: SharedOptions;
  readonly #members = new Set<Member>();
  readonly #firstMember = Promise.withResolvers<void>();
  /** Aborts once no caller waits any more. */
  readonly #abandoned = new AbortController();
  #scan: Scan | null = null;
  #result: ScanResult | null = null;
  #newestListed: string | null = null;

  /** @param newLook called when the scan starts @param before the scan waits for this, which never rejects */
  constructor(
    window: TraceWindow,
    newLook: (() => LookOptions) | null,
    options: SharedOptions,
    before?: Promise<void>,
  ) {
    this.#options = options;
    this.ended = Promise.all([this.#firstMember.promise, before]).then(
      async () => await this.#run(window, newLook),
    );
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** False once the scan has ended, or is ending because no caller waits. */
  get isJoinable(): boolean {
    return this.#isRunning && !this.#abandoned.signal.aborted;
  }

  /** True if its answers from n8n count as fresh as those of a new request. */
  get isFresh(): boolean {
    const now = this.#options.clock.now();
    return this.isJoinable && Math.abs(now - (this.#begunAt ?? now)) <= FRESH_MS;
  }

  /** The newest listed execution. */
  get newestListed(): string | null {
    return this.#newestListed;
  }

  /** Waits until the scan ends, or the caller's own time or limit is reached. */
  async join(caller: ScanCaller): Promise<ScanResult> {
    if (this.#result !== null) return { ...this.#result, read: 0 };
    const result = Promise.withResolvers<ScanResult>();
    const begunBefore = this.#scan?.begun ?? 0;
    const timers: Member["timers"] = [];
    const member: Member = { caller, begunBefore, read: 0, lastReport: Promise.resolve(), timers, result };
    this.#members.add(member);
    if (this.#hasSentRequests) caller.onRequestsSent?.();
    this.#firstMember.resolve();
    // The scan has its own deadline, which may be later than this caller's.
    const timeLeftMs = Math.max(0, caller.deadline - this.#options.clock.now());
    const overtime = this.#overtimeMs(timeLeftMs);
    timers.push(
      setTimeout(() => member.read > 0 && this.#answerUnlessLast(member, { reason: "time" }), timeLeftMs),
      setTimeout(() => leaveAfter(overtime), timeLeftMs + overtime),
    );
    const leaveAfter = (waited: number): void => {
      // n8n may have become slower since. Even the last caller leaves now: the scan may wait for another scan's page.
      const most = this.#overtimeMs(timeLeftMs);
      if (most <= waited) this.#answerCaller(member, { reason: "time" });
      else timers.push(setTimeout(() => leaveAfter(most), most - waited));
    };
    const failDisconnected = (): void => this.#rejectCaller(member, callerDisconnected());
    caller.disconnected?.addEventListener("abort", failDisconnected);
    // A signal that has already aborted fires no event.
    if (caller.disconnected?.aborted === true) failDisconnected();
    try {
      return await result.promise;
    } finally {
      caller.disconnected?.removeEventListener("abort", failDisconnected);
      timers.forEach(clearTimeout);
    }
  }

  /**
   * Milliseconds after the deadline in which a scan may still end, because its first page or last list is late.
   * Limited by how long clients wait, except in the background.
   */
  #overtimeMs(timeLeftMs: number): number {
    const { slowReads, isBackground = false } = this.#options;
    const { late, firstPage } = OVERTIME_MS;
    const patience = Math.max(firstPage.least, TIME_BUDGET_MS.most - timeLeftMs);
    const most = isBackground
      ? late.background + 2 * firstPage.background
      : Math.min(patience, late.most + 2 * firstPage.most);
    const least = late.least + firstPage.least;
    return slowReads.timeFor(LISTS_BEFORE_A_PAGE + 2 * PAGE_IN_ANSWERS, { least, most });
  }

  /** Does nothing for the last caller, whose answer comes with the end of the scan. */
  #answerUnlessLast(member: Member, stop: ScanStop): void {
    if (this.#members.size > 1) this.#answerCaller(member, stop);
  }

  #answerCaller(member: Member, stop: ScanStop): void {
    this.#remove(member);
    const result = { ...(this.#scan?.resultSoFar(stop) ?? { ...NOTHING_READ, stop }), read: member.read };
    // A client that does not accept progress reports may still accept the answer.
    const late = new Promise<void>((resolve) => {
      member.timers.push(setTimeout(resolve, LAST_REPORT_MS));
    });
    void Promise.race([member.lastReport, late]).then(
      () => member.result.resolve(result),
      member.result.reject,
    );
  }

  #rejectCaller(member: Member, error: unknown): void {
    this.#remove(member);
    member.result.reject(error);
  }

  #remove(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#abandoned.abort();
  }

  async #run(window: TraceWindow, newLook: (() => LookOptions) | null): Promise<void> {
    const { store, clock } = this.#options;
    try {
      if (this.#abandoned.signal.aborted) throw callerDisconnected();
      const look = newLook?.() ?? null;
      // Executions that begin during the scan may be above its first page.
      let begunAt = clock.now();
      this.#begunAt = begunAt;
      this.#scan = this.#newScan(window, look);
      let result = await this.#scan.run();
      if (result.stop.reason === "forgotten" && this.#members.size > 0) {
        this.#scan = this.#newScan(window, look === null ? null : { ...look, stopAt: null });
        begunAt = clock.now();
        result = await this.#scan.run();
      }
      const isLook = look !== null || isWholeHistory(window);
      if (isLook && result.stop.reason === "complete") store.lookTimes.note(begunAt, result.settles);
      this.#result = result;
      this.#isRunning = false;
      for (const member of [...this.#members]) this.#answerCaller(member, result.stop);
    } catch (error) {
      this.#isRunning = false;
      for (const member of [...this.#members]) this.#rejectCaller(member, error);
    }
  }

  #newScan(window: TraceWindow, look: LookOptions | null): Scan {
    const members = this.#members;
    const most = (of: (member: Member) => number): number => Math.max(0, ...[...members].map(of));
    return new Scan({
      ...this.#options,
      client: this.#options.client.until(this.#abandoned.signal),
      window,
      look,
      ownReads: null,
      completedLook: null,
      pageSize: new PageSize(),
      terms: this.#options.newTerms(),
      search: new PayloadSearch({
        searchTargets: () => [...members].flatMap(({ caller }) => caller.searchTarget ?? []),
        maxBytes: MAX_SEARCHED_BYTES,
      }),
      get deadline() {
        return most(({ caller }) => caller.deadline);
      },
      get limit() {
        return most(({ caller, begunBefore }) => begunBefore + caller.limit);
      },
      isEnough: () => members.size === 0,
      onRequestsSent: () => {
        this.#hasSentRequests = true;
        for (const { caller } of members) caller.onRequestsSent?.();
      },
      onNewestListed: (id) => {
        this.#newestListed ??= id;
      },
      onRead: (reading) => {
        for (const member of members) {
          member.read += 1;
          this.#reportRead(member, reading);
        }
      },
      onPage: async (_read, back) => this.#reportPage(back),
    });
  }

  /** An error in one caller's callback fails that caller only. */
  #reportRead(member: Member, reading: Reading): void {
    try {
      member.caller.onRead(reading);
    } catch (error) {
      this.#rejectCaller(member, error);
    }
  }

  /** No caller waits for another caller's progress reports. */
  #reportPage(back: string | null): void {
    for (const member of [...this.#members]) {
      const { read, caller } = member;
      member.lastReport = member.lastReport.then(async () => await caller.onPage(read, back));
      member.lastReport.catch((error) => this.#rejectCaller(member, error));
      const isLate = this.#options.clock.now() >= caller.deadline;
      if (read >= caller.limit) this.#answerUnlessLast(member, { reason: "limit" });
      else if (isLate && read > 0) this.#answerUnlessLast(member, { reason: "time" });
    }
  }
}
