/**
 * The model's script in each kind of agent run, by name. Data for `agent-kinds.ts`; a tool has the name of its
 * node.
 */
import type { Script, Step } from "./scripted-model.ts";

const STOCK: Step = { calls: [{ tool: "get_stock", args: { item: "lamp" } }] };
const PRICE: Step = { calls: [{ tool: "get_price", args: { item: "lamp" } }] };
const DONE: Step = { text: "There are twelve lamps." };

/** Longer than any model's time limit. */
const LATE_MS = 6_000;

export const SCRIPTS = {
  done: [DONE],
  stock: [STOCK, DONE],
  "stock-then-price": [STOCK, PRICE, DONE],
  "both-at-once": [
    {
      calls: [
        { tool: "get_stock", args: { item: "lamp" } },
        { tool: "get_price", args: { item: "chair" } },
      ],
    },
    DONE,
  ],
  "no-such-tool": [{ calls: [{ tool: "delete_stock", args: { item: "lamp" } }] }, DONE],
  "wrong-arguments": [{ calls: [{ tool: "get_stock", args: { item: 17, colour: "red" } }] }, DONE],
  "always-stock": [STOCK],
  "thirty-calls": [...Array.from({ length: 15 }, () => STOCK), DONE],
  length: [STOCK, { text: "There are twelve lamps, of which", finish: "length" }],
  filtered: [STOCK, { text: "", finish: "content_filter" }],
  "limited-later": [
    STOCK,
    { status: 429, error: { message: "Too many of Ana.", code: "rate_limit_exceeded" } },
  ],
  "no-quota": [{ status: 429, error: { message: "Pay first, Ana.", code: "insufficient_quota" } }],
  "too-long": [
    STOCK,
    {
      status: 400,
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.",
        code: "context_length_exceeded",
        type: "invalid_request_error",
      },
    },
  ],
  "refused-content": [
    {
      status: 400,
      error: {
        message: "The prompt of Ana was filtered.",
        code: "content_filter",
        type: "invalid_request_error",
      },
    },
  ],
  "wrong-key": [{ status: 401, error: { message: "Incorrect API key provided.", code: "invalid_api_key" } }],
  "no-such-model": [{ status: 404, error: { message: "No such model.", code: "model_not_found" } }],
  overloaded: [{ status: 503, error: { message: "Overloaded.", code: "server_error" } }],
  late: [{ afterMs: LATE_MS }],
  "by-the-schema": [{ calls: [{ tool: "format_final_json_response", args: { output: { count: 12 } } }] }],
  "not-json": [{ text: "Twelve lamps, no JSON." }],
  boss: [{ calls: [{ tool: "storekeeper", args: { task: "Count the lamps." } }] }, DONE],
  storekeeper: [{ calls: [{ tool: "counter", args: { task: "Count one shelf." } }] }, { text: "Twelve." }],
  "boss-of-limited": [
    { calls: [{ tool: "storekeeper", args: { task: "Count the lamps." } }] },
    { text: "No one counts." },
  ],
  counter: [STOCK, { text: "Twelve on the shelf." }],
} as const satisfies Readonly<Record<string, Script>>;

export type ScriptName = keyof typeof SCRIPTS;
