/**
 * The explanation of every recorded kind of agent run names the node where it began first or second, with the reason,
 * and finds nothing where all went well. `test/kinds/agent-expectations.ts` holds what is expected.
 */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type AgentExpectation, expectationOf } from "../../kinds/agent-expectations.ts";
import type { N8nVersion } from "../../real-n8n/versions.ts";
import { type RecordedAgent, readAgents } from "../../recorded-n8n/agents.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { jsonAnswer } from "../../support/fake-n8n.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
const VERSIONS = ["2.40.5", "1.123.81"] as const satisfies readonly N8nVersion[];

const finding = z.object({ cause: z.string(), node: z.string().nullable(), sentence: z.string() });
const explained = z.object({ explanation: finding, evidence: z.array(finding) });
type Explained = z.infer<typeof explained>;

/** What a true sentence says of each stop reason or trouble. */
const SAYS: Readonly<Record<string, RegExp>> = {
  rate_limit: /too many requests, or no quota/,
  iterations: /limit of \d+ iterations/,
  length: /token limit/,
  content_filter: /content filter/,
  context_length: /longer than the model takes/,
  unreachable: /could not be reached/,
  time_out: /did not answer in time/,
  credential: /credential/,
  no_such_model: /no such model/,
  provider_error: /at its own end/,
  time_limit: /took longer than its time limit/,
  setup_failed: /could not be set up/,
  refused_arguments: /refused.* arguments|arguments.* refuse/,
  output_parser: /did not fit the format/,
  no_prompt: /prompt was empty/,
  model_failed: /The model "Model" failed 2 times/,
  no_such_tool: /a tool that (?:it does not have|is not among its tools)/,
  tool_failed: /failed/,
  failed: /failed/,
  answered_error: /with an error in its data/,
};

async function explain({ answer }: RecordedAgent): Promise<Explained> {
  const caller = createCaller({
    settings: SETTINGS,
    scopes: ["n8n:read"],
    fetch: async (url) =>
      jsonAnswer(String(url).includes("/executions?") ? { data: [], nextCursor: null } : answer),
  });
  return dataOf(await caller.call("explain_failure", { executionId: String(answer.id) }), explained);
}

/** The nodes where it may have begun, and the kind of failure; null if all went well. The deepest agent comes last. */
function failureIn({
  agents,
}: AgentExpectation): { readonly nodes: readonly string[]; readonly kind: string } | null {
  const stopped = agents.findLast(({ stop }) => stop !== "done");
  if (stopped !== undefined)
    return { nodes: [stopped.agent, stopped.node ?? stopped.agent], kind: stopped.stop };
  const [trouble] = agents.flatMap(({ troubles = [] }) => troubles);
  return trouble === undefined ? null : { nodes: [trouble[0]], kind: trouble[1] };
}

describe.each(VERSIONS)("agents of n8n %s", async (version) => {
  const recorded = await readAgents(version);

  test.each(recorded.map((each) => [each.kind, each] as const))("%s is explained", async (kind, each) => {
    const { explanation, evidence } = await explain(each);
    const failure = failureIn(expectationOf(kind));
    if (failure === null) {
      expect(explanation).toMatchObject({ cause: "nothing_found" });
      expect(evidence.filter(({ cause }) => cause !== "agent_calls")).toEqual([]);
      return;
    }
    const firstTwo = [explanation, ...evidence].slice(0, 2);
    const why = JSON.stringify(firstTwo, null, 1);
    expect(
      firstTwo.some(({ node }) => node !== null && failure.nodes.includes(node)),
      why,
    ).toBe(true);
    expect(
      firstTwo.some(({ sentence }) => SAYS[failure.kind]?.test(sentence)),
      why,
    ).toBe(true);
    // A failed agent is not said to have gone on.
    const isFailed = expectationOf(kind).status !== "success";
    for (const { node, sentence } of evidence)
      expect(isFailed && node === "Agent" && sentence.includes("went on"), sentence).toBe(false);
  });
});
