/**
 * Texts that are slow to redact, which anyone may post to a webhook, in the running Worker: only the user who asks for
 * them waits. `test/support/stall.ts` measures the times; the assertions hold on a busy
 * machine too.
 *
 * @module-tag heavy
 */
import { beforeAll, describe, expect, test } from "vitest";
import { percentile } from "../../scripts/bench/statistics.ts";
import { measureStall, type Stall } from "../support/stall.ts";

describe("290 rows that once took eighteen seconds, requested repeatedly", () => {
  let slow: Stall;
  let ordinary: Stall;

  beforeAll(async () => {
    const rows = 290;
    ordinary = await measureStall({ row: "plain words ".repeat(1_650), rows, milliseconds: 4_000 });
    slow = await measureStall({ row: `${"A".repeat(19_900)}%`, rows, milliseconds: 4_000 });
  }, 180_000);

  test("they take about as long as ordinary rows of their length", () => {
    expect(percentile(slow.slow, 50)).toBeLessThan(4 * percentile(ordinary.slow, 50));
  });

  test("another user is answered while they are redacted", () => {
    expect(slow.beside.length).toBeGreaterThan(2 * slow.slow.length);
    expect(percentile(slow.beside, 50)).toBeLessThan(percentile(slow.slow, 50) / 2);
  });
});
