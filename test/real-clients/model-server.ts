/**
 * A model server on loopback, for clients that call tools only when a model asks for it. It speaks as much of Anthropic's
 * messages, OpenAI's responses and Gemini's generateContent as their command-line clients need.
 * It calls the one tool once, and then repeats the tool's answer word for word, so that what a client
 * prints in the end has passed all the way through it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { listenOnLoopback, readText, stopServer } from "../support/loopback-server.ts";

export interface ModelServer {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Server-sent events with their names. */
type Events = readonly (readonly [name: string, data: object])[];

const NOT_OFFERED = "The tool was not offered to me.";

export async function startModelServer(call: Call): Promise<ModelServer> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://model");
    const answer = ROUTES.find(([path]) => path.test(pathname))?.[1];
    if (request.method !== "POST" || answer === undefined) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    try {
      sendEvents(response, answer(await readJson(request), call));
    } catch (error) {
      // The client prints this, which fails its check.
      response.writeHead(500).end(String(error));
    }
  });
  const origin = await listenOnLoopback(server);
  return { origin, close: async () => await stopServer(server) };
}

const ROUTES: readonly [RegExp, (asked: unknown, call: Call) => Events][] = [
  [/^\/v1\/messages$/, asAnthropic],
  [/^\/v1\/responses$/, asOpenAi],
  [/:streamGenerateContent$/, asGemini],
];

async function readJson(request: IncomingMessage): Promise<unknown> {
  return JSON.parse(await readText(request));
}

function sendEvents(response: ServerResponse, events: Events): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events)
    response.write(`${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  response.end();
}

/** Every text in a value, in order. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textsIn).filter(Boolean).join("\n");
  if (typeof value !== "object" || value === null) return "";
  const { text, output, content } = Object(value);
  return [text, output, content].map(textsIn).filter(Boolean).join("\n");
}

const isNamed = (name: string, tool: string): boolean => name === tool || name.endsWith(`_${tool}`);

const messagesRequest = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ content: z.unknown() })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});
const contentBlock = z.looseObject({ type: z.string() });

function asAnthropic(asked: unknown, { tool, args }: Call): Events {
  const { model, messages, tools } = messagesRequest.parse(asked);
  const blocks = z.array(contentBlock).safeParse(messages.at(-1)?.content);
  const result = blocks.data?.findLast(({ type }) => type === "tool_result");
  const name = tools.find((each) => isNamed(each.name, tool))?.name;
  const text = result === undefined ? NOT_OFFERED : textsIn(result);
  const isCall = result === undefined && name !== undefined;
  const block = isCall ? { type: "tool_use", id: "toolu_1", name, input: {} } : { type: "text", text: "" };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(args) }
    : { type: "text_delta", text };
  const usage = { input_tokens: 10, output_tokens: 10 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null };
  return [
    ["message_start", { type: "message_start", message: { ...message, stop_sequence: null, usage } }],
    ["content_block_start", { type: "content_block_start", index: 0, content_block: block }],
    ["content_block_delta", { type: "content_block_delta", index: 0, delta }],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    [
      "message_delta",
      {
        type: "message_delta",
        delta: { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null },
        usage,
      },
    ],
    ["message_stop", { type: "message_stop" }],
  ];
}

const responsesTool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  /** For a namespace. */
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});
const responsesRequest = z.looseObject({
  input: z.array(z.looseObject({ type: z.string().optional() })),
  tools: z.array(responsesTool).default([]),
});

function asOpenAi(asked: unknown, { tool, args }: Call): Events {
  const { input, tools } = responsesRequest.parse(asked);
  const result = input.findLast(({ type }) => type === "function_call_output");
  const name = tools.find((each) => each.name !== undefined && isNamed(each.name, tool))?.name;
  const space = tools.find((each) => each.tools?.some((member) => isNamed(member.name, tool)));
  const called = name === undefined ? { name: tool, namespace: space?.name } : { name };
  const isCall = result === undefined && (name !== undefined || space !== undefined);
  const text = result === undefined ? NOT_OFFERED : textsIn(result);
  const item = isCall
    ? { type: "function_call", id: "fc_1", call_id: "call_1", ...called, arguments: JSON.stringify(args) }
    : { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text }] };
  const usage = {
    input_tokens: 10,
    input_tokens_details: null,
    output_tokens: 10,
    output_tokens_details: null,
    total_tokens: 20,
  };
  return [
    ["response.created", { type: "response.created", response: { id: "resp_1" } }],
    ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
    ["response.completed", { type: "response.completed", response: { id: "resp_1", output: [], usage } }],
  ];
}

const geminiRequest = z.looseObject({
  contents: z.array(
    z.looseObject({ parts: z.array(z.looseObject({ functionResponse: z.unknown().optional() })) }),
  ),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]) }))
    .default([]),
});

function asGemini(asked: unknown, { tool, args }: Call): Events {
  const { contents, tools } = geminiRequest.parse(asked);
  const result = contents.flatMap(({ parts }) => parts).findLast(({ functionResponse }) => functionResponse);
  const offered = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
  const name = offered.find((each) => isNamed(each.name, tool))?.name;
  const isCall = result === undefined && name !== undefined;
  const said = result === undefined ? NOT_OFFERED : JSON.stringify(result);
  const part = isCall ? { functionCall: { name, args } } : { text: said };
  const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 };
  return [["", { candidates: [candidate], usageMetadata }]];
}
