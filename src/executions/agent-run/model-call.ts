/**
 * One call of a model. n8n keeps `data.ai_languageModel[0][0].json {response.generations[0][0].{text,
 * generationInfo}, tokenUsage | tokenUsageEstimate}`; which tools it asked for is not in it. Pure.
 */
import type { ReadValue } from "../../json/omitted.ts";
import type { TokenCount } from "../../n8n/execution-outcome.ts";
import { countAt, memberOf, textAt } from "../json-members.ts";
import type { Call } from "./calls.ts";
import { type ModelTrouble, statusOf, troubleOf } from "./model-errors.ts";

/** `other`: one that is not known here, and so might be anything. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

/** The providers' own words for it: OpenAI, Anthropic, Google, Mistral, Cohere, Bedrock, Ollama. */
const PROVIDERS_WORDS: Readonly<Record<Exclude<FinishReason, "other">, string>> = {
  stop: "stop end_turn stop_sequence complete eos STOP COMPLETE",
  tool_calls: "tool_calls tool_use function_call TOOL_CALL",
  length: "length max_tokens model_length MAX_TOKENS ERROR_LIMIT",
  content_filter: `content_filter content_filtered refusal guardrail_intervened SAFETY RECITATION BLOCKLIST
    PROHIBITED_CONTENT SPII ERROR_TOXIC`,
};
const FINISH_REASONS = ["stop", "tool_calls", "length", "content_filter"] as const;

export interface ModelFacts {
  readonly finishReason: FinishReason | null;
  /** As the provider counted them. */
  readonly tokens: TokenCount | null;
  /** As n8n estimated them, where the provider did not. */
  readonly estimatedTokens: TokenCount | null;
  readonly trouble: ModelTrouble | null;
  /** Whether the provider's words alone say which trouble it is. */
  readonly isSaid: boolean;
  /** HTTP status of what went wrong. */
  readonly httpCode: string | null;
  /** Whether it said anything. */
  readonly isEmpty: boolean;
  /** Payload: what it said. */
  readonly text: string | null;
}

/** Under which names the providers' libraries keep it, in `generationInfo`. */
const FINISH_MEMBERS = ["finish_reason", "stop_reason", "finishReason", "stopReason"];

function finishReasonOf(generation: ReadValue | undefined): FinishReason | null {
  const [word] = FINISH_MEMBERS.flatMap((member) => textAt(generation, "generationInfo", member) ?? []);
  if (word === undefined) return null;
  return FINISH_REASONS.find((reason) => PROVIDERS_WORDS[reason].split(/\s+/).includes(word)) ?? "other";
}

function tokensAt(sent: ReadValue | undefined, member: string): TokenCount | null {
  if (memberOf(sent, member) === undefined) return null;
  return {
    prompt: countAt(sent, member, "promptTokens") ?? 0,
    completion: countAt(sent, member, "completionTokens") ?? 0,
  };
}

/** @param failureType what its agent says of the failure, where this is its last call */
export function modelFactsOf({ sent, nodeRun }: Call, failureType?: string): ModelFacts {
  const generation = memberOf(sent, "response", "generations", 0, 0);
  const { error, executionStatus } = nodeRun;
  const wasCut = executionStatus === "canceled" ? ("canceled" as const) : null;
  const text = textAt(generation, "text") ?? null;
  return {
    finishReason: finishReasonOf(generation),
    tokens: tokensAt(sent, "tokenUsage"),
    estimatedTokens: tokensAt(sent, "tokenUsageEstimate"),
    ...(error === undefined ? { trouble: wasCut, isSaid: false } : troubleOf(error, failureType)),
    httpCode: error === undefined ? null : (statusOf(error) ?? null),
    isEmpty: text === null || text === "",
    text,
  };
}
