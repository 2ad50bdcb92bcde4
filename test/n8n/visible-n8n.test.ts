/** Lists as a view shows them equal those of an n8n that has nothing else. */
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { View } from "../../src/n8n/view.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { CLIENT_PATIENCE_MS } from "../../src/platform/time-limits.ts";
import { createFakeN8n, fakeExecution, jsonAnswer } from "../support/fake-n8n.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { passing, sleep } from "../support/passing-time.ts";

afterEach(() => void vi.useRealTimers());

const workflows = Array.from({ length: 40 }, (_one, index) => `w${index}`);
const executions = Array.from({ length: 700 }, (_one, index) =>
  fakeExecution(index + 1, "", {
    workflowId: `w${(index * 7) % 40}`,
    status: index % 5 === 0 ? "error" : "success",
  }),
);

async function allPages(visible: VisibleN8n, query: { limit: number; status?: "error" }) {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await visible.listExecutions({ ...query, cursor });
    pages.push(page.executions.map(({ id }) => id));
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
  }
}

/** An execution of an unknown shape, as a newer n8n might have. */
const odd = (id: number, workflowId: string) =>
  fakeExecution(id, "", { workflowId, mode: { kind: "webhook" } });

test("a list with unknown shapes continues to its end, and counts the caller's own", async () => {
  const all = Array.from({ length: 60 }, (_one, index) => {
    const workflowId = `w${index % 3}`;
    return index % 4 === 0 || index > 50
      ? odd(index + 1, workflowId)
      : fakeExecution(index + 1, "", { workflowId });
  });
  const seen = ["w0", "w1"];
  const visible = new VisibleN8n(createFakeN8n(all).client, async () => View.from({ seen, data: [] }));
  for (const limit of [1, 2, 5, 40]) {
    const listed: string[] = [];
    const unrecognized: (string | null)[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await visible.listExecutions({ limit, cursor });
      expect(page.executions.length).toBeLessThanOrEqual(limit);
      listed.push(...page.executions.map(({ id }) => id));
      unrecognized.push(...page.unrecognizedIds);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    const own = all.filter(({ workflowId }) => workflowId !== "w2").toReversed();
    expect(listed).toEqual(own.filter(({ mode }) => mode === "webhook").map(({ id }) => id));
    expect(unrecognized.toSorted()).toEqual(
      own
        .filter(({ mode }) => mode !== "webhook")
        .map(({ id }) => id)
        .toSorted(),
    );
  }
});

/** Few workflows are listed one by one, for many the list of all is filtered. */
test.each([1, 5, 20, 21, 39])(
  "executions of %i of 40 workflows are listed as if there were no others",
  inBothLanes,
  async (count) => {
    const seen = workflows.slice(0, count);
    const few = executions.filter(({ workflowId }) => seen.includes(String(workflowId)));
    const under = new VisibleN8n(createFakeN8n(executions).client, async () => View.from({ seen, data: [] }));
    const alone = VisibleN8n.whole(createFakeN8n(few).client);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 249 }), fc.boolean(), async (limit, isFailed) => {
        const query = isFailed ? ({ limit, status: "error" } as const) : { limit };
        expect(await allPages(under, query)).toEqual(await allPages(alone, query));
      }),
      { numRuns: runs(8) },
    );
  },
);

test("a workflow must be named if too many hidden executions would be skipped", async () => {
  const n8n = createFakeN8n(
    Array.from({ length: 10_500 }, (_one, index) => fakeExecution(index + 1, "", { workflowId: "other" })),
  );
  const visible = new VisibleN8n(n8n.client, async () => View.from({ seen: workflows, data: [] }));
  await expect(visible.listExecutions({ limit: 1 })).rejects.toThrow("Too few of n8n's newest executions");
  expect(await visible.listExecutions({ limit: 1, workflowId: "w1" })).toMatchObject({ executions: [] });
});

const workflow = (id: string) => ({
  ...{ id, name: `Workflow ${id}`, active: true, tags: [] },
  ...{ createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" },
});

test("workflows are listed with a cursor of the view's own", async () => {
  const n8n = createFakeN8n([]);
  n8n.intercept = () => jsonAnswer({ data: workflows.map(workflow), nextCursor: null });
  const seen = ["w3", "w7", "w9"];
  const visible = new VisibleN8n(n8n.client, async () => View.from({ seen, data: [] }));
  const first = await visible.listWorkflows({ limit: 2 });
  expect(first.workflows.map(({ id }) => id)).toEqual(["w3", "w7"]);
  const rest = await visible.listWorkflows({ limit: 2, cursor: first.nextCursor ?? "" });
  expect(rest).toMatchObject({ workflows: [{ id: "w9" }], nextCursor: null });
  expect(atob(first.nextCursor ?? "")).toBe('{"offset":2,"limit":2}');
});

test("unreadable workflows are reported to callers who may see them", async () => {
  const n8n = createFakeN8n([]);
  const large = { nodes: [{ text: "x".repeat(9 * 1024 * 1024) }] };
  const data = [workflow("w1"), { ...workflow("w2"), ...large }, { ...workflow("w3"), ...large }];
  n8n.intercept = () => jsonAnswer({ data, nextCursor: null });
  const visible = new VisibleN8n(n8n.client, async () => View.from({ seen: ["w1", "w2"], data: [] }));
  for (const list of ["listWorkflows", "listWorkflowFacts"] as const)
    expect(await visible[list]({ limit: 10 })).toMatchObject({ workflows: [{ id: "w1" }], unread: ["w2"] });
});

describe("a list of which the caller may see little", () => {
  const seen = Array.from({ length: 30 }, (_one, index) => `mine-${index}`);
  const slowly = (): void =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: Date.UTC(2026, 0, 2) });
  /** An n8n with this many pages of workflows, and the pages that were requested. */
  function workflowsOf(pages: number, answerMs: number, onPage: (page: number) => string[]) {
    const n8n = createFakeN8n([]);
    const asked: number[] = [];
    n8n.intercept = async ({ searchParams }) => {
      if (answerMs > 0) await sleep(answerMs);
      const page = Number(searchParams.get("cursor") ?? 0);
      asked.push(page);
      const nextCursor = page < pages - 1 ? String(page + 1) : null;
      return jsonAnswer({ data: onPage(page).map(workflow), nextCursor });
    };
    return { asked, visible: new VisibleN8n(n8n.client, async () => View.from({ seen, data: [] })) };
  }

  test("ends after some pages, though n8n's cursor never does", async () => {
    const { asked, visible } = workflowsOf(Number.POSITIVE_INFINITY, 0, () => []);
    await expect(visible.listWorkflows({ limit: 10 })).rejects.toMatchObject({ code: "N8N_TIMEOUT" });
    expect(asked.length).toBeLessThanOrEqual(40);
  });

  test("of workflows returns what was found in time, and then fails as too long", async () => {
    slowly();
    const { visible } = workflowsOf(40, 2_000, (page) => (page === 3 ? ["mine-7"] : ["other"]));
    const first = await passing(visible.listWorkflows({ limit: 10 }));
    expect(first.tookMs).toBeLessThan(CLIENT_PATIENCE_MS);
    expect(first.result.workflows.map(({ id }) => id)).toEqual(["mine-7"]);
    const next = visible.listWorkflows({ limit: 10, cursor: first.result.nextCursor ?? "none" });
    const refused = next.then(
      () => null,
      (error: unknown) => error,
    );
    const { result, tookMs } = await passing(refused);
    expect(tookMs).toBeLessThan(CLIENT_PATIENCE_MS);
    expect(result).toMatchObject({ code: "N8N_TIMEOUT" });
  });

  test("of executions returns what was found in time, and continues below", async () => {
    slowly();
    const all = Array.from({ length: 9_000 }, (_one, index) =>
      fakeExecution(index + 1, "", { workflowId: index % 2_000 === 0 ? "mine-1" : "other" }),
    );
    const n8n = createFakeN8n(all);
    n8n.latencyMs = 2_000;
    const visible = new VisibleN8n(n8n.client, async () => View.from({ seen, data: [] }));
    const listed: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { result, tookMs } = await passing(visible.listExecutions({ limit: 10, cursor }));
      expect(tookMs).toBeLessThan(CLIENT_PATIENCE_MS);
      listed.push(...result.executions.map(({ id }) => id));
      if (result.nextCursor === null) break;
      cursor = result.nextCursor;
    }
    expect(listed).toEqual(["8001", "6001", "4001", "2001", "1"]);
  });
});
