/** The operator's report on the history index: contents, costs and failures, also after a restart. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { type IndexReport, indexReport } from "../../../src/history/report/index-report.ts";
import { indexOf, queriesOf, queryIndex, TRACE_QUERY } from "../only-n8n.ts";
import { resetAfterEach } from "../reset.ts";
import { askOperator, send, sendWith } from "./client.ts";

const answer = z.strictObject({ indexes: z.array(indexReport) });
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
resetAfterEach();

async function report(): Promise<IndexReport> {
  const { indexes } = answer.parse(await (await send(askOperator("index"))).json());
  const [only] = indexes;
  if (only === undefined) throw new Error("No index was reported.");
  expect(indexes).toHaveLength(1);
  return only;
}

/** @returns how many bytes n8n sent */
async function trace(limit = 2_000): Promise<number> {
  let bytes = 0;
  const countBytes = (more: number): void => {
    bytes += more;
  };
  await queriesOf("anna", countBytes).trace({ ...TRACE_QUERY, limit }, async () => {});
  return bytes;
}

test("an unused index knows nothing, and reporting on it starts nothing", async () => {
  const empty = await report();
  expect(empty).toMatchObject({
    instance: "default",
    head: null,
    floor: null,
    isWhole: false,
    known: 0,
    rows: { deleted: 0, unread: 0, partlyRead: 0 },
    syncedAt: null,
    lastFailure: null,
    nextStepAt: null,
    costs: null,
    settings: { intervalMs: MINUTE_MS, days: 30, maxExecutions: 1_000_000 },
  });
  expect((await report()).nextStepAt).toBeNull();
});

test("the report shows progress and costs, for people and for the background separately", async () => {
  const bytes = await trace(5);
  const [row] = await queryIndex(
    "SELECT COUNT(*) AS known, SUM(is_read = 1) AS read, MAX(id) AS head FROM executions",
  );
  const first = await report();
  expect(first.head).toEqual({ id: String(row?.head), startedAt: expect.stringMatching(/^20\d\d-/) });
  expect(first).toMatchObject({ isWhole: false, known: row?.known });
  expect(first.nextStepAt).not.toBeNull();
  expect(first.costs?.people).toMatchObject({ bytes, executions: row?.read });
  expect(first.costs?.background).toEqual({ requests: 0, bytes: 0, executions: 0 });

  await runDurableObjectAlarm(indexOf());
  const second = await report();
  const all = (await queryIndex("SELECT COUNT(*) AS known, MIN(id) AS low FROM executions"))[0];
  expect(second).toMatchObject({ isWhole: true, known: all?.known, lastFailure: null });
  expect(second.floor?.id).toBe(String(all?.low));
  expect(second.syncedAt).not.toBeNull();
  expect(second.sizeBytes).toBeGreaterThan(10_000);
  expect(second.costs?.people).toEqual(first.costs?.people);
  expect(second.costs?.background.executions).toBeGreaterThanOrEqual(Number(all?.known) - Number(row?.known));
  expect(second.costs?.background.requests).toBeGreaterThan(1);
  expect(second.costs?.background.bytes).toBeGreaterThan(bytes);

  await evictDurableObject(indexOf());
  expect(await report()).toEqual(second);
});

test("deleted and unreadable executions are counted", async () => {
  await trace();
  await queryIndex(
    "UPDATE executions SET is_deleted = 1 WHERE id IN (SELECT id FROM executions ORDER BY id LIMIT 3)",
  );
  await queryIndex(
    "UPDATE executions SET is_read = 0 WHERE id IN (SELECT id FROM executions ORDER BY id DESC LIMIT 2)",
  );
  expect((await report()).rows).toMatchObject({ deleted: 3, unread: 2 });
});

test("a failure of n8n is reported across a restart, and ends once n8n answers", async () => {
  await trace();
  const outage = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("n8n is away"));
  await runDurableObjectAlarm(indexOf());
  outage.mockRestore();
  await evictDurableObject(indexOf());
  const failed = await report();
  expect(failed.lastFailure).toEqual({ code: "N8N_UNREACHABLE", at: expect.any(String), isOver: false });
  expect(Date.parse(failed.nextStepAt ?? "")).toBeGreaterThan(Date.now());
  const queries = queriesOf("anna");
  expect(await queries.status()).toMatchObject({ failure: "N8N_UNREACHABLE" });
  await runDurableObjectAlarm(indexOf());
  expect((await report()).lastFailure).toEqual({ ...failed.lastFailure, isOver: true });
  expect(await queries.status()).toMatchObject({ failure: null });
});

test("malformed settings are named to the operator without their values", async () => {
  const response = await sendWith({ INDEX_DAYS: "canary" }, askOperator("index"));
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain("canary");
});
