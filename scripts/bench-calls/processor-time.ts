/** The processor time of another process, in all its threads, as Linux counts it. */
import { readdirSync, readFileSync } from "node:fs";
import { CommandError } from "../command-line/command-error.ts";

/** @returns milliseconds since the process began @throws CommandError where there is no `/proc` */
export function processorMs(processId: number): number {
  const tasks = `/proc/${processId}/task`;
  try {
    return readdirSync(tasks).reduce((sum, task) => sum + taskMs(`${tasks}/${task}/schedstat`), 0);
  } catch (error) {
    throw new CommandError(`Processor time can be measured on Linux only: ${String(error)}`);
  }
}

/** The first number of a line of `schedstat`: nanoseconds on the processor. */
const taskMs = (path: string): number => Number(readFileSync(path, "utf8").split(" ")[0]) / 1_000_000;
