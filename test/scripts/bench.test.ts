/** The arithmetic and reports of the benchmarks. */
import { describe, expect, test } from "vitest";
import { withPart } from "../../scripts/bench/benchmarks-file.ts";
import { isPageWithData, pagesWithData } from "../../scripts/bench/drain.ts";
import { asCount, asTimes, Report, toLines, toTable } from "../../scripts/bench/report.ts";
import { median, percentile } from "../../scripts/bench/statistics.ts";
import { readExecutionCursor } from "../../src/n8n/execution-cursor.ts";

describe("a report", () => {
  const report = new Report();
  report.tell("executions", asCount(2_000));
  report.check("ratio", 1.251, { most: 1.25 }, asTimes);
  report.check("faster", 8, { least: 8 }, asTimes);

  test("knows each missed target, however narrowly", () => {
    expect(report.missed.map(({ what }) => what)).toEqual(["ratio"]);
  });

  test("shows the measurement and the target", () => {
    expect(toLines(report.rows)).toMatch(/MISS ratio +1\.25 × {2}\(wanted ≤ 1\.25 ×\)/);
    expect(toTable(report.rows)).toContain("| ratio | 1.25 × | ≤ 1.25 × **missed** |");
    expect(toTable(report.rows)).toContain("| faster | 8.00 × | ≥ 8.00 × |");
  });
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7],
])("median of %j", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test.each([
  [[5, 1, 3, 2, 4], 50, 3],
  [[5, 1, 3, 2, 4], 95, 5],
  [Array.from({ length: 100 }, (_, index) => index + 1), 95, 95],
  [[7], 1, 7],
])("percentile of %j at %i", (values, percent, expected) => {
  expect(percentile(values, percent)).toBe(expected);
});

describe("pages with data", () => {
  test("cover each execution once, in the order of the list", () => {
    const pages = pagesWithData(["9", "7", "6", "2", "1"], 2);
    const cursors = pages.map((path) =>
      readExecutionCursor(new URL(path, "http://localhost").searchParams.get("cursor") ?? ""),
    );
    expect(cursors).toEqual([
      { lastId: "10", limit: 2 },
      { lastId: "7", limit: 2 },
      { lastId: "2", limit: 1 },
    ]);
    expect(pages.every(isPageWithData)).toBe(true);
  });

  test.each([
    "/api/v1/executions?limit=100",
    "/api/v1/executions?status=running&limit=100&includeData=true",
    "/api/v1/executions/7?includeData=true",
  ])("are not %s", (path) => {
    expect(isPageWithData(path)).toBe(false);
  });
});

test("each benchmark replaces only its own part of the document", () => {
  const empty =
    "# B\n<!-- begin: recorded -->\nold\n<!-- end: recorded -->\n\n<!-- begin: real -->\nkept\n<!-- end: real -->\n";
  const written = withPart(empty, "recorded", "new");
  expect(written).toContain("\n\nnew\n<!-- end: recorded -->");
  expect(written).toContain("<!-- begin: real -->\nkept\n<!-- end: real -->");
  expect(written).not.toContain("old");
  expect(() => withPart("# B", "real", "new")).toThrow("no part");
});
