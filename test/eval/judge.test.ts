/** The judge of the evaluation, its figures, its transcripts, and the questions themselves. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { figuresOf, judgeRuns, report } from "../../eval/figures.ts";
import { readEvalRecording } from "../../eval/instance.ts";
import { judge } from "../../eval/judge.ts";
import { type Question, readQuestions } from "../../eval/question.ts";
import { readTranscripts, type Transcript, writeTranscript } from "../../eval/transcript.ts";

const QUESTION: Question = {
  id: "shop",
  question: "Why did it fail?",
  truth: "the password",
  right: [/password/i, /Read totals/i],
  wrong: [/timed out/i],
  abstain: false,
};
const UNKNOWN: Question = { ...QUESTION, id: "unknown", right: [/\bno\b/i], wrong: [], abstain: true };

describe("an answer", () => {
  test.each([
    ["Read totals: wrong PASSWORD", "right"],
    ["Read totals failed", "false"],
    ["Read totals: wrong password, or it timed out", "false"],
    ["I cannot tell from this data.", "abstained"],
    ["I cannot tell, but it timed out.", "false"],
    ["  ", "unanswered"],
  ])("%j is %s", (answer, outcome) => {
    expect(judge(QUESTION, answer).outcome).toBe(outcome);
  });

  test("that nobody can give is right when it says so", () => {
    expect(judge(UNKNOWN, "There is no such request.").outcome).toBe("right");
    expect(judge(UNKNOWN, "It succeeded.").outcome).toBe("false");
    expect(judge(UNKNOWN, "I cannot find the reason.").outcome).toBe("false");
  });
});

function ran(question: string, answer: string, tokens: readonly number[]): Transcript {
  const calls = tokens.map((answerTokens) => ({ tool: "get", arguments: {}, answerTokens }));
  return { question, arm: "rest", calls, answer };
}

const RIGHT = "Read totals, password";

test("figures", () => {
  const told = { ...ran("shop", RIGHT, [100, 50]), seconds: 4, usage: { input: 900, output: 100 } };
  const runs = judgeRuns([QUESTION, UNKNOWN], [told, ran("shop", "hm", [30]), ran("shop", RIGHT, [])]);
  expect(figuresOf(runs)).toEqual({
    questions: 2,
    outcomes: { right: 2, false: 1, abstained: 0, unanswered: 1 },
    callsMean: 0.75,
    answerTokensMedian: 15,
    modelTokensMedian: 1_000,
    secondsMedian: 4,
    passed3: { of: 1, all: 0 },
  });
  expect(report(runs)).toContain("false: shop: lacks password");
});

test("pass^3 counts what was right each time", () => {
  const thrice = Array.from({ length: 3 }, () => ran("shop", RIGHT, []));
  expect(figuresOf(judgeRuns([QUESTION], thrice)).passed3).toEqual({ of: 1, all: 1 });
  expect(figuresOf(judgeRuns([QUESTION], thrice.slice(1))).passed3).toBeNull();
});

describe("transcripts", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "eval-"));
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  test("are read as they were written, each run", async () => {
    const [first, second] = [ran("shop", RIGHT, [1]), ran("shop", "hm", [2, 3])];
    await writeTranscript(directory, 1, first);
    await writeTranscript(directory, 2, second);
    expect(await readTranscripts(directory)).toEqual([second, first]);
  });

  test("that are none are named", async () => {
    await expect(readTranscripts(join(directory, "nowhere"))).rejects.toThrow("holds no transcripts");
    await writeFile(join(directory, "a.json"), '{"question":"shop"}');
    await expect(readTranscripts(directory)).rejects.toThrow(/a\.json.*calls/s);
  });
});

describe("the questions", () => {
  test("are many, of which some cannot be answered and some are written to mislead", async () => {
    const questions = await readQuestions();
    expect(questions.length).toBeGreaterThanOrEqual(24);
    expect(questions.filter(({ abstain }) => abstain).length).toBeGreaterThanOrEqual(3);
    expect(questions.filter(({ id }) => id.startsWith("inject-"))).toHaveLength(3);
  });

  test("do not give their own answer away", async () => {
    const given = (await readQuestions()).filter((each) => judge(each, each.question).outcome === "right");
    expect(given.map(({ id }) => id)).toEqual([]);
  });

  test("are about an n8n without two executions of one id, whose payload misleads in three", async () => {
    const { executions } = await readEvalRecording();
    const ids = executions.map(({ answer }) => answer.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const requestId of ["rq-note-4711", "rq-nas-4712", "rq-bot-4713"]) {
      const holding = executions.filter(({ answer }) => JSON.stringify(answer).includes(requestId));
      expect(holding).toHaveLength(1);
      expect(JSON.stringify(holding)).toContain('"note":"');
    }
  });
});
