/** Requests to an MCP server without a client library, which would hide refusals. */

export interface McpMessage {
  readonly method: string;
  readonly params?: object;
}

export const toolCall = (name: string, args: object): McpMessage => ({
  method: "tools/call",
  params: { name, arguments: args },
});

/** @param token undefined for a request without authorization */
export function mcpPost(
  token: string | undefined,
  message: McpMessage,
  headers: Record<string, string> = {},
) {
  return {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  };
}

/** The message of an answer, which is JSON or one event of a stream. */
export async function readMessage(response: Response): Promise<unknown> {
  const text = await response.text();
  const [, event = text] = /^data: (.*)$/m.exec(text) ?? [];
  return JSON.parse(event);
}
