/**
 * Many users at once, through the running Worker: n8n is never asked more than it may be, and nobody gets any
 * error but `RATE_LIMITED`. The same with fifty users for a minute is `npm run tools bench:load`.
 *
 * @module-tag heavy
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type LoadOutcome, runLoad } from "../../scripts/bench/load-run.ts";

const MAX_CONCURRENT = 3;
const REQUESTS_PER_MINUTE = 60;

describe("ten users at once, and a greedy one, on an n8n that may not be asked much", () => {
  let outcome: LoadOutcome;

  beforeAll(async () => {
    outcome = await runLoad({
      users: 10,
      greedyUsers: 1,
      greedyLoops: 20,
      greedyCalls: "ordinary",
      milliseconds: 4_000,
      pauseMs: 500,
      executions: 100,
      n8nMs: 30,
      settings: {
        N8N_MAX_CONCURRENT: String(MAX_CONCURRENT),
        N8N_REQUESTS_PER_MINUTE: String(REQUESTS_PER_MINUTE),
      },
      where: "this process",
    });
  }, 120_000);

  test("there is no error but RATE_LIMITED, and there is that", () => {
    const codes = new Set(outcome.calls.map(({ code }) => code));
    expect([...codes].sort()).toEqual(["RATE_LIMITED", null].sort());
  });

  test("the limits of n8n are made use of and never exceeded", () => {
    expect(outcome.highestConcurrency).toBe(MAX_CONCURRENT);
    expect(outcome.requests).toBeGreaterThan(REQUESTS_PER_MINUTE / 4);
    expect(outcome.mostInAMinute).toBeLessThanOrEqual(REQUESTS_PER_MINUTE);
  });

  test("every user is answered, and ordinary ones get what they asked for", () => {
    expect(outcome.calls.filter(({ kind }) => kind === "first")).toHaveLength(11);
    const ordinary = outcome.calls.filter(({ kind }) => kind === "ordinary");
    expect(ordinary.map(({ code }) => code)).toContain(null);
  });
});
