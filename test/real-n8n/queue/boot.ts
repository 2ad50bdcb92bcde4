/**
 * Boots n8n in queue mode, as organisations run it: PostgreSQL, Redis, one main process, workers.
 * When `bootQueue` returns, the main process and every worker are ready; after `stop`, nothing is left of
 * any of them.
 */
import { closeAtEnd } from "../../support/close-at-end.ts";
import { bootN8n, bootRole, type N8nRole, type RunningN8n } from "../boot.ts";
import type { Log, N8nInstallation } from "../install.ts";
import { type Postgres, startPostgres, startRedis } from "./servers.ts";

export interface QueueN8n {
  main: RunningN8n;
  /** The running workers, oldest first. */
  workers: N8nRole[];
  database: Postgres;
  startWorker: () => Promise<N8nRole>;
  /** A process that serves webhooks instead of the main one. */
  startWebhooks: () => Promise<N8nRole>;
  stop: () => Promise<void>;
}

export interface QueueOptions {
  workers: number;
  /** The number of parallel executions of a worker. */
  concurrency: number;
  log?: Log;
}

export async function bootQueue(
  installation: N8nInstallation,
  { workers: count, concurrency, log = () => {} }: QueueOptions,
): Promise<QueueN8n> {
  const resources = new AsyncDisposableStack();
  try {
    const database = closeAtEnd(resources, await startPostgres());
    const redis = closeAtEnd(resources, await startRedis());
    const environment = environmentOf(database.port, redis.port);
    const main = closeAtEnd(resources, await bootN8n(installation, { log, environment }));
    const start = async (...command: string[]): Promise<N8nRole> =>
      closeAtEnd(resources, await bootRole(installation, command, environment));
    const workers: N8nRole[] = [];
    const startWorker = async (): Promise<N8nRole> => {
      const worker = await start("worker", `--concurrency=${concurrency}`);
      workers.push(worker);
      return worker;
    };
    // One after the other, as booting two at once is a lot for a small machine.
    for (let index = 0; index < count; index += 1) await startWorker();
    log(`${count} workers are ready, with ${concurrency} executions each at once`);
    return {
      ...{ main, workers, database, startWorker },
      startWebhooks: async () => await start("webhook"),
      stop: async () => await resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

const environmentOf = (postgresPort: number, redisPort: number): Record<string, string> => ({
  EXECUTIONS_MODE: "queue",
  DB_TYPE: "postgresdb",
  DB_POSTGRESDB_HOST: "127.0.0.1",
  DB_POSTGRESDB_PORT: String(postgresPort),
  DB_POSTGRESDB_DATABASE: "postgres",
  DB_POSTGRESDB_USER: "postgres",
  QUEUE_BULL_REDIS_HOST: "127.0.0.1",
  QUEUE_BULL_REDIS_PORT: String(redisPort),
});
