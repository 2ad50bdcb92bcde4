/** How runs are numbered when n8n has used a number twice, and when their execution began. */
import { describe, expect, test } from "vitest";
import { Omitted } from "../../src/json/omitted.ts";
import { numberRuns } from "../../src/n8n/run-order.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";

const run = (startTime: number, executionIndex?: number) => ({ startTime, executionIndex });

/** The numbers of all runs, node by node. */
function numbered(runData: Record<string, ReturnType<typeof run>[]>): (number | undefined)[] {
  numberRuns(runData);
  return Object.values(runData)
    .flat()
    .map(({ executionIndex }) => executionIndex);
}

test("runs after a wait are numbered after those before it", () => {
  const runData = { Webhook: [run(10, 0)], Ask: [run(10, 1)], Book: [run(901, 1)], Wait: [run(900, 0)] };
  expect(numbered(runData)).toEqual([0, 1, 3, 2]);
});

test("numbers that are used once stay, even against a clock that was set back", () => {
  expect(numbered({ Webhook: [run(10, 0)], Loop: [run(9, 1), run(8, 4)] })).toEqual([0, 1, 4]);
});

test("a run that an agent has prepared, which has no start, keeps its number and changes no other", () => {
  expect(numbered({ Webhook: [run(10, 0)], stock: [run(0, 0), run(12, 3)] })).toEqual([0, 0, 3]);
});

test("runs of older n8n stay without a number", () => {
  expect(numbered({ Webhook: [run(10)], Set: [run(11)] })).toEqual([undefined, undefined]);
});

test("runs that were not read are no runs", () => {
  const runs = { Loop: [new Omitted("items", 12, 11, 900), run(5, 0)], Webhook: [run(4, 0)] };
  numberRuns(runs);
  expect([runs.Loop[1], runs.Webhook[0]]).toEqual([run(5, 1), run(4, 0)]);
});

describe("an execution began", () => {
  const resumedAt = "2026-01-12T09:00:00.000Z";
  const webhook = Date.parse("2026-01-10T08:59:59.000Z");
  const startOf = (mode: string, startTime: number): string | null =>
    executionWithData.parse({
      ...{ id: "7", workflowId: "w", mode, status: "success", startedAt: resumedAt, stoppedAt: resumedAt },
      data: {
        resultData: { runData: { Webhook: [{ startTime }], Wait: [{ startTime: Date.parse(resumedAt) }] } },
      },
    }).startedAt;

  test("with its first run, where n8n sets a new start when it resumes one", () => {
    expect(startOf("webhook", webhook)).toBe("2026-01-10T08:59:59.000Z");
  });

  test.each(["retry", "manual"])("when n8n says, in mode %s, which takes over runs", (mode) => {
    expect(startOf(mode, webhook)).toBe(resumedAt);
  });

  test("when n8n says, if its first run has no start, or begins in the same second", () => {
    expect(startOf("webhook", 0)).toBe(resumedAt);
    expect(startOf("webhook", Date.parse(resumedAt) - 900)).toBe(resumedAt);
  });
});

describe("how long an execution waited until a run", () => {
  const timed = (startTime: number, executionIndex: number, executionTime = 5) => ({
    ...run(startTime, executionIndex),
    executionTime,
  });
  const waitsIn = (runData: Parameters<typeof numberRuns>[0]) => {
    numberRuns(runData);
    return Object.values(runData)
      .flat()
      .map((one) => (one instanceof Omitted ? null : one.waitedMs));
  };

  test("is the time since the last run before it ended, each time that n8n resumes it", () => {
    const runData = {
      Webhook: [timed(10, 0)],
      Wait: [timed(900, 0), timed(2_000, 0)],
      Book: [timed(906, 1)],
    };
    expect(waitsIn(runData)).toEqual([undefined, 885, 1_089, undefined]);
  });

  test("is not known if runs were not read", () => {
    const omitted = new Omitted("items", 12, 11, 900);
    expect(waitsIn({ Webhook: [timed(10, 0)], Loop: [omitted], Wait: [timed(900, 0)] })).toEqual([
      undefined,
      null,
      undefined,
    ]);
  });
});
