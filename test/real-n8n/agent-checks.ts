/**
 * `explain_agent_run` on a real n8n: every kind of agent run is made, the Worker is asked about each, and its answer is
 * judged by the table of what it must say; its token sums by what the model's server counted.
 */

import * as z from "zod";
import { expectationOf } from "../kinds/agent-expectations.ts";
import { agentRunAnswer, differences } from "../kinds/agent-judge.ts";
import type { AgentClient } from "../support/agent-client.ts";
import { agentScripts, seedAgentKinds } from "./agent-kinds.ts";
import { type AgentRun, runAgentKind, startStatusServer } from "./agent-runs.ts";
import type { RunningN8n } from "./boot.ts";
import type { LaneReport } from "./report.ts";
import { startScriptedModel } from "./scripted-model.ts";

/** The kind of check, as the table of versions has it. */
export const AGENTS = "what agents did and why they stopped";

const execution = z.looseObject({ id: z.string() });

/** Everything about a run that is not as it must be; empty when all is. */
async function judge(client: AgentClient, { kind, served, answer }: AgentRun): Promise<string[]> {
  const { id } = execution.parse(answer);
  const { envelope } = await client.call("explain_agent_run", { executionId: id });
  if (envelope.status === "error") return [`${kind}: ${JSON.stringify(envelope.data)}`];
  const told = agentRunAnswer.parse(envelope.data);
  const { prompt, completion } = told.sums.tokens;
  const found = differences(expectationOf(kind), told);
  if (prompt !== served.promptTokens || completion !== served.completionTokens)
    found.push(
      `tokens are ${prompt} and ${completion}, not ${served.promptTokens} and ${served.completionTokens}`,
    );
  return found.map((each) => `${kind}: ${each}`);
}

/** Late in the lane: it adds workflows and executions, which other checks do not know. */
export async function checkAgents(client: AgentClient, n8n: RunningN8n, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const statusServer = resources.adopt(await startStatusServer(), async (server) => await server.close());
  const model = resources.adopt(
    await startScriptedModel(agentScripts),
    async (server) => await server.close(),
  );
  const kinds = await seedAgentKinds(n8n, model, statusServer.url);
  await report.check(AGENTS, async () => {
    const wrong: string[] = [];
    let asked = 0;
    for (const kind of kinds)
      for (const run of await runAgentKind(n8n, model, kind)) {
        asked += 1;
        wrong.push(...(await judge(client, run)));
      }
    if (wrong.length > 0) throw new Error(wrong.join("\n        "));
    return `${asked} runs of ${kinds.length} kinds`;
  });
}
