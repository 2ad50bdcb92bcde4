/** Large requests told in few tokens: the pure part, and a whole answer of trace_request. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { TreeNode } from "../../../src/features/request-node.ts";
import { LEGEND, type ShownTree, showTree } from "../../../src/features/trace-request/compact-tree.ts";
import { traceRequest } from "../../../src/features/trace-request/trace-request.ts";
import { type Envelope, envelopeSchema } from "../../../src/mcp/envelope.ts";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import { createN8nUrls } from "../../../src/n8n/n8n-urls.ts";
import type { Fetch } from "../../../src/n8n/requests.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { countTokens } from "../../support/token-counts.ts";

const START = Date.UTC(2026, 3, 14, 9, 30, 2, 117);
const iso = (offset: number): string => new Date(START + offset).toISOString();

function node(id: number, facts: Partial<TreeNode> = {}): TreeNode {
  return {
    id: String(id),
    workflowId: "w",
    workflowName: "orders",
    role: id === 1 ? "entry" : "sub_workflow",
    parentId: id === 1 ? null : "1",
    status: "success",
    startedAt: iso(id * 10),
    stoppedAt: iso(id * 10 + 5),
    waitTill: null,
    retrySuccessId: null,
    durationMs: 5,
    match: null,
    evidence: "parentExecution",
    isSurvived: false,
    ...facts,
  };
}

const nodes = (count: number, facts: Readonly<Record<number, Partial<TreeNode>>> = {}): TreeNode[] =>
  Array.from({ length: count }, (_node, index) => node(index + 1, facts[index + 1]));

const urls = createN8nUrls({ baseUrl: "https://n8n.test", editorUrl: "https://n8n.test" });
const tell = (all: readonly TreeNode[], important: readonly string[] = []): ShownTree =>
  showTree(all, important, urls);

const idsInFull = ({ executions }: ShownTree): string[] => executions.map(({ id }) => id);
const idsInRows = ({ moreExecutions }: ShownTree): string[] =>
  Object.values(moreExecutions?.rows ?? {})
    .flat()
    .map((row) => row.split(" ")[0] ?? "");

describe("a small tree", () => {
  test("is told in full, with offsets from its beginning", () => {
    const told = tell(nodes(8));
    expect(idsInFull(told)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect([told.startedAt, told.moreExecutions]).toEqual([iso(10), null]);
    expect(told.executions.map(({ startOffsetMs }) => startOffsetMs)).toEqual([
      0, 10, 20, 30, 40, 50, 60, 70,
    ]);
  });

  test("names times once: no start or end of its own in an execution", () => {
    const [first] = tell(nodes(1)).executions;
    const { id, workflowId, workflowName, role, status, durationMs } = node(1);
    const kept = { id, workflowId, workflowName, role, status, durationMs };
    expect(first).toEqual({ ...kept, startOffsetMs: 0 });
  });

  test("says once why an execution is there, and once where it opens", () => {
    const match = { kind: "exact", nodeName: "Webhook", path: "body.requestId" } as const;
    const told = tell([
      node(1, { match, evidence: "holds the request id" }),
      node(2, { match, evidence: "parentExecution" }),
      node(3, { match: { ...match, kind: "mentioned" }, evidence: "its parent is not known" }),
    ]);
    expect(told.executionUrl).toBe("https://n8n.test/workflow/{workflowId}/executions/{executionId}");
    expect(told.executions.map(({ match: where, evidence }) => [where, evidence])).toEqual([
      [{ nodeName: "Webhook", path: "body.requestId" }, undefined],
      [undefined, undefined],
      [{ ...match, kind: "mentioned" }, "its parent is not known"],
    ]);
  });

  test("may be empty, or not have begun", () => {
    const nothing: ShownTree = {
      startedAt: null,
      executionUrl: undefined,
      executions: [],
      moreExecutions: null,
    };
    expect(tell([])).toEqual(nothing);
    const waiting = tell([node(1, { startedAt: null, stoppedAt: null })]);
    expect([waiting.startedAt, waiting.executions[0]?.startOffsetMs]).toEqual([null, null]);
  });

  test("begins with what began first, which need not stand first", () => {
    const told = tell(nodes(2, { 1: { startedAt: iso(90) } }));
    expect(told.startedAt).toBe(iso(20));
    expect(told.executions.map(({ startOffsetMs }) => startOffsetMs)).toEqual([70, 0]);
  });
});

describe("a larger tree", () => {
  test("is told in full where it matters most, in its own order, and else in rows", () => {
    const told = tell(nodes(9), ["7", "4", "not there"]);
    expect(idsInFull(told)).toEqual(["4", "7"]);
    expect(idsInRows(told).sort()).toEqual(["1", "2", "3", "5", "6", "8", "9"]);
    expect(told.moreExecutions?.notShown).toBe(0);
  });

  test("names the same execution once, also when it matters twice", () => {
    expect(idsInFull(tell(nodes(9), ["4", "4"]))).toEqual(["4"]);
  });

  test("has in each row what its legend says", () => {
    const facts: Partial<TreeNode> = {
      workflowId: "w9",
      workflowName: null,
      role: "retry",
      parentId: "5",
      evidence: "retryOf",
      status: "waiting",
      durationMs: null,
    };
    const { moreExecutions } = tell(nodes(9, { 9: facts }));
    expect(moreExecutions).toEqual({
      legend: LEGEND,
      workflows: ["orders", "w9"],
      workflowIds: ["w", "w9"],
      kinds: ["0 success sub_workflow parentExecution", "1 waiting retry retryOf"],
      rows: {
        1: ["2 0 10 5", "3 0 20 5", "4 0 30 5", "5 0 40 5", "6 0 50 5", "7 0 60 5", "8 0 70 5"],
        5: ["9 1 80 -"],
      },
      notShown: 0,
    });
  });

  test("has rows that nothing caused, too", () => {
    const related: Partial<TreeNode> = {
      role: "related",
      parentId: null,
      evidence: "mentions the request id",
    };
    expect(tell(nodes(9, { 9: related })).moreExecutions?.rows.none).toEqual(["9 1 80 5"]);
  });

  test("keeps what did not succeed to the last, and counts what it does not show", () => {
    const failed = { status: "error" } as const;
    const told = tell(nodes(100, { 99: failed, 100: failed }), ["1"]);
    expect(idsInRows(told)).toHaveLength(50);
    expect(told.moreExecutions?.notShown).toBe(49);
    expect(idsInRows(told).slice(-3)).toEqual(["49", "99", "100"]);
  });
});

/* A request of 50 executions, as a shop might have it. */

const REQUEST_ID = "req_3f0c9a52-7b1e-4c8d-9a64-51d2e8b07c19";
const FIRST_ID = 184_201;
const WORKFLOWS = {
  intake: {
    id: "kVx3QmT9sLbR2wYc",
    name: "Order intake: validate, reserve stock and confirm to the customer",
  },
  pricing: {
    id: "Zp7HdN4uGfJe1XoA",
    name: "Sub-workflow: price calculation with vouchers and regional taxes",
  },
  warehouse: {
    id: "b5RtWk8CqMyE6iUv",
    name: "Sub-workflow: warehouse reservation and carrier selection (EU)",
  },
  mail: { id: "S2nFjL0hPzDg9KxB", name: "Sub-workflow: customer notification by e-mail and text message" },
  errors: { id: "oY4aVc6TmQwR8eHs", name: "Error workflow: create an incident and inform the team on duty" },
} as const;
type WorkflowKey = keyof typeof WORKFLOWS;

interface Planned {
  readonly workflow: WorkflowKey;
  readonly parent?: number;
  readonly retryOf?: number;
  readonly isFailed?: boolean;
}

/** One try: the intake calls pricing, warehouse (which calls mail) and mail, several times over. */
function planTry(first: number, retryOf: number | undefined, isFailed: boolean): Planned[] {
  const entry: Planned = { workflow: "intake", isFailed, ...(retryOf === undefined ? {} : { retryOf }) };
  const lines = Array.from({ length: 4 }, (_line, index): Planned[] => {
    const warehouse = first + 2 + index * 3;
    return [
      { workflow: "pricing", parent: first },
      { workflow: "warehouse", parent: first, isFailed: isFailed && index === 3 },
      { workflow: "mail", parent: warehouse },
    ];
  });
  const handlers: Planned[] = [
    { workflow: "errors", parent: first + 11 },
    { workflow: "errors", parent: first },
  ];
  return [entry, ...lines.flat(), ...(isFailed ? handlers : [])];
}

/** Three tries that fail, and a last one. Parents by position. */
function plan(lastFails: boolean): Planned[] {
  const tries = [0, 1, 2].flatMap((index) => planTry(index * 15, index === 0 ? undefined : 0, true));
  const last: Planned[] = [
    { workflow: "intake", retryOf: 0, isFailed: lastFails },
    { workflow: "pricing", parent: 45 },
    { workflow: "warehouse", parent: 45, isFailed: lastFails },
    { workflow: "mail", parent: 47 },
    { workflow: "mail", parent: 45 },
  ];
  return [...tries, ...last];
}

const idAt = (position: number): string => String(FIRST_ID + position);

function modeOf({ workflow, parent, retryOf }: Planned): string {
  if (retryOf !== undefined) return "retry";
  if (workflow === "errors") return "error";
  return parent === undefined ? "webhook" : "integrated";
}

function toExecution(planned: Planned, position: number): Record<string, unknown> {
  const { workflow, parent, retryOf, isFailed = false } = planned;
  const { id, name } = WORKFLOWS[workflow];
  const start = position * 1_731;
  const requestId = parent === undefined ? { body: { context: { requestId: REQUEST_ID } } } : {};
  const failed = {
    startTime: START + start + 40,
    executionTime: 812,
    executionIndex: 1,
    executionStatus: "error",
    source: [{ previousNode: "Webhook" }],
    error: {
      name: "NodeApiError",
      message: "The resource you are requesting could not be found: stock item 88-1204 in warehouse HAM-2",
    },
  };
  return {
    id: idAt(position),
    finished: !isFailed,
    mode: modeOf(planned),
    retryOf: retryOf === undefined ? null : idAt(retryOf),
    unknownParentWorkflowId: null,
    status: isFailed ? "error" : "success",
    startedAt: iso(start),
    stoppedAt: iso(start + 1_204 + position),
    workflowId: id,
    waitTill: null,
    retrySuccessId: null,
    workflowData: { id, name, nodes: [{ name: "Webhook", type: "n8n-nodes-base.webhook" }] },
    customData: {},
    data: {
      ...(parent === undefined ? {} : { parentExecution: { executionId: idAt(parent), workflowId: id } }),
      resultData: {
        ...(isFailed
          ? { lastNodeExecuted: "Reserve stock in the warehouse system", error: failed.error }
          : {}),
        runData: {
          Webhook: [
            {
              startTime: START + start,
              executionTime: 3,
              executionIndex: 0,
              executionStatus: "success",
              source: [],
              data: { main: [[{ json: requestId }]] },
            },
          ],
          ...(isFailed ? { "Reserve stock in the warehouse system": [failed] } : {}),
        },
      },
    },
  };
}

/** An n8n that has these executions. */
function serve(executions: readonly Record<string, unknown>[]): Fetch {
  const answerOf = (url: URL): unknown => {
    const id = /\/executions\/(\d+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) return executions.find((one) => one.id === id);
    if (url.searchParams.has("status")) return { data: [], nextCursor: null };
    const cursor = readExecutionCursor(url.searchParams.get("cursor") ?? "");
    const limit = cursor?.limit ?? Number(url.searchParams.get("limit"));
    const below = executions.filter((one) => cursor === undefined || Number(one.id) < Number(cursor.lastId));
    return { data: below.toReversed().slice(0, limit), nextCursor: null };
  };
  return async (url) => Response.json(answerOf(new URL(url)));
}

const told = z.looseObject({
  outcome: z.string(),
  executions: z.array(
    z.looseObject({
      id: z.string(),
      workflowName: z.string(),
      parentId: z.string().nullable(),
      evidence: z.string().default("parentExecution"),
      role: z.string(),
      status: z.string(),
    }),
  ),
  moreExecutions: z.looseObject({
    workflows: z.array(z.string()),
    kinds: z.array(z.string()),
    rows: z.record(z.string(), z.array(z.string())),
    notShown: z.number(),
  }),
});

interface Told {
  readonly id: unknown;
  readonly workflowName: unknown;
  readonly parentId: unknown;
  readonly evidence: unknown;
  readonly status: unknown;
}

/** Rows and what is told in full alike. */
function everyTold({ executions, moreExecutions }: z.infer<typeof told>): Told[] {
  const { workflows, kinds, rows } = moreExecutions;
  const inRows = Object.entries(rows).flatMap(([parentId, children]) =>
    children.map((row) => {
      const [id, kind] = row.split(" ");
      const [workflow, status, , ...evidence] = (kinds[Number(kind)] ?? "").split(" ");
      return {
        id,
        workflowName: workflows[Number(workflow)],
        parentId: parentId === "none" ? null : parentId,
        evidence: evidence.join(" "),
        status,
      };
    }),
  );
  const inFull = executions.map(({ id, workflowName, parentId, evidence, status }) => ({
    id,
    workflowName,
    parentId,
    evidence,
    status,
  }));
  return [...inFull, ...inRows].sort((a, b) => Number(a.id) - Number(b.id));
}

function evidenceOf({ parent, retryOf }: Planned): string {
  if (retryOf !== undefined) return "retryOf";
  return parent === undefined ? "holds the request id" : "parentExecution";
}

const toExpected = (planned: Planned, position: number): Told => {
  const cause = planned.retryOf ?? planned.parent;
  return {
    id: idAt(position),
    workflowName: WORKFLOWS[planned.workflow].name,
    parentId: cause === undefined ? null : idAt(cause),
    evidence: evidenceOf(planned),
    status: planned.isFailed === true ? "error" : "success",
  };
};

describe.each([
  { outcome: "success", sentence: "succeeded on its last retry", lastFails: false },
  { outcome: "error", sentence: "failed on its last retry at node", lastFails: true },
])("the answer to a request of 50 executions that ends in $outcome", ({ outcome, sentence, lastFails }) => {
  const planned = plan(lastFails);
  let envelope: Envelope;

  beforeAll(async () => {
    const settings = settingsFor({ baseUrl: "http://localhost:1", apiKey: "key-of-the-tests" });
    const fetch = serve(planned.map(toExecution));
    const caller = createCaller({ settings, fetch, now: () => START + 3_600_000 });
    envelope = await caller.call("trace_request", { requestId: REQUEST_ID });
  });

  test("has at most 2,000 tokens", () => {
    expect(countTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(2_000);
  });

  test("tells every execution, each with its parent and the evidence", () => {
    expect(planned).toHaveLength(50);
    const data = dataOf(envelope, told);
    expect(everyTold(data)).toEqual(planned.map(toExpected));
    expect(data.moreExecutions.notShown).toBe(0);
  });

  test("leaves nothing out and shortens nothing", () => {
    expect(envelope.meta).not.toHaveProperty("leftOut");
  });

  test("has the shape that the tool promises", () => {
    const checked = envelopeSchema(traceRequest.output).safeParse(envelope);
    expect(checked.error?.issues).toBeUndefined();
  });

  test("tells the execution that decided in full, and how it ended", () => {
    const data = dataOf(envelope, told);
    expect(data.outcome).toBe(outcome);
    expect(data.executions.map(({ id }) => id)).toContain(idAt(45));
    expect(envelope).toMatchObject({ message: expect.stringContaining(sentence) });
  });
});
