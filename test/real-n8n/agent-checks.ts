/**
 * `explain_agent_run` on a real n8n: every kind of agent run is produced, and the Worker's answer about each is
 * compared with a table of expectations, and its token sums with the counts of the model's server.
 */

import * as z from "zod";
import { expectationOf } from "../kinds/agent-expectations.ts";
import { agentRunAnswer, differences } from "../kinds/agent-judge.ts";
import type { AgentClient } from "../support/agent-client.ts";
import { closeAtEnd } from "../support/close-at-end.ts";
import { agentScripts, seedAgentKinds } from "./agent-kinds.ts";
import { type AgentRun, runAgentKind, startStatusServer } from "./agent-runs.ts";
import type { RunningN8n } from "./boot.ts";
import type { LaneReport } from "./report.ts";
import { startScriptedModel } from "./scripted-model.ts";

/** The kind of check in the table of versions. */
export const AGENTS = "what agents did and why they stopped";

const execution = z.looseObject({ id: z.string() });

/** All differences from the expectation. */
async function judge(client: AgentClient, { kind, served, answer: runAnswer }: AgentRun): Promise<string[]> {
  const { id } = execution.parse(runAnswer);
  const { envelope } = await client.call("explain_agent_run", { executionId: id });
  if (envelope.status === "error") return [`${kind}: ${JSON.stringify(envelope.data)}`];
  const answer = agentRunAnswer.parse(envelope.data);
  const { prompt, completion } = answer.sums.tokens;
  const found = differences(expectationOf(kind), answer);
  if (prompt !== served.promptTokens || completion !== served.completionTokens)
    found.push(
      `tokens are ${prompt} and ${completion}, not ${served.promptTokens} and ${served.completionTokens}`,
    );
  return found.map((each) => `${kind}: ${each}`);
}

/** Run late in the lane, as it adds workflows and executions that other checks do not expect. */
export async function checkAgents(client: AgentClient, n8n: RunningN8n, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const statusServer = closeAtEnd(resources, await startStatusServer());
  const model = closeAtEnd(resources, await startScriptedModel(agentScripts));
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
