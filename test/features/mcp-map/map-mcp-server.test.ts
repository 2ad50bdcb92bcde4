import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { estimateTokens } from "../../../src/mcp/token-estimate.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, failure, jsonAnswer, N8N_1_123 } from "../../support/fake-n8n.ts";
import { createLocalCapabilities } from "../../support/local-capabilities.ts";
import { type RawNode, rawWorkflow, wires } from "../../support/workflow-builder.ts";
import book from "../../workflows/fixtures/by-the-book.json" with { type: "json" };

const { ids } = book;
const LANGCHAIN = "@n8n/n8n-nodes-langchain";

const answer = z.looseObject({
  servers: z.array(
    z.looseObject({
      workflowId: z.string(),
      tools: z.array(z.looseObject({ mcpName: z.string().nullable() })),
    }),
  ),
  workflows: z.array(z.looseObject({ workflowId: z.string() })),
  mermaid: z.string(),
  nextOffset: z.number().nullable(),
});

let workflows: unknown[];
let n8n: FakeN8n;
let caller: Caller;

beforeEach(() => {
  workflows = book.list.data;
  n8n = createFakeN8n([]);
  n8n.intercept = (url) =>
    url.pathname.endsWith("/workflows") ? jsonAnswer({ data: workflows, nextCursor: null }) : undefined;
  caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch });
});

async function map(args: object = {}) {
  const envelope = await caller.call("map_mcp_server", args);
  expect(envelope.status).toBe("success");
  expect(estimateTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(20_000);
  expect(envelope.meta.leftOut).toBe(undefined);
  return { message: envelope.message ?? "", data: answer.parse(envelope.data) };
}

const run = (id: number, workflowId: string, status: string, ms: number) => ({
  id: String(id),
  workflowId,
  status,
  mode: "integrated",
  startedAt: new Date(id * 60_000).toISOString(),
  stoppedAt: new Date(id * 60_000 + ms).toISOString(),
});

describe("an MCP server by the book", () => {
  test("is mapped with tools, ATDF, sub-workflows, sub-servers and a chart", async () => {
    const { message, data } = await map({ workflowId: ids.server });
    expect(message).toBe('"MCP_Family_Hub" is an MCP server: 3 tools, 3 workflows called.');
    expect(data.servers).toMatchObject([
      {
        workflowName: "MCP_Family_Hub",
        active: true,
        triggers: [
          { path: "/mcp/family-hub", authentication: "bearerAuth", credentialTypes: ["httpBearerAuth"] },
        ],
        subServers: [
          {
            node: "mcp.contacts",
            endpoint: "n8n.example:5678/mcp/contacts",
            workflowId: ids.contacts,
            credentialTypes: ["httpBearerAuth"],
            tools: [{ mcpName: "mcp_contacts_tool_search_contact", inputs: ["contact_name", "request_id"] }],
          },
        ],
      },
    ]);
    const tool = data.servers[0]?.tools.find(({ mcpName }) => mcpName === "tool_get_user");
    expect(tool).toMatchObject({
      subWorkflow: { id: ids.getUser, name: "SWF_Get_User", state: "published" },
      atdf: { valid: true, version: "1.0.0", whenToUse: "When the details of one known user are needed." },
      inputs: [
        { name: "user_id", type: "string", required: true },
        { name: "with_details", default: false },
        {},
      ],
    });
    expect(data.mermaid).toContain('(["MCP_Family_Hub"])');
    expect(data.mermaid).toContain('[["SWF_Route_Action"]]');
  });

  test("is mapped without the names of its credentials", async () => {
    const text = JSON.stringify((await map()).data);
    expect(text).not.toContain("Household bearer");
    expect(JSON.stringify(workflows)).toContain("Household bearer");
  });

  test("is found by name and by id, and is among all without either", async () => {
    expect(
      (await map({ workflowName: "mcp_contacts" })).data.servers.map(({ workflowId }) => workflowId),
    ).toEqual([ids.contacts]);
    const { message, data } = await map();
    expect(data.servers.map(({ workflowId }) => workflowId)).toEqual([ids.contacts, ids.server]);
    expect(message).toContain("2 of 2 workflows");
  });

  test("an archived server is mapped only when it is named", async () => {
    workflows = book.list.data.map((one) => ({ ...one, isArchived: one.id === ids.contacts }));
    expect((await map()).data.servers.map(({ workflowId }) => workflowId)).toEqual([ids.server]);
    expect((await map({ workflowId: ids.contacts })).data.servers).toHaveLength(1);
  });

  test("is not any other workflow, which is mapped and reported as none", async () => {
    const { message, data } = await map({ workflowId: ids.routeAction });
    expect(message).toContain("has no MCP Server Trigger");
    expect(data.workflows.map(({ workflowId }) => workflowId).sort()).toEqual(
      [ids.createEvent, ids.getUser].sort(),
    );
  });

  test("a sub-workflow that is not published is broken, but not on n8n 1, which runs it", async () => {
    const inactive = ({ id, ...rest }: Record<string, unknown>) => ({
      ...rest,
      id,
      ...(id === ids.getUser && { active: false, activeVersion: null }),
    });
    workflows = book.list.data.map(inactive);
    const stateIn = async () => {
      const { message, data } = await map({ workflowId: ids.server });
      const state = data.workflows.find(({ workflowId }) => workflowId === ids.getUser)?.state;
      return [state, message.includes("not published"), data.mermaid.includes("class n")];
    };
    expect(await stateIn()).toEqual(["draft", true, true]);
    n8n.old = N8N_1_123;
    const capabilities = createLocalCapabilities();
    caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch, capabilities });
    expect(await stateIn()).toEqual(["inactive", false, false]);
  });

  test("has recent runs with their number, failures and durations", async () => {
    n8n.executions = Array.from({ length: 20 }, (_one, index) =>
      run(
        index + 1,
        ids.getUser,
        index < 2 ? "error" : index === 2 ? "crashed" : "success",
        (index + 1) * 10,
      ),
    );
    const { data } = await map({ workflowId: ids.server });
    expect(data.servers[0]?.tools[0]).toMatchObject({
      recentRuns: { runs: 20, errors: 3, p50Ms: 100, p95Ms: 190, since: "1970-01-01T00:01:00.000Z" },
    });
    expect(data.workflows.find(({ workflowId }) => workflowId === ids.createEvent)).toMatchObject({
      recentRuns: { runs: 0, errors: 0, p50Ms: null, p95Ms: null },
    });
  });

  test("costs one request per workflow, at most four at the same time", async () => {
    n8n.latencyMs = 5;
    await map();
    const asked = n8n.requests.filter((request) => request.includes("/executions"));
    expect(asked).toHaveLength(6);
    expect(new Set(asked).size).toBe(6);
    expect(n8n.mostAtOnce).toBe(4);
  });
});

/** A server with many tools, each with a long description in a script that costs many tokens. */
function largeServer(index: number, tools: number, text: string): unknown {
  const nodes = Array.from(
    { length: tools },
    (_one, number): RawNode => ({
      name: `tool.do_${number}_${text.slice(0, 40)}`,
      type: `${LANGCHAIN}.toolWorkflow`,
      typeVersion: 2.2,
      parameters: {
        description: text.repeat(40),
        workflowId: { __rl: true, mode: "id", value: `gone${index}_${number}` },
      },
    }),
  );
  const trigger = {
    name: "T",
    type: `${LANGCHAIN}.mcpTrigger`,
    typeVersion: 2,
    parameters: { path: `p${index}` },
  };
  const connections = wires(Object.fromEntries(nodes.map(({ name }) => [name, [["T"]]])), "ai_tool");
  return rawWorkflow([trigger, ...nodes], connections, {
    id: `s${index}`,
    name: `Server ${index}`,
    active: true,
  });
}

describe("a map too large for one answer", () => {
  test("has many servers page by page, each once", async () => {
    workflows = Array.from({ length: 30 }, (_one, index) =>
      largeServer(index, 5, "做某事的工具，描述很长。"),
    );
    const seen: string[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const page: z.infer<typeof answer> = (await map({ offset })).data;
      seen.push(...page.servers.map(({ workflowId }) => workflowId));
      offset = page.nextOffset;
    }
    expect(new Set(seen).size).toBe(30);
    expect(seen).toHaveLength(30);
  });

  test("describes many tools in less detail, down to names, and says so", async () => {
    workflows = [largeServer(0, 60, "A description that goes on. "), largeServer(1, 400, "ツールの説明 ")];
    const brief = await map({ workflowId: "s0" });
    expect(brief.message).toContain("each tool is described in less detail");
    expect(brief.data.servers[0]?.tools).toHaveLength(60);
    const names = await map({ workflowId: "s1" });
    expect(names.data.servers[0]).toMatchObject({ toolsLeftOut: expect.any(Number) });
    expect(names.data.servers[0]?.tools[0]).not.toHaveProperty("description");
  });

  test("shows no part of a secret where a description is cut", async () => {
    // Of 600 characters, the last ten are the beginning of a key.
    workflows = [largeServer(0, 1, `${"A word. ".repeat(73)}A word AKIAZ7VRSQWERT5LMNO2 `)];
    const { data } = await map();
    const shown = JSON.stringify(data.servers);
    expect(shown).toContain("A word. A word");
    expect(shown).toContain("…");
    expect(shown).not.toContain("AKIA");
  });

  test("reads the runs of at most 40 workflows, and counts the rest", async () => {
    const other = (index: number) =>
      rawWorkflow([], {}, { id: `gone0_${index}`, name: `W${index}`, active: true });
    workflows = [largeServer(0, 60, "x "), ...Array.from({ length: 60 }, (_one, index) => other(index))];
    const { message } = await map();
    expect(n8n.requests.filter((request) => request.includes("/executions"))).toHaveLength(40);
    expect(message).toContain("Recent runs of 21 workflows were not read.");
  });
});

describe("a map that fails", () => {
  test.each([
    [{ workflowId: "w9" }, "WORKFLOW_NOT_FOUND"],
    [{ workflowName: "MCP_Famly_Hub" }, "WORKFLOW_NOT_FOUND"],
    [{ workflowId: "w", workflowName: "x" }, "VALIDATION_ERROR"],
  ])("for %j is %s", async (args, code) => {
    expect(await caller.call("map_mcp_server", args)).toMatchObject({ status: "error", data: { code } });
  });

  test("for a workflow that cannot be read says so, and a map of all counts it", async () => {
    workflows = [...book.list.data, { id: "odd", name: "Odd" }];
    expect((await map()).message).toContain("1 workflow could not be read");
    const { data } = await caller.call("map_mcp_server", { workflowId: "odd" });
    expect(data).toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
      message: expect.stringContaining("cannot be mapped"),
    });
  });

  test("because executions may not be read is an error that names the scope", async () => {
    const usual = n8n.intercept;
    n8n.intercept = (url) => (url.pathname.endsWith("/executions") ? failure(403) : usual(url));
    expect(await caller.call("map_mcp_server", {})).toMatchObject({ data: { code: "N8N_FORBIDDEN" } });
  });
});
