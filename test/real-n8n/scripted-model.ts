/**
 * A model server on loopback whose answers are written down beforehand: one script for each address.
 * Promises: which step of a script answers depends on the conversation alone (how often the model has spoken since
 * the last person did); it says how many tokens it used, and keeps the sums that it said. It speaks as much of
 * OpenAI's chat completions as n8n's agents need, and streams where it is asked to.
 */
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";

export interface ToolCall {
  /** Or the end of its name: n8n puts the node's before those of an MCP server. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the model does at one point of the conversation. */
export type Step =
  | { readonly calls: readonly ToolCall[] }
  | { readonly text: string; readonly finish?: "length" | "content_filter" }
  | {
      readonly status: number;
      readonly error: { readonly message: string; readonly code: string; readonly type?: string };
    }
  /** It answers too late. */
  | { readonly afterMs: number };

/** Its last step answers whatever comes after it. */
export type Script = readonly Step[];

/** What a script's address has answered. */
export interface Served {
  readonly completions: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface ScriptedModel {
  /** For the base URL of n8n's OpenAI credential. */
  readonly urlOf: (script: string) => string;
  /** The same for a provider that does not say how many tokens were used. */
  readonly uncountedUrlOf: (script: string) => string;
  /** Since the last time that it was asked, over all scripts. */
  readonly takeServed: () => Served;
  readonly close: () => Promise<void>;
}

const completionRequest = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.object({ function: z.looseObject({ name: z.string() }) })).default([]),
});
type CompletionRequest = z.infer<typeof completionRequest>;

const PATH = /^\/(counted|uncounted)\/([a-z0-9-]+)\/v1\/chat\/completions$/;
const NOTHING: Served = { completions: 0, promptTokens: 0, completionTokens: 0 };

export async function startScriptedModel(scripts: ReadonlyMap<string, Script>): Promise<ScriptedModel> {
  let served = NOTHING;
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    response.setHeader("content-type", "application/json");
    const [, counting, name = ""] = PATH.exec(request.url ?? "") ?? [];
    const script = scripts.get(name);
    if (script === undefined) {
      response.writeHead(404).end(JSON.stringify({ error: { message: `No such path: ${request.url}` } }));
      return;
    }
    const asked = completionRequest.parse(JSON.parse(body));
    const turn = spokenSinceAsked(asked);
    const step = script[Math.min(turn, script.length - 1)];
    if (step === undefined) throw new Error(`The script ${name} has no step.`);
    if ("afterMs" in step) await sleep(step.afterMs);
    if ("status" in step) {
      response.writeHead(step.status).end(JSON.stringify({ error: step.error }));
      return;
    }
    const { usage, ...uncounted } = complete(asked, turn, "afterMs" in step ? { text: "Too late." } : step);
    const isCounted = counting === "counted";
    // Whoever went away was told nothing.
    if (!("afterMs" in step))
      served = {
        completions: served.completions + 1,
        promptTokens: served.promptTokens + (isCounted ? usage.prompt_tokens : 0),
        completionTokens: served.completionTokens + (isCounted ? usage.completion_tokens : 0),
      };
    const completion = isCounted ? { ...uncounted, usage } : uncounted;
    if (asked.stream) stream(response, completion);
    else response.end(JSON.stringify(completion));
  });
  const origin = await listenOnLoopback(server);
  return {
    urlOf: (script) => `${origin}/counted/${script}/v1`,
    uncountedUrlOf: (script) => `${origin}/uncounted/${script}/v1`,
    takeServed: () => {
      const taken = served;
      served = NOTHING;
      return taken;
    },
    close: async () => await stopServer(server),
  };
}

function spokenSinceAsked({ messages }: CompletionRequest): number {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(asked + 1).filter(({ role }) => role === "assistant").length;
}

interface Completion {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; message: { tool_calls?: object[] }; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

type Spoken = Exclude<Step, { status: number } | { afterMs: number }>;

function complete({ model, messages, tools }: CompletionRequest, turn: number, step: Spoken): Completion {
  const names = tools.map((tool) => tool.function.name);
  const message =
    "calls" in step
      ? {
          role: "assistant",
          content: null,
          tool_calls: step.calls.map((call, at) => toCall(call, turn, at, names)),
        }
      : { role: "assistant", content: step.text };
  const finish = "calls" in step ? "tool_calls" : (step.finish ?? "stop");
  // No two alike, so that a sum over the wrong ones shows.
  const [prompt, completion] = [17 * messages.length + 3, 7 + 2 * turn];
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_767_225_600,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

function toCall({ tool, args }: ToolCall, turn: number, at: number, offered: readonly string[]): object {
  const name = offered.find((each) => each === tool || each.endsWith(`_${tool}`)) ?? tool;
  return {
    id: `call_${turn}_${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  };
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
