/** audit_workflow through the tool boundary, on an n8n that serves the test's workflows. */
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { auditWorkflow } from "../../../src/features/audit-workflow/audit-workflow.ts";
import { estimateTokens } from "../../../src/mcp/token-estimate.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import {
  createFakeN8n,
  type FakeN8n,
  failure,
  jsonAnswer,
  N8N_1_100,
  N8N_1_123,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities } from "../../support/local-capabilities.ts";
import { type RawNode, rawWorkflow, wires } from "../../support/workflow-builder.ts";
import book from "../../workflows/fixtures/by-the-book.json" with { type: "json" };

const { ids } = book;
const LANGCHAIN = "@n8n/n8n-nodes-langchain";
const SECRET = "n0tAR34lK3yButL00ksL1ke0ne";

const finding = z.strictObject({
  rule: z.string(),
  severity: z.enum(["error", "warning", "info"]),
  workflow: z.strictObject({ id: z.string(), name: z.string() }),
  node: z.string().nullable(),
  message: z.string(),
  evidence: z.string(),
  fix: z.string(),
});
const answer = z.strictObject({
  score: z.number().nullable(),
  workflowUrl: z.literal("http://localhost:1/workflow/{workflowId}"),
  workflows: z.number(),
  counts: z.strictObject({
    bySeverity: z.record(z.string(), z.number()),
    byRule: z.array(z.strictObject({ rule: z.string(), count: z.number() })),
  }),
  notJudged: z.array(
    z.strictObject({
      rule: z.string(),
      reason: z.string(),
      count: z.number(),
      first: z.strictObject({ workflow: z.string(), node: z.string().nullable() }),
    }),
  ),
  findings: z.array(finding),
  nextCursor: z.string().nullable(),
});

type RawWorkflow = { id?: unknown; [key: string]: unknown };

let workflows: RawWorkflow[];
let n8n: FakeN8n;
let caller: Caller;

function serve(url: URL): Response | undefined {
  if (url.pathname.endsWith("/workflows")) {
    const [limit, offset] = [
      Number(url.searchParams.get("limit")),
      Number(url.searchParams.get("cursor") ?? 0),
    ];
    const next = offset + limit < workflows.length ? String(offset + limit) : null;
    return jsonAnswer({ data: workflows.slice(offset, offset + limit), nextCursor: next });
  }
  const id = /\/workflows\/([^/]+)$/.exec(url.pathname)?.[1];
  if (id === undefined) return undefined;
  const found = workflows.find((each) => each.id === id);
  return found === undefined ? failure(404) : jsonAnswer({ description: null, ...found });
}

beforeEach(() => {
  workflows = structuredClone(book.list.data);
  n8n = createFakeN8n([]);
  n8n.intercept = serve;
  caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch });
});

async function audit(args: object = {}) {
  const envelope = await caller.call("audit_workflow", args);
  expect(envelope.status, JSON.stringify(envelope).slice(0, 500)).toBe("success");
  expect(estimateTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(20_000);
  expect(envelope.meta.leftOut).toBe(undefined);
  return { message: envelope.message ?? "", ...answer.parse(envelope.data) };
}

/** The stored workflow, which may be changed in place; its draft is audited. */
function stored(
  id: string,
): { nodes: Record<string, unknown>[]; settings: Record<string, unknown> } & RawWorkflow {
  const found = workflows.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no workflow ${id}`);
  delete found.activeVersion;
  return found as ReturnType<typeof stored>;
}

const singles = (): string[] =>
  n8n.requests.flatMap((request) => /\/workflows\/([^/?]+)/.exec(request)?.[1] ?? []);

describe("the example MCP server", () => {
  test("has no finding, with all that its tools run and their error workflow", async () => {
    const {
      score,
      findings,
      notJudged,
      workflows: audited,
      message,
    } = await audit({ workflowId: ids.server });
    expect({ findings, notJudged, score, audited }).toEqual({
      findings: [],
      notJudged: [],
      score: 100,
      audited: 5,
    });
    expect(message).toBe('"MCP_Family_Hub" with 4 workflows that it uses: nothing found, score 100 of 100.');
    expect(singles().sort()).toEqual(
      [ids.server, ids.getUser, ids.createEvent, ids.routeAction, ids.errorHandler].sort(),
    );
    expect(n8n.mostAtOnce).toBeLessThanOrEqual(4);
  });

  test("is one workflow when audited by name without its tools", async () => {
    const { workflows: audited } = await audit({ workflowName: "MCP_Family_Hub", includeTools: false });
    expect(audited).toBe(1);
  });

  test("includes the findings of its tools, which another server does not", async () => {
    stored(ids.getUser).settings.errorWorkflow = "";
    const { findings, counts, score, message } = await audit({ workflowId: ids.server });
    expect(findings).toMatchObject([
      { rule: "error-workflow/set", severity: "warning", workflow: { id: ids.getUser }, node: null },
    ]);
    expect(counts).toEqual({
      bySeverity: { warning: 1 },
      byRule: [{ rule: "error-workflow/set", count: 1 }],
    });
    expect(score).toBeLessThan(100);
    expect(message).toContain('Worst: error-workflow/set in "SWF_Get_User".');
    expect((await audit({ workflowId: ids.server, includeTools: false })).findings).toEqual([]);
    expect((await audit({ workflowId: ids.contacts })).findings).toEqual([]);
  });

  test("lists what cannot be judged, which is not a finding", async () => {
    const { settings } = stored(ids.getUser);
    delete settings.saveDataSuccessExecution;
    const { findings, notJudged, score } = await audit({ workflowId: ids.getUser });
    expect(findings).toEqual([]);
    expect(score).toBe(100);
    expect(notJudged).toMatchObject([
      { rule: "traceability/executions-saved", count: 1, first: { workflow: "SWF_Get_User", node: null } },
    ]);
  });
});

describe("workflows that are not published", () => {
  const unpublish = (): void => {
    for (const id of [ids.getUser, ids.errorHandler]) stored(id).active = false;
  };
  const rules = async () =>
    (await audit({ workflowId: ids.server })).findings
      .map(({ rule }) => rule)
      .filter((rule) => /published|error-workflow/.test(rule));

  test("are not run by n8n 2 when they are called", async () => {
    unpublish();
    expect(new Set(await rules())).toEqual(
      new Set(["architecture/called-workflow-published", "error-workflow/exists"]),
    );
  });

  test.each([N8N_1_123, N8N_1_100])("are run by n8n 1: %j", async (old) => {
    n8n.old = old;
    const capabilities = createLocalCapabilities();
    caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch, capabilities });
    unpublish();
    expect(await rules()).toEqual([]);
  });
});

describe("the answer", () => {
  test("says where a secret is, but not the secret", async () => {
    const node = stored(ids.getUser).nodes.find(({ name }) => name === "Fetch User");
    Object.assign(node?.parameters ?? {}, {
      headerParameters: { parameters: [{ name: "X-Api-Key", value: SECRET }] },
    });
    const envelope = await caller.call("audit_workflow", { workflowId: ids.getUser });
    expect(JSON.stringify(envelope)).not.toContain(SECRET);
    expect(answer.parse(envelope.data).findings).toMatchObject([
      {
        rule: "security/no-plain-secret",
        node: "Fetch User",
        evidence: "Parameter headerParameters.parameters[0].value.",
      },
    ]);
  });

  test("has names without invisible characters, and shortened", async () => {
    const workflow = stored(ids.getUser);
    workflow.name = `SWF_\u202Eevil\u200B\u0007${"x".repeat(5_000)}`;
    workflow.nodes.push({ ...workflow.nodes[2], id: "n", name: `Left\u202E Over ${"y".repeat(5_000)}` });
    const { findings, message } = await audit({ workflowId: ids.getUser });
    const text = JSON.stringify({ findings, message });
    expect(text).not.toMatch(/[\u202E\u200B]/);
    expect(text.length).toBeLessThan(3_000);
    expect(findings.map(({ rule }) => rule)).toContain("output/no-dead-path");
  });
});

describe("a whole instance", () => {
  /** Servers that follow none of the guide's rules. */
  function bare(count: number): RawWorkflow[] {
    return Array.from({ length: count }, (_one, index) => {
      const nodes: RawNode[] = [
        { name: "Trigger", type: `${LANGCHAIN}.mcpTrigger`, parameters: { path: `p${index}` } },
        {
          name: "Tool",
          type: `${LANGCHAIN}.toolWorkflow`,
          typeVersion: 2.2,
          parameters: { workflowId: "gone" },
        },
      ];
      const facts = { id: `bare-${index}`, name: `Bare ${String(index).padStart(3, "0")}`, active: true };
      return rawWorkflow(nodes, wires({ Tool: [["Trigger"]] }, "ai_tool"), facts);
    });
  }

  async function allPages() {
    const pages = [await audit()];
    for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
      pages.push(await audit({ cursor }));
    return pages;
  }

  test("has progress that never goes back, even if some workflows are read twice", async () => {
    workflows.push(...bare(120));
    await audit();
    const done = caller.updates.map((update) => update.done);
    expect(n8n.requests.filter((request) => /workflows\/bare-/.test(request)).length).toBeGreaterThan(0);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(caller.updates.at(-1)).toMatchObject({ message: expect.stringMatching(/^Audited (\d+) of \1 /) });
  });

  test("has findings in pages, worst first, each finding once", async () => {
    workflows.push(...bare(70));
    const pages = await allPages();
    const findings = pages.flatMap((page) => page.findings);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.every(({ findings: page }) => page.length > 50 || page === pages.at(-1)?.findings)).toBe(
      true,
    );
    expect(new Set(findings.map((each) => JSON.stringify(each))).size).toBe(findings.length);
    const inAll = (pages[0]?.counts.byRule ?? []).reduce((sum, { count }) => sum + count, 0);
    expect(findings.length).toBe(inAll);
    const ranks = findings.map(({ severity }) => ["error", "warning", "info"].indexOf(severity));
    expect(ranks).toEqual([...ranks].sort());
    expect(findings[0]?.rule).toBe("architecture/called-workflow-exists");
    expect(pages[1]?.notJudged).toEqual([]);
    expect(pages[0]?.message).toContain("77 workflows of the instance");
  });

  test("is rejected with its cursor once it has changed", async () => {
    workflows.push(...bare(60));
    const { nextCursor: cursor } = await audit();
    workflows.pop();
    const envelope = await caller.call("audit_workflow", { cursor });
    expect(envelope).toMatchObject({
      status: "error",
      data: { code: "VALIDATION_ERROR", details: { field: "cursor" } },
    });
  });

  test.each(["", "!!", btoa("5"), btoa("-1 abc"), btoa('{"offset":1}')])(
    "rejects the cursor %j",
    async (cursor) => {
      const envelope = await caller.call("audit_workflow", { cursor });
      expect(envelope).toMatchObject({ status: "error", data: { code: "VALIDATION_ERROR" } });
    },
  );

  test("counts a description that only a single workflow's answer has", async () => {
    workflows.push(...bare(60).map((each) => ({ ...each, id: `o${String(each.id)}`, active: false })));
    const workflow = stored(ids.getUser);
    workflow.nodes = workflow.nodes.filter(({ name }) => name !== "Read Me");
    workflow.description =
      "Gets one user: takes user_id, with_details and request_id, gives status and data.";
    const list = workflows;
    n8n.intercept = (url) => {
      // n8n's lists have no descriptions.
      workflows = url.pathname.endsWith("/workflows")
        ? list.map(({ description: _description, ...rest }) => rest)
        : list;
      return serve(url);
    };
    const { findings, notJudged } = await audit();
    const isAbout = (name: string) => (each: { workflow: { name: string } }) => each.workflow.name === name;
    expect(findings.filter(isAbout("SWF_Get_User"))).toEqual([]);
    expect(singles()).toContain(ids.getUser);
    expect(notJudged.filter(({ first }) => first.workflow === "SWF_Get_User")).toEqual([]);
  });

  test("leaves out archived workflows, and says what could not be read", async () => {
    workflows.push({ ...bare(1)[0], id: "old", isArchived: true }, { id: "odd", name: "odd" });
    const { findings, message, workflows: audited } = await audit();
    expect(findings).toEqual([]);
    expect(audited).toBe(7);
    expect(message).toContain("1 workflow could not be read.");
  });
});

test("audit_workflow costs few tokens in the list of tools", () => {
  const schemas = [auditWorkflow.input, auditWorkflow.output].map((schema) =>
    JSON.stringify(z.toJSONSchema(schema)),
  );
  expect(estimateTokens(schemas.join(""))).toBeLessThanOrEqual(600);
});

describe("what n8n 3.0 breaks", () => {
  const executionRequests = (): string[] => n8n.requests.filter((request) => request.includes("/executions"));
  const RULES_3 = { workflowId: ids.getUser, rules: "n8n-3" };

  function serveRuns(executionTime: number): void {
    n8n.intercept = (url) => {
      if (!url.pathname.endsWith("/executions")) return serve(url);
      const runs = stored(ids.getUser).nodes.map(({ name }) => [name, [{ startTime: 1, executionTime }]]);
      const facts = { id: "7", workflowId: ids.getUser, mode: "webhook", status: "success" };
      const data = { resultData: { runData: Object.fromEntries(runs) } };
      return jsonAnswer({
        data: [{ ...facts, startedAt: "2026-11-02T00:00:00.000Z", data }],
        nextCursor: null,
      });
    };
  }

  test("is only checked on request, and without that no execution is read", async () => {
    for (const node of stored(ids.getUser).nodes) {
      node.type = String(node.type).replace(".code", ".function");
    }
    const { findings } = await audit({ workflowId: ids.getUser });
    expect(findings.filter(({ rule }) => rule.startsWith("n8n-3/"))).toEqual([]);
    expect(executionRequests()).toEqual([]);
  });

  test("is reported with past runs, which cost one bounded request per workflow", async () => {
    serveRuns(72_000);
    const { findings, notJudged } = await audit(RULES_3);
    expect(notJudged).toEqual([]);
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(["n8n-3/task-time"]));
    expect(findings[0]?.evidence).toBe(
      "A run took 72 seconds. Ran in 1 of the newest executions (1 read), last in the one of 2026-11-02T00:00:00.000Z.",
    );
    expect(executionRequests()).toHaveLength(1);
    expect(executionRequests()[0]).toContain("limit=10");
  });

  test("is nothing in the example MCP server", async () => {
    serveRuns(1_000);
    expect(await audit(RULES_3)).toMatchObject({ findings: [], notJudged: [], score: 100 });
  });
});
