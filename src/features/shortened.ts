/** Cuts a text that was redacted, never through a mark. */
import { MARKS } from "../redaction/marks.ts";

/** @param length most characters, the sign that something is missing aside */
export function shortened(redacted: string, length: number): string {
  if (redacted.length <= length) return redacted;
  const cut = [...redacted.matchAll(MARKS)].find(
    ({ index, 0: mark }) => index < length && length < index + mark.length,
  );
  return `${redacted.slice(0, cut?.index ?? length)}…`;
}
