/** Users of a Worker, each with a service token, and the time that their calls take. */
import type { AgentClient } from "../../test/support/agent-client.ts";

export const tokensOf = (kind: string, count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `${kind}-${index}`,
      `service-token-of-${kind}-user-${index}`,
    ]),
  );

/** @throws Error when the tool fails */
export async function timedCall(client: AgentClient, tool: string, args: Record<string, unknown>) {
  const started = performance.now();
  const { envelope, isError } = await client.call(tool, args);
  const milliseconds = performance.now() - started;
  if (isError) throw new Error(`${tool} failed: ${JSON.stringify(envelope)}`);
  return { milliseconds, data: envelope.data };
}
