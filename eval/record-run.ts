/** Records the tool calls of an agent, whoever plays it. */
import { estimateTokens } from "../src/mcp/token-estimate.ts";
import type { Arm } from "./arms/arm.ts";
import type { Question } from "./question.ts";
import type { Transcript } from "./transcript.ts";

export interface RunRecorder {
  readonly call: Arm["call"];
  readonly end: (answer: string, more?: Pick<Transcript, "model" | "usage">) => Transcript;
}

export function recordRun(
  question: Question,
  arm: Arm,
  now: () => number = performance.now.bind(performance),
): RunRecorder {
  const begun = now();
  const calls: Transcript["calls"] = [];
  return {
    call: async (tool, args) => {
      const answer = await arm.call(tool, args);
      calls.push({ tool, arguments: { ...args }, answerTokens: estimateTokens(answer) });
      return answer;
    },
    end: (answer, more = {}) => ({
      question: question.id,
      arm: arm.name,
      ...more,
      calls,
      answer,
      seconds: Math.round(now() - begun) / 1_000,
    }),
  };
}
