/** How much memory is still in use, in a process that was not told to show its garbage collector. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of the heap of this thread after what nobody holds was collected. */
export function liveHeapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This Node does not show its garbage collector.");
  collect();
  return process.memoryUsage().heapUsed;
}
