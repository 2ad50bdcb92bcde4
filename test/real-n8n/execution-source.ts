/** The source of truth about an n8n's executions: its database, or its public API if that is all there is. */
import {
  type ExecutionItem,
  listExecutionsAfter,
  type N8nDatabase,
  newestExecutionId,
} from "./n8n-database.ts";
import { type NaiveExecution, readAllExecutions } from "./naive-reader.ts";

export interface ExecutionSource {
  /** The highest id, 0 if there is none. */
  newestId: () => Promise<number>;
  /** Every execution with a higher id than `afterId`, oldest first, whatever its status. */
  listAfter: (afterId: number) => Promise<ExecutionItem[]>;
  /** Complete executions, by ascending id. */
  readAll: () => Promise<NaiveExecution[]>;
}

export function executionsInDatabase(n8n: N8nDatabase): ExecutionSource {
  return {
    newestId: async () => newestExecutionId(n8n),
    listAfter: async (afterId) => listExecutionsAfter(n8n, afterId),
    readAll: async () => readAllExecutions(n8n),
  };
}
