/** The text around a hit, cut out of a value that was redacted. Pure. */
import { MARKS } from "../../redaction/marks.ts";

/** Characters shown on each side of the text. */
const AROUND = 60;

/** @param at where the hit begins, outside of all marks */
export function excerptOf(value: string, at: number, length: number): string {
  const marks = [...value.matchAll(MARKS)].map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
  const from = Math.max(0, at - AROUND);
  const to = Math.min(value.length, at + length + AROUND);
  // Half a mark is none.
  const start = marks.find((mark) => mark.start < from && from < mark.end)?.start ?? from;
  const end = marks.find((mark) => mark.start < to && to < mark.end)?.end ?? to;
  return `${start > 0 ? "…" : ""}${value.slice(start, end)}${end < value.length ? "…" : ""}`;
}
