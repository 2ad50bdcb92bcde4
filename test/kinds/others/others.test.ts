/**
 * Explanations of cases that others reported: the root is named first or second, the reason is true, and nothing is
 * untrue. Of ordinary successes, nothing is said to have gone wrong.
 */
import { expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { steppedExecution } from "../../support/stepped-execution.ts";
import { judgeExplanation, judgeOrdinary } from "../judge.ts";
import { reportedCases } from "./all.ts";
import type { ReportedCase } from "./case.ts";
import { ordinary } from "./ordinary.ts";

function explanationOf({ steps, facts }: Pick<ReportedCase, "steps" | "facts">) {
  const { finding, evidence } = explain(steppedExecution(steps, facts));
  return { message: finding.sentence, data: { explanation: finding, evidence } };
}

test.each(reportedCases)("$kind ($source) is explained", (each) => {
  const names = each.steps.map(({ name }) => name);
  const { verdict, why, sentence } = judgeExplanation(explanationOf(each), each, names);
  expect(verdict, `${why}\n${sentence}`).toBe("explained");
});

test.each(ordinary)("$kind raises no false alarm", (each) => {
  const answer = explanationOf(each);
  const names = each.steps.map(({ name }) => name);
  expect(judgeOrdinary(answer, names), JSON.stringify(answer)).toMatchObject({ verdict: "calm" });
});

test("there are as many cases as docs/explaining.md says, each with its source", () => {
  expect(reportedCases.length).toBe(126);
  expect(ordinary.length).toBe(48);
  const sources = reportedCases.map(({ source }) => source);
  expect(sources.every((source) => source !== "")).toBe(true);
});
