/** Answers on runs that no recording contains. */
import { expect, test } from "vitest";
import * as z from "zod";
import { agentRunAnswer } from "../../kinds/agent-judge.ts";
import {
  agentRun,
  executionOfRuns,
  failedAgentRun,
  type MadeRun,
  modelRun,
  type Nodes,
  toolRun,
  typed,
  WEBHOOK,
} from "../../support/agent-runs.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { suggestedCall } from "../../support/envelopes.ts";

const answer = agentRunAnswer.extend({
  leftOut: z.looseObject({ runs: z.number().optional() }).optional(),
});

function callerOf(...made: Parameters<typeof executionOfRuns>): Caller {
  const fetch = async () => Response.json(executionOfRuns(...made));
  return createCaller({ scopes: ["n8n:read", "n8n:data"], fetch });
}

async function explain(caller: Caller, agent?: string) {
  const args = { executionId: "1", ...(agent === undefined ? {} : { agent }) };
  const { message, data } = await caller.call("explain_agent_run", args);
  return { message, ...answer.parse(data) };
}

test("model calls by an output parser are listed and counted", async () => {
  const parser = { node: "Parser", index: 3, by: "Agent", type: "ai_outputParser", json: { response: 1 } };
  const runs = [WEBHOOK, modelRun(2, "stop"), parser, modelRun(4, "stop", "Parser"), agentRun(1)];
  const nodes: Nodes = { Parser: typed("outputParserAutofixing") };
  const { calls, sums } = await explain(callerOf(runs, {}, nodes));
  expect(sums.llmCalls).toBe(2);
  expect(calls.map(({ model, by }) => [model, by])).toEqual([
    ["Model", "Agent"],
    ["Model", "Parser"],
  ]);
});

test("a failed memory is among the calls", async () => {
  const error = { name: "NodeOperationError", message: "connect ECONNREFUSED 10.0.0.1:5432" };
  const more = { data: { ai_memory: [[{ json: {} }]] }, executionStatus: "error", error };
  const runs = [WEBHOOK, { node: "Memory", index: 2, by: "Agent", more }, failedAgentRun(1, error)];
  const { agents, calls } = await explain(callerOf(runs, { status: "error" }));
  expect(agents[0]?.stop).toMatchObject({ reason: "setup_failed", node: "Memory" });
  expect(calls).toMatchObject([{ memory: "Memory", errorName: "NodeOperationError" }]);
});

test("a nested agent asked about by name has its second run", async () => {
  const rounds = [1, 4].flatMap((index, byRun) => [
    modelRun(index, "tool_calls"),
    toolRun(index + 1, "Helper"),
    modelRun(index + 2, "stop", "Helper", "Model of Helper", byRun),
  ]);
  const runs = [WEBHOOK, ...rounds, modelRun(7, "stop"), agentRun(8)];
  const { agents, message } = await explain(callerOf(runs), "Helper");
  expect(agents.map(({ name }) => name)).toEqual(["Helper", "Helper"]);
  expect(message).not.toContain("nested");
});

test("an agent that waits, for a person's approval of a tool, is not said to run", async () => {
  const waiting = { status: "waiting", finished: false, waitTill: "3000-01-01T00:00:00.000Z" };
  const { message } = await explain(callerOf([WEBHOOK, modelRun(2, "tool_calls")], waiting));
  expect(message).toContain("it has not: the execution has not ended");
});

test("a node that asks a model by itself is not said to have asked none", async () => {
  const nodes: Nodes = { "Message a model": typed("openAi") };
  const { message } = await explain(callerOf([WEBHOOK, { node: "Message a model", index: 1 }], {}, nodes));
  expect(message).toContain("ran no agent and no model that is attached to a node; what a node asks");
});

test("that a model gave its whole answer is exact only if it says why it stopped", async () => {
  const unknown = { response: { generations: [[{ text: "The ans" }]] } };
  const asked = { ...modelRun(2, "stop"), json: unknown };
  const stopOf = async (run: MadeRun) =>
    (await explain(callerOf([WEBHOOK, run, agentRun(3)]))).agents[0]?.stop;
  expect(await stopOf(asked)).toMatchObject({ reason: "done", confidence: "observed" });
  expect(await stopOf(modelRun(2, "MALFORMED_FUNCTION_CALL"))).toMatchObject({ confidence: "observed" });
  expect(await stopOf(modelRun(2, "stop"))).toMatchObject({ reason: "done", confidence: "exact" });
});

test.each(["canceled", "running", "crashed"])(
  "a working call is suggested for a %s agent without a run",
  async (status) => {
    const caller = callerOf([WEBHOOK, modelRun(2, "tool_calls"), toolRun(3)], { status });
    const { tool, args } = suggestedCall(await caller.call("explain_agent_run", { executionId: "1" }));
    expect((await caller.call(tool, args)).status).toBe("success");
  },
);

test("runs of a node beyond two thousand are reported as missing from the sums", async () => {
  const runs = Array.from({ length: 2_500 }, (_run, index) => modelRun(index + 2, "stop"));
  const { leftOut, message, sums } = await explain(callerOf([WEBHOOK, ...runs, agentRun(1)]));
  expect(sums.llmCalls).toBe(2_000);
  expect(leftOut?.runs).toBe(500);
  expect(message).toMatch(/ 500 more runs were not read\.$/);
});

test("runs of nodes that were left out are reported as unread", async () => {
  const steps = Array.from({ length: 12 }, (_step, at) => `Step ${at}`);
  const runs = steps.flatMap((node) =>
    Array.from({ length: 2_000 }, (_run, run) => ({ node, index: run, by: "Webhook", byRun: run })),
  );
  const nodes = Object.fromEntries(steps.map((step) => [step, { type: "n8n-nodes-base.code" }]));
  const { message } = await explain(
    callerOf([WEBHOOK, ...runs, modelRun(9_000, "stop"), agentRun(1)], {}, nodes),
  );
  expect(message).toMatch(
    /: none of the runs that were read is an agent's, or asked a model\. At least \d[\d,]* more runs were not read\.$/,
  );
});
