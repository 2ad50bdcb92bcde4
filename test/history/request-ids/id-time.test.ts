/** The time in an id, for ids generated here as their specifications say, and for published examples. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeInId } from "../../../src/history/request-ids/id-time.ts";

const NOW = Date.UTC(2026, 5, 1);
const EARLIEST = Date.UTC(2019, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1_000;

const hex = (value: bigint, length: number): string => value.toString(16).padStart(length, "0");

/** RFC 9562, 5.1: 60 bits of 100 ns since 1582-10-15, low bits first. */
function uuidV1(time: number): string {
  const ticks = BigInt(time - Date.UTC(1582, 9, 15)) * 10_000n + 1_234n;
  const low = hex(ticks & 0xffff_ffffn, 8);
  const middle = hex((ticks >> 32n) & 0xffffn, 4);
  const high = hex(ticks >> 48n, 3);
  return `${low}-${middle}-1${high}-9c6b-9f6bdeced846`;
}

/** RFC 9562, 5.6: the same, high bits first. */
function uuidV6(time: number): string {
  const ticks = hex(BigInt(time - Date.UTC(1582, 9, 15)) * 10_000n + 9_999n, 15);
  return `${ticks.slice(0, 8)}-${ticks.slice(8, 12)}-6${ticks.slice(12)}-b3c8-9f6bdeced846`;
}

/** RFC 9562, 5.7: 48 bits of epoch ms. */
function uuidV7(time: number): string {
  const text = hex(BigInt(time), 12);
  return `${text.slice(0, 8)}-${text.slice(8)}-7cc3-98c4-dc0c0c07398f`;
}

function encode(value: bigint, alphabet: string, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= BigInt(alphabet.length))
    text = (alphabet[Number(rest % BigInt(alphabet.length))] ?? "") + text;
  return text;
}

/** github.com/ulid/spec: 48 bits of epoch ms and 80 random ones, in Crockford's base 32. */
const ulid = (time: number): string =>
  encode((BigInt(time) << 80n) | 0x1234_5678_9abc_def0_1234n, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26);

/** github.com/segmentio/ksuid: 32 bits of seconds since 1.4e9 and 128 random ones, in base 62. */
const ksuid = (time: number): string =>
  encode(
    (BigInt(Math.floor(time / 1_000) - 1_400_000_000) << 128n) | 0xb5a1_cd34_b5f9_9d11_54fb_6853_345c_9735n,
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    27,
  );

/** MongoDB: 32 bits of epoch seconds, 40 random ones, 24 of a counter, in hexadecimal. */
const objectId = (time: number): string => `${hex(BigInt(Math.floor(time / 1_000)), 8)}a1b2c3d4e5f60718`;

const toSeconds = (time: number): number => Math.floor(time / 1_000) * 1_000;

const KINDS: readonly [string, (time: number) => string, (time: number) => number][] = [
  ["UUID version 1", uuidV1, (time) => time],
  ["UUID version 6", uuidV6, (time) => time],
  ["UUID version 7", uuidV7, (time) => time],
  ["ULID", ulid, (time) => time],
  ["ULID in lower case", (time) => `order_${ulid(time).toLowerCase()}`, (time) => time],
  ["KSUID", ksuid, toSeconds],
  ["ObjectId", objectId, toSeconds],
];

describe.each(KINDS)("%s", (_name, make, expected) => {
  const time = fc.integer({ min: EARLIEST, max: NOW });

  test("gives the time of its creation", () => {
    fc.assert(
      fc.property(time, (made) => {
        expect(timeInId(make(made), NOW)).toBe(expected(made));
      }),
    );
  });

  test("gives it among other text", () => {
    const made = Date.UTC(2025, 10, 3, 12, 30, 15);
    for (const around of ["req_", "order-", "urn:uuid:", "id="])
      expect(timeInId(around + make(made), NOW)).toBe(expected(made));
    expect(timeInId(`${make(made)}:retry`, NOW)).toBe(expected(made));
  });

  test("gives none before n8n existed, nor in the future", () => {
    expect(timeInId(make(EARLIEST - 1_000), NOW)).toBeNull();
    expect(timeInId(make(NOW + 2 * DAY_MS), NOW)).toBeNull();
  });

  test("tolerates clocks that are ahead by less than a day", () => {
    expect(timeInId(make(NOW + DAY_MS / 2), NOW)).toBe(expected(NOW + DAY_MS / 2));
  });
});

describe("published examples", () => {
  const RFC_EXAMPLE = Date.UTC(2022, 1, 22, 19, 22, 22);

  test.each([
    ["RFC 9562, A.1", "C232AB00-9414-11EC-B3C8-9F6BDECED846", RFC_EXAMPLE],
    ["RFC 9562, A.5", "1EC9414C-232A-6B00-B3C8-9F6BDECED846", RFC_EXAMPLE],
    ["RFC 9562, A.6", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", RFC_EXAMPLE],
    ["lower case", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", RFC_EXAMPLE],
    ["an ObjectId of 0x5fee6600 seconds", "5fee66006d1f2b3a4c5d6e7f", Date.UTC(2021, 0, 1)],
  ])("%s", (_name, id, time) => {
    expect(timeInId(id, NOW)).toBe(time);
  });

  // From 2016-07-30 and 2017-10-10.
  const ULID_EXAMPLE = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const KSUID_EXAMPLE = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";

  test("of ULID and KSUID are older than n8n", () => {
    expect([ULID_EXAMPLE, KSUID_EXAMPLE].map((id) => timeInId(id, NOW))).toEqual([null, null]);
  });

  test("equal what this test generates", () => {
    expect(ulid(1_469_922_850_259).slice(0, 10)).toBe(ULID_EXAMPLE.slice(0, 10));
    expect(ksuid((1_400_000_000 + 107_608_047) * 1_000)).toBe(KSUID_EXAMPLE);
  });
});

describe("no time is read from", () => {
  test.each([
    ["UUID version 4", "919108f7-52d1-4320-9bac-f847db4148a8"],
    ["UUID version 3", "5df41881-3aed-3515-88a7-2f4a814cf09e"],
    ["UUID version 5", "2ed6657d-e927-568b-95e1-2665a8aea6a2"],
    ["UUID version 8", "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0"],
    ["a UUID of another variant", "017f22e2-79b0-7cc3-18c4-dc0c0c07398f"],
    ["no id", ""],
    ["a word", "checkout"],
    ["words", "the-request-that-failed-on-monday"],
    ["26 letters in lower case", "abcdefghijklmnopqrstuvwxyz"],
    ["26 letters in upper case", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
    ["27 letters", "abcdefghijklmnopqrstuvwxyza"],
    ["a number", "424242"],
    ["epoch seconds", "1767225600"],
    ["epoch ms", "1767225600000"],
    ["a date", "2026-01-01T00:00:00Z"],
    ["a ULID with a letter outside its alphabet", "01JBSZ3NDEKTSV4RRFFQ69G5FU"],
    ["a ULID that overflows", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"],
    ["a ULID inside a longer word", `x${ulid(NOW)}`],
    ["an ObjectId inside a longer number", `${objectId(NOW)}0`],
    ["32 hexadecimal digits", "017f22e279b07cc398c4dc0c0c07398f"],
    ["a trace id of OpenTelemetry", "4bf92f3577b34da6a3ce929d0e0e4736"],
  ])("%s", (_name, id) => {
    expect(timeInId(id, NOW)).toBeNull();
  });

  test("random UUIDs", () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), (id) => {
        expect(timeInId(id, NOW)).toBeNull();
      }),
    );
  });

  test("any time that is read lies between n8n's beginning and tomorrow", () => {
    const id = fc.oneof(fc.string(), fc.stringMatching(/^[0-9A-Za-z]{24,27}$/), fc.uuid(), fc.ulid());
    fc.assert(
      fc.property(id, (text) => {
        const time = timeInId(text, NOW) ?? NOW;
        expect(time >= EARLIEST && time <= NOW + DAY_MS).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
