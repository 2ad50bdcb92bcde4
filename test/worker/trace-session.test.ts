/** What a trace remembers, in the real Durable Object. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_TRACES, TRACE_LIFETIME_MS, traceStoreOf } from "../../src/trace/trace-session.ts";
import { beginTrace } from "../../src/trace/trace-state.ts";

const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };
const state = beginTrace("req-1", WINDOW);
const storeOf = (userId: string) => traceStoreOf(env.TRACE_SESSION, userId);
const sessionOf = (userId: string) => env.TRACE_SESSION.get(env.TRACE_SESSION.idFromName(userId));

afterEach(async () => {
  await reset();
});

describe("a trace session", () => {
  test("gives a trace back as it was kept, after an eviction too", async () => {
    const kept = { ...state, cursor: "abc", scannedExecutions: 100 };
    await storeOf("anna").save("trace_1", kept);
    await evictDurableObject(sessionOf("anna"));
    expect(await storeOf("anna").load("trace_1")).toEqual(kept);
  });

  test("knows no other user's traces", async () => {
    await storeOf("anna").save("trace_1", state);
    expect(await storeOf("bert").load("trace_1")).toBeNull();
    expect(await storeOf("anna").load("trace_2")).toBeNull();
  });

  test("forgets a trace that has expired, by alarm, and keeps the others", async () => {
    await storeOf("anna").save("trace_old", state);
    await storeOf("anna").save("trace_new", state);
    await runInDurableObject(sessionOf("anna"), (_instance, { storage }) => {
      storage.sql.exec("UPDATE traces SET expires_at = ? WHERE id = ?", Date.now() - 1, "trace_old");
    });
    expect(await storeOf("anna").load("trace_old")).toBeNull();
    expect(await runDurableObjectAlarm(sessionOf("anna"))).toBe(true);
    const left = await runInDurableObject(sessionOf("anna"), async (_instance, { storage }) => ({
      ids: storage.sql.exec("SELECT id FROM traces").toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(left.ids).toEqual([{ id: "trace_new" }]);
    expect(left.alarm).toBeGreaterThan(Date.now() + TRACE_LIFETIME_MS - 60_000);
  });

  test("has no alarm left once nothing is kept", async () => {
    await storeOf("anna").save("trace_1", state);
    await runInDurableObject(sessionOf("anna"), (_instance, { storage }) => {
      storage.sql.exec("UPDATE traces SET expires_at = 0");
    });
    await runDurableObjectAlarm(sessionOf("anna"));
    const alarm = await runInDurableObject(sessionOf("anna"), (_instance, { storage }) => storage.getAlarm());
    expect(alarm).toBeNull();
  });

  test("makes room for new traces", async () => {
    const session = sessionOf("anna");
    for (let index = 0; index <= MAX_TRACES; index += 1) {
      await session.save(`trace_${index}`, JSON.stringify(state));
      // Traces that are kept within one millisecond have no order.
      await runInDurableObject(session, (_instance, { storage }) => {
        storage.sql.exec("UPDATE traces SET expires_at = expires_at - 10");
      });
    }
    expect(await session.load("trace_0")).toBeNull();
    expect(await session.load(`trace_${MAX_TRACES}`)).not.toBeNull();
  });

  test("takes a state of another shape for gone", async () => {
    await sessionOf("anna").save("trace_1", JSON.stringify({ ...state, version: 0 }));
    expect(await storeOf("anna").load("trace_1")).toBeNull();
  });
});
