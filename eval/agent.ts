/** A model plays the agent: it is given the question and the arm's tools, and nothing else of this project. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { dynamicTool, generateText, isStepCount, jsonSchema, type LanguageModel } from "ai";
import * as z from "zod";
import { CommandError } from "../scripts/command-line/command-error.ts";
import type { Arm } from "./arms/arm.ts";
import type { Question } from "./question.ts";
import { recordRun } from "./record-run.ts";
import type { Transcript } from "./transcript.ts";

/** An agent without an answer after this many steps counts as unanswered. */
const MOST_STEPS = 16;
const TASK =
  "You help operators of n8n. Answer with the tools, and finish with a short answer that names the cause where there is one. Say so when the data does not hold the answer.";

const PROVIDERS = new Map([
  ["openai", { key: "OPENAI_API_KEY", create: createOpenAI }],
  ["anthropic", { key: "ANTHROPIC_API_KEY", create: createAnthropic }],
]);

export interface ModelChoice {
  /** `openai:<model>` or `anthropic:<model>`. */
  readonly model: string;
  /** An endpoint that is compatible with the provider's; for openai, with chat completions. */
  readonly baseUrl?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** @throws CommandError without a known provider, or without its key */
export function chooseModel({ model, baseUrl, environment }: ModelChoice): LanguageModel {
  const [name = "", ...id] = model.split(":");
  const provider = PROVIDERS.get(name);
  if (provider === undefined || id.length === 0)
    throw new CommandError(
      `--model takes ${[...PROVIDERS.keys()].map((each) => `${each}:<model>`).join(" or ")}.`,
    );
  const apiKey = environment[provider.key];
  if (!apiKey) throw new CommandError(`Set ${provider.key} to a key of yours. Without one, use --play.`);
  if (baseUrl === undefined) return provider.create({ apiKey })(id.join(":"));
  const own = { apiKey, baseURL: baseUrl };
  return name === "openai" ? createOpenAI(own).chat(id.join(":")) : createAnthropic(own)(id.join(":"));
}

const toolArguments = z.record(z.string(), z.unknown());

export async function playByModel(
  question: Question,
  arm: Arm,
  { model, name }: { readonly model: LanguageModel; readonly name: string },
): Promise<Transcript> {
  const run = recordRun(question, arm);
  const tools = arm.tools.map((tool) => [
    tool.name,
    dynamicTool({
      description: tool.description,
      inputSchema: jsonSchema({ ...tool.inputSchema }),
      execute: async (input) => await run.call(tool.name, toolArguments.parse(input)),
    }),
  ]);
  try {
    const { text, usage } = await generateText({
      model,
      instructions: [TASK, arm.instructions ?? ""].join("\n\n").trim(),
      prompt: question.question,
      tools: Object.fromEntries(tools),
      stopWhen: isStepCount(MOST_STEPS),
    });
    const { inputTokens: input, outputTokens: output } = usage;
    const isReported = input !== undefined && output !== undefined;
    return run.end(text, { model: name, ...(isReported ? { usage: { input, output } } : {}) });
  } catch (error) {
    throw new CommandError(
      `${name} did not answer: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
