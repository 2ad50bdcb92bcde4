/** Why agents stopped, in runs of which no recording has the like. */
import { describe, expect, test } from "vitest";
import { agentRunsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { stopClause } from "../../../src/executions/agent-run/wording.ts";
import {
  agentRun,
  executionOfRuns,
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
