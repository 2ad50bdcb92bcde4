/** Why a scan ended, as plain data that can be sent to another isolate. */
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import type { ScanStop } from "./scan-options.ts";

/** `scanned` counts executions. Rejects when the caller has disconnected. */
export type ReportProgress = (scanned: number, message: string) => Promise<void>;

/** @param back start of the last execution that was read, ISO 8601; null if the caller may not see it */
export const readSoFar = (read: number, back: string | null): string =>
  `Read ${counted(read, "execution")}${back === null ? "" : `, back to ${back}`}`;

export const callerDisconnected = (): ObserverError =>
  new ObserverError("INTERRUPTED", "The client disconnected.", { solution: "Call again." });

export type ErrorFacts = Pick<ObserverError, "code" | "message" | "details">;

export const errorFacts = ({ code, message, details }: ErrorFacts): ErrorFacts => ({
  code,
  message,
  details,
});

export type StopFacts =
  | Exclude<ScanStop, { readonly error: ObserverError }>
  | { readonly reason: "n8n" | "storage"; readonly error: ErrorFacts };

export const stopFacts = (stop: ScanStop): StopFacts =>
  "error" in stop ? { ...stop, error: errorFacts(stop.error) } : stop;
