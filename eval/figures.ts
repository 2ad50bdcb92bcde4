/** The figures of judged runs. Pure. */
import { median } from "../scripts/bench/statistics.ts";
import { sumOf } from "../src/platform/sum-of.ts";
import { judge, OUTCOMES, type Outcome, type Verdict } from "./judge.ts";
import type { Question } from "./question.ts";
import type { Transcript } from "./transcript.ts";

export interface JudgedRun {
  readonly question: Question;
  readonly transcript: Transcript;
  readonly verdict: Verdict;
}

export interface Figures {
  readonly questions: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly callsMean: number;
  /** Of all tool answers of a run, by the project's counter. */
  readonly answerTokensMedian: number;
  /** What the model read and wrote, in runs for which its provider reports it. */
  readonly modelTokensMedian: number | null;
  readonly secondsMedian: number | null;
  /** Questions that were asked three times or more, and how many were answered right each time. */
  readonly passed3: { readonly of: number; readonly all: number } | null;
}

/** A question without a transcript counts as unanswered; a transcript of no question does not count. */
export function judgeRuns(questions: readonly Question[], transcripts: readonly Transcript[]): JudgedRun[] {
  return questions.flatMap((question) => {
    const own = transcripts.filter((each) => each.question === question.id);
    const runs = own.length > 0 ? own : [{ question: question.id, arm: "none", calls: [], answer: "" }];
    return runs.map((each) => ({ question, transcript: each, verdict: judge(question, each.answer) }));
  });
}

const tokensOf = ({ calls }: Transcript): number => sumOf(calls, ({ answerTokens }) => answerTokens);

export function figuresOf(runs: readonly JudgedRun[]): Figures {
  const transcripts = runs.map(({ transcript }) => transcript);
  const used = transcripts.flatMap(({ usage }) => (usage === undefined ? [] : [usage.input + usage.output]));
  const seconds = transcripts.flatMap((each) => each.seconds ?? []);
  const byQuestion = [...Map.groupBy(runs, ({ question }) => question.id).values()];
  const thrice = byQuestion.filter(({ length }) => length >= 3);
  const isRight = ({ verdict }: JudgedRun): boolean => verdict.outcome === "right";
  const counted = OUTCOMES.map((outcome) => [
    outcome,
    runs.filter(({ verdict }) => verdict.outcome === outcome).length,
  ]);
  return {
    questions: byQuestion.length,
    outcomes: Object.fromEntries(counted),
    callsMean: sumOf(transcripts, ({ calls }) => calls.length) / Math.max(runs.length, 1),
    answerTokensMedian: runs.length === 0 ? 0 : median(transcripts.map(tokensOf)),
    modelTokensMedian: used.length === 0 ? null : median(used),
    secondsMedian: seconds.length === 0 ? null : median(seconds),
    passed3:
      thrice.length === 0
        ? null
        : { of: thrice.length, all: thrice.filter((each) => each.every(isRight)).length },
  };
}

/** Lines for a terminal: each run that is not right, and the figures. */
export function report(runs: readonly JudgedRun[]): string[] {
  const { questions, outcomes, ...figures } = figuresOf(runs);
  const wrong = runs.filter(({ verdict }) => verdict.outcome !== "right");
  return [
    ...wrong.map(({ question, verdict }) => `${verdict.outcome}: ${question.id}: ${verdict.why ?? ""}`),
    `questions            ${questions} (${runs.length} runs)`,
    ...OUTCOMES.map((outcome) => `${outcome.padEnd(20)} ${outcomes[outcome]}`),
    `calls, mean          ${figures.callsMean.toFixed(2)}`,
    `tokens of answers    ${figures.answerTokensMedian} (median)`,
    `tokens of the model  ${figures.modelTokensMedian ?? "not told"}`,
    `seconds              ${figures.secondsMedian?.toFixed(1) ?? "not measured"}`,
    ...(figures.passed3 === null
      ? []
      : [`pass^3               ${figures.passed3.all} of ${figures.passed3.of}`]),
  ];
}
