/**
 * Why a model gave no answer. n8n keeps the class of the provider's library (`error.cause.name`, the agent's
 * `ai.agent.failure.type`), and the HTTP status as the first word of the library's message; the code of the provider's
 * answer it does not keep. Seen on n8n 2.40.5 and 1.123.81 with OpenAI's library; the classes of others are those of
 * their libraries (Anthropic, Google, Mistral, Cohere, AWS). n8n puts sentences of its own in place of what a status says
 * (`NodeApiError`). Facts only. Pure.
 */
import type { NodeError } from "../../n8n/schemas.ts";

export type ModelTrouble =
  | "rate_limit"
  | "context_length"
  | "content_filter"
  | "credential"
  | "no_such_model"
  | "time_out"
  | "unreachable"
  | "provider_error"
  | "refused_request"
  | "canceled"
  | "model_failed";

interface TroubleFact {
  readonly trouble: ModelTrouble;
  readonly names?: readonly string[];
  readonly statuses?: RegExp;
  /** What n8n and the libraries say, as the message. Matched, never told. */
  readonly text?: RegExp;
  /** What providers say anywhere, who may repeat what they were asked. Matched, never told. */
  readonly words?: RegExp;
}

/** The first that holds: a status says less than a class, and 400 means many things. */
const FACTS: readonly TroubleFact[] = [
  {
    trouble: "context_length",
    names: ["ContextOverflowError"],
    words:
      /context_length_exceeded|maximum context length|context window|prompt is too long|input is too long|too many (?:input )?tokens/i,
  },
  {
    trouble: "rate_limit",
    names: ["RateLimitError", "TooManyRequestsError", "ThrottlingException"],
    statuses: /^429$/,
    text: /^(?:OpenAI: Rate limit|Insufficient quota|The service is receiving too many requests)/,
  },
  {
    trouble: "content_filter",
    words:
      /content[_ ](?:filter|management|policy)|was filtered|safety (?:system|settings)|blocked (?:by|due to) safety/i,
  },
  {
    trouble: "credential",
    names: ["AuthenticationError", "PermissionDeniedError"],
    statuses: /^40[13]$/,
    text: /^(?:Authorization failed|Forbidden - perhaps check your credentials)/,
  },
  {
    trouble: "no_such_model",
    names: ["NotFoundError"],
    statuses: /^404$/,
    text: /^The resource you are requesting could not be found/,
  },
  {
    trouble: "canceled",
    names: ["AbortError", "APIUserAbortError"],
  },
  {
    trouble: "time_out",
    names: ["TimeoutError", "APIConnectionTimeoutError"],
    statuses: /^408$/,
    text: /^Request timed out\./,
    words: /ETIMEDOUT|ESOCKETTIMEDOUT/,
  },
  {
    trouble: "unreachable",
    names: ["APIConnectionError"],
    text: /^Connection error\.|^fetch failed/,
    words: /ECONNREFUSED|ENOTFOUND|ECONNRESET|EAI_AGAIN/,
  },
  {
    trouble: "provider_error",
    names: ["InternalServerError"],
    statuses: /^5\d\d$/,
    text: /^(?:The service was not able to process your request|Service unavailable|Bad gateway|Gateway timed out)/,
  },
  {
    trouble: "refused_request",
    names: ["BadRequestError", "UnprocessableEntityError"],
    statuses: /^4(?:00|13|22)$/,
    text: /^Bad request - please check your parameters/,
  },
];

const STATUS = /^([1-5]\d\d)(?= )/;

/** Of an error's parts that say what it is. */
interface ErrorSigns {
  readonly names: readonly (string | undefined)[];
  readonly texts: readonly string[];
}

const textsOf = (...values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === "string");

function signsOf(error: NodeError, failureType: string | undefined): ErrorSigns {
  const cause: unknown = error.cause;
  const inCause = typeof cause === "object" && cause !== null ? cause : {};
  const name = "name" in inCause ? textsOf(inCause.name)[0] : undefined;
  const message = "message" in inCause ? inCause.message : undefined;
  const messages: unknown = error.messages;
  return {
    names: [name, failureType, error.name],
    texts: textsOf(message, ...(Array.isArray(messages) ? messages : []), error.message, error.description),
  };
}

/** Three digits; undefined where the error has none. */
export function statusOf(error: NodeError): string | undefined {
  const { texts } = signsOf(error, undefined);
  const codes = [error.httpCode, error.code].filter((code) => /^[1-5]\d\d$/.test(code ?? ""));
  return codes[0] ?? texts.flatMap((text) => STATUS.exec(text)?.[1] ?? [])[0];
}

/** @param failureType `ai.agent.failure.type`, where it is of this call */
export function troubleOf(
  error: NodeError,
  failureType?: string,
): { readonly trouble: ModelTrouble; readonly isSaid: boolean } {
  const { names, texts } = signsOf(error, failureType);
  const status = statusOf(error);
  const isShown = (each: TroubleFact): boolean =>
    names.some((name) => name !== undefined && each.names?.includes(name) === true) ||
    (status !== undefined && each.statuses?.test(status) === true) ||
    each.text?.test(error.message ?? "") === true;
  const fact = FACTS.find((each) => isShown(each) || texts.some((text) => each.words?.test(text) === true));
  return { trouble: fact?.trouble ?? "model_failed", isSaid: fact !== undefined && !isShown(fact) };
}
