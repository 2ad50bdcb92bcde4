/**
 * A model server on loopback that speaks as much of OpenAI's chat completions as n8n's agent needs.
 * Promises: it asks for the first tool it is offered, once, and then answers with a text; it streams only where it is
 * asked to, all in one piece.
 */
import { createServer, type ServerResponse } from "node:http";
import * as z from "zod";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";

export interface FakeModel {
  /** For the base URL of n8n's OpenAI credential. */
  baseUrl: string;
  /** The same for a provider that does not say how many tokens were used. */
  uncountedUrl: string;
  /** The same for one that answers 429 to everything. */
  limitedUrl: string;
  /** How often it was asked for a completion. */
  completions: () => number;
  close: () => Promise<void>;
}

const completionRequest = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.object({ function: z.looseObject({ name: z.string() }) })).default([]),
});

/** What the model's tool call is made with; n8n's MCP Client Tool adds the agent's own input. */
const toolArguments = { Start: "2026-01-10", End: "2026-01-11", requestId: "call-of-the-agent" };

export async function startFakeModel(): Promise<FakeModel> {
  let completions = 0;
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    response.setHeader("content-type", "application/json");
    if (!request.url?.endsWith("/chat/completions")) {
      response.writeHead(404).end(JSON.stringify({ error: { message: `No such path: ${request.url}` } }));
      return;
    }
    if (request.url.startsWith("/limited/")) {
      response
        .writeHead(429)
        .end(JSON.stringify({ error: { message: "Too many.", code: "rate_limit_exceeded" } }));
      return;
    }
    completions += 1;
    const asked = completionRequest.parse(JSON.parse(body));
    const { usage, ...uncounted } = complete(asked);
    const isCounted = !request.url.startsWith("/uncounted/");
    const completion = isCounted ? { ...uncounted, usage } : uncounted;
    if (asked.stream) stream(response, completion);
    else response.end(JSON.stringify(completion));
  });
  const origin = await listenOnLoopback(server);
  return {
    baseUrl: `${origin}/v1`,
    uncountedUrl: `${origin}/uncounted/v1`,
    limitedUrl: `${origin}/limited/v1`,
    completions: () => completions,
    close: async () => await stopServer(server),
  };
}

interface Completion {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; message: { tool_calls?: object[] }; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** As server-sent events: the message in one piece, its end, and what was used. */
function stream(
  response: ServerResponse,
  { choices, usage, ...known }: Omit<Completion, "usage"> & Partial<Completion>,
): void {
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

function complete({ model, messages, tools }: z.infer<typeof completionRequest>): Completion {
  const [tool] = tools;
  const answered = messages.some(({ role }) => role === "tool");
  const asks = tool !== undefined && !answered;
  const call = asks && {
    id: "call_1",
    type: "function",
    function: { name: tool.function.name, arguments: JSON.stringify(toolArguments) },
  };
  const message = call
    ? { role: "assistant", content: null, tool_calls: [call] }
    : { role: "assistant", content: "The dates are valid." };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_767_225_600,
    model,
    choices: [{ index: 0, message, finish_reason: asks ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  };
}
