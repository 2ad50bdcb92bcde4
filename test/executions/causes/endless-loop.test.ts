/** A polling loop that ran until n8n's time limit ended it. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { steppedExecution } from "../../support/stepped-execution.ts";

const to = (...nodes: string[]) => nodes.map((node) => ({ node, type: "main", index: 0 }));
const condition = { leftValue: "={{ $json.state }}", rightValue: "done", operator: { operation: "equals" } };

interface Loop {
  readonly rounds: number;
  /** The output taken in each round. */
  readonly output?: (round: number) => number;
  /** The node behind the loop's exit. */
  readonly out?: string;
}

function findingOnLoop({ rounds, output = () => 1, out = "End" }: Loop) {
  const item = { json: { state: "planted" } };
  const runs = (main: (round: number) => unknown, before: string) =>
    Array.from({ length: rounds }, (_, round) => ({
      startTime: 1,
      executionTime: 1,
      executionStatus: "success",
      source: [{ previousNode: before, previousNodeRun: round }],
      data: { main: main(round) },
    }));
  const node = (name: string, type: string, parameters: object = {}) => ({
    name,
    type: `n8n-nodes-base.${type}`,
    parameters,
  });
  const execution = steppedExecution([], {
    status: "canceled",
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:05.000Z",
    workflowData: {
      id: "w1",
      name: "Poll",
      settings: { executionTimeout: 5 },
      nodes: [
        node("Ask", "httpRequest"),
        node("Done?", "if", { conditions: { conditions: [condition] } }),
        node("End", "noOp"),
      ],
      connections: { Ask: { main: [to("Done?")] }, "Done?": { main: [to(out), to("Ask")] } },
    },
    data: {
      resultData: {
        error: { name: "TimeoutExecutionCancelledError", message: "x" },
        lastNodeExecuted: "Done?",
        runData: {
          Ask: runs(() => [[item]], "Done?"),
          "Done?": runs((round) => (output(round) === 1 ? [[], [item]] : [[item], []]), "Ask"),
        },
      },
      executionData: { nodeExecutionStack: [{ node: node("Ask", "httpRequest") }] },
    },
  });
  return explain(execution).finding;
}

describe("an execution ended by its time limit", () => {
  test("in a loop reports the rounds and the condition that was never met", () => {
    const { sentence, value } = findingOnLoop({ rounds: 5 });
    expect(sentence).toBe(
      'n8n stopped it after 5000 ms: it took longer than its time limit of 5 seconds: a loop ran 5 rounds again and again, since "Done?", which tests "state", took its output 2 every time.',
    );
    expect(value).toBe("planted");
  });

  test("after more rounds than are read reports at least that many", () => {
    const { sentence, value } = findingOnLoop({ rounds: 300 });
    expect(sentence).toContain("a loop ran at least 200 rounds again and again");
    expect(value).toBeUndefined();
  });

  test("shows no value of an earlier round if the last round was not read", () => {
    const { sentence, value } = findingOnLoop({ rounds: 30 });
    expect(sentence).toContain("a loop ran 30 rounds again and again");
    expect(value).toBeUndefined();
  });

  test.each<[string, Loop]>([
    ["after too few rounds", { rounds: 2 }],
    ["after rounds that took different outputs", { rounds: 5, output: (round) => round % 2 }],
    ["in a loop that the decision cannot end", { rounds: 5, out: "Ask" }],
  ])("%s reports no loop", (_what, loop) => {
    expect(findingOnLoop(loop).sentence).not.toContain("loop");
  });
});
