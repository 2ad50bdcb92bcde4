/**
 * Many users at once, on the running Worker: the limits of n8n are never exceeded, and the only error is
 * `RATE_LIMITED`. `npm run tools bench:load` does the same with fifty users for a minute.
 *
 * @module-tag heavy
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type LoadOutcome, runLoad } from "../../scripts/bench/load-run.ts";

const MAX_CONCURRENT = 3;
const REQUESTS_PER_MINUTE = 120;

describe("ten users at once, and a greedy one, on an n8n with low limits", () => {
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

  test("RATE_LIMITED occurs, and no other error", () => {
    const codes = new Set(outcome.calls.map(({ code }) => code));
    expect([...codes].sort()).toEqual(["RATE_LIMITED", null].sort());
  });

  test("the limits of n8n are used up and never exceeded", () => {
    expect(outcome.highestConcurrency).toBe(MAX_CONCURRENT);
    expect(outcome.requests).toBeGreaterThan(REQUESTS_PER_MINUTE / 4);
    expect(outcome.mostInAMinute).toBeLessThanOrEqual(REQUESTS_PER_MINUTE);
  });

  test("every user is answered, and ordinary calls succeed", () => {
    expect(outcome.calls.filter(({ kind }) => kind === "first")).toHaveLength(11);
    const ordinary = outcome.calls.filter(({ kind }) => kind === "ordinary");
    expect(ordinary.map(({ code }) => code)).toContain(null);
  });
});
