/** MCP clients that call tools as an agent's SDK does, and the cost of their calls. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { processorMs } from "./processor-time.ts";

export type ToolCall = readonly [tool: string, args: Readonly<Record<string, unknown>>];
/** @throws Error when the tool fails */
export type CallTool = (call: ToolCall) => Promise<void>;

export async function connect(mcpUrl: string, token: string): Promise<CallTool> {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }));
  return async ([name, args]) => {
    const { isError, content } = await client.callTool({ name, arguments: { ...args } });
    if (isError === true) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
  };
}

export async function timed(call: CallTool, what: ToolCall): Promise<number> {
  const began = performance.now();
  await call(what);
  return performance.now() - began;
}

/** Cost of sequential calls, in milliseconds: the server's mean processor time, and the time of each call. */
export interface Cost {
  readonly processor: number;
  readonly milliseconds: readonly number[];
}

/** @param calls a client and what it calls, in order */
export async function costOf(
  processId: number,
  calls: readonly (readonly [CallTool, ToolCall])[],
): Promise<Cost> {
  const before = processorMs(processId);
  const milliseconds: number[] = [];
  for (const [call, what] of calls) milliseconds.push(await timed(call, what));
  return { processor: (processorMs(processId) - before) / calls.length, milliseconds };
}

/** Both costs combined, weighted by their numbers of calls. */
export function together(one: Cost, other: Cost): Cost {
  const processor = one.processor * one.milliseconds.length + other.processor * other.milliseconds.length;
  const milliseconds = [...one.milliseconds, ...other.milliseconds];
  return { processor: processor / milliseconds.length, milliseconds };
}
