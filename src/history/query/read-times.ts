/** Parses a list of times from SQLite like `Date.parse`, but ten times as fast for the format that n8n writes. */
import type { SqlValue } from "../../platform/sql.ts";

const codeOf = (letter: string): number => letter.charCodeAt(0);
const [ZERO, NULL, QUOTE] = [codeOf("0"), codeOf("n"), codeOf('"')] as const;
const [TIME, POINT, UTC] = [codeOf("T"), codeOf("."), codeOf("Z")] as const;

/** @param json list of `count` times; undefined for none @returns epoch ms, NaN for null */
export function readTimes(json: SqlValue | undefined, count: number): Float64Array {
  if (!(json instanceof Uint8Array || json instanceof ArrayBuffer)) return new Float64Array();
  const list = new Uint8Array(json);
  const times = new Float64Array(count);
  const digits = (at: number): number => ((list[at] ?? 0) - ZERO) * 10 + (list[at + 1] ?? 0) - ZERO;
  let [lastDate, dateBegins] = [0, 0];
  let at = "[".length;
  for (let index = 0; index < count; index += 1) {
    if (list[at] === NULL) {
      times[index] = Number.NaN;
      at += "null,".length;
      continue;
    }
    if (!isOfN8n(list, at)) return parsedTimes(list);
    const [century, year, month, day] = [digits(at + 1), digits(at + 3), digits(at + 6), digits(at + 9)];
    const date = century * 1_000_000 + year * 10_000 + month * 100 + day;
    if (date !== lastDate) dateBegins = Date.UTC(century * 100 + year, month - 1, day);
    lastDate = date;
    const seconds = (digits(at + 12) * 60 + digits(at + 15)) * 60 + digits(at + 18);
    times[index] = dateBegins + seconds * 1_000 + digits(at + 21) * 10 + (list[at + 23] ?? 0) - ZERO;
    at += '"2026-01-01T00:00:00.000Z",'.length;
  }
  return times;
}

/** Any other text that `Date.parse` accepts has another length, or something else at one of these positions. */
const isOfN8n = (list: Uint8Array, at: number): boolean =>
  list[at + 11] === TIME && list[at + 20] === POINT && list[at + 24] === UTC && list[at + 25] === QUOTE;

function parsedTimes(list: Uint8Array): Float64Array {
  const times: unknown = JSON.parse(new TextDecoder().decode(list));
  return Float64Array.from(Array.isArray(times) ? times : [], (time) => Date.parse(String(time)));
}
