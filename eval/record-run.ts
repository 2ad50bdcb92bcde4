/** Records the tool calls of an agent, whoever plays it. */
import { estimateTokens } from "../src/mcp/token-estimate.ts";
import type { Arm } from "./arms/arm.ts";
import type { Question } from "./question.ts";
import type { Transcript } from "./transcript.ts";

export function recordRun(question: Question, arm: Arm) {
  const begun = performance.now();
  const calls: Transcript["calls"] = [];
  return {
    call: async (tool: string, args: Readonly<Record<string, unknown>>): Promise<string> => {
      const answer = await arm.call(tool, args);
      calls.push({ tool, arguments: { ...args }, answerTokens: estimateTokens(answer) });
      return answer;
    },
    end: (answer: string, more: Pick<Transcript, "model" | "usage"> = {}): Transcript => ({
      question: question.id,
      arm: arm.name,
      ...more,
      calls,
      answer,
      seconds: Math.round(performance.now() - begun) / 1_000,
    }),
  };
}
