/** What the benchmark knows of the servers that it starts, each in a process of its own. */
import * as z from "zod";
import { type BenchChild, startChild } from "./child-process.ts";
import { type N8nAccess, n8nAccess } from "./n8n-access.ts";

export const recordedServer = z.object({
  n8n: n8nAccess,
  /** Requests of the oldest whole copy, the oldest first, and the executions of each. */
  oldest: z.array(z.object({ requestId: z.string(), executionIds: z.array(z.string()) })),
});
export type RecordedServer = z.infer<typeof recordedServer> & AsyncDisposable;

const largeServer = z.object({ n8n: n8nAccess });
export interface LargeServer extends AsyncDisposable {
  readonly n8n: N8nAccess;
}

/** The recorded n8n with this many executions. */
export async function startRecordedServer(executions: number): Promise<RecordedServer> {
  return await start("recorded-server.ts", [String(executions)], recordedServer);
}

/** An n8n whose history holds some very large executions. */
export async function startLargeServer(): Promise<LargeServer> {
  return await start("large-server.ts", [], largeServer);
}

/** An n8n with this many workflows. */
export async function startWorkflowServer(workflows: number): Promise<LargeServer> {
  return await start("workflow-server.ts", [String(workflows)], largeServer);
}

async function start<Told extends z.ZodObject>(
  program: string,
  args: readonly string[],
  told: Told,
): Promise<z.infer<Told> & AsyncDisposable> {
  const child: BenchChild = startChild(program, args);
  try {
    const stop = { [Symbol.asyncDispose]: child.stop };
    return Object.assign(told.parse(await child.answer), stop);
  } catch (error) {
    await child.stop();
    throw error;
  }
}
