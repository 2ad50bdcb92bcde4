/** Agents, memories, loops and joins in successes: none is wrongly called faulty. */
import { describe, expect, test } from "vitest";
import { SET } from "../../support/everyday-steps.ts";
import { ACCUSES } from "../../support/explain.ts";
import {
  type Flow,
  findingsOf,
  flowView,
  INBOUND,
  ifNode,
  LOOP,
  type Run,
} from "../../support/flow-executions.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";

describe("an agent", () => {
  const flow = (sessionKey: string): Flow => ({
    nodes: {
      Inbound: INBOUND,
      Bot: { type: `${LANGCHAIN}.agent`, typeVersion: 1.7 },
      Model: { type: `${LANGCHAIN}.lmChatOpenAi` },
      get_stock: { type: "n8n-nodes-base.httpRequestTool" },
      Memory: {
        type: `${LANGCHAIN}.memoryBufferWindow`,
        typeVersion: 1.3,
        parameters: { sessionIdType: "customKey", sessionKey },
      },
    },
    main: { Inbound: [["Bot"]] },
    sub: [
      ["Model", "ai_languageModel", "Bot"],
      ["Memory", "ai_memory", "Bot"],
      ["get_stock", "ai_tool", "Bot"],
    ],
  });
  const inbound = (body: object): Run => ({
    node: "Inbound",
    outputs: [[{ headers: {}, params: {}, query: {}, body }]],
  });
  const bot: Run = { node: "Bot", from: [["Inbound"]], outputs: [[{ output: "There are 4 left." }]] };
  const memory = (messages: number): Run => ({
    node: "Memory",
    from: [["Bot"]],
    type: "ai_memory",
    given: { action: "loadMemoryVariables" },
    outputs: [[{ action: "loadMemoryVariables", chatHistory: Array.from({ length: messages }, () => ({})) }]],
  });
  const asks = (finish: string): Run => ({
    node: "Model",
    from: [["Bot"]],
    type: "ai_languageModel",
    outputs: [[{ response: { generations: [[{ text: "", generationInfo: { finish_reason: finish } }]] } }]],
  });
  const tool: Run = {
    node: "get_stock",
    from: [["Bot"]],
    type: "ai_tool",
    given: { query: "1" },
    outputs: [[{ response: "4" }]],
  };

  test("may answer from its memory of an earlier tool call", () => {
    const own = flow("={{ $json.body.chat }}");
    const body = { chat: "c-1" };
    const before = flowView(
      own,
      [inbound(body), bot, memory(0), asks("tool_calls"), tool, asks("stop")],
      "6",
    );
    const now = flowView(own, [inbound(body), bot, memory(2), asks("stop")], "7", [before]);
    expect(findingsOf(now)).not.toContain("What it answered does not come from there");
  });

  test.each(["n8n-nodes-base.httpRequestTool", `${LANGCHAIN}.toolHttpRequest`])(
    "is not blamed for a look-up that finds nothing: %s",
    (type) => {
      const plain = flow("={{ $json.body.chat }}");
      const own = { ...plain, nodes: { ...plain.nodes, get_stock: { type } } };
      const none: Run = {
        ...tool,
        outputs: [[{ response: JSON.stringify({ success: false, message: "No article with this number" }) }]],
      };
      const answer: Run = { ...bot, outputs: [[{ output: "There is no such article." }]] };
      const now = flowView(own, [
        inbound({ chat: "c-1" }),
        answer,
        memory(0),
        asks("tool_calls"),
        none,
        asks("stop"),
      ]);
      expect(findingsOf(now)).not.toMatch(ACCUSES);
    },
  );

  test("asked for another range of days is not taken for one asked by another caller", () => {
    const own = flow("daily report");
    const asked = (from: string, to: string) => inbound({ from, to, question: "sales?" });
    const before = flowView(own, [asked("2026-09-01", "2026-09-07"), bot, memory(0), asks("stop")], "6");
    const now = flowView(own, [asked("2026-09-08", "2026-09-14"), bot, memory(2), asks("stop")], "7", [
      before,
    ]);
    expect(findingsOf(now)).not.toContain("of another caller");
  });
});

describe("a loop", () => {
  const rows = [1, 2, 3].map((id) => ({ id }));
  const search: Flow = {
    nodes: {
      Inbound: INBOUND,
      Loop: LOOP,
      Ask: { type: "n8n-nodes-base.httpRequest", parameters: { url: "=https://a/{{ $json.id }}" } },
      "Found?": ifNode("={{ $json.isFree }}", "", {
        type: "boolean",
        operation: "true",
        singleValue: true,
      }),
      Book: {
        type: "n8n-nodes-base.httpRequest",
        parameters: { method: "POST", url: "=https://a/{{ $json.id }}/book" },
      },
      "None free": { type: "n8n-nodes-base.noOp" },
    },
    main: {
      Inbound: [["Loop"]],
      Loop: [["None free"], ["Ask"]],
      Ask: [["Found?"]],
      "Found?": [["Book"], ["Loop"]],
    },
  };
  const round = (index: number, isFree: boolean): Run[] => [
    {
      node: "Loop",
      from: [index === 0 ? ["Inbound"] : ["Found?", 1, index - 1]],
      outputs: [[], [rows[index] ?? {}]],
    },
    { node: "Ask", from: [["Loop", 1, index]], outputs: [[{ ...rows[index], isFree }]] },
    {
      node: "Found?",
      from: [["Ask", 0, index]],
      outputs: isFree ? [[{ ...rows[index], isFree }], []] : [[], [{ ...rows[index], isFree }]],
    },
  ];
  const inbound: Run = { node: "Inbound", outputs: [rows] };

  test("left early after it found what it looked for has lost no items", () => {
    const before = flowView(
      search,
      [
        inbound,
        ...round(0, false),
        ...round(1, false),
        ...round(2, false),
        {
          node: "Loop",
          from: [["Found?", 1, 2]],
          outputs: [rows.map((row) => ({ ...row, isFree: false })), []],
        },
        { node: "None free", from: [["Loop", 0, 3]], outputs: [rows] },
      ],
      "6",
    );
    const now = flowView(
      search,
      [
        inbound,
        ...round(0, false),
        ...round(1, true),
        { node: "Book", from: [["Found?", 0, 1]], outputs: [[{ booked: true }]] },
      ],
      "7",
      [before],
    );
    expect(findingsOf(now)).not.toMatch(ACCUSES);
  });

  test("that polls until a job is done may be read for its last response only", () => {
    const poll: Flow = {
      nodes: {
        Inbound: INBOUND,
        "Ask render": { type: "n8n-nodes-base.httpRequest", parameters: { url: "https://render/job/1" } },
        "Done?": ifNode("={{ $json.state }}", "done", { type: "string", operation: "equals" }),
        Pause: { type: "n8n-nodes-base.wait", typeVersion: 1.1, parameters: { amount: 1 } },
        Prepare: {
          type: SET,
          parameters: { assignments: { assignments: [{ name: "a", value: "1", type: "string" }] } },
        },
        Publish: {
          type: SET,
          parameters: {
            assignments: {
              assignments: [
                { name: "url", value: "={{ $('Ask render').all()[0].json.url }}", type: "string" },
              ],
            },
          },
        },
      },
      main: {
        Inbound: [["Ask render"]],
        "Ask render": [["Done?"]],
        "Done?": [["Prepare"], ["Pause"]],
        Pause: [["Ask render"]],
        Prepare: [["Publish"]],
      },
    };
    const pending = { state: "pending" };
    const done = { state: "done", url: "https://render/1.mp4" };
    const now = flowView(poll, [
      { node: "Inbound", outputs: [[{ job: 1 }]] },
      { node: "Ask render", from: [["Inbound"]], outputs: [[pending]] },
      { node: "Done?", from: [["Ask render"]], outputs: [[], [pending]] },
      { node: "Pause", from: [["Done?", 1]], outputs: [[pending]] },
      { node: "Ask render", from: [["Pause"]], outputs: [[done]] },
      { node: "Done?", from: [["Ask render", 0, 1]], outputs: [[done], []] },
      { node: "Prepare", from: [["Done?", 0, 1]], outputs: [[{ a: "1" }]] },
      { node: "Publish", from: [["Prepare"]], outputs: [[{ url: done.url }]] },
    ]);
    expect(findingsOf(now)).not.toMatch(ACCUSES);
  });
});

describe("a join", () => {
  const join: Flow = {
    nodes: {
      Inbound: INBOUND,
      Customers: { type: "n8n-nodes-base.postgres", parameters: { operation: "select" } },
      Orders: { type: "n8n-nodes-base.postgres", parameters: { operation: "select" } },
      Merge: {
        type: "n8n-nodes-base.merge",
        typeVersion: 3.1,
        parameters: {
          mode: "combine",
          fieldsToMatchString: "customer",
          combineBy: "combineByFields",
          options: {},
        },
      },
      Ship: {
        type: "n8n-nodes-base.httpRequest",
        parameters: { method: "POST", url: "=https://ship/{{ $json.order }}" },
      },
    },
    main: {
      Inbound: [["Customers", "Orders"]],
      Customers: [["Merge"]],
      Orders: [["Merge"]],
      Merge: [["Ship"]],
    },
  };
  const customers = ["a", "b"].map((customer) => ({ customer }));
  const runs = (orders: readonly { customer: string; order: number }[]): Run[] => {
    const known = orders.filter(({ customer }) => customer !== "gone");
    return [
      { node: "Inbound", outputs: [[{}]] },
      { node: "Customers", from: [["Inbound"]], outputs: [customers] },
      { node: "Orders", from: [["Inbound"]], outputs: [orders] },
      { node: "Merge", from: [["Customers"], ["Orders"]], outputs: [known] },
      { node: "Ship", from: [["Merge"]], outputs: [known.map(() => ({ ok: true }))] },
    ];
  };

  test("of customers and orders is not called doubled if one customer has two orders", () => {
    const before = flowView(
      join,
      runs([
        { customer: "a", order: 1 },
        { customer: "b", order: 2 },
      ]),
      "6",
    );
    const orders = [
      { customer: "a", order: 3 },
      { customer: "a", order: 4 },
      { customer: "b", order: 5 },
      { customer: "gone", order: 6 },
    ];
    const now = flowView(join, runs(orders), "7", [before]);
    expect(findingsOf(now)).not.toMatch(ACCUSES);
  });
});

describe("values", () => {
  test("tested only for existence are not reported as mistaken booleans", () => {
    const json = { newsletter: "false" };
    const conditions = {
      options: { version: 1, typeValidation: "loose" },
      combinator: "and",
      conditions: [
        {
          leftValue: "={{ $json.newsletter }}",
          rightValue: "",
          operator: { type: "boolean", operation: "exists", singleValue: true },
        },
      ],
    };
    const now = flowView(
      {
        nodes: {
          Inbound: INBOUND,
          Given: { type: "n8n-nodes-base.if", typeVersion: 2, parameters: { conditions } },
          Next: { type: "n8n-nodes-base.noOp" },
        },
        main: { Inbound: [["Given"]], Given: [["Next"]] },
      },
      [
        { node: "Inbound", outputs: [[json]] },
        { node: "Given", from: [["Inbound"]], outputs: [[json], []] },
        { node: "Next", from: [["Given"]], outputs: [[json]] },
      ],
    );
    expect(findingsOf(now)).not.toMatch(ACCUSES);
  });

  test("of success: false are not reported if the code behind handles the missing record", () => {
    const answer = { success: false, message: "Customer not found", data: null };
    const now = flowView(
      {
        nodes: {
          Inbound: INBOUND,
          Ask: { type: "n8n-nodes-base.httpRequest", parameters: { url: "=https://crm/{{ $json.mail }}" } },
          Known: {
            type: "n8n-nodes-base.code",
            parameters: {
              jsCode:
                "const customer = $input.first().json.data;\nreturn [{ json: { isKnown: customer !== null } }];",
            },
          },
        },
        main: { Inbound: [["Ask"]], Ask: [["Known"]] },
      },
      [
        { node: "Inbound", outputs: [[{ mail: "a@b.c" }]] },
        { node: "Ask", from: [["Inbound"]], outputs: [[answer]] },
        { node: "Known", from: [["Ask"]], outputs: [[{ isKnown: false }]] },
      ],
    );
    expect(findingsOf(now)).not.toMatch(ACCUSES);
  });
});
