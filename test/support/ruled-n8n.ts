/**
 * An n8n with hidden workflows: a random history of linked executions, and the same history as it would be if n8n
 * had only the visible workflows.
 */
import fc from "fast-check";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  jsonAnswer,
} from "./fake-n8n.ts";

export const WORKFLOWS = ["wfAlpha", "wfBeta", "wfGamma", "wfDelta", "wfOmega"] as const;
export type WorkflowId = (typeof WORKFLOWS)[number];
export const nameOf = (id: string): string => `Name of ${id.slice(2)}`;
const REQUESTS = ["req-a1b2c3d4-0001", "req-a1b2c3d4-0002", "req-a1b2c3d4-0003"] as const;

export interface Planned {
  readonly id: number;
  readonly workflowId: WorkflowId;
  readonly requestId: string;
  readonly status: "success" | "error";
  /** The index of the earlier execution that called it or whose failure it handles. */
  readonly parent: number | null;
  readonly isHandler: boolean;
}

const planned = fc.record({
  workflowId: fc.constantFrom(...WORKFLOWS),
  requestId: fc.constantFrom(...REQUESTS, ""),
  status: fc.constantFrom("success" as const, "success" as const, "error" as const),
  back: fc.option(fc.nat({ max: 3 })),
  isHandler: fc.boolean(),
});

/** Large ids, which do not occur in texts by chance. */
const idOf = (place: number): number => 7_301_000 + place * 7;

export const histories = fc.array(planned, { minLength: 1, maxLength: 14 }).map((all) =>
  all.map(({ back, ...one }, place): Planned => {
    const parent = back === null || place - 1 - back < 0 ? null : place - 1 - back;
    return { ...one, id: idOf(place), parent, isHandler: one.isHandler && parent !== null };
  }),
);

export const seenWorkflows = fc.subarray([...WORKFLOWS]);

/** @param isSeen by default, all are */
export function ruledN8n(
  history: readonly Planned[],
  isSeen: (workflowId: string) => boolean = () => true,
): FakeN8n {
  const seen = history.filter(({ workflowId }) => isSeen(workflowId));
  const fake = createFakeN8n(seen.map((one) => executionOf(one, history, isSeen)));
  const workflows = WORKFLOWS.filter(isSeen).map(workflowOf);
  fake.intercept = (url) => {
    const [, id] = /\/workflows(?:\/([^/]+))?$/.exec(url.pathname) ?? [null, null];
    if (id === null) return undefined;
    if (id !== undefined) {
      const found = workflows.find((one) => one.id === id);
      return found === undefined ? failure(404) : jsonAnswer(found);
    }
    return jsonAnswer(pageOf(workflows, url.searchParams));
  };
  return fake;
}

function pageOf(workflows: readonly ReturnType<typeof workflowOf>[], parameters: URLSearchParams) {
  const cursor = parameters.get("cursor");
  const { offset, limit } = placeOf(cursor, Number(parameters.get("limit") ?? 100));
  const name = parameters.get("name") ?? "";
  const active = parameters.get("active");
  const all = workflows
    .filter((one) => one.name.includes(name))
    .filter((one) => active === null || String(one.active) === active);
  const end = offset + limit;
  const nextCursor = end < all.length ? btoa(JSON.stringify({ offset: end, limit })) : null;
  return { data: all.slice(offset, end), nextCursor };
}

function placeOf(cursor: string | null, limit: number): { readonly offset: number; readonly limit: number } {
  return cursor === null ? { offset: 0, limit } : JSON.parse(atob(cursor));
}

/** The error workflow of a workflow, as its executions name it. */
const handlerOf = (id: WorkflowId): string => WORKFLOWS[(WORKFLOWS.indexOf(id) + 1) % WORKFLOWS.length] ?? "";

function workflowOf(id: string) {
  return {
    id,
    name: nameOf(id),
    active: true,
    isArchived: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    versionId: "v1",
    nodes: [
      {
        id: "1",
        name: "Start",
        type: "n8n-nodes-base.webhook",
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
    ],
    connections: {},
    settings: {},
    tags: [{ id: `tag-${id}`, name: `tag-${id}` }],
  };
}

function executionOf(
  one: Planned,
  history: readonly Planned[],
  isSeen: (workflowId: string) => boolean,
): FakeExecution {
  const parent = one.parent === null ? undefined : history[one.parent];
  const children = history.filter(
    (other) => other.parent !== null && history[other.parent] === one && !other.isHandler,
  );
  const links = children.map((child) => ({
    ...run(child.id),
    // The run is the caller's own; its link to a hidden execution is left out.
    ...(isSeen(child.workflowId)
      ? { metadata: { subExecution: { executionId: String(child.id), workflowId: child.workflowId } } }
      : {}),
  }));
  const failed = {
    ...run(0),
    executionStatus: "error",
    error: { message: `own text of ${one.workflowId}`, name: "Error" },
  };
  const handler = handlerOf(one.workflowId);
  const mode = parent === undefined ? "webhook" : one.isHandler ? "error" : "integrated";
  return fakeExecution(one.id, one.requestId, {
    workflowId: one.workflowId,
    status: one.status,
    mode,
    workflowData: {
      id: one.workflowId,
      name: nameOf(one.workflowId),
      settings: isSeen(handler) ? { errorWorkflow: handler } : {},
      nodes: [
        { name: "Webhook", type: "n8n-nodes-base.webhook" },
        { name: "Call", type: "n8n-nodes-base.executeWorkflow" },
        { name: "Fail", type: "n8n-nodes-base.code" },
      ],
    },
    data: {
      ...(parent !== undefined && isSeen(parent.workflowId)
        ? { parentExecution: { executionId: String(parent.id), workflowId: parent.workflowId } }
        : {}),
      resultData: {
        runData: {
          Webhook: [
            {
              ...run(0),
              data: {
                main: [[{ json: { body: { requestId: one.requestId, word: `word-of-${one.workflowId}` } } }]],
              },
            },
          ],
          ...(links.length > 0 ? { Call: links } : {}),
          ...(one.status === "error" ? { Fail: [failed] } : {}),
        },
        lastNodeExecuted: one.status === "error" ? "Fail" : "Webhook",
        ...(one.status === "error" ? { error: failed.error } : {}),
      },
    },
  });
}

const run = (index: number) => ({
  startTime: 1,
  executionTime: 1,
  executionIndex: index,
  executionStatus: "success",
  source: [],
  data: { main: [[{ json: {} }]] },
});
