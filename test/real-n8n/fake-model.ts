/**
 * A model server on loopback that speaks as much of OpenAI's chat completions as n8n's agent needs.
 * Promises: it asks for the first tool it is offered, once, and then answers with a text; it never streams.
 */
import { createServer } from "node:http";
import * as z from "zod";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";

export interface FakeModel {
  /** For the base URL of n8n's OpenAI credential. */
  baseUrl: string;
  /** How often it was asked for a completion. */
  completions: () => number;
  close: () => Promise<void>;
}

const completionRequest = z.object({
  model: z.string(),
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
    completions += 1;
    response.end(JSON.stringify(complete(completionRequest.parse(JSON.parse(body)))));
  });
  const origin = await listenOnLoopback(server);
  return {
    baseUrl: `${origin}/v1`,
    completions: () => completions,
    close: async () => await stopServer(server),
  };
}

function complete({ model, messages, tools }: z.infer<typeof completionRequest>): unknown {
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
