import { describe, expect, test } from "vitest";
import { findDisagreements, judgeRun, type Listing } from "./judge.ts";
import type { Expectation } from "./scenarios.ts";
import type { Check, Revision } from "./suite.ts";

const check = (id: string, status: Check["status"]): Check => ({ id, status, errorMessage: "why" });
const WIRE = check("wire-schema-valid", "SUCCESS");
const GOOD = [check("a", "SUCCESS"), WIRE];

const listing: Listing = new Map([["one", ["2025-11-25", "2026-07-28"]]]);

function judgeOne(expectation: Expectation, checks: readonly Check[], revision: Revision = "2026-07-28") {
  const expectations = { one: expectation };
  const results = new Map([["one", checks]]);
  return judgeRun({ listing, expectations, target: "worker", revision, results })[0];
}

describe("a scenario that applies", () => {
  test.each<[string, readonly Check[], string, string[]]>([
    ["passes when a check of its own succeeds", GOOD, "passed", []],
    ["fails when one check fails", [...GOOD, check("b", "FAILURE")], "failed", ["FAILURE b: why"]],
    ["fails on a warning", [...GOOD, check("b", "WARNING")], "failed", ["WARNING b: why"]],
    ["passes with skipped checks", [...GOOD, check("b", "SKIPPED")], "passed", []],
    ["fails when only the wire schema was checked", [WIRE], "failed", ["nothing was checked"]],
    ["fails when the suite did not run it", [], "failed", ["nothing was checked"]],
    [
      "fails on a wire schema error",
      [check("a", "SUCCESS"), check("wire-schema-valid", "FAILURE")],
      "failed",
      ["FAILURE wire-schema-valid: why"],
    ],
  ])("%s", (_name, checks, outcome, problems) => {
    expect(judgeOne({ on: "worker" }, checks)).toEqual({ scenario: "one", outcome, problems });
  });

  const excused: Expectation = { on: "worker", excused: { b: "a reason" } };
  test("may fail only in its excused checks", () => {
    expect(judgeOne(excused, [...GOOD, check("b", "FAILURE")])?.outcome).toBe("passed");
    expect(judgeOne(excused, [...GOOD, check("b", "FAILURE"), check("c", "FAILURE")])?.outcome).toBe(
      "failed",
    );
  });
  test("fails when an excused check passes", () => {
    expect(judgeOne(excused, [...GOOD, check("b", "SUCCESS")])?.problems).toEqual([
      "b is excused, and passes: take it off the list",
    ]);
  });

  test("does not apply at an excepted revision", () => {
    const expectation: Expectation = { on: "worker", except: { "2025-11-25": "a reason" } };
    expect(judgeOne(expectation, [], "2025-11-25")?.outcome).toBe("does not apply");
    expect(judgeOne(expectation, [], "2026-07-28")?.outcome).toBe("failed");
  });

  test("is judged only on its target, at the revisions it applies to", () => {
    expect(judgeOne({ on: "fixtures" }, GOOD)).toBeUndefined();
    expect(
      judgeRun({
        listing: new Map([["one", ["2025-11-25"]]]),
        expectations: { one: { on: "worker" } },
        target: "worker",
        revision: "2026-07-28",
        results: new Map(),
      }),
    ).toEqual([]);
  });
});

describe("a scenario that does not apply", () => {
  test("fails when it passes", () => {
    expect(judgeOne({ reason: "r" }, [check("a", "FAILURE"), WIRE])?.outcome).toBe("does not apply");
    expect(judgeOne({ reason: "r" }, GOOD)?.problems).toEqual(["is listed as not applying, and passes"]);
  });
  test("may be listed as passing anyway, and then has to pass", () => {
    const expectation: Expectation = { reason: "r", passesAnyway: true };
    expect(judgeOne(expectation, GOOD)?.outcome).toBe("does not apply");
    expect(judgeOne(expectation, [check("a", "FAILURE")])?.outcome).toBe("failed");
  });
});

test("a scenario that is only in the suite or only in the table is a disagreement", () => {
  expect(findDisagreements(listing, { one: { on: "worker" } })).toEqual([]);
  expect(findDisagreements(listing, {})).toEqual([expect.stringContaining("one: the suite has it")]);
  expect(findDisagreements(new Map(), { one: { on: "worker" } })).toEqual([
    expect.stringContaining("the suite does not"),
  ]);
});
