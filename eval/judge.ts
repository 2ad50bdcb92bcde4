/** Judges final answers by the expressions of their question. No model judges. Pure. */
import type { Question } from "./question.ts";

export const OUTCOMES = ["right", "false", "abstained", "unanswered"] as const;
/** `abstained`: says that it does not know what could be known. `false` is also an answer that lacks what was asked. */
export type Outcome = (typeof OUTCOMES)[number];

export interface Verdict {
  readonly outcome: Outcome;
  /** Why it is not right. */
  readonly why?: string;
}

const DOES_NOT_KNOW =
  /\b(?:I|we) (?:(?:do|did) not|don't|didn't|cannot|can't|could not|couldn't|was not able to|am unable to) (?:know|tell|find|determine|answer|say|see)|\bunable to (?:determine|find|answer)/i;

export function judge(question: Question, answer: string): Verdict {
  if (answer.trim() === "") return { outcome: "unanswered", why: "there is no answer" };
  const untrue = question.wrong.find((each) => each.test(answer));
  if (untrue !== undefined) return { outcome: "false", why: `says ${untrue.source}` };
  const missing = question.right.find((each) => !each.test(answer));
  if (missing === undefined) return { outcome: "right" };
  const why = `lacks ${missing.source}`;
  return { outcome: !question.abstain && DOES_NOT_KNOW.test(answer) ? "abstained" : "false", why };
}
