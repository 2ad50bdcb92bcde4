/** Collects garbage, in a process that was not told to show its collector. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Frees what nobody holds, of this thread. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This Node does not show its garbage collector.");
  collect();
}

/** Bytes of the heap of this thread after what nobody holds was collected. */
export function liveHeapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
