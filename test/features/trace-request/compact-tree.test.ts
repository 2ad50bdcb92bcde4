/** Large requests are shown in few tokens: the pure function, and a whole answer of trace_request. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { TreeNode } from "../../../src/features/request-node.ts";
import { LEGEND, type ShownTree, showTree } from "../../../src/features/trace-request/compact-tree.ts";
import { traceRequest } from "../../../src/features/trace-request/trace-request.ts";
import { type Envelope, envelopeSchema } from "../../../src/mcp/envelope.ts";
import { createN8nUrls } from "../../../src/n8n/n8n-urls.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { createFakeN8n, type FakeExecution } from "../../support/fake-n8n.ts";
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
    isTestRun: false,
    holdsSeveralIds: false,
    callerContinued: false,
    ...facts,
  };
}

const nodes = (count: number, facts: Readonly<Record<number, Partial<TreeNode>>> = {}): TreeNode[] =>
  Array.from({ length: count }, (_node, index) => node(index + 1, facts[index + 1]));

const urls = createN8nUrls({ baseUrl: "https://n8n.test", editorUrl: "https://n8n.test" });
const show = (all: readonly TreeNode[], important: readonly string[] = []): ShownTree =>
  showTree(all, important, urls);

const idsInFull = ({ executions }: ShownTree): string[] => executions.map(({ id }) => id);
const idsInRows = ({ moreExecutions }: ShownTree): string[] =>
  Object.values(moreExecutions?.rows ?? {})
    .flat()
    .map((row) => row.split(" ")[0] ?? "");

describe("a small tree", () => {
  test("is shown in full, with offsets from its start", () => {
    const shown = show(nodes(8));
    expect(idsInFull(shown)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect([shown.startedAt, shown.moreExecutions]).toEqual([iso(10), null]);
    expect(shown.executions.map(({ startOffsetMs }) => startOffsetMs)).toEqual([
      0, 10, 20, 30, 40, 50, 60, 70,
    ]);
  });

  test("names times once, not in each execution", () => {
    const [first] = show(nodes(1)).executions;
    const { id, workflowId, workflowName, role, status, durationMs } = node(1);
    const kept = { id, workflowId, workflowName, role, status, durationMs };
    expect(first).toEqual({ ...kept, startOffsetMs: 0 });
  });

  test("says once why an execution belongs to it, and once where it opens", () => {
    const match = { kind: "exact", nodeName: "Webhook", path: "body.requestId" } as const;
    const shown = show([
      node(1, { match, evidence: "holds the request id" }),
      node(2, { match, evidence: "parentExecution" }),
      node(3, { match: { ...match, kind: "mentioned" }, evidence: "its parent is not known" }),
    ]);
    expect(shown.executionUrl).toBe("https://n8n.test/workflow/{workflowId}/executions/{executionId}");
    expect(shown.executions.map(({ match: where, evidence }) => [where, evidence])).toEqual([
      [{ nodeName: "Webhook", path: "body.requestId" }, undefined],
      [undefined, undefined],
      [{ ...match, kind: "mentioned" }, "its parent is not known"],
    ]);
  });

  test("may be empty, or not have started", () => {
    const nothing: ShownTree = {
      startedAt: null,
      executionUrl: undefined,
      executions: [],
      moreExecutions: null,
    };
    expect(show([])).toEqual(nothing);
    const waiting = show([node(1, { startedAt: null, stoppedAt: null })]);
    expect([waiting.startedAt, waiting.executions[0]?.startOffsetMs]).toEqual([null, null]);
  });

  test("starts with its earliest execution, even if that is not listed first", () => {
    const shown = show(nodes(2, { 1: { startedAt: iso(90) } }));
    expect(shown.startedAt).toBe(iso(20));
    expect(shown.executions.map(({ startOffsetMs }) => startOffsetMs)).toEqual([70, 0]);
  });
});

describe("a larger tree", () => {
  test("is shown in full where it matters most, in its own order, and otherwise in rows", () => {
    const shown = show(nodes(9), ["7", "4", "not there"]);
    expect(idsInFull(shown)).toEqual(["4", "7"]);
    expect(idsInRows(shown).sort()).toEqual(["1", "2", "3", "5", "6", "8", "9"]);
    expect(shown.moreExecutions?.notShown).toBe(0);
  });

  test("names an execution once, even if it is important for two reasons", () => {
    expect(idsInFull(show(nodes(9), ["4", "4"]))).toEqual(["4"]);
  });

  test("has the columns of its legend in each row", () => {
    const facts: Partial<TreeNode> = {
      workflowId: "w9",
      workflowName: null,
      role: "retry",
      parentId: "5",
      evidence: "retryOf",
      status: "waiting",
      durationMs: null,
    };
    const { moreExecutions } = show(nodes(9, { 9: facts }));
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

  test("also has rows without a parent", () => {
    const related: Partial<TreeNode> = {
      role: "related",
      parentId: null,
      evidence: "mentions the request id",
    };
    expect(show(nodes(9, { 9: related })).moreExecutions?.rows.none).toEqual(["9 1 80 5"]);
  });

  test("keeps what did not succeed longest, and counts what it leaves out", () => {
    const failed = { status: "error" } as const;
    const shown = show(nodes(100, { 99: failed, 100: failed }), ["1"]);
    expect(idsInRows(shown)).toHaveLength(50);
    expect(shown.moreExecutions?.notShown).toBe(49);
    expect(idsInRows(shown).slice(-3)).toEqual(["49", "99", "100"]);
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

/** One attempt: the intake calls pricing, warehouse (which calls mail) and mail, several times over. */
function planAttempt(first: number, retryOf: number | undefined, isFailed: boolean): Planned[] {
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

/** Three failed attempts, and a last one. Parents are positions in the list. */
function plan(lastFails: boolean): Planned[] {
  const attempts = [0, 1, 2].flatMap((index) => planAttempt(index * 15, index === 0 ? undefined : 0, true));
  const last: Planned[] = [
    { workflow: "intake", retryOf: 0, isFailed: lastFails },
    { workflow: "pricing", parent: 45 },
    { workflow: "warehouse", parent: 45, isFailed: lastFails },
    { workflow: "mail", parent: 47 },
    { workflow: "mail", parent: 45 },
  ];
  return [...attempts, ...last];
}

const idAt = (position: number): string => String(FIRST_ID + position);

function modeOf({ workflow, parent, retryOf }: Planned): string {
  if (retryOf !== undefined) return "retry";
  if (workflow === "errors") return "error";
  return parent === undefined ? "webhook" : "integrated";
}

function toExecution(planned: Planned, position: number): FakeExecution {
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

const answerSchema = z.looseObject({
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

interface ListedExecution {
  readonly id: unknown;
  readonly workflowName: unknown;
  readonly parentId: unknown;
  readonly evidence: unknown;
  readonly status: unknown;
}

/** Executions from rows and in full, in one form. */
function listedExecutions({ executions, moreExecutions }: z.infer<typeof answerSchema>): ListedExecution[] {
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

const toExpected = (planned: Planned, position: number): ListedExecution => {
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
    const fetch = createFakeN8n(planned.map(toExecution)).fetch;
    const caller = createCaller({ fetch, now: () => START + 3_600_000 });
    envelope = await caller.call("trace_request", { requestId: REQUEST_ID });
  });

  test("has at most 2,000 tokens", () => {
    expect(countTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(2_000);
  });

  test("shows every execution with its parent and the evidence", () => {
    expect(planned).toHaveLength(50);
    const data = dataOf(envelope, answerSchema);
    expect(listedExecutions(data)).toEqual(planned.map(toExpected));
    expect(data.moreExecutions.notShown).toBe(0);
  });

  test("leaves out and shortens nothing", () => {
    expect(envelope.meta).not.toHaveProperty("leftOut");
  });

  test("matches the tool's output schema", () => {
    const checked = envelopeSchema(traceRequest.output).safeParse(envelope);
    expect(checked.error?.issues).toBeUndefined();
  });

  test("shows the deciding execution in full, and how it ended", () => {
    const data = dataOf(envelope, answerSchema);
    expect(data.outcome).toBe(outcome);
    expect(data.executions.map(({ id }) => id)).toContain(idAt(45));
    expect(envelope).toMatchObject({ message: expect.stringContaining(sentence) });
  });
});
