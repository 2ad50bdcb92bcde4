/** Why agents stopped, in situations that no recording has. */
import { describe, expect, test } from "vitest";
import { agentRunsOf, findingsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { stopClause } from "../../../src/executions/agent-run/wording.ts";
import { sentenceOf } from "../../../src/features/agent-run/sentence.ts";
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
  WEBHOOK,
  WEBHOOK_OF_TWO,
} from "../../support/agent-runs.ts";

const runsOf = (runs: readonly MadeRun[], nodes: Nodes = {}, facts: object = {}) =>
  agentRunsOf(readAgentRuns(executionOfRuns(runs, facts, nodes)));
const stopOf = (...made: Parameters<typeof runsOf>) => runsOf(...made)[0]?.stop;

const LIMITED = {
  name: "NodeApiError",
  message: "The service is receiving too many requests from you",
  httpCode: "429",
};

/** n8n's own sentence for a version 3 agent at its limit. */
const REACHED = (limit: number): string =>
  `Max iterations (${limit}) reached. The agent could not complete the task within the allowed number of iterations.`;

const item = (json: object) => ({ json, pairedItem: { item: 0 } });
const CONTINUES = { Agent: typed("agent", { typeVersion: 3.1, onError: "continueRegularOutput" }) };

describe("an agent with several items reports the one that failed", () => {
  const calls = [
    modelRun(2, "stop"),
    modelRun(3, "tool_calls"),
    toolRun(4),
    modelRun(5, "tool_calls"),
    toolRun(6),
  ];
  const parameters = { options: { maxIterations: 2 } };
  const clauseOf = (onError: string, main: object[][], given = WEBHOOK_OF_TWO) => {
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
    expect(clauseOf(onError, main)).toBe("it reached its limit of 2 iterations (1 of 2 items)");
  });

  test("and counts all in the error output, where n8n puts the input before the error", () => {
    const mixed = item({ a: 1, b: 2, error: REACHED(2) });
    expect(clauseOf("continueErrorOutput", [[answered], [mixed, mixed]])).toMatch(
      / \(one of 2 failed items, of 3\)$/,
    );
  });

  test("and says that the count is a minimum when not all items were read", () => {
    const main = [
      [...Array.from({ length: 19 }, () => answered), ...Array.from({ length: 6 }, () => failed)],
    ];
    expect(clauseOf("continueRegularOutput", main)).toMatch(/ \(at least 1 of 25 items\)$/);
  });

  test("and does not claim its reason for another failed item", () => {
    const other = item({ error: LIMITED.message });
    expect(clauseOf("continueRegularOutput", [[failed, other, answered]])).toBe(
      "it reached its limit of 2 iterations (one of 2 failed items, of 3)",
    );
  });

  test.each<[string, object[][]]>([
    ["continueErrorOutput", [[], [item({ error: REACHED(2), workflow: "Orders" })]]],
    ["continueRegularOutput", [[failed]]],
  ])("even if its input holds an error that it was meant to handle (%s)", (onError, main) => {
    const given = { ...WEBHOOK, json: { error: "HTTP 500", workflow: "Orders" } };
    expect(clauseOf(onError, main, given)).toBe("it reached its limit of 2 iterations");
  });

  test.each([
    [
      "the twenty-second of 25",
      Array.from({ length: 25 }, (_item, at) => (at === 21 ? failed : answered)),
      0,
    ],
    ["one of a later round of a loop", [answered, failed], 10],
  ])("by n8n's count when it was not read: %s", (_name, items, round) => {
    const rounds = Array.from({ length: round }, (_round, at) => [
      modelRun(at * 10 + 2, "stop", "Agent", "Model", at),
      agentRun(at * 10 + 3),
    ]).flat();
    const sent = { data: { main: [items] }, metadata: { tracing: { "ai.agent.items.failed": 1 } } };
    const last = [modelRun(900, "stop", "Agent", "Model", round), agentRun(901, "", sent)];
    const stop = runsOf([WEBHOOK_OF_TWO, ...rounds, ...last], CONTINUES).at(-1)?.stop;
    expect(stop && stopClause(stop)).toBe(
      `it failed with an error that was not read (at least 1 of ${items.length} items)`,
    );
  });

  test("and without n8n's count, done is only observed if not all items were read", () => {
    const main = [Array.from({ length: 25 }, () => answered)];
    const [run] = runsOf([WEBHOOK_OF_TWO, modelRun(2, "stop"), agentRun(3, "", { data: { main } })]);
    expect(run?.stop).toMatchObject({ reason: "done", confidence: "observed" });
  });

  test.each<[string, object]>([
    ["chainSummarization", { onError: "continueRegularOutput" }],
    ["agent", { typeVersion: 3.1, onError: "continueRegularOutput", executeOnce: true }],
  ])("but gives no count for a node that handles all items together or only the first (%s)", (type, more) => {
    const ten = { ...WEBHOOK, more: { data: { main: [Array.from({ length: 10 }, () => item({ a: 1 }))] } } };
    const sent = { ...agentRun(3), json: { error: LIMITED.message } };
    const stop = stopOf([ten, failedModelRun(2, LIMITED), sent], { Agent: typed(type, more) });
    expect(stop && stopClause(stop)).toMatch(/^the model's provider refused it: [^(]* \(429\)$/);
  });

  test("and names the model call that ended it, even if the error text was cut", () => {
    const message = `Bad gateway: ${"the provider's server could not be reached, please try again later. ".repeat(6)}`;
    const runs = [failedModelRun(2, { name: "NodeApiError", message, httpCode: "502" }), modelRun(3, "stop")];
    const main = [[answered, item({ error: message })]];
    const [run] = runsOf([WEBHOOK_OF_TWO, ...runs, agentRun(4, "", { data: { main } })], CONTINUES);
    expect(run?.stop).toMatchObject({ reason: "provider_error", nodeName: "Model" });
    expect(run?.troubles).toEqual([]);
  });

  test.each<[string, string, object[][]]>([
    [
      "both read",
      "continueRegularOutput",
      [[item({ error: LIMITED.message }), item({ error: LIMITED.message })]],
    ],
    ["one read", "continueErrorOutput", [[], [1, 2].map((a) => item({ a, error: LIMITED.message }))]],
  ])(
    "and does not claim that it continued after either of two failed model calls (%s)",
    (_name, onError, main) => {
      const runs = [
        failedModelRun(2, LIMITED),
        failedModelRun(3, LIMITED),
        agentRun(4, "", { data: { main } }),
      ];
      const [run] = runsOf([WEBHOOK_OF_TWO, ...runs], {
        Agent: typed("agent", { typeVersion: 3.1, onError }),
      });
      expect(run?.stop.reason).toBe("rate_limit");
      expect(run?.troubles).toEqual([]);
    },
  );

  test("and names its failed memory, though another item was answered", () => {
    const error = { name: "NodeOperationError", message: "connect ECONNREFUSED 10.0.0.1:5432" };
    const data = { ai_memory: [[{ json: {} }]] };
    const memory = { node: "Memory", index: 2, by: "Agent", more: { data, executionStatus: "error", error } };
    const runs = [memory, { ...memory, index: 3, more: { data } }, modelRun(4, "stop")];
    const main = [[item({ error: error.message }), answered]];
    const nodes = { ...CONTINUES, Memory: typed("memoryPostgresChat") };
    const stop = stopOf([WEBHOOK_OF_TWO, ...runs, agentRun(5, "", { data: { main } })], nodes);
    expect(stop).toMatchObject({ reason: "setup_failed", nodeName: "Memory", run: 0 });
  });
});

describe("a node that passes on an error from its input has not failed", () => {
  const [good, bad, bare] = [{ id: 1 }, { error: "card declined", id: 2 }, { error: "card declined" }];
  test.each<[string, object, object[], object[][]]>([
    ["textClassifier", { onError: "continueRegularOutput" }, [good, bad], [[good], [bad]]],
    ["textClassifier", { onError: "continueRegularOutput" }, [good, bare], [[good], [bare]]],
    ["textClassifier", { onError: "continueErrorOutput" }, [good, bad], [[good], [bad], []]],
    ["sentimentAnalysis", { onError: "continueRegularOutput" }, [good, bad], [[good, bad], [], []]],
    ["chainLlm", { onError: "continueRegularOutput" }, [bad], [[bad]]],
    ["agent", { onError: "continueRegularOutput", disabled: true }, [bad], [[bad]]],
  ])("%s %o", (type, more, given, sent) => {
    const webhook = { ...WEBHOOK, more: { data: { main: [given.map(item)] } } };
    const main = sent.map((output) => output.map(item));
    const models = type === "agent" ? [] : [modelRun(2, "stop"), modelRun(3, "stop")];
    const runs = runsOf([webhook, ...models, agentRun(1, "", { data: { main } })], {
      Agent: typed(type, more),
    });
    expect(runs.map(({ stop }) => stop.reason)).toEqual([type === "agent" ? "unknown" : "done"]);
    expect(findingsOf(runs)).toEqual([]);
  });

  test("but a chain with its own error has", () => {
    const nodes = { Agent: typed("textClassifier", { onError: "continueErrorOutput" }) };
    const main = [[], [], [item({ id: 1, error: "an error of its own" })]];
    const stop = stopOf([WEBHOOK, modelRun(2, "stop"), agentRun(1, "", { data: { main } })], nodes);
    expect(stop).toMatchObject({ reason: "failed", confidence: "observed" });
  });
});

describe("an agent at its limit of iterations", () => {
  const HIDDEN = "Agent stopped due to max iterations.";
  const EXPRESSION = "={{ $json.most }}";
  const calls = (finish: string | object, agent = "Agent", model = "Model") =>
    [2, 4, 6].flatMap((index) => [modelRun(index, finish, agent, model), toolRun(index + 1, "Tool", agent)]);
  const limited = (typeVersion: number, maxIterations: unknown, type = "agent") =>
    typed(type, { typeVersion, parameters: { options: { maxIterations } } });

  test("is recognized with Gemini, which ends every call with STOP (versions 1 and 2)", () => {
    const said = [...calls({ finishReason: "STOP" }), agentRun(1, HIDDEN)];
    const stop = stopOf(said, { Agent: limited(2.2, 3) });
    expect(stop).toMatchObject({ reason: "iterations", limit: 3, confidence: "exact" });
    expect(stopOf(said, { Agent: limited(2.2, 10) })?.reason).toBe("done");
  });

  test("is recognized by its output if the limit is an expression (versions 1 and 2)", () => {
    const stop = stopOf([...calls("tool_calls"), agentRun(1, HIDDEN)], { Agent: limited(2.2, EXPRESSION) });
    expect(stop?.confidence).toBe("observed");
    expect(stop && stopClause(stop)).toBe(
      "it reached its limit of iterations, which n8n shows as a success, as its output says",
    );
  });

  test("is not assumed when a model answers with n8n's sentence after its tools", () => {
    const nodes = { Agent: limited(2.2, EXPRESSION) };
    const said = [...calls("tool_calls"), modelRun(8, "stop"), agentRun(1, HIDDEN)];
    expect(stopOf(said, nodes)?.reason).toBe("done");
  });

  test("shows no number if the limit is an expression, since the error's may be payload (version 3)", () => {
    const failed = failedAgentRun(9, { message: REACHED(3) });
    const stop = stopOf([...calls("tool_calls"), failed], { Agent: limited(3.1, EXPRESSION) });
    expect(stop?.reason).toBe("iterations");
    expect(stop && stopClause(stop)).toBe("it reached its limit of iterations");
  });

  test("is recognized for one of two items", () => {
    const main = [[{ json: { output: "fine" } }, { json: { output: HIDDEN } }]];
    const sent = agentRun(1, "", { data: { main } });
    const stop = stopOf([WEBHOOK_OF_TWO, ...calls("tool_calls"), sent], { Agent: limited(2.2, 3) });
    expect(stop).toMatchObject({ reason: "iterations", confidence: "observed" });
    expect(stop && stopClause(stop)).toContain("(1 of 2 items), as its output says");
  });

  test("is recognized when nested", () => {
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

test("Bedrock's throttling by tokens is a rate limit, not a conversation that is too long", () => {
  const message = "Too many tokens, please wait before trying again.";
  const bare = { name: "NodeOperationError", message };
  const classed = { ...bare, cause: { name: "ThrottlingException", message } };
  const stops = [classed, bare].map((error) => stopOf([failedModelRun(2, error), failedAgentRun(1, error)]));
  // Without the error's class, the provider's wording is the only sign.
  expect(stops.map((stop) => [stop?.reason, stop?.confidence])).toEqual([
    ["rate_limit", "exact"],
    ["rate_limit", "observed"],
  ]);
});

describe("an agent is not said to have answered unless a call is known", () => {
  test.each<[string, string, object]>([
    ["pinned", "agent", {}],
    ["disabled", "agent", { disabled: true }],
    ["guardrails that check by rules only", "guardrails", {}],
  ])("%s", (_name, type, more) => {
    const stop = stopOf([WEBHOOK, agentRun(1)], { Agent: typed(type, more) });
    expect(stop).toMatchObject({ reason: "unknown", confidence: "observed" });
    expect(stop && stopClause(stop)).toMatch(/^no call of its model is known: it was disabled or pinned/);
  });

  const memory = { node: "Memory", index: 2, by: "Agent", type: "ai_memory", json: { chatHistory: [] } };
  test.each<[string, MadeRun]>([
    ["called a tool", toolRun(2)],
    ["loaded its memory", memory],
  ])("but is done if it %s, even though its model reports no calls", (_name, call) => {
    const runs = runsOf([WEBHOOK, call, agentRun(1, "There are twelve lamps.")]);
    expect(runs[0]?.stop).toMatchObject({ reason: "done", confidence: "observed" });
    expect(sentenceOf(runs)).toMatch(/^Agent "Agent" made no known model call /);
  });

  test("one that failed before its first call asked no model", () => {
    const runs = runsOf([WEBHOOK, failedAgentRun(1, { message: "No prompt specified" })]);
    expect(sentenceOf(runs)).toMatch(/^Agent "Agent" asked no model and called no tool; /);
  });

  test("an agent whose calls were not read is done", () => {
    const rounds = Array.from({ length: 1_001 }, (_round, at) => [
      modelRun(at * 10 + 3, "stop", "Agent", "Model", at),
      modelRun(at * 10 + 5, "stop", "Agent", "Model", at),
      agentRun(at * 10 + 2),
    ]).flat();
    const reasons = runsOf([WEBHOOK, ...rounds]).map(({ stop }) => stop.reason);
    expect(reasons).toEqual(Array.from({ length: 1_001 }, () => "done"));
  });

  test("an agent whose data n8n withholds has an unknown reason", () => {
    const withheld = { data: { ai_languageModel: [[{ json: {}, redaction: { redacted: true } }]] } };
    const run = { ...modelRun(2, "stop"), more: withheld };
    const made = executionOfRuns([run, { ...agentRun(1), json: {} }]);
    const data = { ...Object(made.data), redactionInfo: { isRedacted: true } };
    const [agent] = agentRunsOf(readAgentRuns({ ...made, data }));
    expect(agent?.stop).toMatchObject({ reason: "unknown", confidence: "observed" });
  });
});

describe("what ended an agent", () => {
  const caught = { Agent: typed("agent", { typeVersion: 2.2, onError: "continueRegularOutput" }) };
  const sent = { ...agentRun(1), json: { error: LIMITED.message } };

  test("is not the cancellation of its execution later on", () => {
    const stop = stopOf([failedModelRun(2, LIMITED), sent], caught, { status: "canceled" });
    expect(stop?.reason).toBe("rate_limit");
  });

  test("is the cancellation of its execution if its call was cut off", () => {
    const cut = { ...modelRun(2, ""), more: { executionStatus: "canceled", data: undefined } };
    const given = { ...cut, more: { ...cut.more, inputOverride: { ai_languageModel: [[{ json: {} }]] } } };
    const aborted = { ...agentRun(1), json: { error: "Aborted" } };
    expect(stopOf([given, aborted], caught, { status: "canceled" })?.reason).toBe("canceled");
  });

  test.each<[string, readonly MadeRun[]]>([
    [
      "its tool's call",
      [
        {
          ...toolRun(3),
          more: {
            executionStatus: "canceled",
            data: undefined,
            inputOverride: { ai_tool: [[{ json: {} }]] },
          },
        },
        { ...agentRun(1), json: { error: "An error of the tool" } },
      ],
    ],
    ["a call that n8n did not keep", [{ ...agentRun(1), json: { error: "This operation was aborted" } }]],
    ["the agent itself", [{ ...agentRun(1), more: { executionStatus: "canceled", data: undefined } }]],
  ])("is the cancellation of its execution if %s was cut off", (_name, runs) => {
    const stop = stopOf([modelRun(2, "tool_calls"), ...runs], caught, { status: "canceled" });
    expect(stop?.reason).toBe("canceled");
  });

  test("is the failed model call, even though other items were answered meanwhile", () => {
    const [run] = runsOf([
      WEBHOOK_OF_TWO,
      failedModelRun(2, LIMITED),
      modelRun(3, "stop"),
      failedAgentRun(1, LIMITED),
    ]);
    expect(run?.stop).toMatchObject({ reason: "rate_limit", nodeName: "Model", run: 0 });
    // The agent did not continue after the error.
    expect(run?.troubles).toEqual([]);
  });

  test.each([
    ["Memory", "ai_memory", "memoryPostgresChat"],
    ["Store", "ai_vectorStore", "vectorStorePGVector"],
  ])("is the failure of its %s node", (node, type, nodeType) => {
    const error = { name: "NodeOperationError", message: "connect ECONNREFUSED 10.0.0.1:5432" };
    const more = { data: { [type]: [[{ json: {} }]] }, executionStatus: "error", error };
    const stop = stopOf([{ node, index: 2, by: "Agent", more }, failedAgentRun(1, error)], {
      [node]: typed(nodeType),
    });
    expect(stop).toMatchObject({ reason: "setup_failed", nodeName: node });
    expect(stop && stopClause(stop)).toBe(`"${node}" failed`);
  });

  test("is not a truncated answer if a whole one followed, except in a chain", () => {
    const runs = [modelRun(2, "length"), modelRun(3, "stop"), agentRun(1)];
    expect(stopOf(runs)?.reason).toBe("done");
    expect(stopOf(runs, { Agent: typed("chainSummarization") })?.reason).toBe("length");
  });
});

test("a retry of a version 1 or 2 agent is not mistaken for a call of an unknown tool", () => {
  const runs = [
    modelRun(2, "tool_calls"),
    modelRun(3, "tool_calls"),
    toolRun(4),
    modelRun(5, "stop"),
    agentRun(1),
  ];
  const troublesWith = (more: object) =>
    runsOf(runs, { Agent: typed("agent", { typeVersion: 2.2, ...more }) })[0]?.troubles.map(
      ({ kind }) => kind,
    );
  expect(troublesWith({})).toEqual(["no_such_tool"]);
  expect(troublesWith({ retryOnFail: true, maxTries: 3 })).toEqual([]);
});
