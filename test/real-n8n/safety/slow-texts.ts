/**
 * 290 rows of `AAA…%`, posted by anyone to a webhook, once blocked the server for eighteen seconds when requested.
 * They are compared with rows of ordinary words of the same length, requested just before, as absolute times
 * depend on the machine.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ask, demand, post, type SafetyLane } from "./lane.ts";
import { safetyPaths } from "./seed.ts";

const LENGTH = 19_900;
const SLOW_ROW = `${"A".repeat(LENGTH)}%`;
const ORDINARY_ROW = "An ordinary row of words that hide nothing. ".repeat(LENGTH / 44 + 1).slice(0, LENGTH);
const ROWS = 290;
/** The number of rows that one call reads. */
const LIMIT = 100;
/** The allowed factor compared with ordinary rows; it was twenty once. */
const MOST_TIMES_ORDINARY = 5;
/** The share of that time that another user may wait, whose call makes no request to n8n, which is busy too. */
const MOST_BESIDE = 1 / 2;
/** Never counts as a stall, on any machine. */
const NO_STALL_MS = 1_000;
const PAUSE_MS = 60;

export async function checkSlowTexts(lane: SafetyLane): Promise<string> {
  const ordinaryId = await postRows(lane, ORDINARY_ROW);
  const id = await postRows(lane, SLOW_ROW);
  const alone = await timed(async () => await lane.other.listTools());
  const ordinary = await timed(async () => await demandRows(lane, ordinaryId, "ordinary row"));
  let isAnswered = false;
  const [slow, beside] = await Promise.all([
    timed(async () => await demandRows(lane, id, "AAAA")).finally(() => {
      isAnswered = true;
    }),
    timesUntil(lane, () => isAnswered),
  ]);
  const longest = Math.max(...beside);
  const figures = `${Math.round(slow)} ms, ordinary ones ${Math.round(ordinary)} ms; another user ${Math.round(longest)} ms at most, in ${beside.length} calls, ${Math.round(alone)} ms alone`;
  demand(
    slow < MOST_TIMES_ORDINARY * ordinary + NO_STALL_MS,
    `they take no longer than ${MOST_TIMES_ORDINARY} times as long as ordinary ones`,
    figures,
  );
  demand(longest < Math.max(NO_STALL_MS, MOST_BESIDE * slow), "others are answered meanwhile", figures);
  return figures;
}

async function postRows(lane: SafetyLane, row: string): Promise<string> {
  const [id] = await post(lane, safetyPaths.rows, { rows: Array.from({ length: ROWS }, () => row) });
  return id;
}

async function demandRows({ data }: SafetyLane, id: string, held: string): Promise<void> {
  const { text } = await ask(data, "get_execution_by_node", { id, nodeName: "Split", limit: LIMIT });
  demand(text.includes(held), "the rows are shown", text);
}

/** The times of the other user's calls, in milliseconds. */
async function timesUntil({ other }: SafetyLane, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  do {
    times.push(await timed(async () => await other.listTools()));
    await sleep(PAUSE_MS);
  } while (!isOver());
  return times;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
