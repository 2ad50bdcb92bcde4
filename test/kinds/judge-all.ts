/**
 * Explains every kind, and judges each answer. A kind without an expectation is an error; a call that fails counts as
 * missed, with its answer as the reason.
 */
import * as z from "zod";
import { type Expectation, expectations } from "./expectations.ts";
import { type Judgement, judgeExplanation, judgeOrdinary } from "./judge.ts";

/** A kind that was played, either recorded or just now. */
export interface AskedKind {
  readonly name: string;
  readonly family: "failed" | "silent" | "ordinary";
  readonly judgedIds: readonly string[];
  /** Node names of all its workflows. */
  readonly nodeNames: readonly string[];
}

export interface JudgedKind extends Judgement {
  readonly name: string;
  readonly family: AskedKind["family"];
  readonly executionId: string;
}

const envelope = z.looseObject({ status: z.enum(["success", "error"]) });

/** @param explain returns the whole answer for one execution */
export async function judgeAll(
  kinds: readonly AskedKind[],
  explain: (executionId: string) => Promise<unknown>,
): Promise<JudgedKind[]> {
  const judged: JudgedKind[] = [];
  for (const { name, family, judgedIds, nodeNames } of kinds) {
    const expectation = family === "ordinary" ? undefined : expectationOf(name);
    for (const executionId of judgedIds) {
      const answer = await explain(executionId);
      const judge = (): Judgement =>
        expectation === undefined
          ? judgeOrdinary(answer, nodeNames)
          : judgeExplanation(answer, expectation, nodeNames);
      const isRefused = envelope.parse(answer).status === "error";
      const refused: Judgement = {
        verdict: "missed",
        why: JSON.stringify(answer).slice(0, 300),
        sentence: "",
      };
      judged.push({ name, family, executionId, ...(isRefused ? refused : judge()) });
    }
  }
  return judged;
}

function expectationOf(kind: string): Expectation {
  const found = expectations.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`There is no expectation for ${kind}.`);
  return found;
}

export interface Tally {
  readonly explained: number;
  /** Kinds of failures and silent successes. */
  readonly kinds: number;
  readonly wrong: number;
  readonly falseAlarms: number;
  /** Ordinary executions, and the number of their workflows. */
  readonly ordinary: number;
  readonly ordinaryWorkflows: number;
}

export function tallyOf(judged: readonly JudgedKind[]): Tally {
  const ordinary = judged.filter(({ family }) => family === "ordinary");
  const faulty = judged.filter(({ family }) => family !== "ordinary");
  const count = (all: readonly JudgedKind[], verdict: Judgement["verdict"]): number =>
    all.filter((each) => each.verdict === verdict).length;
  return {
    explained: count(faulty, "explained"),
    kinds: faulty.length,
    wrong: count(faulty, "wrong"),
    falseAlarms: ordinary.length - count(ordinary, "calm"),
    ordinary: ordinary.length,
    ordinaryWorkflows: new Set(ordinary.map(({ name }) => name)).size,
  };
}

/** Describes each answer that falls short, for developers. */
export function shortcomingsOf(judged: readonly JudgedKind[]): string[] {
  return judged
    .filter(({ verdict }) => verdict !== "explained" && verdict !== "calm")
    .map(({ name, verdict, why, sentence }) => `${verdict}: ${name}: ${why}\n    ${sentence}`);
}
