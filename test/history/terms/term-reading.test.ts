/** An execution has a filter only if everything a search reads has terms. */
import { describe, expect, test } from "vitest";
import { PayloadItem } from "../../../src/history/payload/payload-items.ts";
import { TermReading, takeTerms } from "../../../src/history/terms/term-reading.ts";
import { createLocalTerms } from "../../support/local-terms.ts";
import { readFilter } from "../../support/read-filter.ts";

const KILOBYTE = 1024;
const MEGABYTE = KILOBYTE * KILOBYTE;

let redacted = 0;
const redact = async (value: unknown): Promise<unknown> => {
  redacted += 1;
  return value;
};

/** An item of about this many bytes with few terms; null for one that there was no room for. */
type Sent = readonly [string, number] | null;

async function filterOf(
  sent: readonly Sent[],
  allowance = Number.POSITIVE_INFINITY,
): Promise<Uint8Array | null> {
  redacted = 0;
  const reading = new TermReading(takeTerms(createLocalTerms(), allowance));
  for (const item of sent) {
    const json = item === null ? null : JSON.stringify({ id: item[0], fill: "x ".repeat(item[1] / 2) });
    const seen = json === null ? null : PayloadItem.ofJson(new TextEncoder().encode(json), [], redact);
    await reading.see(seen)?.();
  }
  return reading.filter(false);
}

describe("an execution has a filter", () => {
  test("if it is small enough, where repeated items count once", async () => {
    const filter = await filterOf(Array.from({ length: 20 }, () => ["same", 100 * KILOBYTE]));
    expect(filter).not.toBeNull();
    expect(redacted).toBe(1);
  });

  test("marked as partial if searches skip a part of it, too", async () => {
    const filters = [await filterOf([["a", 10], null]), await filterOf([["a", 10]])];
    expect(filters.map((bytes) => bytes !== null && readFilter(bytes).isPartial)).toEqual([true, false]);
  });
});

describe("an execution has no filter", () => {
  test("if too much of it differs", async () => {
    const most = ["a", "b", "c"].map((id): Sent => [id, 300 * KILOBYTE]);
    expect(await filterOf(most)).not.toBeNull();
    expect(await filterOf([...most, ["d", 300 * KILOBYTE]])).toBeNull();
  });

  test("once the redaction allowance is used up, unless everything was redacted", async () => {
    expect(await filterOf([["a", 100 * KILOBYTE]], 10)).not.toBeNull();
    const items: Sent[] = [
      ["a", 100 * KILOBYTE],
      ["b", 10],
    ];
    expect(await filterOf(items, 10)).toBeNull();
    expect(redacted).toBe(1);
    expect(await filterOf([["a", 10]], 0)).toBeNull();
  });

  test("without any allowance, even if it may be empty", async () => {
    expect(await filterOf([null], 0)).toBeNull();
    expect(await filterOf([], MEGABYTE)).not.toBeNull();
  });
});
