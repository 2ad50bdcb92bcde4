/**
 * A model server on loopback with scripted answers: one script for each URL.
 * The step of a script depends only on the conversation (the number of the model's messages since
 * the last user message). It reports token usage, and keeps the sums of it. It speaks as much of
 * OpenAI's chat completions as n8n's agents need, and streams if requested.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";
import {
  type Completion,
  type CompletionRequest,
  completionOf,
  completionRequest,
  sendCompletion,
} from "./chat-completions.ts";

export interface ToolCall {
  /** The tool's name or its end, as n8n prefixes those of an MCP server with the node's name. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The model's action at one point of the conversation. */
export type Step =
  | { readonly calls: readonly ToolCall[] }
  | { readonly text: string; readonly finish?: "length" | "content_filter" }
  | {
      readonly status: number;
      readonly error: { readonly message: string; readonly code: string; readonly type?: string };
    }
  /** A late answer. */
  | { readonly afterMs: number };

/** The last step is repeated. */
export type Script = readonly Step[];

/** The usage that was reported. */
export interface Served {
  readonly completions: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface ScriptedModel {
  /** For the base URL of n8n's OpenAI credential. */
  readonly urlOf: (script: string) => string;
  /** The same for a provider that does not report token usage. */
  readonly uncountedUrlOf: (script: string) => string;
  /** The usage since the last call, over all scripts. */
  readonly takeServed: () => Served;
  readonly close: () => Promise<void>;
}

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
    const prompt = completionRequest.parse(JSON.parse(body));
    const turn = turnOf(prompt);
    const step = script[Math.min(turn, script.length - 1)];
    if (step === undefined) throw new Error(`The script ${name} has no step.`);
    if ("afterMs" in step) await sleep(step.afterMs);
    if ("status" in step) {
      response.writeHead(step.status).end(JSON.stringify({ error: step.error }));
      return;
    }
    const { usage, ...uncounted } = complete(prompt, turn, "afterMs" in step ? { text: "Too late." } : step);
    const isCounted = counting === "counted";
    // A client that has gone received no usage.
    if (!("afterMs" in step))
      served = {
        completions: served.completions + 1,
        promptTokens: served.promptTokens + (isCounted ? usage.prompt_tokens : 0),
        completionTokens: served.completionTokens + (isCounted ? usage.completion_tokens : 0),
      };
    const completion = isCounted ? { ...uncounted, usage } : uncounted;
    sendCompletion(response, completion, prompt.stream);
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

/** The number of the model's messages since the last user message. */
function turnOf({ messages }: CompletionRequest): number {
  const question = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(question + 1).filter(({ role }) => role === "assistant").length;
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
  // All different, so that a sum over the wrong ones is noticed.
  return completionOf(model, message, finish, 17 * messages.length + 3, 7 + 2 * turn);
}

function toCall({ tool, args }: ToolCall, turn: number, at: number, offered: readonly string[]): object {
  const name = offered.find((each) => each === tool || each.endsWith(`_${tool}`)) ?? tool;
  return {
    id: `call_${turn}_${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  };
}
