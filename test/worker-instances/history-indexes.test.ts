/** The history indexes of two n8n instances: one object each, started and updated independently, sharing nothing. */
import {
  createScheduledController,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import worker from "../../src/index.ts";
import { readInstances } from "../../src/settings/index.ts";
import type { HistoryIndex } from "../../src/wiring/history-index.ts";
import { historyIndexName } from "../../src/wiring/history-index-name.ts";
import { resetAfterEach } from "../worker/reset.ts";
import { call, dataOf, executionIn, watchRequests } from "./client.ts";
import { N8NS, NAMES, type Name, ONLY } from "./n8ns.ts";

beforeEach(() => {
  for (const method of ["log", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation(() => {});
});
resetAfterEach();

function indexOf(name: Name): DurableObjectStub<HistoryIndex> {
  const instance = readInstances(env).get(name);
  if (instance === undefined) throw new Error(`The settings name no ${name}.`);
  return env.HISTORY_INDEX.getByName(historyIndexName(env, instance));
}

/** Rows of an index; none before it has begun. */
async function rowsOf(name: Name, table: string, query: string): Promise<Record<string, unknown>[]> {
  return await runInDurableObject(indexOf(name), (_index, { storage: { sql } }) => {
    const isBegun = sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", table).toArray().length > 0;
    return isBegun ? sql.exec(query).toArray() : [];
  });
}

interface Stored {
  readonly id: string;
  readonly startedAt: unknown;
}

const storedIn = async (name: Name): Promise<Stored[]> =>
  (await rowsOf(name, "executions", "SELECT id, started_at AS startedAt FROM executions")).map(
    ({ id, startedAt }) => ({ id: String(id), startedAt }),
  );

async function expectItsOwnAlone(name: Name): Promise<void> {
  const stored = await storedIn(name);
  expect(stored.length).toBeGreaterThan(30);
  const itself = await Promise.all(stored.map(async ({ id }) => await executionIn(name, id)));
  expect(stored.map(({ startedAt }) => startedAt)).toEqual(itself.map(({ startedAt }) => startedAt));
}

/** A woken index runs its alarm by itself, unless it is run here; either way it has soon read everything. */
async function expectRead(name: Name): Promise<void> {
  await runDurableObjectAlarm(indexOf(name));
  await vi.waitFor(async () => await expectItsOwnAlone(name), { timeout: 10_000 });
}

const runCron = async (): Promise<void> => {
  await worker.scheduled(createScheduledController(), env);
};

const otherThan = (name: Name): Name => (name === "newer" ? "older" : "newer");

describe("each n8n", () => {
  test("has exactly one object", async () => {
    await call("trace_request", { requestId: "req-100" });
    await call("check_connection", {});
    const ids = (await listDurableObjectIds(env.HISTORY_INDEX)).map(String);
    expect(ids.toSorted()).toEqual(NAMES.map((name) => String(indexOf(name).id)).toSorted());
  });

  test.each(NAMES)("%s, traced alone, is indexed only in its own object", async (name) => {
    await call("trace_request", { requestId: "req-100", instance: name });
    await expectItsOwnAlone(name);
    expect(await storedIn(otherThan(name))).toEqual([]);
  });

  test.each(NAMES)("%s is read only by the alarm of its own object", async (name) => {
    await indexOf(name).wake();
    await expectRead(name);
    expect(await storedIn(otherThan(name))).toEqual([]);
  });

  test("is indexed by the cron trigger", async () => {
    await runCron();
    for (const name of NAMES) await expectRead(name);
  });

  test("has different digests for the same request id", async () => {
    await call("trace_request", { requestId: "req-100" });
    const digestsOf = async (name: Name) =>
      (await rowsOf(name, "correlations", "SELECT DISTINCT digest FROM correlations")).map(
        ({ digest }) => digest,
      );
    const [newer, older] = [await digestsOf("newer"), await digestsOf("older")];
    expect(newer.length).toBeGreaterThan(10);
    expect(older.length).toBeGreaterThan(10);
    expect(newer.filter((digest) => older.includes(digest))).toEqual([]);
  });

  test("has its index's progress reported by check_connection", async () => {
    await call("trace_request", { requestId: "req-100" });
    const report = z.looseObject({
      instance: z.string(),
      checks: z.array(z.looseObject({ check: z.string(), detail: z.string() })),
    });
    const { instances } = await dataOf("check_connection", {});
    for (const name of NAMES) {
      const checks = z
        .array(report)
        .parse(instances)
        .find(({ instance }) => instance === name)?.checks;
      const known = (await storedIn(name)).length;
      expect(checks?.find(({ check }) => check === "history index")?.detail).toContain(
        `It knows ${known} executions, all that n8n has.`,
      );
    }
    expect((await storedIn("newer")).length).not.toBe((await storedIn("older")).length);
  });
});

describe("while one n8n is away", () => {
  test.each(NAMES)("the cron and alarms continue with the other (away: %s)", async (name) => {
    const sent = watchRequests(name);
    await runCron();
    await expectRead(otherThan(name));
    await runDurableObjectAlarm(indexOf(name));
    await vi.waitFor(() => expect(sent.map(({ to }) => to)).toContain(N8NS[name].baseUrl));
    expect(await storedIn(name)).toEqual([]);
  });

  test("a trace finds what the other has, and names the missing one", async () => {
    watchRequests("older");
    const { message, data } = await call("trace_request", { requestId: ONLY.newer });
    expect(data).toMatchObject({
      instance: "newer",
      found: true,
      coverage: { complete: false, stoppedBy: "n8n" },
    });
    expect(message).toContain("older could not be asked (N8N_UNREACHABLE).");
  });

  test("a trace reports what the missing one's index knows", async () => {
    await call("trace_request", { requestId: ONLY.older });
    watchRequests("older");
    const { message, data } = await call("trace_request", { requestId: ONLY.older });
    expect(message).toContain("In older: ");
    expect(data).toMatchObject({
      instance: "older",
      found: true,
      coverage: { complete: false, stoppedBy: "n8n", error: { code: "N8N_UNREACHABLE" } },
      instances: [{ instance: "newer", outcome: "not_found", complete: true }, { stoppedBy: "n8n" }],
    });
  });

  test("a trace begun in one continues in both once the other is back", async () => {
    const spied = watchRequests("older");
    const { traceId } = await dataOf("trace_request", { requestId: ONLY.newer });
    expect(spied.map(({ to }) => to)).toContain(N8NS.older.baseUrl);
    vi.mocked(globalThis.fetch).mockRestore();
    expect(await dataOf("trace_request", { traceId })).toMatchObject({
      traceId,
      instance: "newer",
      coverage: { complete: true },
      instances: [{ outcome: "success" }, { instance: "older", outcome: "not_found", complete: true }],
    });
  });
});

test("a key is sent only to its own n8n, by calls and by indexes", async () => {
  const sent = watchRequests();
  await runCron();
  for (const name of NAMES) await expectRead(name);
  await call("trace_request", { requestId: "req-100", deep: true });
  await call("check_connection", {});
  const kinds = new Set(sent.map(({ to, key }) => `${to} ${key}`));
  expect([...kinds].toSorted()).toEqual(NAMES.map((name) => `${N8NS[name].baseUrl} ${N8NS[name].apiKey}`));
});

test("another name, address, path or key gives another object, whose name reveals no key", () => {
  const [newer] = readInstances(env).values();
  if (newer === undefined) throw new Error("The settings have no n8n.");
  const changes = [
    {},
    { name: "other" },
    { baseUrl: "https://x.example" },
    { apiPath: "/v9" },
    { apiKey: "other-key" },
  ];
  const names = changes.map((change) => historyIndexName(env, { ...newer, ...change }));
  expect(new Set(names).size).toBe(changes.length);
  for (const name of names) expect(name).not.toContain(newer.apiKey);
});

test("an index deletes itself once the settings no longer name its n8n", async () => {
  const index = env.HISTORY_INDEX.getByName("gone/digest-of-its-settings");
  await index.wake();
  const later = Date.now() + 60_000;
  await runInDurableObject(index, async (_one, { storage }) => await storage.setAlarm(later));
  await runDurableObjectAlarm(index);
  expect(await runInDurableObject(index, async (_one, { storage }) => await storage.getAlarm())).toBeNull();
});
