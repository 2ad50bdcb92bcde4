/** What is said of what others met: root named first or second, the true reason, and nothing that is not so. */
import { expect, test } from "vitest";
import { explain } from "../../../src/executions/causes/explain.ts";
import { steppedExecution } from "../../support/stepped-execution.ts";
import { judgeExplanation } from "../judge.ts";
import { othersFailures } from "./all.ts";
import type { OtherCase } from "./case.ts";

function answerTo({ steps, facts }: Pick<OtherCase, "steps" | "facts">) {
  const { finding, evidence } = explain(steppedExecution(steps, facts));
  return { message: finding.sentence, data: { explanation: finding, evidence } };
}

test.each(othersFailures)("$kind ($source) is explained", (each) => {
  const names = each.steps.map(({ name }) => name);
  const { verdict, why, sentence } = judgeExplanation(answerTo(each), each, names);
  expect(verdict, `${why}\n${sentence}`).toBe("explained");
});
