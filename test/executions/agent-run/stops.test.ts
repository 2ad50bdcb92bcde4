/** Why agents stopped, in runs of which no recording has the like. */
import { describe, expect, test } from "vitest";
import { agentRunsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { stopClause } from "../../../src/executions/agent-run/wording.ts";
import {
  agentRun,
  executionOfRuns,
  failedAgentRun,
  failedModelRun,
  type MadeRun,
  modelRun,
  type Nodes,
  readAgentRuns,
  toolRun,
  typed,
  WEBHOOK_OF_TWO,
} from "../../support/agent-runs.ts";

const runsOf = (runs: readonly MadeRun[], nodes: Nodes = {}, facts: object = {}) =>
  agentRunsOf(readAgentRuns(executionOfRuns(runs, facts, nodes)));
const stopOf = (...made: Parameters<typeof runsOf>) => runsOf(...made)[0]?.stop;

/** n8n's own sentences: of version 3 agents, and of versions 1 and 2. */
const REACHED = (limit: number): string =>
  `Max iterations (${limit}) reached. The agent could not complete the task within the allowed number of iterations.`;

describe("of several items, one that failed is told", () => {
  const item = (json: object) => ({ json, pairedItem: { item: 0 } });
  const calls = [
    modelRun(2, "stop"),
    modelRun(3, "tool_calls"),
    toolRun(4),
    modelRun(5, "tool_calls"),
    toolRun(6),
  ];
  const parameters = { options: { maxIterations: 2 } };
  const saidOf = (onError: string, main: object[][], given = WEBHOOK_OF_TWO) => {
    const nodes = { Agent: typed("agent", { typeVersion: 3.1, onError, parameters }) };
    const stop = stopOf([given, ...calls, agentRun(7, "", { data: { main } })], nodes);
    return stop && stopClause(stop);
  };
  const answered = item({ output: "fine" });
  const failed = item({ error: REACHED(2) });

  test.each<[string, string, object[][]]>([
    ["through the error output", "continueErrorOutput", [[answered], [failed]]],
    ["among the answers", "continueRegularOutput", [[answered, failed]]],
    ["before an answer", "continueRegularOutput", [[failed, answered]]],
  ])("%s", (_name, onError, main) => {
    expect(saidOf(onError, main)).toBe("it reached its limit of 2 iterations (1 of 2 items)");
  });

  test("as far as the items were read", () => {
    const main = [
      [...Array.from({ length: 19 }, () => answered), ...Array.from({ length: 6 }, () => failed)],
    ];
    expect(saidOf("continueRegularOutput", main)).toMatch(/ \(at least 1 of 25 items\)$/);
  });

  test("not what passes on an error that it was given", () => {
    const given = { ...WEBHOOK_OF_TWO, json: { error: "x" }, more: {} };
    expect(saidOf("continueRegularOutput", [[answered, failed]], given)).toBe("the model gave its answer");
  });
});

describe("an agent at its limit of iterations", () => {
  const HIDDEN = "Agent stopped due to max iterations.";
  const EXPRESSION = "={{ $json.most }}";
  const calls = (finish: string | object, agent = "Agent", model = "Model") =>
    [2, 4, 6].flatMap((index) => [modelRun(index, finish, agent, model), toolRun(index + 1, "Tool", agent)]);
  const limited = (typeVersion: number, maxIterations: unknown, type = "agent") =>
    typed(type, { typeVersion, parameters: { options: { maxIterations } } });

  test.each<[string, string | object, unknown, string]>([
    ["of Gemini, which ends every call with STOP", { finishReason: "STOP" }, 3, "3 iterations"],
    ["that is an expression", "tool_calls", EXPRESSION, "iterations"],
  ])("%s (versions 1 and 2)", (_name, finish, most, told) => {
    const stop = stopOf([...calls(finish), agentRun(1, HIDDEN)], { Agent: limited(2.2, most) });
    expect(stop).toMatchObject({ reason: "iterations", confidence: "exact" });
    expect(stop && stopClause(stop)).toBe(`it reached its limit of ${told}, which n8n shows as a success`);
  });

  test("which a model claims after its tools, is an answer", () => {
    const nodes = { Agent: limited(2.2, EXPRESSION) };
    const said = [...calls("tool_calls"), modelRun(8, "stop"), agentRun(1, HIDDEN)];
    expect(stopOf(said, nodes)?.reason).toBe("done");
  });

  test("that is an expression, has n8n's number (version 3)", () => {
    const failed = failedAgentRun(9, { message: REACHED(3) });
    const stop = stopOf([...calls("tool_calls"), failed], { Agent: limited(3.1, EXPRESSION) });
    expect(stop).toMatchObject({ reason: "iterations", limit: 3 });
  });

  test("for one of two items", () => {
    const main = [[{ json: { output: "fine" } }, { json: { output: HIDDEN } }]];
    const sent = agentRun(1, "", { data: { main } });
    const stop = stopOf([WEBHOOK_OF_TWO, ...calls("tool_calls"), sent], { Agent: limited(2.2, 3) });
    expect(stop).toMatchObject({ reason: "iterations", confidence: "observed" });
    expect(stop && stopClause(stop)).toContain("(1 of 2 items), as its output says");
  });

  test("that is nested", () => {
    const helper = { ...toolRun(1, "Helper"), json: { response: [{ output: HIDDEN }] } };
    const nested = [helper, ...calls("tool_calls", "Helper", "Model of Helper")];
    const runs = runsOf([modelRun(0, "tool_calls"), ...nested, modelRun(8, "stop"), agentRun(9)], {
      Helper: limited(2.2, 3, "agentTool"),
    });
    expect(runs.map(({ agent, stop }) => [agent.nodeName, stop.reason])).toEqual([
      ["Agent", "done"],
      ["Helper", "iterations"],
    ]);
  });
});

const LIMITED = {
  name: "NodeApiError",
  message: "The service is receiving too many requests from you",
  httpCode: "429",
};

test("too many tokens in too little time (Bedrock) is no conversation that is too long", () => {
  const message = "Too many tokens, please wait before trying again.";
  const error = { name: "NodeOperationError", message, cause: { name: "ThrottlingException", message } };
  expect(stopOf([failedModelRun(2, error), failedAgentRun(1, error)])?.reason).toBe("rate_limit");
});
