/**
 * Reads the last runs of several workflows: few at a time, newest first, round-robin, until time runs out. A run that
 * cannot be read does not affect the others.
 */
import { isMetByAll } from "../../n8n/back-off.ts";
import { FORMS } from "../../n8n/read-plans.ts";
import type { ExecutionListItem, ExecutionWithData } from "../../n8n/schemas.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { type ObserverError, orElse } from "../../platform/errors.ts";
import { type FinishedRuns, listFinishedRuns } from "../execution-pages.ts";
import type { DateWindow } from "../params.ts";
import { REQUESTS_AT_ONCE, type TimeBudget } from "../request-limits.ts";
import { Tally } from "./judgement/reports.ts";

interface RunsToRead {
  readonly workflowId: string;
  /** Judges a run. @returns the reason if it cannot be judged */
  readonly judge: (item: ExecutionListItem, execution: ExecutionWithData) => string | undefined;
}

interface RunReading {
  readonly client: VisibleN8n;
  readonly budget: TimeBudget;
  readonly window: DateWindow;
  readonly limit: number;
  readonly progress: (done: number, message: string, total: number) => Promise<void>;
}

export type RunCoverage = ReturnType<typeof toCoverage>;

interface Job {
  readonly item: ExecutionListItem;
  readonly judge: RunsToRead["judge"];
  readonly skipped: Tally<{ reason: string }>;
}

/** From this many failures on, n8n itself is at fault, not single executions. */
const MAX_UNREADABLE = 5;
const PROGRESS_EVERY = 10;
const stopReason = ({ code }: ObserverError): string =>
  code === "RATE_LIMITED" ? "rate_limited" : "n8n_failed";

/**
 * @returns the coverage of each workflow, in the given order
 * @throws ObserverError when n8n fails before anything was read
 */
export async function readRuns(all: readonly RunsToRead[], reading: RunReading): Promise<RunCoverage[]> {
  const { client, window, limit, budget } = reading;
  const listed = new Map<RunsToRead, FinishedRuns>();
  await mapConcurrently(budget.within(all), REQUESTS_AT_ONCE, async (each) => {
    const { workflowId } = each;
    listed.set(each, await listFinishedRuns(client, workflowId, window, limit, () => budget.requestOptions));
  });
  const lists = all.map((each) => ({
    runs: listed.get(each),
    judge: each.judge,
    skipped: new Tally<{ reason: string }>(),
  }));
  const queues = lists.map(({ runs, ...rest }) => (runs?.runs ?? []).map((item): Job => ({ item, ...rest })));
  await readJobs(roundRobin(queues), reading);
  return lists.map(({ runs, skipped }) => toCoverage(runs, skipped));
}

function roundRobin<One>(queues: readonly (readonly One[])[]): One[] {
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_one, index) =>
    queues.flatMap((queue) => queue.slice(index, index + 1)),
  ).flat();
}

/** @throws ObserverError when n8n fails before anything was read */
async function readJobs(jobs: readonly Job[], { client, budget, progress }: RunReading): Promise<void> {
  let [done, read, unreadable] = [0, 0, 0];
  let stop: ObserverError | undefined;
  const report = async (message: string) => await progress(done, message, jobs.length);
  const reasonToSkip = (error: ObserverError): string => {
    if (error.code === "EXECUTION_NOT_FOUND") return "deleted";
    unreadable += 1;
    if (isMetByAll(error) || unreadable >= MAX_UNREADABLE) stop = error;
    return isMetByAll(error) ? stopReason(error) : "unreadable";
  };
  const readOne = async ({ item, judge }: Job): Promise<string | undefined> => {
    if (stop !== undefined) return stopReason(stop);
    if (budget.leftMs <= 0) return "out_of_time";
    return await orElse(async () => {
      const execution = await client.readExecution(item.id, FORMS, budget.requestOptions);
      read += 1;
      return judge(item, execution);
    }, reasonToSkip);
  };
  await report(`Looking at ${counted(jobs.length, "run")}`);
  await mapConcurrently(jobs, REQUESTS_AT_ONCE, async (job) => {
    const reason = await readOne(job);
    if (reason !== undefined) job.skipped.add({ reason }, job.item.id);
    done += 1;
    if (done % PROGRESS_EVERY === 0) await report(`Looked at ${done} of ${counted(jobs.length, "run")}`);
  });
  if (stop !== undefined && read === 0) throw stop;
}

function toCoverage(listed: FinishedRuns | undefined, skipped: Job["skipped"]) {
  const { runs = [], unfinished = 0, manual = 0, unrecognized = 0 } = listed ?? {};
  return {
    runs: runs.length,
    /** Start times of the oldest and the newest run, ISO 8601. */
    from: runs.at(-1)?.startedAt ?? null,
    to: runs[0]?.startedAt ?? null,
    /** Runs that were not read, or could not be judged. */
    skipped: skipped.list(),
    /** Present when they were not listed, or only the newest were. */
    ...(listed === undefined ? { notListed: "out_of_time" } : listed.isCut ? { notListed: "too_many" } : {}),
    ...(unfinished + manual + unrecognized > 0
      ? { notCounted: { unfinished, manual, unknownShape: unrecognized } }
      : {}),
  };
}
