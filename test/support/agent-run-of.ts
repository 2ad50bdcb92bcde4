/** The answer of explain_agent_run about a recorded kind of agent run. */
import type { Envelope } from "../../src/mcp/envelope.ts";
import { readAgents } from "../recorded-n8n/agents.ts";
import { createCaller } from "./call-recorded.ts";
import { jsonAnswer } from "./fake-n8n.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };

/** @param kind as recorded on n8n 2.40.5 */
export async function agentRunOf(
  kind: string,
  scopes: readonly string[] = ["n8n:read", "n8n:data"],
): Promise<Envelope> {
  const recorded = (await readAgents("2.40.5")).find((each) => each.kind === kind);
  if (recorded === undefined) throw new Error(`No agent run of the kind ${kind} is recorded.`);
  const caller = createCaller({ settings: SETTINGS, scopes, fetch: async () => jsonAnswer(recorded.answer) });
  return await caller.call("explain_agent_run", { executionId: String(recorded.answer.id) });
}
