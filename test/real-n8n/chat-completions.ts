/** The part of OpenAI's chat completions that the model servers of the tests speak. */
import type { ServerResponse } from "node:http";
import * as z from "zod";

export const completionRequest = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.object({ function: z.looseObject({ name: z.string() }) })).default([]),
});
export type CompletionRequest = z.infer<typeof completionRequest>;

export interface Completion {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; message: { tool_calls?: object[] }; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** Without `usage` if the provider does not report it. */
type SentCompletion = Omit<Completion, "usage"> & Partial<Completion>;

export function completionOf(
  model: string,
  message: { tool_calls?: object[] },
  finish: string,
  promptTokens: number,
  completionTokens: number,
): Completion {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_767_225_600,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

/** A streamed one is server-sent events: the message in one piece, its end, and the usage. */
export function sendCompletion(
  response: ServerResponse,
  completion: SentCompletion,
  streamed: boolean,
): void {
  if (!streamed) {
    response.end(JSON.stringify(completion));
    return;
  }
  const { choices, usage, ...known } = completion;
  const pieces = choices.flatMap(({ index, message, finish_reason }) => {
    const tool_calls = message.tool_calls?.map((call, at) => ({ index: at, ...call }));
    const delta = { ...message, ...(tool_calls === undefined ? {} : { tool_calls }) };
    return [
      { choices: [{ index, delta, finish_reason: null }] },
      { choices: [{ index, delta: {}, finish_reason }] },
    ];
  });
  response.setHeader("content-type", "text/event-stream");
  for (const piece of [...pieces, ...(usage === undefined ? [] : [{ choices: [], usage }])])
    response.write(`data: ${JSON.stringify({ ...known, object: "chat.completion.chunk", ...piece })}\n\n`);
  response.end("data: [DONE]\n\n");
}
