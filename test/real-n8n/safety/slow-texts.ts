/**
 * 290 rows of `AAA…%`, posted by anyone to a webhook, kept eighteen seconds busy whoever asked for them, and everybody
 * else with it. What is asserted holds on a machine several times as slow as the one on which that was measured.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ask, demand, post, type SafetyLane } from "./lane.ts";
import { safetyPaths } from "./seed.ts";

const ROW = `${"A".repeat(19_900)}%`;
const ROWS = 290;
/** What one call reads of them. */
const LIMIT = 100;
const MOST_MS = 12_000;
/** Of that time, how much another user may wait, whose call asks nothing of n8n: it too is busy with so much data. */
const MOST_BESIDE = 1 / 2;
/** No stall, on whatever machine. */
const NO_STALL_MS = 1_000;
const PAUSE_MS = 60;

export async function checkSlowTexts(lane: SafetyLane): Promise<string> {
  const [id] = await post(lane, safetyPaths.rows, { rows: Array.from({ length: ROWS }, () => ROW) });
  const alone = await timed(async () => await lane.other.listTools());
  let isAnswered = false;
  const [slow, beside] = await Promise.all([
    timed(async () => await demandRows(lane, id)).finally(() => {
      isAnswered = true;
    }),
    timesUntil(lane, () => isAnswered),
  ]);
  const longest = Math.max(...beside);
  const figures = `${Math.round(slow)} ms; another user ${Math.round(longest)} ms at most, in ${beside.length} calls, ${Math.round(alone)} ms alone`;
  demand(slow < MOST_MS, `who asks for them is answered within ${MOST_MS} ms`, figures);
  demand(longest < Math.max(NO_STALL_MS, MOST_BESIDE * slow), "others are answered meanwhile", figures);
  return figures;
}

async function demandRows({ data }: SafetyLane, id: string): Promise<void> {
  const { text } = await ask(data, "get_execution_by_node", { id, nodeName: "Split", limit: LIMIT });
  demand(text.includes("AAAA"), "the rows are shown", text);
}

/** Of the other user's calls, in milliseconds. */
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
