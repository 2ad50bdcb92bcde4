import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mcpServerChart } from "../../src/features/mcp-map/mcp-server-chart.ts";
import { toWorkflowWithNodes } from "../../src/n8n/workflow-schemas.ts";
import { liveNodes, reachableFrom, toGraph, triggersOf } from "../../src/workflows/graph.ts";
import { mapMcpServers } from "../../src/workflows/mcp-server-map.ts";
import {
  countRegularOutputs,
  errorConnections,
  errorOutputOf,
  openOutputs,
} from "../../src/workflows/node-outputs.ts";
import { cyclesOf } from "../../src/workflows/strongly-connected.ts";
import { outlineOf } from "../../src/workflows/workflow-outline.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { graphOf, nodeOf, wires } from "../support/workflow-builder.ts";

const WEBHOOK = "n8n-nodes-base.webhook";
const IF = "n8n-nodes-base.if";
const nodes = (...names: string[]) => names.map((name) => ({ name }));

describe("a workflow's graph", () => {
  test("gives connections by node, type and output", () => {
    const graph = graphOf(nodes("a", "b", "c"), {
      ...wires({ a: [["b"], ["c", "b"]] }),
      c: { ai_tool: [[{ node: "a", type: "ai_tool", index: 0 }]] },
    });
    expect(graph.outgoing("a").map(({ output, to }) => `${output} ${to}`)).toEqual(["0 b", "1 c", "1 b"]);
    expect(graph.incoming("a", "ai_tool").map(({ from }) => from)).toEqual(["c"]);
    expect(graph.incoming("a", "main")).toEqual([]);
  });

  test("leaves out dangling connections, and keeps the last of several nodes with one name", () => {
    const graph = graphOf(
      [...nodes("a"), { name: "a", disabled: true }, ...nodes("b")],
      wires({ a: [["gone"]], never: [["b"]] }),
    );
    expect(graph.connections).toEqual([]);
    expect([graph.outgoing("a"), graph.incoming("b")]).toEqual([[], []]);
    expect([...graph.nodes.values()].map(({ name, disabled }) => [name, disabled])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  test("treats node names like constructor as ordinary names", () => {
    const graph = graphOf(
      nodes("constructor", "toString", "hasOwnProperty"),
      wires({ constructor: [["toString"]] }),
    );
    expect(graph.outgoing("constructor").map(({ to }) => to)).toEqual(["toString"]);
    expect(graph.outgoing("hasOwnProperty")).toEqual([]);
  });
});

describe("nodes that can run", () => {
  test("are enabled triggers, the nodes that follow them, and the sub-nodes of those", () => {
    const graph = graphOf(
      [
        { name: "in", type: WEBHOOK },
        { name: "off", type: WEBHOOK, disabled: true },
        { name: "agent", type: "@n8n/n8n-nodes-langchain.agent" },
        ...nodes("after off", "island", "tool", "tool of tool", "tool of island"),
        { name: "dead tool", disabled: true },
      ],
      {
        ...wires({ in: [["agent"]], off: [["after off"]] }),
        ...wires(
          {
            tool: [["agent"]],
            "dead tool": [["agent"]],
            "tool of tool": [["tool"]],
            "tool of island": [["island"]],
          },
          "ai_tool",
        ),
      },
    );
    expect(triggersOf(graph).map(({ name }) => name)).toEqual(["in"]);
    expect([...liveNodes(graph)].sort()).toEqual(["agent", "in", "tool", "tool of tool"]);
    expect([...reachableFrom(graph, ["in"])].sort()).toEqual(["agent", "in"]);
  });

  test("follow a disabled node only from its first output", () => {
    const graph = graphOf(
      [...nodes("a", "yes", "no"), { name: "if", type: IF, disabled: true }],
      wires({ a: [["if"]], if: [["yes"], ["no"]] }),
    );
    expect([...reachableFrom(graph, ["a"])].sort()).toEqual(["a", "if", "yes"]);
  });
});

describe("cycles", () => {
  test("agree with a naive search in any graph", () => {
    const edges = fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 })), {
      maxLength: 24,
    });
    fc.assert(
      fc.property(edges, (all) => {
        const next = (name: string) =>
          all.filter(([from]) => String(from) === name).map(([, to]) => String(to));
        const names = Array.from({ length: 8 }, (_one, index) => String(index));
        const reach = (from: string) => {
          const seen = new Set<string>();
          const waiting = next(from);
          for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
            if (!seen.has(at)) {
              seen.add(at);
              waiting.push(...next(at));
            }
          return seen;
        };
        const reached = new Map(names.map((name) => [name, reach(name)]));
        const groups = names
          .filter((name) => reached.get(name)?.has(name))
          .map((name) =>
            names.filter((other) => reached.get(name)?.has(other) && reached.get(other)?.has(name)).join(),
          );
        expect(
          cyclesOf(names, next)
            .map((group) => group.sort().join())
            .sort(),
        ).toEqual([...new Set(groups)].sort());
      }),
    );
  });

  test("a chain of 100,000 nodes does not exhaust the stack", () => {
    const next = (name: string) => (Number(name) < 100_000 ? [String(Number(name) + 1)] : ["0"]);
    expect(cyclesOf(["0"], next).map((group) => group.length)).toEqual([100_001]);
  });
});

const EVALUATION = "n8n-nodes-base.evaluation";

describe("number of outputs", () => {
  const rules = { values: [{}, {}, {}] };
  test.each([
    ["an ordinary node", {}, 1],
    ["if", { type: IF }, 2],
    [
      "a switch with a fallback",
      {
        type: "n8n-nodes-base.switch",
        typeVersion: 3.2,
        parameters: { rules, options: { fallbackOutput: "extra" } },
      },
      4,
    ],
    [
      "a switch without a fallback",
      { type: "n8n-nodes-base.switch", typeVersion: 3, parameters: { rules } },
      3,
    ],
    ["an old switch", { type: "n8n-nodes-base.switch", typeVersion: 1 }, 4],
    ["a loop", { type: "n8n-nodes-base.splitInBatches", typeVersion: 3 }, 2],
    ["a sentiment", { type: "@n8n/n8n-nodes-langchain.sentimentAnalysis" }, 3],
    [
      "a sentiment with its own scale",
      {
        type: "@n8n/n8n-nodes-langchain.sentimentAnalysis",
        parameters: { options: { categories: "good, bad" } },
      },
      2,
    ],
    ["a check for evaluations", { type: EVALUATION, parameters: { operation: "checkIfEvaluating" } }, 2],
    ["another step of an evaluation", { type: EVALUATION, parameters: { operation: "setMetrics" } }, 1],
    ["a check of credentials", { type: "n8n-nodes-base.dynamicCredentialCheck" }, 2],
    ["stop and error", { type: "n8n-nodes-base.stopAndError" }, 0],
    ["a sticky note", { type: "n8n-nodes-base.stickyNote" }, 0],
    ["a type named like a member of Object", { type: "package.constructor" }, 1],
  ])("%s", (_what, facts, count) => {
    expect(countRegularOutputs(nodeOf({ name: "a", ...facts }))).toBe(count);
  });

  test("the error output comes last, and failures take it", () => {
    const graph = graphOf(
      [{ name: "if", type: IF, onError: "continueErrorOutput" }, ...nodes("yes", "failed")],
      wires({ if: [["yes"], [], ["failed"]] }),
    );
    const node = nodeOf({ name: "if", type: IF, onError: "continueErrorOutput" });
    expect(errorOutputOf(node)).toBe(2);
    expect(errorConnections(graph, node).map(({ to }) => to)).toEqual(["failed"]);
    expect(openOutputs(graph, node)).toEqual([1]);
    expect(errorOutputOf(nodeOf({ name: "a", continueOnFail: true }))).toBe(null);
  });
});

/** Any JSON that a workflow may hold. */
const anyWorkflow = fc.record({
  id: fc.string(),
  name: fc.string(),
  active: fc.boolean(),
  nodes: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          name: fc.constantFrom("a", "b", "c", "__proto__", "tool.get_user", ""),
          type: fc.constantFrom(
            WEBHOOK,
            IF,
            "n8n-nodes-base.switch",
            "n8n-nodes-base.executeWorkflow",
            "n8n-nodes-base.executeWorkflowTrigger",
            "@n8n/n8n-nodes-langchain.mcpTrigger",
            "@n8n/n8n-nodes-langchain.mcpClientTool",
            "@n8n/n8n-nodes-langchain.mcpClient",
            "@n8n/n8n-nodes-langchain.toolWorkflow",
          ),
          typeVersion: fc.constantFrom<unknown>(1, 2.2, 3, "2", null),
          disabled: fc.constantFrom<unknown>(true, false, undefined, "yes"),
          parameters: fc.oneof(
            fc.record({
              workflowId: fc.constantFrom<unknown>(
                "w",
                { __rl: true, mode: "id", value: "w" },
                "={{ 1 }}",
                7,
                null,
              ),
              endpointUrl: fc.constantFrom<unknown>("http://x/mcp/a", "nonsense", 1),
              path: fc.constantFrom<unknown>("a", "={{ 1 }}", null),
            }),
            fc.dictionary(fc.string(), fc.jsonValue()),
            fc.jsonValue(),
          ),
        }),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    { maxLength: 12 },
  ),
  connections: fc.oneof(
    fc.dictionary(
      fc.constantFrom("a", "b", "c", "gone", "tool.get_user"),
      fc.dictionary(
        fc.constantFrom("main", "ai_tool", "ai_languageModel"),
        fc.array(
          fc.oneof(
            fc.constant(null),
            fc.array(
              fc.oneof(
                fc.constant(null),
                fc.record({
                  node: fc.constantFrom("a", "b", "c", "gone"),
                  type: fc.constantFrom("main", "ai_tool"),
                  index: fc.constantFrom<unknown>(0, 1, -1, "0"),
                }),
              ),
            ),
          ),
        ),
      ),
    ),
    fc.jsonValue(),
  ),
});

describe("no workflow breaks the graph", () => {
  test("a workflow of any shape is read, walked, outlined and mapped", inBothLanes, () => {
    fc.assert(
      fc.property(fc.array(anyWorkflow, { maxLength: 4 }), (raw) => {
        const all = raw.map((one, index) =>
          toWorkflowWithNodes(JSON.parse(JSON.stringify({ ...one, id: index === 0 ? "w" : `w${index}` }))),
        );
        for (const workflow of all) {
          const graph = toGraph(workflow);
          const live = liveNodes(graph);
          expect([...live].every((name) => graph.nodes.has(name))).toBe(true);
          for (const node of graph.nodes.values()) openOutputs(graph, node);
        }
        const outlines = all.map(outlineOf);
        const workflows = new Map(outlines.map((outline) => [outline.id, outline]));
        const map = mapMcpServers({ workflows, unreadIds: new Set(), isComplete: true }, outlines);
        expect(mcpServerChart(map, { most: 150, show: String }).startsWith("flowchart LR")).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  test("1,000 nodes with ten connections each are read", () => {
    const names = Array.from({ length: 1_000 }, (_one, index) => `node ${index}`);
    const targets = (index: number) =>
      Array.from({ length: 10 }, (_one, step) => names[(index * 7 + step * 13) % 1_000] ?? "");
    const graph = graphOf(
      nodes(...names),
      wires(Object.fromEntries(names.map((name, index) => [name, [targets(index)]]))),
    );
    expect(graph.connections).toHaveLength(10_000);
    expect(liveNodes(graph).size).toBe(0);
  });
});
