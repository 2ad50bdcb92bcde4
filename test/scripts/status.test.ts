/** `npm run admin status`: one screen, and whether the server is healthy. */
import { describe, expect, test } from "vitest";
import { isWell, renderStatus, type ServerStatus } from "../../scripts/operator/render-status.ts";
import { indexReport } from "../support/index-report.ts";

const NOW = Date.parse("2026-11-20T08:00:00.000Z");

const INDEX = indexReport({
  head: { id: "90", startedAt: "2026-11-20T07:50:00.000Z" },
  floor: { id: "1", startedAt: "2026-11-01T00:00:00.000Z" },
  known: 90,
  syncedAt: "2026-11-20T07:58:00.000Z",
  sizeBytes: 102_400,
});

const HEALTHY: ServerStatus = {
  origin: "https://observer.example",
  isHealthy: true,
  version: "1.2.3",
  settingProblems: [],
  lastDay: { calls: { success: 40, EXECUTION_NOT_FOUND: 2 }, signIns: {} },
  indexes: [INDEX],
};

test("a healthy server is shown line by line", () => {
  expect(renderStatus(HEALTHY, NOW).split("\n")).toEqual([
    "server              https://observer.example, version 1.2.3",
    "health              ok",
    "settings            all usable",
    "n8n                 answered 2 minutes ago",
    "index               90 executions, back to 2026-11-01; last check for new executions 2 minutes ago",
    "calls, last day     42 calls: success 40, EXECUTION_NOT_FOUND 2",
    "sign-ins, last day  none",
  ]);
  expect(isWell(HEALTHY)).toBe(true);
});

describe("a server is not healthy", () => {
  test("while n8n fails, with error code and time", () => {
    const lastFailure = { code: "N8N_UNREACHABLE", at: "2026-11-20T05:00:00.000Z", isOver: false };
    const status = { ...HEALTHY, indexes: [{ ...INDEX, lastFailure }] };
    expect(renderStatus(status, NOW)).toContain(
      "\nn8n                 fails with N8N_UNREACHABLE (3 hours ago)\n",
    );
    expect(isWell(status)).toBe(false);
    expect(
      isWell({ ...HEALTHY, indexes: [{ ...INDEX, lastFailure: { ...lastFailure, isOver: true } }] }),
    ).toBe(true);
  });

  test("with a wrong setting, which is named with its solution", () => {
    const problem = { setting: "AUDIT_DAYS", problem: "AUDIT_DAYS is no number.", solution: "Set one." };
    const status = { ...HEALTHY, isHealthy: false, settingProblems: [problem], indexes: [] };
    const text = renderStatus(status, NOW);
    expect(text).toContain("cannot answer: see the settings");
    expect(text).toContain("AUDIT_DAYS: AUDIT_DAYS is no number. Set one.");
    expect(isWell(status)).toBe(false);
  });

  test("with a failing index, which is named beside the others", () => {
    const failed = { instance: "staging", error: { code: "TOOL_EXECUTION_FAILED", message: "No storage." } };
    const status = { ...HEALTHY, indexes: [INDEX, failed] };
    expect(renderStatus(status, NOW)).toMatch(
      /n8n default .*\nindex default .*\nindex staging +cannot be shown: /,
    );
    expect(isWell(status)).toBe(false);
  });
});

test("an empty and a complete index are described", () => {
  const nothing = { ...HEALTHY, indexes: [{ ...INDEX, syncedAt: null }] };
  expect(renderStatus(nothing, NOW)).toMatch(/n8n +not asked yet\nindex +nothing known yet\n/);
  const all = { ...HEALTHY, indexes: [{ ...INDEX, isWhole: true }] };
  expect(renderStatus(all, NOW)).toContain("90 executions, all that n8n has;");
});

test("only the most frequent of many outcomes are named", () => {
  const calls = { a: 1, b: 9, c: 3, d: 4, e: 5, f: 6 };
  const text = renderStatus({ ...HEALTHY, lastDay: { calls, signIns: {} } }, NOW);
  expect(text).toContain("28 calls: b 9, f 6, e 5, d 4, c 3, 1 other outcome");
});

test("control characters of a server are not printed", () => {
  const status = { ...HEALTHY, version: "\u001b[2J\u202ex" };
  expect(renderStatus(status, NOW)).not.toMatch(/\p{Cf}|\p{Cc}(?<!\n)/u);
});
