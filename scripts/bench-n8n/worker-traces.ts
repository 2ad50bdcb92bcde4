/** Traces as a client sees them: an MCP client over HTTP, the Worker in workerd, n8n behind it. */
import * as z from "zod";
import { type AgentClient, connectModern } from "../../test/support/agent-client.ts";
import { startTestWorker } from "../../test/support/test-worker.ts";
import type { ExpectedTrace } from "../bench/engine.ts";
import type { N8nAccess } from "../bench/n8n-access.ts";
import { timedCall, tokensOf } from "../bench/users.ts";

const LIMIT = 10_000;
const TIME_BUDGET_MS = 55_000;

const foundData = z.looseObject({ found: z.boolean() });
const traceData = z.looseObject({
  executions: z.array(z.looseObject({ id: z.string(), role: z.string() })),
  coverage: z.looseObject({
    complete: z.boolean(),
    skipped: z.array(z.unknown()).default([]),
  }),
});

/**
 * A Worker whose history index is empty, and that does not fill it by itself.
 * @param users how many users there can be
 */
export async function startBenchWorker(n8n: N8nAccess, users: number) {
  const tokens = tokensOf("bench", users);
  const worker = await startTestWorker(n8n, tokens);
  const open = Object.values(tokens).values();
  return {
    async newUser() {
      const next = open.next();
      if (next.done === true) throw new Error(`There are only ${users} users.`);
      return toUser(await connectModern(worker.mcpUrl, next.value, "auto"));
    },
    [Symbol.asyncDispose]: worker.stop,
  };
}

export type BenchWorker = Awaited<ReturnType<typeof startBenchWorker>>;
export type WorkerUser = Awaited<ReturnType<BenchWorker["newUser"]>>;

/** Each call returns its milliseconds. @throws Error when an answer is wrong */
function toUser(client: AgentClient) {
  return {
    async trace(expected: ExpectedTrace): Promise<number> {
      const { requestId } = expected;
      const asked = { requestId, limit: LIMIT, timeBudgetMs: TIME_BUDGET_MS };
      const { milliseconds, data } = await timedCall(client, "trace_request", asked);
      const { executions, coverage } = traceData.parse(data);
      const family = executions.filter(({ role }) => role !== "related").map(({ id }) => id);
      const isRight = family.toSorted().join() === expected.executionIds.toSorted().join();
      if (!isRight || !coverage.complete || coverage.skipped.length > 0)
        throw new Error(`The trace of ${requestId} is wrong: ${JSON.stringify(data)}`);
      return milliseconds;
    },
    async find(requestId: string): Promise<number> {
      const { milliseconds, data } = await timedCall(client, "trace_request", { requestId });
      if (!foundData.parse(data).found) throw new Error(`${requestId} was not found.`);
      return milliseconds;
    },
    async read(executionId: string): Promise<number> {
      return (await timedCall(client, "get_execution", { id: executionId })).milliseconds;
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}
