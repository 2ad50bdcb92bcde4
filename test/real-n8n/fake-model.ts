/**
 * A model server on loopback that speaks as much of OpenAI's chat completions as n8n's agent needs.
 * It calls the first offered tool once, and then answers with a text; it streams only if
 * requested, in one piece.
 */
import { createServer } from "node:http";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";
import {
  type Completion,
  type CompletionRequest,
  completionOf,
  completionRequest,
  sendCompletion,
} from "./chat-completions.ts";

export interface FakeModel {
  /** For the base URL of n8n's OpenAI credential. */
  baseUrl: string;
  /** The same for a provider that does not report token usage. */
  uncountedUrl: string;
  /** The same for a provider that answers 429 to everything. */
  limitedUrl: string;
  /** The number of requested completions. */
  completions: () => number;
  close: () => Promise<void>;
}

/** The arguments of the model's tool call; n8n's MCP Client Tool adds the agent's own input. */
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
    const prompt = completionRequest.parse(JSON.parse(body));
    const { usage, ...uncounted } = complete(prompt);
    const isCounted = !request.url.startsWith("/uncounted/");
    const completion = isCounted ? { ...uncounted, usage } : uncounted;
    sendCompletion(response, completion, prompt.stream);
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

function complete({ model, messages, tools }: CompletionRequest): Completion {
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
  return completionOf(model, message, asks ? "tool_calls" : "stop", 20, 10);
}
