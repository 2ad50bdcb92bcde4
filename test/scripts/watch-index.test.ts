/** `npm run index`: the line with the progress of the index, and whether the watch is over. */
import { expect, test } from "vitest";
import { renderProgress } from "../../scripts/operator/render-progress.ts";
import type { IndexReport } from "../../src/history/report/index-report.ts";
import { indexReport } from "../support/index-report.ts";

const NOW = Date.parse("2026-11-20T08:00:00.000Z");
const INDEX = indexReport({
  head: { id: "100000", startedAt: "2026-11-20T07:59:00.000Z" },
  floor: { id: "75001", startedAt: "2026-11-14T07:59:00.000Z" },
  known: 25_000,
  syncedAt: "2026-11-20T07:59:40.000Z",
  settings: { intervalMs: 60_000, days: 3_650, maxExecutions: 1_000_000 },
});
const FIRST = { known: 5_000, at: NOW - 20_000 };
const lastFailure = { code: "N8N_UNREACHABLE", at: "2026-11-20T07:59:50.000Z", isOver: false };

test.each<[IndexReport, string, boolean]>([
  [
    INDEX,
    "25,000 executions known (25 %), back to 2026-11-14 07:59 UTC; 1,000 a second, at most 75 s left",
    false,
  ],
  [{ ...INDEX, known: 5_000 }, "5,000 executions known (25 %), back to 2026-11-14 07:59 UTC", false],
  [
    { ...INDEX, isWhole: true },
    "25,000 executions known, back to 2026-11-14 07:59 UTC: all that n8n has",
    true,
  ],
  [
    { ...INDEX, isFull: true },
    "25,000 executions known, back to 2026-11-14 07:59 UTC: as far as it reads",
    true,
  ],
  [
    { ...INDEX, settings: { ...INDEX.settings, intervalMs: null } },
    "25,000 executions known, back to 2026-11-14 07:59 UTC: it reads only when somebody asks (INDEX_INTERVAL=off)",
    true,
  ],
  [
    { ...INDEX, lastFailure },
    "25,000 executions known, back to 2026-11-14 07:59 UTC: n8n fails with N8N_UNREACHABLE",
    false,
  ],
  [{ ...INDEX, head: null, floor: null, known: 0 }, "nothing known yet", false],
])("%#", (index, text, isOver) => {
  expect(renderProgress(index, FIRST, NOW)).toEqual({ text, isOver });
});

test("an index that cannot be shown ends the watch, without printing control characters", () => {
  const failed = { instance: "a", error: { code: "TOOL_EXECUTION_FAILED", message: "No\u001b[2J storage." } };
  const { text, isOver } = renderProgress(failed, FIRST, NOW);
  expect(text).toMatch(/^cannot be shown: TOOL_EXECUTION_FAILED: No.* storage\.$/);
  expect([isOver, text.includes("\u001b")]).toEqual([true, false]);
});
