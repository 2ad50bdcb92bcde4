/**
 * The time that an id contains: where to look first. Pure.
 *
 * Sources: RFC 9562 (UUID versions 1, 6 and 7), github.com/ulid/spec, github.com/segmentio/ksuid, MongoDB's ObjectId.
 * Snowflakes are left out, because each service has its own epoch.
 */
import { DAY_MS } from "../../platform/durations.ts";

/** 100 ns steps from 1582-10-15, the epoch of UUID versions 1 and 6, to 1970-01-01. */
const GREGORIAN_OFFSET = 122_192_928_000_000_000n;
const KSUID_EPOCH_SECONDS = 1_400_000_000;
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** n8n dates from 2019, so its ids are not older. */
const EARLIEST_MS = Date.UTC(2019, 0, 1);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i;
/** Either case: TypeIDs are ULIDs in lower case. */
const ULID = /(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])/i;
const KSUID = /(?<![0-9A-Za-z])[0-9A-Za-z]{27}(?![0-9A-Za-z])/;
const OBJECT_ID = /(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])/;

function readDigits(text: string, alphabet: string): bigint {
  const base = BigInt(alphabet.length);
  return [...text].reduce((value, digit) => value * base + BigInt(alphabet.indexOf(digit)), 0n);
}

function timeOfUuid(uuid: string): number | null {
  const hex = uuid.replaceAll("-", "");
  switch (hex[12]) {
    case "7":
      return Number.parseInt(hex.slice(0, 12), 16);
    case "6":
      return fromGregorian(hex.slice(0, 12) + hex.slice(13, 16));
    case "1":
      return fromGregorian(hex.slice(13, 16) + hex.slice(8, 12) + hex.slice(0, 8));
    default:
      return null;
  }
}

const fromGregorian = (hex: string): number => Number((BigInt(`0x${hex}`) - GREGORIAN_OFFSET) / 10_000n);

const FORMS: readonly { readonly pattern: RegExp; readonly timeOf: (id: string) => number | null }[] = [
  { pattern: UUID, timeOf: timeOfUuid },
  { pattern: ULID, timeOf: (id) => Number(readDigits(id.slice(0, 10).toUpperCase(), CROCKFORD)) },
  {
    pattern: KSUID,
    timeOf: (id) => (Number(readDigits(id, BASE62) >> 128n) + KSUID_EPOCH_SECONDS) * 1_000,
  },
  { pattern: OBJECT_ID, timeOf: (id) => Number.parseInt(id.slice(0, 8), 16) * 1_000 },
];

/** When the id, or one in it (`req_01J…`), was made, epoch ms; null if unknown or implausible. @param now epoch ms */
export function timeInId(id: string, now: number): number | null {
  for (const { pattern, timeOf } of FORMS) {
    const [found] = pattern.exec(id) ?? [];
    const time = found === undefined ? null : timeOf(found);
    if (time !== null && time >= EARLIEST_MS && time <= now + DAY_MS) return time;
  }
  return null;
}
