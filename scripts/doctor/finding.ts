/** What the doctor finds, in the form of `check_connection`'s lines: each that is not right with its fix. */
import type { Check } from "../../src/features/check-connection/check-line.ts";

export type Finding = Pick<Check, "check" | "status" | "detail" | "solution">;

export const pass = (check: string, detail: string): Finding => ({ check, status: "pass", detail });

export const fail = (check: string, detail: string, solution: string): Finding => ({
  check,
  status: "fail",
  detail,
  solution,
});

export const warn = (check: string, detail: string, solution: string): Finding => ({
  check,
  status: "warning",
  detail,
  solution,
});

export const skip = (check: string, detail: string, solution: string): Finding => ({
  check,
  status: "skipped",
  detail,
  solution,
});

/** The server that is looked at. */
export interface Patient {
  /** As clients use it, without a path. */
  readonly origin: string;
  /** A service token of it. */
  readonly token?: string | undefined;
  /** Certificates to trust besides the usual ones, as PEM. */
  readonly ca?: string | undefined;
}
