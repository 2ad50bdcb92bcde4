/**
 * Every recorded kind of agent run, asked about through the tool: what the answer must say stands in a table that was
 * written from what was made, and what the model's server counted stands beside each recording.
 */
import { describe, expect, test } from "vitest";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { AGENT_EXPECTATIONS, expectationOf } from "../../kinds/agent-expectations.ts";
import { type AgentRunData, agentRunAnswer, differences } from "../../kinds/agent-judge.ts";
import type { N8nVersion } from "../../real-n8n/versions.ts";
import { type RecordedAgent, readAgents } from "../../recorded-n8n/agents.ts";
import { createCaller } from "../../support/call-recorded.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
const VERSIONS = ["2.40.5", "1.123.81"] as const satisfies readonly N8nVersion[];

interface Asked {
  readonly envelope: Envelope;
  readonly requests: number;
}

async function ask({ answer }: RecordedAgent, scopes = ["n8n:read", "n8n:data"]): Promise<Asked> {
  let requests = 0;
  const caller = createCaller({
    settings: SETTINGS,
    scopes,
    fetch: async () => {
      requests += 1;
      return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
    },
  });
  const envelope = await caller.call("explain_agent_run", { executionId: String(answer.id) });
  return { envelope, requests };
}

const dataOf = ({ envelope }: Asked): AgentRunData => agentRunAnswer.parse(envelope.data);

describe.each(VERSIONS)("agents of n8n %s", async (version) => {
  const recorded = await readAgents(version);

  test("every kind was recorded", () => {
    const kinds = new Set(recorded.map(({ kind }) => kind.replace(/-\d(?:-\d+)?$/, "")));
    expect([...kinds].sort()).toEqual(Object.keys(AGENT_EXPECTATIONS).sort());
  });

  test.each(recorded.map((each) => [each.kind, each] as const))("%s", async (kind, each) => {
    const asked = await ask(each);
    expect(differences(expectationOf(kind), dataOf(asked))).toEqual([]);
    expect(asked.requests).toBe(1);
  });
});
