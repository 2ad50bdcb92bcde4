/** What whoever waits for a scan is told of it, as plain data: it gets from one isolate to another whole. */

import { ObserverError } from "../../platform/errors.ts";
import type { ScanStop } from "./scan-options.ts";

/** Told as it goes on; `scanned` counts executions. When it fails, whoever asked has gone away. */
export type ReportProgress = (scanned: number, message: string) => Promise<void>;

/** How a scan ends whose caller has gone away: there is nobody left to tell. */
export const callerGone = (): ObserverError =>
  new ObserverError("INTERRUPTED", "Whoever asked has gone away.", { solution: "Call again." });

/** An error as plain data. */
export type ErrorFacts = Pick<ObserverError, "code" | "message" | "details">;

export const errorFacts = ({ code, message, details }: ErrorFacts): ErrorFacts => ({
  code,
  message,
  details,
});

/** Why a scan ended, as plain data. */
export type StopFacts =
  | Exclude<ScanStop, { readonly reason: "n8n" }>
  | { readonly reason: "n8n"; readonly error: ErrorFacts };

export const stopFacts = (stop: ScanStop): StopFacts =>
  stop.reason === "n8n" ? { reason: "n8n", error: errorFacts(stop.error) } : stop;
