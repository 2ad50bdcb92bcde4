import fc from "fast-check";
import { expect, test } from "vitest";
import { readTimes } from "../../../src/history/query/read-times.ts";

/** Timestamps as n8n writes them, and as others might. */
const FORMS: readonly ((time: Date) => string | null)[] = [
  (time) => time.toISOString(),
  (time) => time.toISOString(),
  () => null,
  (time) => time.toISOString().replace("Z", "000Z"),
  (time) => time.toISOString().replace(/\.\d+Z/, "Z"),
  (time) => time.toISOString().replace("Z", "+02:00"),
  (time) => time.toISOString().replace("Z", ""),
  (time) => time.toISOString().slice(0, "2026-01-01".length),
  (time) => time.toUTCString(),
  // Each differs from n8n's form in one place.
  (time) => `${time.toISOString()} (é)`,
  (time) => time.toISOString().replace(/\.\d+Z/, "    Z"),
  (time) => time.toISOString().replace("T", " "),
  (time) => time.toISOString().replace(/00Z$/, "EST"),
  (time) => `Jan ${(time.getUTCDate() % 9) + 1} 2026 ${time.toISOString().slice("2026-01-01T".length)}`,
  (time) => time.toUTCString().replace(/:\d\d GMT/, " Z"),
  (time) => `${time.toUTCString()} (é ", \\ 😀)`,
];

const readAll = (times: readonly (string | null)[], asBytes: (list: Uint8Array<ArrayBuffer>) => SqlBytes) => [
  ...readTimes(asBytes(new TextEncoder().encode(JSON.stringify(times))), times.length),
];
type SqlBytes = Uint8Array | ArrayBuffer;

test.each<[string, (list: Uint8Array<ArrayBuffer>) => SqlBytes]>([
  ["Node's", (list) => list],
  ["a Durable Object's", (list) => list.buffer],
])("times in %s list are parsed as by Date.parse", (_whose, asBytes) => {
  const time = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
  const text = fc.tuple(time, fc.constantFrom(...FORMS)).map(([date, form]) => form(date));
  fc.assert(
    fc.property(fc.array(text), (times) => {
      expect(readAll(times, asBytes)).toEqual(times.map((one) => Date.parse(String(one))));
    }),
    { numRuns: 1_000 },
  );
});

test("a list of one form is parsed, whichever form it is", () => {
  for (const form of FORMS) {
    const times = [0, 1, 59_999, 60_000, 86_399_999, 86_400_000].map((time) => form(new Date(time)));
    expect(readAll(times, (list) => list)).toEqual(times.map((one) => Date.parse(String(one))));
  }
});

test("a missing list gives no times", () => {
  expect(readTimes(undefined, 3)).toHaveLength(0);
});
