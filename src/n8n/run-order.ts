/**
 * When the runs of an execution began, in which order, and so when the execution began. Pure.
 *
 * n8n numbers them (`executionIndex`, since about 1.90) from 0 again when it resumes an execution after a wait, and when a
 * retry begins with the runs of the failed one. So the start decides, and the number among runs of one millisecond.
 */
import { Omitted } from "../json/omitted.ts";

interface Run {
  readonly startTime: number;
  readonly executionTime?: number | undefined;
  executionIndex?: number | undefined;
  /** For a run with which n8n resumed the execution: milliseconds since the last run before it ended. */
  waitedMs?: number | undefined;
}

/** Runs of one millisecond are told apart up to this number of runs; as numbers, later ones would lose digits. */
const MOST_APART = 1_000;

/** n8n writes seconds for an execution that it recovers after a crash; as milliseconds they would be of 1970. */
export const toEpochMs = (time: number): number => (time > 1e8 && time < 1e10 ? time * 1_000 : time);

/** After all others: an agent prepares a run of its tool with 0 as start and number, and it has not begun. */
const NOT_BEGUN = 2 ** 52;

/**
 * A sort key for a run that streams past, when the others are not known yet.
 * @param startTime epoch ms
 * @returns undefined if n8n has written neither
 */
export function runOrderOf(startTime: unknown, executionIndex: unknown): number | undefined {
  const index = typeof executionIndex === "number" ? executionIndex : undefined;
  if (startTime === 0) return NOT_BEGUN;
  if (typeof startTime !== "number") return index;
  return toEpochMs(startTime) * MOST_APART + Math.min(index ?? 0, MOST_APART - 1);
}

type RunData = Readonly<Record<string, Omitted | readonly (Omitted | Run)[]>>;

/** All runs that were read. */
const runsOf = (runData: RunData): Run[] =>
  Object.values(runData)
    .flatMap((ofNode) => (ofNode instanceof Omitted ? [] : ofNode))
    .filter((run): run is Run => !(run instanceof Omitted));

/** Numbers the runs of an execution anew if n8n has used a number twice. Agents prepare runs without a start: not these. */
export function numberRuns(runData: RunData): void {
  const runs = runsOf(runData).filter(isNumbered);
  if (new Set(runs.map(({ executionIndex }) => executionIndex)).size === runs.length) return;
  runs.sort((a, b) => a.startTime - b.startTime || a.executionIndex - b.executionIndex);
  // The time that runs took which were not read would count as a wait.
  const isWhole = !Object.values(runData)
    .flat()
    .some((run) => run instanceof Omitted);
  let endedAt = Number.POSITIVE_INFINITY;
  for (const [index, run] of runs.entries()) {
    if (isWhole && run.executionIndex === 0 && run.startTime > endedAt)
      run.waitedMs = run.startTime - endedAt;
    endedAt = Math.max(index === 0 ? 0 : endedAt, run.startTime + (run.executionTime ?? 0));
    run.executionIndex = index;
  }
}

const isNumbered = (run: Run): run is Run & { executionIndex: number } =>
  run.startTime > 0 && run.executionIndex !== undefined;

/** n8n dates from 2019; a run that n8n recovered after a crash has seconds. */
const EARLIEST_MS = Date.UTC(2019, 0, 1);
/** Partial runs and retries begin with the runs of an earlier execution. */
const INHERITS_RUNS: ReadonlySet<unknown> = new Set(["manual", "retry"]);

/** Whether a run is one of an earlier execution. Lists have no `createdAt`. @param startTime epoch ms */
export const isInherited = (
  { mode, startedAt, createdAt = startedAt }: Readonly<Partial<Record<string, unknown>>>,
  startTime: unknown,
): boolean =>
  INHERITS_RUNS.has(mode) &&
  Number(startTime) >= EARLIEST_MS &&
  Number(startTime) < Math.min(Date.parse(String(createdAt)), Date.parse(String(startedAt)));

const ROUNDING_MS = 1_000;

/**
 * Before 2.13, n8n sets a new start when it resumes an execution (its pull request 27357).
 * @param firstStart epoch ms, of the first run
 * @returns ISO 8601; undefined if n8n's start stands
 */
export function earlierStart(
  { mode, startedAt }: { readonly mode: string; readonly startedAt: string | null },
  firstStart: unknown,
): string | undefined {
  if (typeof firstStart !== "number" || firstStart < EARLIEST_MS || INHERITS_RUNS.has(mode)) return undefined;
  const isEarlier = startedAt !== null && firstStart < Date.parse(startedAt) - ROUNDING_MS;
  return isEarlier ? new Date(firstStart).toISOString() : undefined;
}

/** In epoch ms; infinite if no run that was read has a start. */
export const firstStartOf = (runData: RunData): number =>
  runsOf(runData).reduce(
    (first, { startTime }) => (startTime > 0 ? Math.min(first, startTime) : first),
    Number.POSITIVE_INFINITY,
  );
