/** The history of the server with very large executions. */
import type { MadeUpExecution } from "./large-executions.ts";

const MB = 1_000_000;
const EXECUTIONS = 200;
const ORDINARY_BYTES = 7_500;

export const LARGE_EXECUTIONS = { "20 MB": "90", "100 MB": "120" } as const;

const LARGE_BYTES: Readonly<Record<string, number>> = {
  [LARGE_EXECUTIONS["20 MB"]]: 20 * MB,
  [LARGE_EXECUTIONS["100 MB"]]: 100 * MB,
};

/** Newest first. */
export const largeHistory: readonly MadeUpExecution[] = Array.from({ length: EXECUTIONS }, (_, index) => {
  const id = EXECUTIONS - index;
  return { id, bytes: LARGE_BYTES[String(id)] ?? ORDINARY_BYTES };
});
