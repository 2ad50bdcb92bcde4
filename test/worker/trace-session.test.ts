/** What a user's traces remember, in the real Durable Object. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Checkpoint,
  EVERYTHING,
  MAX_REMEMBERED_EXECUTIONS,
  MEMORY_LIFETIME_MS,
  type MemorableExecution,
} from "../../src/history/execution-memory.ts";
import type { TraceMemory } from "../../src/history/trace-memory.ts";
import { traceMemoryOf } from "../../src/history/trace-session.ts";
import { beginTrace, scopesOfTrace } from "../../src/history/trace-state.ts";
import { MAX_TRACES, TRACE_LIFETIME_MS } from "../../src/history/trace-states.ts";

const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };
const state = beginTrace("req-1", WINDOW, false);
const memoryOf = (userId: string, identity = "the n8n"): TraceMemory =>
  traceMemoryOf(env.TRACE_SESSION, userId, identity);
const sessionOf = (userId: string) => env.TRACE_SESSION.get(env.TRACE_SESSION.idFromName(userId));

afterEach(async () => {
  await reset();
});

const started = (id: number): string => new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString();

function memorable(id: number, facts: Partial<MemorableExecution["execution"]> = {}): MemorableExecution {
  return {
    execution: {
      id: String(id),
      workflowId: "w1",
      workflowName: "orders",
      mode: "webhook",
      status: "success",
      startedAt: started(id),
      stoppedAt: started(id),
      waitTill: null,
      parentId: null,
      retryOf: null,
      retrySuccessId: null,
      unknownParentWorkflowId: null,
      subExecutions: [],
      ...facts,
    },
    correlations: [{ digest: `digest-${id}`, nodeName: "Webhook", path: "body.requestId" }],
    problem: null,
    isRead: true,
  };
}

async function keep(memory: TraceMemory, checkpoint: Partial<Checkpoint>): Promise<void> {
  const { generation } = await memory.known([], WINDOW);
  await memory.keep({ executions: [], forgotten: [], empty: [], claims: [], generation, ...checkpoint });
}

/** Keeps executions 1 to `count`, and that these are all. */
async function keepHistory(memory: TraceMemory, count: number): Promise<void> {
  const executions = Array.from({ length: count }, (_one, index) => memorable(index + 1));
  const stretch = { high: String(count), low: "1", isBottom: true };
  await keep(memory, { executions, claims: [{ scope: EVERYTHING, stretch }] });
}

async function query(userId: string, sql: string, ...bindings: number[]): Promise<Record<string, unknown>[]> {
  return await runInDurableObject(sessionOf(userId), (_instance, { storage }) =>
    storage.sql.exec(sql, ...bindings).toArray(),
  );
}

const alarmOf = async (userId: string): Promise<number | null> =>
  await runInDurableObject(sessionOf(userId), (_instance, { storage }) => storage.getAlarm());

const idsOf = async (userId: string): Promise<unknown[]> =>
  (await query(userId, "SELECT id FROM executions ORDER BY id")).map(({ id }) => id);

describe("what was learnt of executions", () => {
  test("is there after an eviction: matches with their places, family, stretches, coverage", async () => {
    const memory = memoryOf("anna");
    await keepHistory(memory, 3);
    const child = memorable(4, { parentId: "2", mode: "integrated" });
    await keep(memory, { executions: [child] });
    await evictDurableObject(sessionOf("anna"));

    expect(await memory.matchesOf("digest-2", WINDOW)).toEqual([
      { executionId: "2", nodeName: "Webhook", path: "body.requestId" },
    ]);
    expect((await memory.family(["2"])).ids).toEqual(["2", "4"]);
    expect((await memory.request("digest-2", WINDOW)).family.executions.map(({ id }) => id)).toEqual([
      "2",
      "4",
    ]);
    expect((await memory.executions(["4"]))[0]).toEqual(child.execution);
    expect((await memory.known([EVERYTHING], WINDOW)).stretches).toMatchObject([
      { high: "3", low: "1", isBottom: true },
    ]);
    expect(await memory.coverage(WINDOW, "1")).toMatchObject({
      executions: 4,
      from: started(1),
      to: started(4),
    });
  });

  test("is asked for by window: parameters that are used more than once stand in their places", async () => {
    const memory = memoryOf("anna");
    await keepHistory(memory, 5);
    await keep(memory, {
      executions: [3, 4].map((id) => ({
        ...memorable(id),
        correlations: [{ digest: "d", nodeName: null, path: "p" }],
      })),
    });
    const within = { workflowId: "w1", startedAfter: started(2), startedBefore: started(3) };
    expect(await memory.matchesOf("d", within)).toEqual([{ executionId: "3", nodeName: null, path: "p" }]);
    expect(await memory.matchesOf("d", { ...within, workflowId: "w2" })).toEqual([]);
    expect(await memory.coverage(within, "3")).toMatchObject({ executions: 1, from: started(3) });
    expect(await memory.matchesOf("d", WINDOW)).toHaveLength(2);
  });

  test("may be more than one call of an object carries", async () => {
    const memory = memoryOf("anna");
    const path = `body.${"deep.".repeat(80)}requestId`;
    const correlations = () =>
      Array.from({ length: 1_000 }, (_one, index) => ({
        digest: `digest-${index}`,
        nodeName: "Webhook",
        path,
      }));
    const executions = Array.from({ length: 100 }, (_one, index) => ({
      ...memorable(index + 1),
      correlations: correlations(),
    }));
    await keep(memory, { executions });
    expect(await query("anna", "SELECT COUNT(*) AS count FROM correlations")).toEqual([{ count: 100_000 }]);
  });

  test("is compared with what n8n lists", async () => {
    const memory = memoryOf("anna");
    await keep(memory, { executions: [memorable(1), memorable(2, { status: "waiting" })] });
    const listed = [memorable(1), memorable(2), memorable(3)].map(({ execution }) => execution);
    expect(await memory.unknownOf(listed)).toMatchObject({ ids: ["2", "3"], isOtherHistory: false });
    expect((await memory.known([], WINDOW)).unfinished.map(({ id }) => id)).toEqual(["2"]);
    const other = { ...memorable(1).execution, startedAt: started(99) };
    expect(await memory.unknownOf([other])).toMatchObject({ ids: ["1"], isOtherHistory: true });
    expect(await idsOf("anna")).toEqual([]);
  });

  test("tells the ids of which nothing is known, newest first", async () => {
    const memory = memoryOf("anna");
    await keep(memory, { executions: [memorable(3), memorable(8)], empty: ["5", "9"] });
    await evictDurableObject(sessionOf("anna"));
    expect(await memoryOf("anna").gapsIn({ high: "10", low: "1" })).toEqual({
      ranges: [
        { high: "10", low: "10" },
        { high: "7", low: "6" },
        { high: "4", low: "4" },
        { high: "2", low: "1" },
      ],
      isCut: false,
    });
  });

  test("another user knows nothing of", async () => {
    await keepHistory(memoryOf("anna"), 3);
    const bert = memoryOf("bert");
    expect(await bert.matchesOf("digest-2", WINDOW)).toEqual([]);
    expect((await bert.known([EVERYTHING], WINDOW)).stretches).toEqual([]);
    expect(await bert.executions(["1", "2", "3"])).toEqual([]);
  });

  test("under another identity is forgotten, whatever is asked first", async () => {
    for (const [index, ask] of [
      (memory: TraceMemory) => memory.matchesOf("digest-2", WINDOW),
      (memory: TraceMemory) => memory.executions(["1"]),
      async (memory: TraceMemory) => (await memory.known([EVERYTHING], WINDOW)).stretches,
      async (memory: TraceMemory) => (await memory.request("digest-2", WINDOW)).matches,
    ].entries()) {
      const user = `user ${index}`;
      await keepHistory(memoryOf(user), 3);
      expect(await ask(memoryOf(user, "another n8n"))).toEqual([]);
      expect(await idsOf(user)).toEqual([]);
    }
  });

  test("in a shape of another version is forgotten when the object starts", async () => {
    await keepHistory(memoryOf("anna"), 3);
    await query("anna", "UPDATE facts SET value = '1' WHERE name = 'shape'");
    await query("anna", "ALTER TABLE executions ADD COLUMN more TEXT");
    await evictDurableObject(sessionOf("anna"));
    expect(await memoryOf("anna").matchesOf("digest-2", WINDOW)).toEqual([]);
    await keepHistory(memoryOf("anna"), 2);
    expect(await memoryOf("anna").matchesOf("digest-2", WINDOW)).toHaveLength(1);
  });
});

describe("the alarm", () => {
  test("forgets executions and stretches that are too old, and wakes for the others", async () => {
    await keepHistory(memoryOf("anna"), 2);
    await query("anna", "UPDATE executions SET read_at = read_at - ?", MEMORY_LIFETIME_MS);
    await query("anna", "UPDATE stretches SET read_at = read_at - ?", MEMORY_LIFETIME_MS);
    await keep(memoryOf("anna"), { executions: [memorable(9)] });
    expect(await runDurableObjectAlarm(sessionOf("anna"))).toBe(true);
    expect(await idsOf("anna")).toEqual([9]);
    expect(await query("anna", "SELECT * FROM stretches")).toEqual([]);
    expect(await query("anna", "SELECT execution_id AS id FROM correlations")).toEqual([{ id: 9 }]);
    expect(await alarmOf("anna")).toBeGreaterThan(Date.now() + MEMORY_LIFETIME_MS - 60_000);
  });

  test("makes room, soon but not while a trace goes on, and clips what was claimed", async () => {
    await keepHistory(memoryOf("anna"), 3);
    await query(
      "anna",
      `INSERT INTO executions SELECT id + 10, workflow_id, workflow_name, mode, status, started_at, stopped_at,
       wait_till, parent_id, unknown_parent_workflow_id, retry_of, retry_success_id, problem, is_read, read_at FROM
       (WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ?1 - 2)
        SELECT n AS id, * FROM counted JOIN (SELECT workflow_id, workflow_name, mode, status, started_at, stopped_at,
        wait_till, parent_id, unknown_parent_workflow_id, retry_of, retry_success_id, problem, is_read, read_at FROM executions LIMIT 1))`,
      MAX_REMEMBERED_EXECUTIONS,
    );
    // How full it is, is looked at now and then only.
    await keep(memoryOf("anna"), { executions: Array.from({ length: 1_000 }, () => memorable(4)) });
    expect(await memoryOf("anna").matchesOf("digest-1", WINDOW)).toHaveLength(1);
    expect(await alarmOf("anna")).toBeLessThan(Date.now() + 10 * 60_000);
    await runDurableObjectAlarm(sessionOf("anna"));
    expect(await memoryOf("anna").matchesOf("digest-3", WINDOW)).toEqual([]);
    expect(await query("anna", "SELECT COUNT(*) AS count FROM executions")).toEqual([
      { count: MAX_REMEMBERED_EXECUTIONS },
    ]);
    expect((await memoryOf("anna").known([EVERYTHING], WINDOW)).stretches).toEqual([]);
  });

  test("forgets traces that have expired, with their scopes, and keeps the others", async () => {
    const memory = memoryOf("anna");
    await memory.saveTrace("trace_old", state);
    await memory.saveTrace("trace_new", state);
    const stretch = { high: "2", low: "1", isBottom: true };
    const claims = ["trace_old", "trace_new"].flatMap((id) =>
      Object.values(scopesOfTrace(id)).map((scope) => ({ scope, stretch })),
    );
    await keep(memory, { claims });
    await query("anna", "UPDATE traces SET expires_at = ? WHERE id = 'trace_old'", Date.now() - 1);
    expect(await memory.loadTrace("trace_old")).toBeNull();
    expect(await runDurableObjectAlarm(sessionOf("anna"))).toBe(true);
    expect(await query("anna", "SELECT id FROM traces")).toEqual([{ id: "trace_new" }]);
    expect(await query("anna", "SELECT scope FROM stretches ORDER BY scope")).toEqual(
      Object.values(scopesOfTrace("trace_new")).map((scope) => ({ scope })),
    );
    expect(await alarmOf("anna")).toBeGreaterThan(Date.now() + TRACE_LIFETIME_MS - 60_000);
  });

  test("comes in time for a trace that is kept after executions were", async () => {
    await keepHistory(memoryOf("anna"), 2);
    expect(await alarmOf("anna")).toBeGreaterThan(Date.now() + TRACE_LIFETIME_MS + 60_000);
    await memoryOf("anna").saveTrace("trace_1", state);
    expect(await alarmOf("anna")).toBeLessThanOrEqual(Date.now() + TRACE_LIFETIME_MS);
  });

  test("is not set again once nothing is kept", async () => {
    await memoryOf("anna").saveTrace("trace_1", state);
    await query("anna", "UPDATE traces SET expires_at = 0");
    await runDurableObjectAlarm(sessionOf("anna"));
    expect(await alarmOf("anna")).toBeNull();
  });
});

describe("where a trace stands", () => {
  test("is given back as it was kept, after an eviction too", async () => {
    const kept = { ...state, searched: 7, mentions: { "3": { nodeName: null, path: "customData.id" } } };
    await memoryOf("anna").saveTrace("trace_1", kept);
    await evictDurableObject(sessionOf("anna"));
    expect(await memoryOf("anna").loadTrace("trace_1")).toEqual(kept);
  });

  test("no other user knows", async () => {
    await memoryOf("anna").saveTrace("trace_1", state);
    expect(await memoryOf("bert").loadTrace("trace_1")).toBeNull();
    expect(await memoryOf("anna").loadTrace("trace_2")).toBeNull();
  });

  test("makes room for new traces", async () => {
    const memory = memoryOf("anna");
    for (let index = 0; index <= MAX_TRACES; index += 1) {
      await memory.saveTrace(`trace_${index}`, state);
      // Traces that are kept within one millisecond have no order.
      await query("anna", "UPDATE traces SET expires_at = expires_at - 10");
    }
    expect(await memory.loadTrace("trace_0")).toBeNull();
    expect(await memory.loadTrace(`trace_${MAX_TRACES}`)).not.toBeNull();
  });

  test.each([
    ["as the first version kept it", { version: 1, requestId: "req-1", cursor: "abc", executions: [] }],
    ["with everything but the version", { ...state, version: 1 }],
    ["of a version to come", { ...state, version: 3 }],
  ])("counts as gone %s, and can be kept anew", async (_name, other) => {
    await memoryOf("anna").loadTrace("trace_1");
    await runInDurableObject(sessionOf("anna"), (_instance, { storage }) => {
      const kept = JSON.stringify(other);
      storage.sql.exec("INSERT INTO traces VALUES ('trace_1', ?, ?)", kept, Date.now() + TRACE_LIFETIME_MS);
    });
    expect(await memoryOf("anna").loadTrace("trace_1")).toBeNull();
    await memoryOf("anna").saveTrace("trace_1", state);
    expect(await memoryOf("anna").loadTrace("trace_1")).toEqual(state);
  });
});
