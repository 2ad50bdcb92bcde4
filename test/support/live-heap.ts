/** Collects garbage in a process that was started without `--expose-gc`. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects this thread's garbage. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This Node does not show its garbage collector.");
  collect();
}

/** The size of this thread's heap after garbage collection, in bytes. */
export function liveHeapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
