/** A finding about a server or its configuration; every problem comes with its fix. */
import type { Check } from "../../src/features/check-connection/check-line.ts";

/** In the form of `check_connection`'s lines; a `note` is information or a manual step. */
export interface Finding extends Pick<Check, "check" | "detail" | "solution"> {
  readonly status: Check["status"] | "note";
}

const finding =
  (status: Finding["status"]) =>
  (check: string, detail: string, solution?: string): Finding => ({
    check,
    status,
    detail,
    ...(solution === undefined ? {} : { solution }),
  });

export const pass = finding("pass");
export const note = finding("note");
export const warn = finding("warning");
export const skip = finding("skipped");
export const fail = finding("fail");

export const isFailure = ({ status }: Finding): boolean => status === "fail";

/** The server to check. */
export interface Patient {
  /** As clients use it, without a path. */
  readonly origin: string;
  /** A service token of it. */
  readonly token?: string | undefined;
  /** Additional trusted certificates, as PEM. */
  readonly ca?: string | undefined;
}
