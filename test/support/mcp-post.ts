/** A request to an MCP server without a client's library, which would hide what is refused; and what it answers. */

export interface McpMessage {
  readonly method: string;
  readonly params?: object;
}

export const toolCall = (name: string, args: object): McpMessage => ({
  method: "tools/call",
  params: { name, arguments: args },
});

/** @param token none: the request says nothing of who sends it */
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

/** The message of an answer that is JSON, or one event of a stream. */
export async function readMessage(response: Response): Promise<unknown> {
  const text = await response.text();
  const [, event = text] = /^data: (.*)$/m.exec(text) ?? [];
  return JSON.parse(event);
}
