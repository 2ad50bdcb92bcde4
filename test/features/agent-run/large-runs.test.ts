/**
 * Agent runs of any size: the answer fits by real tokenizers and says what was left out, and keeps the stop reason,
 * the sums and the failures. Prompts are not kept, whatever their length.
 */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { readBounded } from "../../../src/json/bounded-reader.ts";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { agentRunBounds } from "../../../src/n8n/read-plans.ts";
import { agentRunAnswer } from "../../kinds/agent-judge.ts";
import { type AgentExecutionOptions, agentExecution } from "../../support/agent-executions.ts";
import { agentRun, executionOfRuns, modelRun, toolRun, WEBHOOK } from "../../support/agent-runs.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { inBothLanes, sizeOf } from "../../support/lane.ts";
import { EMOJI, JAPANESE } from "../../support/large-executions.ts";
import { countTokens } from "../../support/token-counts.ts";

async function explain(options: AgentExecutionOptions, scopes = ["n8n:read", "n8n:data"]): Promise<Envelope> {
  const fetch = async () => Response.json(agentExecution(options));
  return await createCaller({ scopes, fetch }).call("explain_agent_run", {
    executionId: "7",
  });
}

const answerOf = ({ data }: Envelope) =>
  agentRunAnswer
    .extend({
      leftOut: z.looseObject({ calls: z.number().optional(), values: z.string().optional() }).optional(),
    })
    .parse(data);

const TEXTS = {
  short: "twelve lamps",
  long: "Twelve lamps are in stock, and three chairs. ".repeat(40),
  japanese: JAPANESE.repeat(100),
  emoji: EMOJI.repeat(100),
  ids: Array.from({ length: 60 }, (_id, index) => `a3f9-${index}-77Qx`).join(" "),
};

describe.each(Object.entries(TEXTS))("values of %s text", (_name, text) => {
  test.each([5, 40])("fit in %i rounds, with the sums and the failures", async (rounds) => {
    for (const scopes of [["n8n:read", "n8n:data"], ["n8n:read"]]) {
      const envelope = await explain({ rounds, text, failsEvery: 5 }, scopes);
      expect(countTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(3_000);
      const { sums, agents, calls, leftOut } = answerOf(envelope);
      expect(sums).toMatchObject({ llmCalls: rounds + 1, toolCalls: rounds });
      expect(agents[0]?.stop?.reason).toBe("done");
      expect(agents[0]?.troubles[0]).toContain(`"get_stock" failed ${rounds / 5} of ${rounds} times`);
      expect(calls.filter(({ failed }) => failed === "failed").length).toBeGreaterThan(0);
      expect(calls.length + (leftOut?.calls ?? 0)).toBe(2 * rounds + 1);
      // The order and the numbers are kept.
      expect(calls.map(({ n }) => n)).toEqual(calls.map(({ n }) => n).sort((a, b) => a - b));
    }
  });
});

test("thirty calls are all listed", async () => {
  for (const text of Object.values(TEXTS)) {
    const { calls, leftOut } = answerOf(await explain({ rounds: 15, text }));
    expect(calls).toHaveLength(31);
    expect(leftOut?.calls).toBeUndefined();
  }
});

test("values are dropped before calls, and the answer says so", async () => {
  expect(answerOf(await explain({ rounds: 2, text: TEXTS.short })).leftOut).toBeUndefined();
  expect(answerOf(await explain({ rounds: 15, text: TEXTS.long })).leftOut?.values).toMatch(
    /characters|shapes/,
  );
  const { leftOut } = answerOf(await explain({ rounds: 300, text: TEXTS.long }));
  expect(leftOut).toMatchObject({ values: "left out", calls: expect.any(Number) });
});

test.each<[string, AgentExecutionOptions]>([
  [
    "text",
    {
      rounds: 200,
      text: "a word and another ".repeat(30),
      keys: Array.from({ length: 60 }, (_key, index) => `key ${index}`),
    },
  ],
  ["rows", { rounds: 400, text: "lamp", rows: 20 }],
  [
    "short texts",
    {
      rounds: 560,
      text: "twelve lamps are in stock here, and there are three more chairs on the shelf, "
        .repeat(2)
        .slice(0, 120),
      keys: Array.from({ length: 60 }, (_key, index) => `key ${index}`),
    },
  ],
])("with more %s than are kept, all calls are the agent's own", async (_name, options) => {
  const { agents, sums } = answerOf(await explain(options));
  expect(agents.map(({ name, stop }) => [name, stop?.reason])).toEqual([["Agent", "done"]]);
  expect(sums).toMatchObject({ llmCalls: options.rounds + 1, toolCalls: options.rounds });
});

test.each<[string, number, string]>([
  ["text", 8, "a line of the page ".repeat(16)],
  ["items", 28, "lamp"],
])("other nodes of a loop take no room from the agent by %s", async (_name, nodeCount, text) => {
  const steps = Array.from({ length: nodeCount }, (_step, at) => `Step ${at}`);
  const main = [Array.from({ length: 20 }, (_item, n) => ({ json: { text, n }, pairedItem: { item: n } }))];
  const loop = steps.flatMap((node, at) =>
    Array.from({ length: 100 }, (_run, run) => ({
      node,
      index: 1 + run * nodeCount + at,
      by: "Webhook",
      byRun: run,
      more: { data: { main } },
    })),
  );
  const after = 1 + 100 * nodeCount;
  const failed = `There was an error: "${"the stock could not be read, since its server is down. ".repeat(4)}"`;
  const execution = executionOfRuns(
    [
      WEBHOOK,
      ...loop,
      modelRun(after + 1, "tool_calls"),
      { ...toolRun(after + 2), json: { response: failed } },
      modelRun(after + 3, "stop"),
      agentRun(after),
    ],
    {},
    Object.fromEntries(steps.map((step) => [step, { type: "n8n-nodes-base.code" }])),
  );
  const fetch = async () => Response.json(execution);
  const scopes = ["n8n:read", "n8n:data"];
  const { message } = await createCaller({ scopes, fetch }).call("explain_agent_run", {
    executionId: "1",
  });
  expect(message).toBe(
    'Agent "Agent" asked its model twice and called "Tool" once (1 failed, its output says); it stopped because the model gave its answer.',
  );
});

test("no prompt is kept, however large", inBothLanes, () => {
  const promptLength = sizeOf(2_000_000, 100_000);
  const text = JSON.stringify(agentExecution({ rounds: 20, text: "short", promptLength }));
  expect(text.length).toBeGreaterThan(20 * promptLength);
  const kept = JSON.stringify(readBounded(new TextEncoder().encode(text), agentRunBounds()));
  expect(kept.length).toBeLessThan(40_000);
  expect(kept).not.toContain("pppp");
  expect(kept).not.toContain("OPENAI_API_KEY");
});
