import { describe, expect, test } from "vitest";
import type { Expectation } from "./expectations.ts";
import { judgeExplanation, judgeOrdinary } from "./judge.ts";
import { type JudgedKind, judgeAll, shortcomingsOf, tallyOf } from "./judge-all.ts";
import { tableBegin, tableEnd, toTable, writeTable } from "./table.ts";

interface StatedFinding {
  readonly sentence: string;
  readonly node?: string;
}

const answer = (explanation: StatedFinding | null, ...evidence: StatedFinding[]): unknown => ({
  status: "success",
  message: "",
  data: { explanation, evidence },
});

const expectation: Expectation = {
  kind: "field-left-out",
  roots: ["Load customer"],
  symptoms: ["Print label"],
  says: [/address/],
  alsoSays: [/Ana/],
  neverSays: [/edited/],
};
const NODES = ["Webhook", "Load customer", "Print label"];
const ROOT = { sentence: "It leaves out the address.", node: "Load customer" };
const SYMPTOM = { sentence: "It reads the city of the address.", node: "Print label" };
const ANA = { sentence: "The customer is Ana.", node: "Load customer" };

describe("an explanation", () => {
  test.each([
    ["the root first", answer(ROOT, SYMPTOM, ANA), "explained"],
    ["the root second", answer(SYMPTOM, ROOT, ANA), "explained"],
    [
      "the root second, in its sentence",
      answer({ sentence: '"Print label" lacks an address of "Load customer".', node: "Print label" }, ANA),
      "explained",
    ],
    [
      "the root third, in its sentence",
      answer({ sentence: '"Webhook" and "Load customer": address', node: "Print label" }, ANA),
      "missed",
    ],
    ["the root third", answer(SYMPTOM, SYMPTOM, ROOT, ANA), "missed"],
    ["another node first", answer({ sentence: "No address", node: "Webhook" }, ROOT, ANA), "wrong"],
    ["no reason", answer({ sentence: "It failed.", node: "Load customer" }, ANA), "missed"],
    ["the reason too late", answer({ sentence: "It failed.", node: "Load customer" }, ANA, ROOT), "missed"],
    ["an expected detail missing", answer(ROOT), "missed"],
    ["an untrue sentence at its end", answer(ROOT, ANA, { sentence: "It was edited." }), "wrong"],
    ["nothing", answer(null), "missed"],
  ])("with %s is judged", (_name, explanation, verdict) => {
    expect(judgeExplanation(explanation, expectation, NODES).verdict).toBe(verdict);
  });

  test("of a whole workflow need not name a node", () => {
    const whole = { kind: "canceled", roots: [], says: [/canceled/] };
    expect(judgeExplanation(answer({ sentence: "It was canceled." }), whole, NODES).verdict).toBe(
      "explained",
    );
  });

  test("that does not match the tool's schema is an error", () => {
    expect(() => judgeExplanation({ data: { explanation: "It failed." } }, expectation, NODES)).toThrow();
  });
});

describe("an ordinary success", () => {
  test.each([
    ["Nothing went wrong."],
    ["It succeeded; no node failed."],
    ["Nothing failed: Only paid let none of 3 items through, so Ship did not run."],
    ['It ended well; the node "Fail safe" ran.'],
    ["On error: nothing ran last."],
    ["All 4 nodes ran without errors."],
  ])("may be described calmly: %s", (sentence) => {
    expect(judgeOrdinary(answer({ sentence }), ["On error: nothing"]).verdict).toBe("calm");
  });

  test.each([
    ["It succeeded, but Fetch failed."],
    ["Fetch refused the request."],
    ["Count errors returned an error."],
    ["The error of Fetch was swallowed, though nothing failed."],
  ])("raises a false alarm if it says: %s", (sentence) => {
    expect(judgeOrdinary(answer({ sentence }), ["Count errors"]).verdict).toBe("false alarm");
  });

  test("raises a false alarm by its evidence too", () => {
    const alarming = answer({ sentence: "Nothing went wrong." }, { sentence: "Fetch failed." });
    expect(judgeOrdinary(alarming, []).verdict).toBe("false alarm");
  });
});

const judged = (name: string, verdict: JudgedKind["verdict"], family: JudgedKind["family"]): JudgedKind => ({
  name,
  family,
  verdict,
  why: "because",
  sentence: "a | b\nc",
  executionId: "1",
});

test("judgements are counted, and those that fall short are described", () => {
  const all = [
    judged("one", "explained", "failed"),
    judged("two", "wrong", "silent"),
    judged("three", "calm", "ordinary"),
    judged("three", "false alarm", "ordinary"),
  ];
  expect(tallyOf(all)).toEqual({
    explained: 1,
    kinds: 2,
    wrong: 1,
    falseAlarms: 1,
    ordinary: 2,
    ordinaryWorkflows: 1,
  });
  expect(shortcomingsOf(all)).toEqual([
    "wrong: two: because\n    a | b\nc",
    "false alarm: three: because\n    a | b\nc",
  ]);
  expect(toTable(all)).toContain("| two | silent | wrong | a \\| b c |");
});

test("the table replaces the previous one", () => {
  const document = `Before\n${tableBegin}\nold\n${tableEnd}\nAfter`;
  expect(writeTable(document, "new")).toBe(`Before\n${tableBegin}\nnew\n${tableEnd}\nAfter`);
  expect(() => writeTable("Before", "new")).toThrow("The document has no");
});

test("a refused call counts as missed, and a kind without an expectation is an error", async () => {
  const kind = { name: "code-throws", family: "failed", judgedIds: ["7"], nodeNames: [] } as const;
  const refused = async () => ({ status: "error", data: { code: "NOT_FOUND" } });
  expect(await judgeAll([kind], refused)).toMatchObject([{ verdict: "missed", executionId: "7" }]);
  await expect(judgeAll([{ ...kind, name: "none" }], refused)).rejects.toThrow("no expectation for none");
});
