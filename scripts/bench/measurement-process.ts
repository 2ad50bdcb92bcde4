/** The process of one measurement: performs the task that it is sent, and answers with the result. */
import { performance } from "node:perf_hooks";
import { sendToParent } from "./child-process.ts";
import { perform } from "./perform.ts";
import { task } from "./tasks.ts";

// Node keeps an entry for each of the first 250 requests of a process, for a timeline that nobody reads here.
// They would count as memory of the engine, which a Worker does not spend.
performance.setResourceTimingBufferSize(0);

process.once("message", async (message) => sendToParent(await perform(task.parse(message))));
