/** Starts the servers of a benchmark, each in a process of its own. */
import * as z from "zod";
import { startChild } from "./child-process.ts";
import { n8nAccess } from "./n8n-access.ts";

export const recordedServer = z.object({
  n8n: n8nAccess,
  /** Requests of the oldest whole copy, the oldest first, and the executions of each. */
  oldest: z.array(z.object({ requestId: z.string(), executionIds: z.array(z.string()) })),
  /** A request of the recording itself, which is newer than all copies, and an hour before it (ISO 8601). */
  newest: z.object({ requestId: z.string(), startedAfter: z.string() }),
});
export type RecordedServer = z.infer<typeof recordedServer> & AsyncDisposable;

const anyServer = z.object({ n8n: n8nAccess });
type AnyServer = z.infer<typeof anyServer> & AsyncDisposable;

interface RecordedServerOptions {
  /** Workflows besides the recorded ones. */
  readonly workflows?: number;
  /** Minimum time of each answer. */
  readonly milliseconds?: number;
}

export async function startRecordedServer(
  executions: number,
  { workflows = 0, milliseconds = 0 }: RecordedServerOptions = {},
): Promise<RecordedServer> {
  return await start("recorded-server.ts", [executions, workflows, milliseconds].map(String), recordedServer);
}

/** An n8n whose history holds some very large executions. */
export async function startLargeServer(): Promise<AnyServer> {
  return await start("large-server.ts", [], anyServer);
}

export async function startWorkflowServer(workflows: number): Promise<AnyServer> {
  return await start("workflow-server.ts", [String(workflows)], anyServer);
}

async function start<Schema extends z.ZodObject>(
  program: string,
  args: readonly string[],
  schema: Schema,
): Promise<z.infer<Schema> & AsyncDisposable> {
  const child = startChild(program, args);
  try {
    const stop = { [Symbol.asyncDispose]: child.stop };
    return Object.assign(schema.parse(await child.answer), stop);
  } catch (error) {
    await child.stop();
    throw error;
  }
}
