/** Traces as a client has them: an MCP client over HTTP, the Worker in `wrangler dev`, n8n behind it. */
import * as z from "zod";
import { type AgentClient, connectModern } from "../../test/support/agent-client.ts";
import { startTestWorker } from "../../test/support/test-worker.ts";
import type { ExpectedTrace } from "../bench/engine.ts";
import type { N8nAccess } from "../bench/n8n-access.ts";

const LIMIT = 10_000;
const TIME_BUDGET_MS = 55_000;

const traceData = z.looseObject({
  executions: z.array(z.looseObject({ id: z.string(), role: z.string() })),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    readNow: z.number(),
    complete: z.boolean(),
    skipped: z.array(z.unknown()),
  }),
});

export interface WorkerTrace {
  readonly milliseconds: number;
  /** How many executions were asked of n8n with their data. */
  readonly readNow: number;
}

/** One user of the Worker. Its memory is empty at first. */
export interface WorkerUser extends AsyncDisposable {
  /** @throws Error when the answer is not the right one */
  trace(expected: ExpectedTrace): Promise<WorkerTrace>;
}

export interface BenchWorker extends AsyncDisposable {
  /** A user that has asked nothing yet. */
  newUser(): Promise<WorkerUser>;
}

/** @param users how many users there can be */
export async function startBenchWorker(n8n: N8nAccess, users: number): Promise<BenchWorker> {
  const tokens = Array.from(
    { length: users },
    (_, index) => [`bench-${index}`, `service-token-of-the-benchmark-${index}`] as const,
  );
  const worker = await startTestWorker(n8n, Object.fromEntries(tokens));
  const open = tokens.values();
  return {
    async newUser() {
      const next = open.next();
      if (next.done === true) throw new Error(`There are only ${users} users.`);
      const [, token] = next.value;
      return toUser(await connectModern(worker.mcpUrl, token, "auto"));
    },
    [Symbol.asyncDispose]: worker.stop,
  };
}

function toUser(client: AgentClient): WorkerUser {
  return {
    async trace(expected) {
      const { requestId } = expected;
      const started = performance.now();
      const { envelope } = await client.call("trace_request", {
        requestId,
        limit: LIMIT,
        timeBudgetMs: TIME_BUDGET_MS,
      });
      const milliseconds = performance.now() - started;
      const { executions, coverage } = traceData.parse(envelope.data);
      const family = executions.filter(({ role }) => role !== "related").map(({ id }) => id);
      const isRight = family.toSorted().join() === expected.executionIds.toSorted().join();
      if (!isRight || !coverage.complete || coverage.skipped.length > 0)
        throw new Error(`The trace of ${requestId} is wrong: ${JSON.stringify(envelope)}`);
      return { milliseconds, readNow: coverage.readNow };
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}
