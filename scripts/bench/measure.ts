/** Measures in a fresh process, so that neither compiled code nor garbage of an earlier measurement counts. */
import type * as z from "zod";
import { askChild } from "./child-process.ts";
import type { ExpectedTrace } from "./engine.ts";
import type { N8nAccess } from "./n8n-access.ts";
import { type ResultOf, results, type Task, type TaskOf } from "./tasks.ts";

export const measure = async <Result extends z.ZodType>(
  task: Task,
  result: Result,
): Promise<z.infer<Result>> => result.parse(await askChild("measurement-process.ts", task));

/** As many as a trace reads at once. */
const CONCURRENT_PAGES = 2;

export const measureDrain = async (
  n8n: N8nAccess,
  paths: readonly string[],
  concurrency = CONCURRENT_PAGES,
): Promise<ResultOf<"drain">> => await measure({ kind: "drain", n8n, paths, concurrency }, results.drain);

export const measureTrace = async (
  n8n: N8nAccess,
  first: ExpectedTrace,
  further: readonly ExpectedTrace[] = [],
): Promise<ResultOf<"trace">> => await measure({ kind: "trace", n8n, first, further }, results.trace);

/** Measures in turns, so that other load on the machine affects all alike. */
export async function inTurns(repetitions: number, ...measurements: readonly (() => Promise<unknown>)[]) {
  for (let repetition = 0; repetition < repetitions; repetition += 1)
    for (const measureOne of measurements) await measureOne();
}

export async function peakGrowth(task: Omit<TaskOf<"heap">, "kind">): Promise<number> {
  const measured: ResultOf<"heap"> = await measure({ kind: "heap", ...task }, results.heap);
  return measured.peakGrowth;
}
