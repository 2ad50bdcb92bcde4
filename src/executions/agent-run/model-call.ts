/**
 * One call of a model, and why it gave no answer. n8n keeps `data.ai_languageModel[0][0].json
 * {response.generations[0][0].{text, generationInfo}, tokenUsage | tokenUsageEstimate}`; the requested tools are not in it.
 * For a failure n8n keeps the class of the provider's library (`error.cause.name`, the agent's
 * `ai.agent.failure.type`), and the HTTP status as the first word of the library's message, but not the code of the
 * provider's answer. Seen on n8n 2.40.5 and 1.123.81 with OpenAI's library; the other classes are those of their
 * libraries (Anthropic, Google, Mistral, Cohere, AWS). n8n replaces the message of a status with its own
 * (`NodeApiError`). Pure.
 */
import { countAt, memberOf, partOf, textAt } from "../../json/members.ts";
import type { ReadValue } from "../../json/omitted.ts";
import type { TokenCount } from "../../n8n/execution-outcome.ts";
import type { NodeError } from "../../n8n/schemas.ts";
import { pattern } from "../../platform/pattern.ts";
import type { Call } from "./calls.ts";
import type { ModelTrouble } from "./wording.ts";

/** `other`: an unknown reason, which might be anything. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

/** The providers' own names for each reason: OpenAI, Anthropic, Google, Mistral, Cohere, Bedrock, Ollama. */
const PROVIDERS_WORDS: readonly (readonly [FinishReason, string])[] = [
  ["stop", "stop end_turn stop_sequence complete eos STOP COMPLETE"],
  ["tool_calls", "tool_calls tool_use function_call TOOL_CALL"],
  ["length", "length max_tokens model_length MAX_TOKENS ERROR_LIMIT"],
  ["content_filter", "content_filter content_filtered refusal guardrail_intervened SAFETY RECITATION"],
  ["content_filter", "BLOCKLIST PROHIBITED_CONTENT SPII ERROR_TOXIC"],
];
const FINISH_REASONS = new Map(
  PROVIDERS_WORDS.flatMap(([reason, words]) => words.split(" ").map((word) => [word, reason] as const)),
);

export type ModelFacts = Readonly<ReturnType<typeof modelFactsOf>>;

interface FoundTrouble {
  readonly trouble: ModelTrouble | null;
  /** Whether only the provider's text identifies the trouble. */
  readonly isSaid: boolean;
}

/** The names under which the providers' libraries keep the finish reason in `generationInfo`. */
const FINISH_MEMBERS = ["finish_reason", "stop_reason", "finishReason", "stopReason"];

function finishReasonOf(generation: ReadValue | undefined): FinishReason | null {
  const [word] = FINISH_MEMBERS.flatMap((member) => textAt(generation, "generationInfo", member) ?? []);
  return word === undefined ? null : (FINISH_REASONS.get(word) ?? "other");
}

function tokensAt(sent: ReadValue | undefined, member: string): TokenCount | null {
  if (memberOf(sent, member) === undefined) return null;
  return {
    prompt: countAt(sent, member, "promptTokens") ?? 0,
    completion: countAt(sent, member, "completionTokens") ?? 0,
  };
}

/** @param failureType the agent's own type of the failure, if this is its last call */
export function modelFactsOf({ sent, nodeRun }: Call, failureType?: string) {
  const generation = memberOf(sent, "response", "generations", 0, 0);
  const { error, executionStatus } = nodeRun;
  const cut: FoundTrouble = { trouble: executionStatus === "canceled" ? "canceled" : null, isSaid: false };
  const text = textAt(generation, "text") ?? null;
  return {
    finishReason: finishReasonOf(generation),
    tokens: tokensAt(sent, "tokenUsage"),
    estimatedTokens: tokensAt(sent, "tokenUsageEstimate"),
    ...(error === undefined ? cut : troubleOf(error, failureType)),
    httpCode: error === undefined ? null : statusOf(error),
    isEmpty: text === null || text === "",
    /** Payload: the model's answer. */
    text,
  };
}

interface TroubleSigns {
  readonly trouble: ModelTrouble;
  /** Error classes, separated by spaces. */
  readonly names?: string;
  readonly statuses?: RegExp;
  /** Messages of n8n and the libraries. Matched, never shown. */
  readonly text?: RegExp;
  /** Matched against all texts of the provider, which may repeat the prompt; never shown. */
  readonly words?: RegExp;
}

/** The signs of each trouble; the first match wins. From specific to general, since 400 means many things: 429 means one. */
const SIGNS: readonly TroubleSigns[] = [
  {
    trouble: "rate_limit",
    names: "RateLimitError TooManyRequestsError ThrottlingException",
    statuses: /^429$/,
    text: /^(?:OpenAI: Rate limit|Insufficient quota|The service is receiving too many requests)/,
    // Bedrock's own: of other tokens that are too many, see below.
    words: /too many tokens, please wait/i,
  },
  {
    trouble: "context_length",
    names: "ContextOverflowError",
    words:
      /context_length_exceeded|maximum context length|context window|prompt is too long|input is too long|too many (?:input )?tokens/i,
  },
  {
    trouble: "content_filter",
    words:
      /content[_ ](?:filter|management|policy)|was filtered|safety (?:system|settings)|blocked (?:by|due to) safety/i,
  },
  {
    trouble: "no_tools",
    words: pattern("i")`
      (?:not|n't) support (?:the use of )?(?:tools?|functions?)(?: (?:use|calls?|calling))?\b
      |tool (?:use|calling|choice)\b.{0,40}\bnot supported
    `,
  },
  {
    trouble: "credential",
    names: "AuthenticationError PermissionDeniedError",
    statuses: /^40[13]$/,
    text: /^(?:Authorization failed|Forbidden - perhaps check your credentials)/,
  },
  {
    trouble: "no_such_model",
    names: "NotFoundError",
    statuses: /^404$/,
    text: /^The resource you are requesting could not be found/,
  },
  { trouble: "canceled", names: "AbortError APIUserAbortError" },
  {
    trouble: "time_out",
    names: "TimeoutError APIConnectionTimeoutError",
    statuses: /^408$/,
    text: /^Request timed out\./,
    words: /ETIMEDOUT|ESOCKETTIMEDOUT/,
  },
  {
    trouble: "unreachable",
    names: "APIConnectionError",
    text: /^Connection error\.|^fetch failed/,
    words: /ECONNREFUSED|ENOTFOUND|ECONNRESET|EAI_AGAIN/,
  },
  {
    trouble: "provider_error",
    names: "InternalServerError",
    statuses: /^5\d\d$/,
    text: /^(?:The service was not able to process your request|Service unavailable|Bad gateway|Gateway timed out)/,
  },
  {
    trouble: "refused_request",
    names: "BadRequestError UnprocessableEntityError",
    statuses: /^4(?:00|13|22)$/,
    text: /^Bad request - please check your parameters/,
  },
];

const STATUS = /^([1-5]\d\d)(?= )/;

const textsIn = (values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === "string");

function saidBy(error: NodeError): string[] {
  const { cause, messages, message, description } = error;
  return textsIn([
    partOf(cause, "message"),
    ...(Array.isArray(messages) ? messages : []),
    message,
    description,
  ]);
}

function statusOf(error: NodeError): string | null {
  const code = [error.httpCode, error.code].find((each) => /^[1-5]\d\d$/.test(each ?? ""));
  return code ?? saidBy(error).flatMap((text) => STATUS.exec(text)?.[1] ?? [])[0] ?? null;
}

/** @param failureType `ai.agent.failure.type`, if it is about this call */
function troubleOf(error: NodeError, failureType?: string): FoundTrouble {
  const names = textsIn([partOf(error.cause, "name"), failureType, error.name]);
  const texts = saidBy(error);
  const status = statusOf(error);
  const isShown = (each: TroubleSigns): boolean =>
    names.some((name) => each.names?.split(" ").includes(name) === true) ||
    (status !== null && each.statuses?.test(status) === true) ||
    each.text?.test(error.message ?? "") === true;
  const signs = SIGNS.find((each) => isShown(each) || texts.some((text) => each.words?.test(text) === true));
  return { trouble: signs?.trouble ?? "model_failed", isSaid: signs !== undefined && !isShown(signs) };
}
