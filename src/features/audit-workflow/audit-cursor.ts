/**
 * The cursor of an audit: how many findings were shown, and a digest of all findings. Nothing is stored between calls:
 * each call audits again, and the digest shows whether the findings are the same.
 */
import { ObserverError } from "../../platform/errors.ts";
import { cursorArgument, decodeCursor } from "../paging.ts";
import type { Finding } from "./audit.ts";

const DIGEST_BYTES = 9;

/** Covers the findings and their order; evidence may name the newest execution, which changes all the time. */
export async function digestOf(findings: readonly Finding[]): Promise<string> {
  const lines = findings.map(({ rule, workflow, node }) => JSON.stringify([rule, workflow.id, node]));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("\n")));
  return btoa(String.fromCharCode(...new Uint8Array(hash).subarray(0, DIGEST_BYTES)));
}

export const toCursor = (offset: number, digest: string): string => btoa(`${offset} ${digest}`);

/** Checks only the form of a cursor: its digest is compared after the audit. */
export const auditCursor = cursorArgument((decoded) => parts(decoded) !== undefined);

/** How many findings were already shown. @throws ObserverError `VALIDATION_ERROR` when the findings have changed */
export function offsetOf(cursor: string | undefined, digest: string): number {
  if (cursor === undefined) return 0;
  const given = parts(decodeCursor(cursor));
  if (given?.digest === digest) return given.offset;
  throw new ObserverError(
    "VALIDATION_ERROR",
    "The findings have changed since this cursor was given, or it belongs to another audit.",
    {
      field: "cursor",
      expected: "nextCursor of the last answer, with the same other arguments",
      solution: "Call again without cursor, to begin with the worst findings there are now.",
    },
  );
}

function parts(decoded: string): { readonly offset: number; readonly digest: string } | undefined {
  const [, offset, digest] = /^(\d{1,9}) (\S+)$/.exec(decoded) ?? [];
  return offset === undefined || digest === undefined ? undefined : { offset: Number(offset), digest };
}
