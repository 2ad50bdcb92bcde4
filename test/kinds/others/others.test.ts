/**
 * What is said of what others met: root named first or second, the true reason, and nothing that is not so; and nothing of
 * their ordinary successes.
 */
import { expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { steppedExecution } from "../../support/stepped-execution.ts";
import { judgeExplanation, judgeOrdinary } from "../judge.ts";
import { othersCases } from "./all.ts";
import type { OtherCase } from "./case.ts";
import { ordinary } from "./ordinary.ts";

function answerTo({ steps, facts }: Pick<OtherCase, "steps" | "facts">) {
  const { finding, evidence } = explain(steppedExecution(steps, facts));
  return { message: finding.sentence, data: { explanation: finding, evidence } };
}

test.each(othersCases)("$kind ($source) is explained", (each) => {
  const names = each.steps.map(({ name }) => name);
  const { verdict, why, sentence } = judgeExplanation(answerTo(each), each, names);
  expect(verdict, `${why}\n${sentence}`).toBe("explained");
});

test.each(ordinary)("$kind is an ordinary success", (each) => {
  const answer = answerTo(each);
  const names = each.steps.map(({ name }) => name);
  expect(judgeOrdinary(answer, names), JSON.stringify(answer)).toMatchObject({ verdict: "calm" });
});

test("there are as many as the page says", () => {
  expect(othersCases.length).toBe(126);
  expect(ordinary.length).toBe(48);
  const sources = othersCases.map(({ source }) => source);
  expect(sources.every((source) => source !== "")).toBe(true);
});
