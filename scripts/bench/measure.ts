/** Measures in a process of its own, so that neither code that is warm already nor another's garbage counts. */
import type * as z from "zod";
import { startChild } from "./child-process.ts";
import type { Task } from "./tasks.ts";

/** @param result what comes back: one of `results` */
export async function measure<Result extends z.ZodType>(
  asked: Task,
  result: Result,
): Promise<z.infer<Result>> {
  const child = startChild("measurement-process.ts");
  try {
    child.send(asked);
    return result.parse(await child.answer);
  } finally {
    await child.stop();
  }
}
