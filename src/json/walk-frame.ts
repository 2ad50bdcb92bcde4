/** An open container of a walk, and which of its scalars are reported. Pure. */
import type { WalkedKey } from "./key-table.ts";
import { BACKSLASH, isSpace, OPEN_ARRAY, OPEN_OBJECT } from "./tokens.ts";
import type { Step } from "./walk-guide.ts";

/** Longer strings are skipped unless they are raw, and longer keys are rejected. */
export const MAX_WALKED_STRING_BYTES = 1024 * 1024;

export interface Frame {
  readonly guide: Step;
  readonly isArray: boolean;
  readonly limit: number;
  /** In an array, the key that it stands under, if wanted. */
  key: WalkedKey | undefined;
  index: number;
  /** Where the current item or member begins, its key included: an offset in the whole input. */
  itemStart: number;
}

/** Whether a string, given by its raw bytes, begins like an object or array. */
function looksLikeJson(bytes: Uint8Array, start: number, end: number): boolean {
  // Examines no more of a long string than would be held if it continued in the next chunk.
  const last = Math.min(end, start + MAX_WALKED_STRING_BYTES);
  let at = start;
  while (at < last) {
    const byte = bytes[at] ?? 0;
    // White space, including the escapes \n, \r and \t.
    if (isSpace(byte)) at += 1;
    else if (byte === BACKSLASH && "nrt".includes(String.fromCharCode(bytes[at + 1] ?? 0))) at += 2;
    else return byte === OPEN_OBJECT || byte === OPEN_ARRAY;
  }
  return false;
}

/** Whether a scalar under the frame's current key is reported, whatever it is. */
export function isReportedByKey({ guide, isArray, key }: Frame): boolean {
  if (guide.reportsAll) return true;
  if (key === undefined) return false;
  if (guide.reportsWanted && key.isWanted) return true;
  return guide.reportsNamed && !isArray && guide.named.has(key.text);
}

/** The same for a string, given by its raw bytes. */
export const isReportedString = (frame: Frame, bytes: Uint8Array, start: number, end: number): boolean =>
  isReportedByKey(frame) || (frame.guide.reportsWanted && looksLikeJson(bytes, start, end));

/** Whether a string that is too long to be reported counts as a loss. */
export function isMissed(frame: Frame, bytes: Uint8Array, start: number, end: number): boolean {
  if (!frame.guide.reportsWanted) return isReportedByKey(frame);
  return frame.key?.isWanted === true || looksLikeJson(bytes, start, end);
}
