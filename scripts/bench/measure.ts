/** Measures in a process of its own, so that neither code that is warm already nor another's garbage counts. */
import type * as z from "zod";
import { askChild } from "./child-process.ts";
import { type ResultOf, results, type Task, type TaskOf } from "./tasks.ts";

/** @param result what comes back: one of `results` */
export const measure = async <Result extends z.ZodType>(
  asked: Task,
  result: Result,
): Promise<z.infer<Result>> => result.parse(await askChild("measurement-process.ts", asked));

/** By turns, so that what else the machine does meets all alike. */
export async function inTurns(repetitions: number, ...measurements: readonly (() => Promise<unknown>)[]) {
  for (let repetition = 0; repetition < repetitions; repetition += 1)
    for (const measureOne of measurements) await measureOne();
}

/** What something holds in memory, in bytes. */
export async function peakGrowth(asked: Omit<TaskOf<"heap">, "kind">): Promise<number> {
  const measured: ResultOf<"heap"> = await measure({ kind: "heap", ...asked }, results.heap);
  return measured.peakGrowth;
}
