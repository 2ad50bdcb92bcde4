/** The two lists: filters, names, cursors, and n8n versions that do not filter by date. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { dataOf, errorOf } from "../support/envelopes.ts";
import { createLocalCapabilities } from "../support/local-capabilities.ts";

const workflows = z.object({
  workflows: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      active: z.boolean(),
      createdAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      tags: z.array(z.string()),
    }),
  ),
  nextCursor: z.string().nullable(),
});
const executions = z.object({
  executions: z.array(
    z.object({
      id: z.string(),
      workflowId: z.string(),
      workflowName: z.string().nullable(),
      startedAt: z.iso.datetime().nullable(),
      stoppedAt: z.iso.datetime().nullable(),
      status: z.string(),
      mode: z.string(),
      durationMs: z.number().nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

const n8n = await startRecordedN8n();
const caller = createCaller({ settings: settingsFor(n8n) });

beforeEach(() => {
  n8n.faults.clear();
  n8n.requests.length = 0;
});
afterAll(async () => {
  expect(n8n.requests.every(({ method }) => method === "GET")).toBe(true);
  await n8n.close();
});

const listWorkflows = async (args: object = {}) =>
  dataOf(await caller.call("list_workflows", args), workflows);
const listExecutions = async (args: object = {}) =>
  dataOf(await caller.call("get_workflow_executions", args), executions);

describe("list_workflows", () => {
  test("lists published workflows, with their tags and without their nodes", async () => {
    const { workflows: all, nextCursor } = await listWorkflows();
    expect(all.length).toBe(18);
    expect(nextCursor).toBeNull();
    expect(all.every(({ active }) => active)).toBe(true);
    expect(all.find(({ name }) => name === "calendar.create")?.tags.sort()).toEqual([
      "familyhub",
      "production",
    ]);
    expect(all.map(({ name }) => name)).toContain("notificación.envío «ñandú» 漢字 🚀 / ..%2F?#");
  });

  test("lists unpublished workflows", async () => {
    const { workflows: all } = await listWorkflows({ active: false });
    expect(all.map(({ name }) => name)).toEqual(["legacy.import"]);
  });

  test.each([
    [{ name: "calendar.create" }, ["calendar.create"]],
    [{ name: "nothing of this name" }, []],
    [{ tags: "production" }, ["calendar.create", "orders.process"]],
    [{ tags: "production,familyhub" }, ["calendar.create"]],
    [{ tags: ["production", "familyhub"] }, ["calendar.create"]],
    [{ tags: "unknown" }, []],
  ])("filters by %o", async (args, names) => {
    expect((await listWorkflows(args)).workflows.map(({ name }) => name).sort()).toEqual(names);
  });

  test("returns each workflow once, page by page", async () => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: z.infer<typeof workflows> = await listWorkflows({ limit: 5, cursor });
      expect(page.workflows.length).toBeLessThanOrEqual(5);
      ids.push(...page.workflows.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(ids).size).toBe(18);
    expect(ids.length).toBe(18);
  });

  test("rejects a cursor of the other list, which n8n would ignore", async () => {
    const { nextCursor } = await listExecutions({ limit: 2 });
    n8n.requests.length = 0;
    const error = errorOf(await caller.call("list_workflows", { cursor: nextCursor }), "VALIDATION_ERROR");
    expect(error.details.field).toBe("cursor");
    expect(n8n.requests).toEqual([]);
  });
});

describe("get_workflow_executions", () => {
  test("lists the newest ten, with names and durations", async () => {
    const { executions: all, nextCursor } = await listExecutions();
    expect(all.length).toBe(10);
    expect(nextCursor).not.toBeNull();
    const ids = all.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    for (const { workflowName, durationMs, startedAt, stoppedAt } of all) {
      expect(workflowName).not.toBeNull();
      expect(durationMs).toBe(Date.parse(stoppedAt ?? "") - Date.parse(startedAt ?? ""));
    }
  });

  test.each([
    [{ workflowName: "orders.process" }, ["32", "29", "26", "23", "20"]],
    [{ workflowName: "ORDERS.PROCESS" }, ["32", "29", "26", "23", "20"]],
    [{ workflowName: "orders.process", status: "error" }, ["32"]],
    [{ status: "waiting" }, ["39"]],
    [{ status: "canceled" }, ["40"]],
    [{ status: "running" }, ["42", "41"]],
    [{ status: "crashed" }, []],
    [{ workflowName: "legacy.import" }, []],
  ])("filters by %o", async (args, ids) => {
    expect((await listExecutions(args)).executions.map(({ id }) => id)).toEqual(ids);
  });

  test("gives no duration for a waiting execution", async () => {
    expect((await listExecutions({ status: "waiting" })).executions[0]?.durationMs).toBeNull();
  });

  test("returns the same by id as by name", async () => {
    const byName = await listExecutions({ workflowName: "orders.process" });
    const workflowId = byName.executions[0]?.workflowId;
    expect(await listExecutions({ workflowId })).toEqual(byName);
  });

  test("returns each execution once, in pages of any size", async () => {
    const ids: string[] = [];
    let cursor: string | null = null;
    const limits = [1, 7, 30, 100];
    do {
      const limit: number = limits.shift() ?? 100;
      const page: z.infer<typeof executions> = await listExecutions({ limit, cursor });
      expect(page.executions.length).toBeLessThanOrEqual(limit);
      ids.push(...page.executions.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    // Three calls follow the first one: the limit of each call counts, not the one inside the cursor.
    expect(limits).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(88);
  });

  test("rejects a cursor of the other list", async () => {
    const { nextCursor } = await listWorkflows({ limit: 2 });
    errorOf(await caller.call("get_workflow_executions", { cursor: nextCursor }), "VALIDATION_ERROR");
  });
});

describe("a window of time", () => {
  /** The start of execution 32. */
  const AT = "2026-11-20T14:39:29.162Z";
  const WINDOW = { startedAfter: AT, startedBefore: "2026-11-20T14:39:29.400Z", limit: 100 };
  const INSIDE = ["37", "36", "35", "34", "33", "32"];

  const idsInWindow = async (args: object): Promise<string[]> =>
    (await listExecutions(args)).executions.map(({ id }) => id);

  test("includes both ends, and is sent to n8n", async () => {
    const ids = await idsInWindow(WINDOW);
    expect(ids.at(-1)).toBe("32");
    expect(INSIDE).toEqual(expect.arrayContaining(ids));
    const sent = n8n.requests.map(({ path }) => new URL(path, n8n.baseUrl).searchParams);
    expect(sent[0]?.get("startedAfter")).toBe(AT);
    expect(sent[0]?.get("startedBefore")).toBe(WINDOW.startedBefore);
  });

  test.each(["2026-11-20T16:39:29.162+02:00", "2026-11-20T14:39:29.162", "2026-11-20T14:39:29.162000Z"])(
    "takes %s for the same time",
    async (startedAfter) => {
      expect(await idsInWindow({ ...WINDOW, startedAfter })).toEqual(await idsInWindow(WINDOW));
    },
  );

  test("takes a date for its first moment in UTC", async () => {
    expect(await idsInWindow({ startedAfter: "2026-11-20", limit: 100 })).toHaveLength(88);
    expect(await idsInWindow({ startedBefore: "2026-11-20", limit: 100 })).toEqual([]);
  });

  test("is respected even if n8n refuses to filter by it", async () => {
    const expected = await idsInWindow(WINDOW);
    n8n.faults.always({ kind: "status", status: 400 }, /started(After|Before)=/);
    expect(await idsInWindow(WINDOW)).toEqual(expected);
  });

  test("ends the paging where all that follows is older", async () => {
    n8n.faults.always({ kind: "status", status: 400 }, /startedAfter=/);
    const first = await listExecutions({ startedAfter: AT, limit: 60 });
    expect(first.nextCursor).not.toBeNull();
    const later = await listExecutions({ startedAfter: "2026-11-20T15:00:00Z", limit: 10 });
    expect(later).toEqual({ executions: [], nextCursor: null });
  });

  test("is not dropped on any other error", async () => {
    n8n.faults.always({ kind: "status", status: 400 });
    errorOf(await caller.call("get_workflow_executions", { startedAfter: AT }), "N8N_BAD_RESPONSE");
    errorOf(await caller.call("get_workflow_executions", {}), "N8N_BAD_RESPONSE");
  });
});

describe.each(["get_workflow_executions", "trace_request"])("a workflow that %s cannot find", (tool) => {
  const call = async (args: object) =>
    await caller.call(tool, { ...(tool === "trace_request" ? { requestId: "req-100" } : {}), ...args });

  test("by name is answered with the nearest names", async () => {
    const error = errorOf(await call({ workflowName: "calender.create" }), "WORKFLOW_NOT_FOUND");
    expect(error.details.field).toBe("workflowName");
    expect(error.details.candidates).toEqual(expect.arrayContaining(["calendar.create"]));
    expect(z.array(z.string()).parse(error.details.candidates)[0]).toBe("calendar.create");
  });

  test("because its name is ambiguous is answered with the ids", async () => {
    const error = errorOf(await call({ workflowName: "duplicate.name" }), "VALIDATION_ERROR");
    const ids = (await listWorkflows({ name: "duplicate.name" })).workflows.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const candidates = JSON.stringify(error.details.candidates);
    for (const id of ids) expect(candidates).toContain(id);
  });

  test("by id is an error of that field", async () => {
    const error = errorOf(await call({ workflowId: "doesNotExist" }), "WORKFLOW_NOT_FOUND");
    expect(error.details.field).toBe("workflowId");
  });

  test("because both id and name are given is an error", async () => {
    const error = errorOf(await call({ workflowId: "a", workflowName: "b" }), "VALIDATION_ERROR");
    expect(error.message).toContain("Both");
  });
});

describe.each(["1.123.81", "1.100.1"] as const)("get_workflow_executions on n8n %s", (version) => {
  let old: RecordedN8n;
  let oldCaller: Caller;
  beforeAll(async () => {
    old = await startRecordedN8n({ version });
    oldCaller = createCaller({ settings: settingsFor(old), capabilities: createLocalCapabilities() });
  });
  afterAll(async () => await old.close());

  const list = async (args: object) => {
    const envelope = await oldCaller.call("get_workflow_executions", { limit: 100, ...args });
    return { message: envelope.message, ...dataOf(envelope, executions) };
  };

  test("says that waiting or running executions may be in no list", async () => {
    for (const args of [{}, { status: "waiting" }])
      expect((await list(args)).message).toContain("Executions that wait or run may be in no list");
    expect((await list({ status: "error" })).message).not.toContain("may be in no list");
  });

  test("lists failed executions, whatever else it filters by", async () => {
    const all = await list({});
    const failed = await list({ status: "error" });
    expect(failed.executions.length).toBeGreaterThan(3);
    expect(failed.executions.every(({ status }) => status === "error")).toBe(true);
    expect(all.executions.filter(({ status }) => status === "success").length).toBeGreaterThan(30);
    expect(all.message?.includes("lists no status")).toBe(version === "1.100.1");
  });

  test("filters by an unsupported status itself, or says which ones work", async () => {
    const args = { status: "crashed" };
    if (version === "1.123.81") {
      old.faults.always(
        {
          kind: "status",
          status: 200,
          body: {
            data: ["crashed", "success"].map((status, index) => ({
              id: String(9 - index),
              workflowId: "w",
              mode: "webhook",
              status,
              startedAt: "2026-01-01T00:00:00.000Z",
              stoppedAt: "2026-01-01T00:00:01.000Z",
            })),
            nextCursor: null,
          },
        },
        /executions\?limit=/,
      );
      expect((await list(args)).executions.map(({ id }) => id)).toEqual(["9"]);
      old.faults.clear();
    } else {
      const error = errorOf(await oldCaller.call("get_workflow_executions", args), "VALIDATION_ERROR");
      expect(error.details).toMatchObject({ field: "status", expected: "one of error, success, waiting" });
    }
    const error = errorOf(
      await oldCaller.call("get_workflow_executions", { status: "new" }),
      "VALIDATION_ERROR",
    );
    expect(error.details.solution).toContain("trace_request");
  });

  test("respects a window of time", async () => {
    const [newest] = (await list({ limit: 1 })).executions;
    const startedAfter = newest?.startedAt ?? "";
    const within = await list({ startedAfter, status: "success" });
    expect(within.executions.map(({ id }) => id)).toEqual([newest?.id]);
  });
});
