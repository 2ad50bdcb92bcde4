/** Agents, classifiers and extractors in successes: the faults found in them, and healthy ones beside them. */
import { describe, expect, test } from "vitest";
import { agentRunsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { type ExecutionView, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { toFinding } from "../../../src/executions/causes/wording/finding.ts";
import { executionWithData } from "../../../src/n8n/schemas.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";

interface Node {
  readonly type: string;
  readonly typeVersion?: number;
  readonly parameters?: object;
}
interface Run {
  readonly node: string;
  readonly by?: string;
  /** The caller's run that n8n records. */
  readonly byRun?: number;
  readonly type?: string;
  readonly outputs: readonly (readonly object[])[];
  readonly given?: object;
  readonly more?: object;
}

const NODES: Readonly<Record<string, Node>> = {
  Inbound: { type: "n8n-nodes-base.webhook" },
  Bot: { type: `${LANGCHAIN}.agent`, typeVersion: 1.7 },
  Model: { type: `${LANGCHAIN}.lmChatOpenAi` },
  place_order: { type: `${LANGCHAIN}.toolCode` },
  get_stock: { type: "n8n-nodes-base.httpRequestTool" },
  book: {
    type: "n8n-nodes-base.httpRequestTool",
    parameters: { method: "POST", jsonBody: "={{ $fromAI('start', 'when') }}" },
  },
  handbook: { type: `${LANGCHAIN}.vectorStoreInMemory` },
  Memory: {
    type: `${LANGCHAIN}.memoryBufferWindow`,
    typeVersion: 1.3,
    parameters: { sessionIdType: "customKey", sessionKey: "chat" },
  },
  Sort: { type: `${LANGCHAIN}.textClassifier`, parameters: { options: { fallback: "discard" } } },
  Billing: { type: "n8n-nodes-base.noOp" },
  Read: {
    type: `${LANGCHAIN}.informationExtractor`,
    parameters: {
      schemaType: "fromAttributes",
      attributes: { attributes: [{ name: "orderNo", required: false }] },
    },
  },
  Store: { type: "n8n-nodes-base.set", parameters: { value: "={{ $json.output.orderNo }}" } },
};

const CONNECTIONS = { Sort: { main: [[{ node: "Billing", type: "main", index: 0 }]] } };

function view(runs: readonly Run[], successes: readonly ExecutionView[] = [], nodes = NODES): ExecutionView {
  const runData: Record<string, object[]> = {};
  runs.forEach(({ node, by, byRun = 0, type = "main", outputs, given, more = {} }, index) => {
    const own = {
      startTime: 1_790_000_000_000 + index,
      executionTime: 1,
      executionIndex: index,
      executionStatus: "success",
      source: by === undefined ? [] : [{ previousNode: by, previousNodeRun: byRun }],
      data: { [type]: outputs.map((items) => items.map((json) => ({ json }))) },
      ...(given === undefined ? {} : { inputOverride: { [type]: [[{ json: given }]] } }),
      ...more,
    };
    runData[node] = [...(runData[node] ?? []), own];
  });
  const execution = executionWithData.parse({
    id: "7",
    workflowId: "w",
    mode: "webhook",
    status: "success",
    startedAt: "2026-01-01T00:00:00.000Z",
    workflowData: {
      name: "Orders",
      nodes: Object.entries(nodes).map(([name, node]) => ({ name, ...node })),
      connections: CONNECTIONS,
    },
    data: { resultData: { runData } },
  });
  return viewOf(execution, { successes });
}

function lines(of: ExecutionView): string[] {
  const { root, others } = factsOf(of);
  return [root, ...others]
    .map(toFinding)
    .filter(({ cause }) => cause !== "nothing_found")
    .map(({ confidence, sentence }) => `${confidence}: ${sentence}`);
}

const inbound = (body: object = {}): Run => ({ node: "Inbound", outputs: [[{ body }]] });
const bot = (output = "Done."): Run => ({ node: "Bot", by: "Inbound", outputs: [[{ output }]] });
const asks = (finish: string): Run => ({
  node: "Model",
  by: "Bot",
  type: "ai_languageModel",
  outputs: [[{ response: { generations: [[{ text: "", generationInfo: { finish_reason: finish } }]] } }]],
});
const tool = (response: unknown, node = "place_order", byRun = 0): Run => ({
  node,
  by: "Bot",
  byRun,
  type: "ai_tool",
  given: { query: "1" },
  outputs: [[{ response }]],
});
const calls = (...tools: readonly Run[]): Run[] => [
  inbound(),
  bot(),
  ...tools.flatMap((each) => [asks("tool_calls"), each]),
  asks("stop"),
];

describe("tools", () => {
  test("five calls of one tool by an agent of version 1 belong to one agent run", () => {
    const five = [0, 1, 2, 3, 4].map((run) => tool("12", "get_stock", run));
    const one = view(calls(...five));
    const [run, ...others] = agentRunsOf(one.execution);
    expect(others).toEqual([]);
    expect(run?.sums).toMatchObject({ llmCalls: 6, toolCalls: 5 });
    expect(lines(one)).toEqual([]);
  });

  test.each([
    ["Error: out of stock", "a text that begins with an error"],
    ['{"success":false,"message":"no"}', "an answer that says it did not succeed"],
  ])("an answer that reports a failure is reported: %s", (response, words) => {
    expect(lines(view(calls(tool(response))))).toEqual([
      `likely: "place_order" answered with ${words}, and "Bot" went on.`,
    ]);
  });

  test("an error is not reported if a second call succeeded, nor a text about errors", () => {
    expect(lines(view(calls(tool("Error: busy"), tool("placed"))))).toEqual([]);
    expect(lines(view(calls(tool("Error rate of today: 0"))))).toEqual([]);
    expect(lines(view(calls(tool("Failed orders: 3"))))).toEqual([]);
  });

  describe("a tool that acts", () => {
    const booked = (answer: unknown, given: object = { start: "1" }): Run => ({
      ...tool(answer, "book"),
      given,
      outputs: [[{ id: answer }]],
    });

    test("is reported if it was called twice with the same arguments", () => {
      expect(lines(view(calls(booked("E-1"), booked("E-2"))))).toEqual([
        'observed: "Bot" called "book" 2 times with the same arguments, and got a different answer each time: what it does may have been done twice.',
      ]);
    });

    test.each<[string, readonly Run[]]>([
      ["with other arguments", [booked("E-1"), booked("E-2", { start: "2" })]],
      ["and answered the same", [booked("E-1"), booked("E-1")]],
      ["after an error", [{ ...tool("Error: busy", "book"), given: { start: "1" } }, booked("E-1")]],
      ["and only reads", [tool("11", "get_stock"), tool("12", "get_stock")]],
    ])("is not reported if it was called twice %s", (_what, tools) => {
      expect(lines(view(calls(...tools))).join()).not.toContain("same arguments");
    });

    const asked = (text: string, start: string, more: readonly Run[] = []): string => {
      const [, ...others] = calls(booked("E-1", { start }));
      return lines(view([inbound({ text }), ...more, ...others])).join();
    };

    test("is reported for a day long past if no earlier data names its year", () => {
      expect(asked("Tomorrow at three", "2023-10-06T15:00:00")).toMatch(
        /^observed: "Bot" called "book" with a day as "start" that is long past/,
      );
    });

    test.each<[string, string, string, Run?]>([
      ["a year that was asked for", "The sales of 2023", "2023-01-01"],
      [
        "a year that another node gave",
        "All",
        "2023-01-01",
        { node: "Year", by: "Inbound", outputs: [[{ y: 2023 }]] },
      ],
      ["a day to come", "Tomorrow at three", "2026-02-01"],
      ["no day", "Tomorrow at three", "2023 mugs"],
    ])("is not reported for %s", (_what, text, start, more) => {
      expect(asked(text, start, more === undefined ? [] : [more])).not.toContain("long past");
    });

    test("is not reported for a past day if the agent knows today's date", () => {
      const [start, ...others] = calls(booked("E-1", { start: "2023-10-06" }));
      const Bot = { ...NODES.Bot, type: `${LANGCHAIN}.agent`, parameters: { text: "=Today is {{ $now }}" } };
      const runs = [start ?? inbound(), ...others];
      expect(lines(view(runs, [], { ...NODES, Bot })).join()).not.toContain("long past");
    });

    const looked = (text: string, order_no: unknown, ...more: readonly Run[]): string => {
      const find = {
        type: "n8n-nodes-base.httpRequestTool",
        parameters: { url: "={{ $fromAI('order_no') }}" },
      };
      const [, ...others] = calls(...more, { ...tool({ state: "sent" }, "find"), given: { order_no } });
      return lines(view([inbound({ text }), ...others], [], { ...NODES, find })).join();
    };

    test("is reported for a number that the agent was not told", () => {
      expect(looked("Where is my parcel?", "12345")).toContain(
        'observed: "Bot" called "find" with a value as "order_no" that is in nothing that it was given',
      );
    });

    test.each<[string, string, unknown, Run?]>([
      ["was asked for, in another spelling", "Where is 48-213?", "48213"],
      ["another tool gave", "Where is my parcel?", 48213, tool({ order: 48213 })],
      ["is a word", "Where is my parcel?", "latest"],
    ])("is not reported for what %s", (_what, text, order, more) => {
      expect(looked(text, order, ...(more === undefined ? [] : [more]))).not.toContain("made it up");
    });

    test("is not reported for a past day if the agent has a memory", () => {
      const memory: Run = {
        node: "Memory",
        by: "Bot",
        type: "ai_memory",
        outputs: [[{ action: "loadMemoryVariables" }]],
      };
      expect(asked("Again, please", "2023-10-06", [memory])).not.toContain("long past");
    });
  });

  test("an error is only observed if the last success had it too", () => {
    const before = view(calls(tool("Error: busy")));
    expect(lines(view(calls(tool("Error: busy")), [before]))).toEqual([
      expect.stringMatching(/^observed: "place_order"/),
    ]);
  });

  test("a tool's failure is reported with its status, its words and every agent that was given it", () => {
    const message =
      "Service unavailable - try again later or consider setting this node to retry automatically";
    const error = { name: "NodeOperationError", message, description: "replica is down" };
    const clerk: Run = { ...tool("nobody knows", "clerk"), given: { task: "count" } };
    const api: Run = {
      ...tool({ sku: "1" }, "get_stock"),
      by: "clerk",
      more: { executionStatus: "error", error },
    };
    const nodes = { ...NODES, clerk: { type: `${LANGCHAIN}.agentTool`, typeVersion: 2.2 } };
    const inner = view([inbound(), bot(), asks("tool_calls"), clerk, api, asks("stop")], [], nodes);
    expect(toFinding(factsOf(inner).root)).toMatchObject({
      node: "get_stock",
      said: "replica is down",
      sentence: '"get_stock" failed (503); the agent was told; "Bot" was given what came of it, and went on.',
    });
  });

  test("rejected arguments are named only if the workflow mentions them", () => {
    const text =
      "Received tool input did not match expected schema\n\n✖ Expected string, received number\n  → at ";
    const refused = (name: string): Run => ({
      ...tool("", "get_stock"),
      outputs: [[{ error: `${text}${name}` }]],
      more: { executionStatus: "error" },
    });
    expect(lines(view(calls(refused("orderNo"))))[0]).toContain('"orderNo" has to be string, was number');
    expect(lines(view(calls(refused("Ana"))))[0]).not.toContain("Ana");
  });

  test("a tool that each success called and this execution did not is reported", () => {
    const before = view(calls(tool("placed")));
    expect(lines(view(calls(), [before, before]))[0]).toBe(
      'compared: "Bot" called none of its tools; in each of the last 2 successes it called "place_order". What it answered does not come from there.',
    );
    expect(lines(view(calls(tool("12", "get_stock")), [before]))[0]).toContain(
      'called "get_stock", and not "place_order"',
    );
    expect(lines(view(calls(), [before, view(calls())]))).toEqual([]);
    expect(lines(view(calls(tool("placed"), tool("12", "get_stock")), [before]))).toEqual([]);
  });

  test("a search without results is reported unless a second one has some", () => {
    expect(lines(view(calls(tool([], "handbook"))))).toEqual([
      'likely: "handbook" found nothing for "Bot" (0 documents in 1 search), so what was answered does not come from it.',
    ]);
    expect(lines(view(calls(tool([], "handbook"), tool(["16 weeks"], "handbook"))))).toEqual([]);
  });

  test("an empty tool answer is reported if the last success had one", () => {
    const before = view(calls(tool("4 pieces")));
    expect(lines(view(calls(tool([])), [before]))).toEqual([
      'compared: "place_order" answered "Bot" with nothing; in the last success it had something to answer.',
    ]);
    expect(lines(view(calls(tool([]))))).toEqual([]);
  });

  test("an agent's empty answer is reported", () => {
    const empty = [inbound(), bot(""), asks("stop")];
    expect(lines(view(empty))).toEqual([
      `likely: "Bot" answered with an empty text (its model's finish reason is stop).`,
    ]);
    expect(lines(view(empty, [view(empty)]))[0]).toMatch(/^observed/);
  });
});

describe("memory", () => {
  const loads = (messages: number, body: object = {}): Run[] => [
    inbound(body),
    bot(),
    {
      node: "Memory",
      by: "Bot",
      type: "ai_memory",
      given: { action: "loadMemoryVariables" },
      outputs: [[{ chatHistory: Array.from({ length: messages }, () => ({})) }]],
    },
    asks("stop"),
  ];
  const words = 'its session key is a fixed text: "Bot" was given 2 messages of earlier executions';

  test("with one key for everybody is reported, and with another caller's messages if known", () => {
    expect(lines(view(loads(2)))[0]).toMatch(/^likely: "Memory" keeps one conversation for everybody/);
    const before = view(loads(0, { customerId: "c-1" }));
    expect(lines(view(loads(2, { customerId: "c-2" }), [before]))).toEqual([
      `likely: "Memory" keeps one conversation for everybody, because ${words}, of another caller.`,
    ]);
  });

  test("raises no alarm for one caller, without messages, or with a key per caller", () => {
    const before = view(loads(0, { customerId: "c-1" }));
    expect(lines(view(loads(2, { customerId: "c-1" }), [before]))[0]).toMatch(/^observed/);
    expect(lines(view(loads(0)))).toEqual([]);
    const { Memory: memory = { type: "" } } = NODES;
    const parameters = { sessionIdType: "customKey", sessionKey: "={{ $json.body.customerId }}" };
    expect(lines(view(loads(2), [], { ...NODES, Memory: { ...memory, parameters } }))).toEqual([]);
  });
});

describe("an output parser", () => {
  const schema = {
    properties: { category: { enum: ["billing", "other"] }, priority: { type: "number" } },
    required: ["category", "priority"],
  };
  const parameters = { schemaType: "manual", inputSchema: JSON.stringify(schema) };
  const refuses = (text: string, finish: string): string | undefined => {
    const error = { name: "NodeOperationError", message: "Model output doesn't fit required format" };
    const parser: Run = {
      node: "Parser",
      by: "Bot",
      type: "ai_outputParser",
      given: { action: "parse", text },
      outputs: [[{ action: "parse", text }]],
      more: { executionStatus: "error", error },
    };
    const failed = { ...bot(), outputs: [], more: { executionStatus: "error", error } };
    const nodes = { ...NODES, Parser: { type: `${LANGCHAIN}.outputParserStructured`, parameters } };
    return lines(view([inbound(), failed, asks(finish), parser], [], nodes))[0];
  };

  test.each([
    ['{"output":{"category":"billing"}}', "stop", 'it lacks "priority", which the schema requires.'],
    [
      '{"category":"spam","priority":"high"}',
      "stop",
      'the schema does not allow its "category", "priority".',
    ],
    ["Billing, I think.", "stop", "it is no JSON."],
    ["{}", "stop", "it was empty."],
    [
      "{}",
      "length",
      'cut off at its token limit ("Model", finish reason length), so the output parser "Parser"',
    ],
  ])("says why it rejected %s (%s)", (text, finish, words) => {
    expect(refuses(text, finish)).toContain(words);
  });
});

describe("classifiers and extractors", () => {
  const sorted = (...items: readonly object[]): Run[] => [
    inbound(),
    { node: "Sort", by: "Inbound", outputs: [items, []] },
    ...(items.length === 0 ? [] : [{ node: "Billing", by: "Sort", outputs: [items] }]),
  ];

  test("an item discarded without a category is reported", () => {
    expect(lines(view(sorted(), [view(sorted({ a: 1 }))]))[0]).toBe(
      'likely: "Sort" found no category that fits for its item and discarded it, so "Billing" did not run.',
    );
    expect(lines(view(sorted(), [view(sorted())]))[0]).toMatch(/^observed/);
    expect(lines(view(sorted({ a: 1 })))).toEqual([]);
  });

  test("a discarded item is reported although another one has two categories", () => {
    const [both, none] = [{ mail: "invoice does not load" }, { mail: "hello" }];
    const sort = { type: `${LANGCHAIN}.textClassifier`, parameters: { options: { multiClass: true } } };
    const runs: Run[] = [
      { node: "Inbound", outputs: [[both, none]] },
      { node: "Sort", by: "Inbound", outputs: [[both], [both]] },
      { node: "Billing", by: "Sort", outputs: [[both]] },
    ];
    expect(lines(view(runs, [], { ...NODES, Sort: sort })).join()).toContain("discarded");
  });

  const read = (output: object): Run[] => [
    inbound(),
    { node: "Read", by: "Inbound", outputs: [[{ output }]] },
    { node: "Store", by: "Read", outputs: [[{ value: 1 }]] },
  ];

  test("a field that the model left out is reported if it gave one before", () => {
    const before = view(read({ orderNo: "A-7" }));
    for (const output of [{}, { orderNo: null }, { orderNo: "" }])
      expect(lines(view(read(output), [before]))[0]).toBe(
        'likely: The model of "Read" gave no value for "orderNo": it is empty, and "Store" reads it.',
      );
    expect(lines(view(read({}), [before, view(read({}))])).join()).not.toContain("gave no value");
    // The attribute's description may ask for a text such as "N/A".
    for (const orderNo of ["A-8", "N/A"]) expect(lines(view(read({ orderNo }), [before]))).toEqual([]);
  });
});
