/** The history index in the real Durable Object: shared, persistent, updated by its alarm, gone with its settings. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { GroupTallies } from "../../src/history/query/group-tallies.ts";
import { groupsOfIds } from "../../src/history/query/query-rows.ts";
import type { HistoryTrace, TraceQuery } from "../../src/history/trace/history-trace.ts";
import { createTakeTurn } from "../../src/n8n/limiter/limiter-client.ts";
import { MAX_WAITING_OF_USER } from "../../src/n8n/limiter/slot-schedule.ts";
import { slotsOf } from "../../src/n8n/slot.ts";
import { SCOPES, type Scope } from "../../src/settings/index.ts";
import { HistoryIndex } from "../../src/wiring/history-index.ts";
import { historyIndexName } from "../../src/wiring/history-index-name.ts";
import { indexOf, onlyN8nOf, queriesOf, queryIndex, TRACE_QUERY } from "./only-n8n.ts";
import { resetAfterEach } from "./reset.ts";
import { N8N_API_KEY } from "./secrets.ts";

resetAfterEach();

/** Wakes the object with these settings. */
async function wakeWith(settings: Env): Promise<void> {
  await runInDurableObject(indexOf(), async (object) => {
    Reflect.set(object, "env", settings);
    await object.wake();
  });
}

/** Running executions of the recorded n8n, which are read each time. */
const RUNNING = 2;

interface Asked {
  readonly trace: HistoryTrace;
  /** Bytes that n8n sent for it. */
  readonly bytes: number;
}

async function ask(userId: string, changes: Partial<TraceQuery> = {}, settings = env): Promise<Asked> {
  let bytes = 0;
  const countBytes = (more: number): void => {
    bytes += more;
  };
  const queries = queriesOf(userId, countBytes, settings);
  return { trace: await queries.trace({ ...TRACE_QUERY, ...changes }, async () => {}), bytes };
}

const alarmOf = async (index = indexOf()): Promise<number | null> =>
  await runInDurableObject(index, (_object, { storage }) => storage.getAlarm());

const countOf = async (): Promise<unknown> =>
  (await queryIndex("SELECT COUNT(*) AS count FROM executions"))[0]?.count;

describe("after its alarm has read everything", () => {
  test("a query measures durations with the object's own SQL", async () => {
    await indexOf().wake();
    for (let steps = 0; steps < 5; steps += 1) await runDurableObjectAlarm(indexOf());
    const ended = await queryIndex(
      `SELECT started_at AS began, stopped_at AS ended FROM executions WHERE mode NOT IN ('manual', 'evaluation')
       AND status NOT IN ('running', 'waiting', 'new', 'unknown') AND stopped_at IS NOT NULL`,
    );
    const lengths = ended.map((row) => Date.parse(String(row.ended)) - Date.parse(String(row.began)));
    const expected = lengths.sort((a, b) => a - b)[Math.ceil(lengths.length * 0.95) - 1];
    const asked = { groupBy: [], where: [], workflowIds: null, before: null, timeZone: "UTC" } as const;
    const ranking = { groupBy: [], sortBy: "p95Ms", limit: 1, labels: {} } as const;
    const window = { from: 0, to: Date.UTC(2100, 0, 1) };
    const total = await runInDurableObject(indexOf(), (_object, { storage }) => {
      const tallies = new GroupTallies(ranking);
      for (const part of groupsOfIds(storage.sql, { ...asked, window, sortBy: "p95Ms" })(0n))
        tallies.add(part);
      return tallies.ranked(false).total.now;
    });
    expect(lengths.length).toBeGreaterThan(2);
    expect(total.p95Ms).toBe(expected);
  });

  test("a search consults the filters before reading, even after an eviction", async () => {
    await indexOf().wake();
    for (let steps = 0; steps < 5; steps += 1) await runDurableObjectAlarm(indexOf());
    const [kept] = await queryIndex(
      "SELECT COUNT(*) AS blocks, SUM(LENGTH(terms)) AS bytes, MAX(LENGTH(flags)) AS longest FROM filter_blocks",
    );
    expect(Number(kept?.blocks)).toBeLessThan(5);
    expect(Number(kept?.bytes)).toBeGreaterThan(500);
    expect(Number(kept?.longest)).toBe(128);
    await evictDurableObject(indexOf());
    const search = async (value: string) => {
      const { window, limit, timeBudgetMs } = TRACE_QUERY;
      const asked = { query: { path: "requestId", value }, window, limit, timeBudgetMs };
      const args = { ...asked, maxHits: 50, searchId: undefined };
      return await queriesOf("anna").search(
        args,
        async () => {},
        async (shown) => shown,
      );
    };
    const found = await search("req-100");
    expect(found.hits.length).toBeGreaterThan(0);
    expect(found.coverage.readNow).toBeLessThan(found.coverage.scannedExecutions / 2);
    const nothing = await search("req-nowhere");
    expect(nothing).toMatchObject({ hits: [], unanswerable: null });
    expect(nothing.coverage.readNow).toBeLessThan(found.coverage.readNow);
  });
});

describe("what one caller has read", () => {
  test("is known to all, even after an eviction", async () => {
    const anna = await ask("anna");
    expect(anna.trace.coverage.complete).toBe(true);
    await evictDurableObject(indexOf());
    const bert = await ask("bert");
    expect(bert.trace.matches).toEqual(anna.trace.matches);
    expect(bert.trace.coverage).toMatchObject({ readNow: RUNNING, complete: true });
    expect(bert.bytes).toBeLessThan(anna.bytes / 2);
  });

  test("is read once for simultaneous callers", async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, (_one, index) => ask(`user ${index}`)));
    expect(asked.map(({ trace }) => trace.coverage.complete)).not.toContain(false);
    const [first] = asked;
    expect(asked.map(({ trace }) => trace.matches)).toEqual(asked.map(() => first?.trace.matches));
    // Only the caller who began the scan is charged for it.
    expect(asked.filter(({ bytes }) => bytes > 0)).toHaveLength(1);
  });

  test("is discarded and read anew with another schema version", async () => {
    await ask("anna");
    await queryIndex("UPDATE facts SET value = '1' WHERE name = 'shape'");
    await queryIndex("ALTER TABLE executions ADD COLUMN more TEXT");
    await evictDurableObject(indexOf());
    const { coverage } = (await ask("anna")).trace;
    expect(coverage).toMatchObject({ readNow: coverage.scannedExecutions, complete: true });
  });

  test("is reported as progress meanwhile", async () => {
    const messages: string[] = [];
    await queriesOf("anna").trace(TRACE_QUERY, async (_scanned, message) => void messages.push(message));
    expect(messages).toContainEqual(expect.stringMatching(/^Read \d+ executions/));
  });
});

describe("an index with full storage", () => {
  /** Makes each write fail as on a full disk; stored data stays readable. */
  const fill = async (): Promise<void> => {
    const tables = await queryIndex(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
    );
    for (const { name } of tables)
      for (const write of ["INSERT", "UPDATE", "DELETE"])
        await queryIndex(
          `CREATE TRIGGER "full ${write} ${String(name)}" BEFORE ${write} ON ${String(name)}
           BEGIN SELECT RAISE(ABORT, 'database or disk is full: SQLITE_FULL'); END`,
        );
    await evictDurableObject(indexOf());
  };

  test("still reports what it knows, marked as incomplete", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { trace: before } = await ask("anna");
    expect(before.coverage).toMatchObject({ complete: true });
    await fill();
    const { trace, bytes } = await ask("bob");
    expect(trace).toMatchObject({
      matches: before.matches,
      family: before.family,
      coverage: {
        complete: false,
        scannedExecutions: before.coverage.scannedExecutions,
        readNow: 0,
        stoppedBy: "storage",
      },
      stop: { reason: "storage", error: { code: "TOOL_EXECUTION_FAILED" } },
    });
    expect(bytes).toBe(0);
  });

  test("never reports that nothing was found", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await ask("anna");
    await fill();
    await expect(ask("bob", { requestId: "never-sent-1" })).rejects.toMatchObject({
      code: "TOOL_EXECUTION_FAILED",
      message: "The storage of this server is full.",
    });
  });
});

describe("a caller that has left", () => {
  const gone = async (): Promise<never> => {
    throw new Error("The Worker that called has ended.");
  };
  const never = (): Promise<never> => new Promise(() => {});

  // Errors that the object throws would be logged as faults of the server.
  test.each([
    ["checks for the caller", { report: never, isThere: gone }],
    ["reports progress", { report: gone, isThere: async () => {} }],
  ])("causes no uncaught error when the object %s", async (_, calling) => {
    const answer = await indexOf().traceRequest(
      { userId: "anna", grants: [{ scopes: SCOPES }] },
      TRACE_QUERY,
      calling,
    );
    expect(answer).toMatchObject({ error: { code: "INTERRUPTED" } });
    expect((await ask("anna")).trace.coverage.complete).toBe(true);
  });
});

test("a trace includes the judgements of its executions from the last minute", async () => {
  const { trace } = await ask("anna");
  const [first] = trace.family;
  const asked = vi.spyOn(HistoryIndex.prototype, "lookCloser");
  const id = first?.id ?? "";
  const look = await queriesOf("anna").lookCloser(id);
  expect(asked).toHaveBeenCalledTimes(1);
  const later = queriesOf("bert");
  await later.trace(TRACE_QUERY, async () => {});
  expect(await later.lookCloser(id)).toEqual(look);
  expect(asked).toHaveBeenCalledTimes(1);
});

test("the failure of a known request is read while n8n is asked for news", async () => {
  await ask("anna", { requestId: "req-deep-failure" });
  const asked = vi.spyOn(HistoryIndex.prototype, "lookCloser");
  const looked = Promise.withResolvers<void>();
  const fetchReally = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (/\/executions\/\d+$/.test(pathname)) looked.resolve();
    // No list arrives before that.
    if (pathname.endsWith("/executions")) await looked.promise;
    return await fetchReally(input, init);
  });
  const queries = queriesOf("bert");
  const { family } = await queries.trace({ ...TRACE_QUERY, requestId: "req-deep-failure" }, async () => {});
  const failed = family.find(({ workflowName }) => workflowName === "SWF_Fetch_Rate");
  expect((await queries.lookCloser(failed?.id ?? "")).failure).toMatchObject({ nodeName: "Fetch Rate" });
  expect(asked).not.toHaveBeenCalled();
});

describe("the state of a trace", () => {
  test("continues for its user only, even after an eviction", async () => {
    const { trace } = await ask("anna", { limit: 5 });
    expect(trace.coverage).toMatchObject({ readNow: 5 + RUNNING, complete: false });
    await evictDurableObject(indexOf());
    const going = { requestId: undefined, traceId: trace.traceId };
    await expect(ask("bert", going)).rejects.toMatchObject({ code: "TRACE_NOT_FOUND" });
    expect((await ask("anna", going)).trace).toMatchObject({ requestId: "req-100", traceId: trace.traceId });
  });
});

describe("the alarm", () => {
  test("is set by the first caller, and reads what is new by itself", async () => {
    await ask("anna", { limit: 5 });
    expect(await alarmOf()).not.toBeNull();
    expect(await countOf()).toBe(5 + RUNNING);
    expect(await runDurableObjectAlarm(indexOf())).toBe(true);
    expect(Number(await countOf())).toBeGreaterThan(5 + RUNNING);
    expect(await alarmOf()).toBeGreaterThan(Date.now() - 1_000);
    expect((await ask("bert")).trace.coverage).toMatchObject({ readNow: RUNNING, complete: true });
  });

  test("reads everything before anybody asks", async () => {
    await indexOf().wake();
    await runDurableObjectAlarm(indexOf());
    expect((await ask("anna")).trace.coverage).toMatchObject({ readNow: RUNNING, complete: true });
  });

  test("deletes the object once the settings name another", async () => {
    const other = { ...env, REQUEST_ID_PATHS: "somewhere.else" };
    const index = indexOf(other);
    await index.wake();
    await runInDurableObject(
      index,
      async (_object, { storage }) => await storage.setAlarm(Date.now() + 60_000),
    );
    await runDurableObjectAlarm(index);
    expect(await alarmOf(index)).toBeNull();
  });
});

describe("an index without background sync", () => {
  const OFF = { ...env, INDEX_INTERVAL: "off", INDEX_MAX_EXECUTIONS: "1000" } as Env;

  test("deletes expired states each hour", async () => {
    await ask("anna", { limit: 5 });
    await queryIndex("UPDATE traces SET expires_at = 1");
    await wakeWith(OFF);
    expect(await queryIndex("SELECT user_id FROM traces")).toEqual([]);
  });

  test("drops old executions each hour", async () => {
    await indexOf().report(true);
    await queryIndex(
      `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT 12000)
       INSERT INTO executions (id, workflow_id, mode, status, is_read, is_deleted)
       SELECT id, 'w', 'webhook', 'success', 1, 0 FROM ids`,
    );
    await queryIndex("INSERT INTO counts SELECT id / 1024, COUNT(*) FROM executions GROUP BY 1");
    await wakeWith(OFF);
    expect(await countOf()).toBe(1_000);
  });
});

test("other request-id paths or another key give another object", () => {
  const all = [env, { ...env, REQUEST_ID_PATHS: "x.y" }, { ...env, N8N_API_KEY: "another-key-of-n8n" }];
  const names = all.map((settings) => historyIndexName(settings, onlyN8nOf(settings)));
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).not.toContain(N8N_API_KEY);
});

test("a malformed setting is an error that names it, and nothing is read", async () => {
  const settings = { ...env, REQUEST_ID_PATHS: "a..b" };
  await expect(ask("anna", {}, settings)).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
});

test("shared reading has its own limiter queue, so a user with a full queue still gets an answer", async () => {
  await ask("bob");
  const limiter = { namespace: env.N8N_LIMITER, instance: onlyN8nOf(env).name, log: () => {} };
  const take = async (userId: string) => await slotsOf(createTakeTurn(limiter, userId))(10_000);
  await take("bob");
  await take("anna");
  await take("anna");
  for (let waiting = 0; waiting < MAX_WAITING_OF_USER; waiting += 1) void take("anna").catch(() => null);
  await expect(take("anna")).rejects.toMatchObject({ code: "RATE_LIMITED" });
  expect((await ask("anna")).trace.coverage.complete).toBe(true);
  const grants = [{ workflows: { tags: ["production"] }, scopes: SCOPES }];
  expect(await indexOf().viewOf({ userId: "anna", grants })).toHaveProperty("value");
});

test("callers share n8n's list of workflows, and each gets the view of their own grants", async () => {
  const viewOf = async (tag: string, scopes: readonly Scope[] = SCOPES) => {
    const grants = [{ workflows: { tags: [tag] }, scopes }];
    return await indexOf().viewOf({ userId: "anna", grants });
  };
  const production = ["Qv3Rd7pPcY8cxR8J", "pIfdWBL4LVeXyfEI"];
  const familyhub = ["1XeIfz7HPI4BwIKP", "4dOdfXPSHkVuH7yn", "Qv3Rd7pPcY8cxR8J"];
  expect(await viewOf("production")).toMatchObject({ value: { seen: production, data: production } });
  expect(await viewOf("familyhub")).toMatchObject({ value: { seen: familyhub, data: familyhub } });
  expect(await viewOf("production", ["n8n:read"])).toMatchObject({ value: { seen: production, data: [] } });
});
