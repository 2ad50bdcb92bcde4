import { describe, expect, test } from "vitest";
import { fromAiArguments } from "../../src/workflows/from-ai.ts";
import { shownEndpoint, toMcpClient, toMcpTrigger } from "../../src/workflows/mcp-nodes.ts";
import { isExpression, literalOf, textsIn } from "../../src/workflows/node-parameters.ts";
import {
  isServerClient,
  nodeNameToToolName,
  prefixedToolName,
  toolInputs,
  toolName,
} from "../../src/workflows/server-tools.ts";
import { subWorkflowReference, workflowInputs } from "../../src/workflows/sub-workflows.ts";
import { nodeOf, type RawNode, workflowOf } from "../support/workflow-builder.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";
const TOOL = `${LANGCHAIN}.toolWorkflow`;
const node = (type: string, typeVersion: number, parameters: RawNode["parameters"] = {}, name = "a.b") =>
  nodeOf({ name, type, typeVersion, parameters });

describe("expressions", () => {
  test("begin with =, and have no literal value", () => {
    expect([isExpression("={{ 1 }}"), isExpression(" ={{ 1 }}"), isExpression(1)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(literalOf("={{ $json.id }}")).toBe(undefined);
    expect(literalOf("=abc")).toBe("abc");
    expect(literalOf(7)).toBe("7");
  });

  test("are found at any depth, in order", () => {
    const parameters = { a: "x", b: [{ c: "={{ 1 }}" }, "={{ 2 }}"], d: { e: { f: "={{ 3 }}" } } };
    expect([...textsIn(parameters)].map(({ path }) => path)).toEqual(["a", "b[0].c", "b[1]", "d.e.f"]);
    expect(
      [...textsIn(parameters)]
        .filter(({ text }) => isExpression(text))
        .map(({ path, text }) => `${path} ${text}`),
    ).toEqual(["b[0].c ={{ 1 }}", "b[1] ={{ 2 }}", "d.e.f ={{ 3 }}"]);
  });
});

describe("$fromAI", () => {
  const read = (text: string) =>
    fromAiArguments({ x: text }).arguments.map(({ key, description, type, defaultValue }) => ({
      key,
      description,
      type,
      defaultValue,
    }));

  test.each([
    ["={{ $fromAI('id') }}", { key: "id", description: undefined, type: "string", defaultValue: undefined }],
    [
      '={{ $fromAI("n", "how (many), at most", "number", 3) }}',
      { key: "n", description: "how (many), at most", type: "number", defaultValue: 3 },
    ],
    [
      "={{ $fromai( `b` , '' , 'BOOLEAN' , 'true' ) }}",
      { key: "b", description: "", type: "boolean", defaultValue: true },
    ],
    [
      `={{ $fromAI('j', 'it\\'s "it"', 'json', '{"a":[1]}') }}`,
      { key: "j", description: `it's "it"`, type: "json", defaultValue: { a: [1] } },
    ],
    [
      "={{ $fromAI('n', '', 'number', 'many') }}",
      { key: "n", description: "", type: "number", defaultValue: "many" },
    ],
    [
      "no expression: $fromAI(bare)",
      { key: "bare", description: undefined, type: "string", defaultValue: undefined },
    ],
  ])("%s", (text, expected) => {
    expect(read(text)).toEqual([expected]);
  });

  test("has its path, also when n8n's editor wrote it", () => {
    const marked = "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('a') }}";
    const { arguments: found } = fromAiArguments({ deep: [{ x: marked }], y: "={{ $fromAI('b') }}" });
    expect(found.map(({ key, path }) => [key, path])).toEqual([
      ["a", "deep[0].x"],
      ["b", "y"],
    ]);
  });

  test("the last of several calls with one key counts, in the first one's place", () => {
    const { arguments: found } = fromAiArguments({
      x: "$fromAI('a','1') $fromAI('b')",
      y: "$fromAI('a','2')",
    });
    expect(found.map(({ key, description }) => [key, description])).toEqual([
      ["a", "2"],
      ["b", undefined],
    ]);
  });

  test.each([
    ["$fromAI('a', 'b', 'date')", "type"],
    ["$fromAI('a'", "not closed"],
    ["$fromAI(".repeat(200) + ")".repeat(200), "More than 100"],
    [`$fromAI('${"x".repeat(30_000)}')`, "not closed"],
  ])("a call that n8n cannot read is a problem: %.30s", (text, problem) => {
    const { arguments: found, problems } = fromAiArguments({ ok: "$fromAI('ok')", x: text });
    expect(found.map(({ key }) => key)).toEqual(["ok"]);
    expect(problems).toEqual([{ path: "x", problem: expect.stringContaining(problem) }]);
  });
});

describe("a tool's name", () => {
  test.each([
    ["tool.get_user", "tool_get_user"],
    ["a  b--c__d", "a_b--c__d"],
    ["ñandú 漢字", "_and_"],
    ["x".repeat(70), "x".repeat(64)],
    [`${"x".repeat(63)}..y`, "x".repeat(63)],
    ["", ""],
  ])("%s", (name, expected) => {
    expect(nodeNameToToolName(name)).toBe(expected);
  });

  test("a relayed tool has its client's name as a prefix", () => {
    expect(prefixedToolName("mcp.contacts", "get")).toBe("mcp_contacts_get");
    expect(prefixedToolName("a".repeat(70), "get_it")).toBe(`${"a".repeat(57)}_get_it`);
    expect(prefixedToolName("a", "b".repeat(64))).toBe("b".repeat(64));
  });

  test.each([
    ["is its node's since version 2.2", node(TOOL, 2.2, { name: "old" }), "a_b"],
    ["was a parameter before", node(TOOL, 2.1, { name: "old" }), "old"],
    ["is unknown if that parameter is an expression", node(TOOL, 2, { name: "={{ $json.x }}" }), null],
    ["was a parameter of a code tool before", node(`${LANGCHAIN}.toolCode`, 1.1, { name: "old" }), "old"],
    [
      "was a parameter of a vector store before 1.3",
      node(`${LANGCHAIN}.vectorStoreInMemory`, 1.2, { toolName: "old" }),
      "old",
    ],
    [
      "is the node's of a vector store since 1.3",
      node(`${LANGCHAIN}.vectorStoreInMemory`, 1.3, { toolName: "old" }),
      "a_b",
    ],
    ["is the node's for an ordinary node as a tool", node("n8n-nodes-base.httpRequestTool", 4.2), "a_b"],
  ])("%s", (_what, tool, expected) => {
    expect(toolName(tool)).toBe(expected);
  });

  test("an MCP client is recognized, as its server names the tools", () => {
    const clients = [node(`${LANGCHAIN}.mcpClientTool`, 1.2), node(TOOL, 2.2)];
    expect(clients.map(isServerClient)).toEqual([true, false]);
  });
});

describe("a called workflow is given", () => {
  const EXECUTE = "n8n-nodes-base.executeWorkflow";
  test.each([
    [
      "by resource locator",
      { workflowId: { __rl: true, mode: "list", value: "w1" } },
      { kind: "id", workflowId: "w1" },
    ],
    ["by plain id, in the first versions", { workflowId: " w1 " }, { kind: "id", workflowId: "w1" }],
    ["by a number", { workflowId: { __rl: true, mode: "id", value: 12 } }, { kind: "id", workflowId: "12" }],
    [
      "by an expression",
      { workflowId: { __rl: true, mode: "id", value: "={{ $json.id }}" } },
      { kind: "expression" },
    ],
    ["by text that begins like an expression", { workflowId: "=w1" }, { kind: "id", workflowId: "w1" }],
    ["inline", { source: "parameter", workflowJson: "{}" }, { kind: "inline" }],
    ["by URL", { source: "url", workflowUrl: "http://x" }, { kind: "elsewhere" }],
    ["not at all", {}, { kind: "missing" }],
    ["by an empty choice", { workflowId: { __rl: true, mode: "list", value: "" } }, { kind: "missing" }],
  ])("%s", (_what, parameters, expected) => {
    expect(subWorkflowReference(node(EXECUTE, 1.2, parameters))).toEqual(expected);
  });
});

describe("a sub-workflow accepts", () => {
  const START = "n8n-nodes-base.executeWorkflowTrigger";
  const inputsOf = (typeVersion: number, parameters: RawNode["parameters"], facts: object = {}) =>
    workflowInputs(workflowOf([{ name: "Start", type: START, typeVersion, parameters, ...facts }]).nodes);

  test.each([
    [
      "fields",
      inputsOf(1.1, { workflowInputs: { values: [{ name: "a", type: "number" }, { name: "b" }, {}] } }),
      {
        mode: "fields",
        inputs: [
          { name: "a", type: "number" },
          { name: "b", type: "string" },
        ],
      },
    ],
    [
      "an example",
      inputsOf(1.1, { inputSource: "jsonExample", jsonExample: '{"a":1,"b":[],"c":null,"d":{}}' }),
      {
        mode: "example",
        inputs: [
          { name: "a", type: "number" },
          { name: "b", type: "array" },
          { name: "c", type: "any" },
          { name: "d", type: "object" },
        ],
      },
    ],
    [
      "nothing by an example that is not JSON",
      inputsOf(1.1, { inputSource: "jsonExample", jsonExample: "{" }),
      { mode: "example", inputs: [] },
    ],
    ["any input", inputsOf(1.1, { inputSource: "passthrough" }), { mode: "passthrough", inputs: [] }],
    ["any input, in the first version", inputsOf(1, {}), { mode: "passthrough", inputs: [] }],
    ["nothing if the trigger is disabled", inputsOf(1.1, {}, { disabled: true }), null],
  ])("%s", (_what, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

describe("a tool accepts", () => {
  const mapped = (value: Record<string, string>) => ({
    workflowInputs: { value, schema: Object.keys(value).map((id) => ({ id })) },
  });

  test("the arguments that the model fills in, required unless they have a default", () => {
    const value = {
      a: "={{ $fromAI('a', 'what it is', 'number') }}",
      b: "={{ $fromAI('b', '', 'json', '{}') }}",
      c: "fixed",
    };
    expect(toolInputs(node(TOOL, 2.2, mapped(value))).inputs).toEqual([
      { name: "a", type: "number", isRequired: true, description: "what it is" },
      { name: "b", type: "json", isRequired: false, defaultValue: {} },
    ]);
  });

  test.each([
    ["without $fromAI", node(TOOL, 2.2, mapped({ a: "fixed" }))],
    ["without mapped inputs", node(TOOL, 2.2, { note: "$fromAI('a')" })],
    ["of the first version", node(TOOL, 1.3, mapped({ a: "={{ $fromAI('a') }}" }))],
    ["n8n's calculator", node(`${LANGCHAIN}.toolCalculator`, 1, {})],
    ["a code tool", node(`${LANGCHAIN}.toolCode`, 1.3, { jsCode: "return query" })],
    ["a vector store", node(`${LANGCHAIN}.vectorStoreQdrant`, 1.3, { mode: "retrieve-as-tool" })],
  ])("free text: %s", (_what, tool) => {
    expect(toolInputs(tool).inputs).toEqual([{ name: "input", type: "string", isRequired: false }]);
  });

  test.each([
    ["a code tool", node(`${LANGCHAIN}.toolCode`, 1.3, { specifyInputSchema: true })],
    ["the first version", node(TOOL, 1.3, { specifyInputSchema: true })],
    [
      "placeholders",
      node(`${LANGCHAIN}.toolHttpRequest`, 1.1, { placeholderDefinitions: { values: [{ name: "id" }] } }),
    ],
  ])("what the node's own schema describes: %s", (_what, tool) => {
    expect(toolInputs(tool)).toEqual({ inputs: [], hasOwnSchema: true, problems: [] });
  });

  test("nothing, if an ordinary node uses no $fromAI", () => {
    expect(toolInputs(node("n8n-nodes-base.httpRequestTool", 4.2, { url: "http://x" })).inputs).toEqual([]);
  });
});

describe("MCP nodes", () => {
  const client = (typeVersion: number, parameters: RawNode["parameters"], type = "mcpClientTool") =>
    toMcpClient(node(`${LANGCHAIN}.${type}`, typeVersion, parameters));

  test("a trigger has its path, transports and authentication", () => {
    const trigger = nodeOf({
      name: "T",
      type: `${LANGCHAIN}.mcpTrigger`,
      typeVersion: 2,
      parameters: { path: "/hub/", authentication: "bearerAuth" },
      credentials: { httpBearerAuth: { id: "secret id", name: "secret name" } },
    });
    expect(toMcpTrigger(trigger)).toEqual({
      node: "T",
      isDisabled: false,
      path: "/mcp/hub",
      authentication: "bearerAuth",
      transports: ["httpStreamable", "sse"],
      credentialTypes: ["httpBearerAuth"],
    });
  });

  test("a trigger before version 2 speaks SSE, and needs no authentication by default", () => {
    expect(toMcpTrigger(node(`${LANGCHAIN}.mcpTrigger`, 1, { path: "hub" }))).toMatchObject({
      path: "/mcp/hub/sse",
      authentication: "none",
      transports: ["sse"],
    });
    expect(toMcpTrigger(node(`${LANGCHAIN}.mcpTrigger`, 2, { path: "={{ 1 }}" }))?.path).toBe(null);
  });

  test("a client's endpoint is host and path, without user, password or query", () => {
    expect(client(1.2, { endpointUrl: "https://user:pass@h.example:8443/mcp/x?token=t#f" })?.endpoint).toBe(
      "h.example:8443/mcp/x",
    );
    expect(client(1, { sseEndpoint: "https://h.example/sse" })?.endpoint).toBe("h.example/sse");
    expect(client(1.2, { endpointUrl: "={{ $json.url }}" })?.endpoint).toBe(null);
  });

  test("a path segment of a foreign endpoint that may be a key is masked", () => {
    expect(shownEndpoint("h.example/s/NmE4ZjIxLWtleQ1234567/mcp")).toBe("h.example/s/…/mcp");
    expect(shownEndpoint("h.example/mcp/a-name-of-many-words")).toBe("h.example/mcp/a-name-of-many-words");
  });

  test.each([
    [1, {}, "sse"],
    [1.1, {}, "sse"],
    [1.2, {}, "httpStreamable"],
    [1.2, { serverTransport: "sse" }, "sse"],
  ])("version %s with %j speaks %s", (typeVersion, parameters, transport) => {
    expect(client(typeVersion, parameters)?.transport).toBe(transport);
  });

  test.each([
    [{}, "all", []],
    [{ include: "selected", includeTools: ["a"] }, "selected", ["a"]],
    [{ include: "selected", includeTools: [] }, "all", []],
    [{ include: "selected", includeTools: "={{ $json.tools }}" }, "selected", [null]],
    [{ include: "except", excludeTools: ["a", "={{ 1 }}"] }, "except", ["a", null]],
  ])("%j selects tools by %s", (parameters, include, tools) => {
    expect(client(1.2, parameters)).toMatchObject({ include, tools });
  });

  test("an MCP Client node in the main flow calls one tool", () => {
    const tool = { __rl: true, mode: "list", value: "get_it" };
    expect(client(1.1, { tool }, "mcpClient")).toMatchObject({ include: "one", tools: ["get_it"] });
  });
});
