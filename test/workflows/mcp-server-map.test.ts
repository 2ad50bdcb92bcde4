/** The map, compared with a real n8n: its workflows, and its MCP servers' answers to `tools/list`. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { ReadValue } from "../../src/json/omitted.ts";
import { toWorkflowWithNodes } from "../../src/n8n/workflow-schemas.ts";
import { type InstanceOutline, mapMcpServers } from "../../src/workflows/mcp-server-map.ts";
import { outlineOf, type WorkflowOutline } from "../../src/workflows/workflow-outline.ts";
import { type RawNode, rawWorkflow, wires } from "../support/workflow-builder.ts";
import book from "./fixtures/by-the-book.json" with { type: "json" };

const { ids } = book;

function instanceOf(raw: readonly unknown[], unreadIds: readonly string[] = []): InstanceOutline {
  const outlines = raw.map((one) => outlineOf(toWorkflowWithNodes(one as ReadValue)));
  return {
    workflows: new Map(outlines.map((outline) => [outline.id, outline])),
    unreadIds: new Set(unreadIds),
    isComplete: true,
  };
}

function mapOf(instance: InstanceOutline, ...roots: string[]) {
  const found = roots.map((id) => instance.workflows.get(id)).filter((outline) => outline !== undefined);
  return mapMcpServers(instance, found);
}

const listedTool = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.object({
    properties: z.record(
      z.string(),
      z.object({ type: z.string().optional(), description: z.string(), default: z.unknown().optional() }),
    ),
    required: z.array(z.string()),
  }),
});

/** A tool as a client sees it, in the form of the map's. n8n gives arguments of any JSON no type. */
function seenByClient(tool: unknown) {
  const { name, description, inputSchema } = listedTool.parse(tool);
  const inputs = Object.entries(inputSchema.properties).map(([key, property]) => ({
    name: key,
    type: property.type ?? "json",
    isRequired: inputSchema.required.includes(key),
    description: property.description,
    ...(property.default === undefined ? {} : { defaultValue: property.default }),
  }));
  return { name, description, inputs };
}

describe("the server by the book", () => {
  const instance = instanceOf(book.list.data);
  const map = mapOf(instance, ids.server, ids.contacts);
  const [server, contacts] = map.servers;
  const own = (outline: WorkflowOutline | undefined) =>
    (outline?.tools ?? []).map(({ mcpName, description, inputs }) => ({
      name: mcpName,
      description,
      inputs,
    }));
  const byName = (tools: readonly { name: string | null }[]) =>
    [...tools].sort((a, b) => String(a.name).localeCompare(String(b.name)));

  test("has the tools of its own tools/list, with names, descriptions and inputs", () => {
    const relayed = (server?.subServers ?? []).flatMap(({ tools }) =>
      (tools ?? []).map(({ mcpName, tool }) => ({
        name: mcpName,
        description: tool?.description,
        inputs: tool?.inputs ?? [],
      })),
    );
    expect(relayed).toHaveLength(1);
    expect(byName([...own(server?.outline), ...relayed])).toEqual(
      byName(book.toolLists.server.map(seenByClient)),
    );
    expect(byName(own(contacts?.outline))).toEqual(byName(book.toolLists.contacts.map(seenByClient)));
  });

  test("its trigger has its path and asks for a token", () => {
    expect(server?.outline.triggers).toMatchObject([
      { path: "/mcp/family-hub", authentication: "bearerAuth", credentialTypes: ["httpBearerAuth"] },
    ]);
  });

  test("its sub-server is the workflow that serves the client's endpoint", () => {
    expect(server?.subServers).toMatchObject([{ workflowId: ids.contacts, client: { include: "selected" } }]);
  });

  test("each workflow it calls has its state and all its callers", () => {
    expect([...map.called.values()].map(({ state }) => state)).toEqual(Array(4).fill("published"));
    const callers = map.called
      .get(ids.getUser)
      ?.calledBy.map(({ workflowName, node }) => `${workflowName}: ${node}`);
    expect(callers?.sort()).toEqual(["MCP_Family_Hub: tool.get_user", "SWF_Route_Action: Run Get User"]);
    expect(map.cycles).toEqual([]);
    expect(server?.collisions).toEqual([]);
  });
});

const trigger = (path: string): RawNode => ({
  name: "T",
  type: "@n8n/n8n-nodes-langchain.mcpTrigger",
  typeVersion: 2,
  parameters: { path },
});
const TOOL = "@n8n/n8n-nodes-langchain.toolWorkflow";
const tool = (name: string, workflowId: string): RawNode => ({
  name,
  type: TOOL,
  typeVersion: 2.2,
  parameters: { workflowId: { __rl: true, mode: "id", value: workflowId } },
});
const calling = (id: string, ...targets: string[]) =>
  rawWorkflow(
    targets.map((target) => ({
      name: `call ${target}`,
      type: "n8n-nodes-base.executeWorkflow",
      typeVersion: 1.2,
      parameters: { workflowId: { __rl: true, mode: "id", value: target } },
    })),
    {},
    { id, name: id, active: true },
  );
const server = (id: string, ...tools: RawNode[]) =>
  rawWorkflow(
    [trigger(id), ...tools],
    wires(Object.fromEntries(tools.map(({ name }) => [name, [["T"]]])), "ai_tool"),
    {
      id,
      name: id,
      active: true,
    },
  );

describe("made-up servers", () => {
  test("calls in a circle are followed once, and reported", () => {
    const instance = instanceOf([
      server("s", tool("a", "x")),
      calling("x", "y"),
      calling("y", "z"),
      calling("z", "x", "s"),
    ]);
    const map = mapOf(instance, "s");
    expect([...map.called.keys()].sort()).toEqual(["s", "x", "y", "z"]);
    expect(map.cycles.map((cycle) => [...cycle].sort())).toEqual([["s", "x", "y", "z"]]);
  });

  test("a call from a trigger that no call starts closes no cycle", () => {
    const start = { name: "Start", type: "n8n-nodes-base.executeWorkflowTrigger" };
    const [call] = calling("x", "x").nodes as RawNode[];
    const nodes = [start, { name: "By Hand", type: "n8n-nodes-base.manualTrigger" }, ...(call ? [call] : [])];
    const cyclesWith = (from: string) =>
      mapOf(
        instanceOf([
          server("s", tool("a", "x")),
          rawWorkflow(nodes, wires({ [from]: [["call x"]] }), { id: "x", name: "x", active: true }),
        ]),
        "s",
      ).cycles;
    expect([cyclesWith("By Hand"), cyclesWith("Start")]).toEqual([[], [["x"]]]);
  });

  test("$workflow.id refers to the workflow of the node", () => {
    const instance = instanceOf([
      server("s", tool("a", "={{ $workflow.id }}"), {
        ...tool("b", ""),
        parameters: { workflowId: "={{$workflow.id}}" },
      }),
    ]);
    expect(mapOf(instance, "s").servers[0]?.outline.tools.map(({ calls }) => calls)).toEqual([
      { kind: "id", workflowId: "s" },
      { kind: "id", workflowId: "s" },
    ]);
  });

  test("a called workflow can be missing, unread, a draft or archived", () => {
    const draft = { ...calling("draft"), active: false };
    const archived = { ...calling("archived"), active: false, isArchived: true };
    const instance = instanceOf(
      [
        server("s", tool("a", "gone"), tool("b", "big"), tool("c", "draft"), tool("d", "archived")),
        draft,
        archived,
      ],
      ["big"],
    );
    expect(
      [...mapOf(instance, "s").called.values()].map(({ workflowId, state }) => `${workflowId} ${state}`),
    ).toEqual(["gone missing", "big unread", "draft draft", "archived archived"]);
  });

  test("two enabled tools with the same tool name collide", () => {
    const instance = instanceOf([
      server("s", tool("tool.a", "x"), tool("tool a", "x"), { ...tool("tool,a", "x"), disabled: true }),
    ]);
    const [mapped] = mapOf(instance, "s").servers;
    expect(mapped?.outline.tools).toHaveLength(2);
    expect(mapped?.collisions).toEqual(["tool_a"]);
  });

  test("a disabled tool calls nothing", () => {
    const map = mapOf(instanceOf([server("s", { ...tool("a", "x"), disabled: true }), calling("x")]), "s");
    expect(map.called.size).toBe(0);
  });

  test("the tools are those of the published version", () => {
    const published = server("s", tool("old", "x"));
    const draft = server("s", tool("new", "x"));
    const raw = { ...draft, versionId: "v2", activeVersion: { ...published, versionId: "v1" } };
    const [mapped] = mapOf(instanceOf([raw]), "s").servers;
    expect(mapped?.outline).toMatchObject({
      versionId: "v1",
      hasUnpublishedChanges: true,
      tools: [{ node: "old" }],
    });
  });

  test("only the selected tools of a foreign server are known", () => {
    const client = (parameters: RawNode["parameters"]): RawNode => ({
      name: "far",
      type: "@n8n/n8n-nodes-langchain.mcpClientTool",
      typeVersion: 1.2,
      parameters,
    });
    const toolsOf = (parameters: RawNode["parameters"], ...others: unknown[]) =>
      mapOf(
        instanceOf([server("s", client(parameters)), ...others]),
        "s",
      ).servers[0]?.subServers[0]?.tools?.map(({ mcpName }) => mcpName);
    const far = "https://far.example/mcp/far";
    expect(toolsOf({ endpointUrl: far })).toBe(undefined);
    expect(toolsOf({ endpointUrl: far, include: "selected", includeTools: ["a", "={{ 1 }}"] })).toEqual([
      "far_a",
      null,
    ]);
    const near = server("n", tool("a", "x"), tool("b", "x"));
    const draft = { ...server("draft", tool("c", "x")), id: "d", active: false, nodes: near.nodes ?? [] };
    expect(toolsOf({ endpointUrl: "https://any.example/n8n/mcp/n/" }, draft, near)).toEqual([
      "far_a",
      "far_b",
    ]);
    expect(
      toolsOf(
        { endpointUrl: "https://any.example/n8n/mcp/n/", include: "except", excludeTools: ["a"] },
        near,
      ),
    ).toEqual(["far_b"]);
  });
});
