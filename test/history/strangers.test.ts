/** Whoever can post to a webhook decides what an execution holds: not what others are told, nor how large the index is. */
import { beforeEach, describe, expect, test } from "vitest";
import { createFakeN8n, fakeExecution, fakeHistory, webhookData } from "../support/fake-n8n.ts";
import { createLocalHistory } from "../support/local-history.ts";
import { createTestTraces, type TestTraces } from "../support/test-traces.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const idsOf = (count: number, name = "i") =>
  Array.from({ length: count }, (_one, index) => ({ requestId: `${name}-${index}` }));

const nestedIn = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inside: unknown) => ({ inside }), { requestId: "in-the-deep" });

const run = (order: number, ...items: readonly unknown[]) => ({
  ...{
    startTime: order + 1,
    executionTime: 1,
    executionIndex: order,
    executionStatus: "success",
    source: [],
  },
  data: { main: [items.map((json) => ({ json }))] },
});

const runs = (runData: Readonly<Record<string, unknown>>) => ({ data: { resultData: { runData } } });

describe("an execution that cannot be looked at whole", () => {
  const POISON = {
    "with more ids than are looked at": webhookData({ body: { list: idsOf(1_001) } }),
    "with more levels than are looked at": webhookData({ body: { requestId: "own", deep: nestedIn(257) } }),
  };
  const poisoned = (data: unknown) =>
    createFakeN8n([...fakeHistory(20), fakeExecution(21, "", { data }), fakeExecution(22, "r-22")]);

  describe.each(Object.entries(POISON))("%s", (_what, data) => {
    test("is one row that says so, and others are covered", async () => {
      const n8n = poisoned(data);
      for (const requestId of ["r-7", "r-22", "never"]) {
        const { coverage } = await traces.ask(n8n, { requestId });
        expect(coverage).toMatchObject({ complete: true, scannedExecutions: 22, stoppedBy: "complete" });
        expect(coverage.skipped).toEqual([
          { executionId: "21", reason: expect.stringContaining("too many, to be looked at") },
        ]);
      }
    });

    test("is not read again, and gone once n8n has deleted it", async () => {
      const n8n = poisoned(data);
      await traces.ask(n8n, { requestId: "r-7" });
      n8n.sent.length = 0;
      await traces.ask(n8n, { requestId: "never" });
      expect(n8n.sent).toEqual([]);
      n8n.executions = n8n.executions.filter(({ id }) => id !== "21");
      const { coverage } = await traces.ask(n8n, { requestId: "r-7" });
      expect(coverage).toMatchObject({ complete: true, scannedExecutions: 21, skipped: [] });
      expect([...traces.history.sql.exec("SELECT 1 FROM executions WHERE id = 21")]).toEqual([]);
    });
  });

  test("is one row, however many there are", async () => {
    const data = POISON["with more ids than are looked at"];
    const n8n = createFakeN8n(fakeHistory(25).map((one) => ({ ...one, data })));
    await traces.ask(n8n, { requestId: "never" });
    expect((await traces.ask(n8n, { requestId: "never" })).coverage).toMatchObject({
      complete: true,
      skipped: [{ executionId: "25", reason: expect.stringContaining("24 executions before it") }],
    });
  });

  test("that an index of an older version holds is mended by the upgrade", async () => {
    const n8n = poisoned(POISON["with more ids than are looked at"]);
    await traces.ask(n8n, { requestId: "r-7" });
    const { sql } = traces.history;
    // As version 9 left it: deleted in n8n, and still in everybody's coverage.
    n8n.executions = n8n.executions.filter(({ id }) => id !== "21");
    for (const statement of [
      "UPDATE facts SET value = '9' WHERE name = 'shape'",
      "UPDATE executions SET problem = 'parts of it are too large', is_deleted = 1 WHERE id = 21",
    ])
      sql.exec(statement);
    const anew = createTestTraces(createLocalHistory(sql));
    expect((await anew.ask(n8n, { requestId: "r-7" })).coverage).toMatchObject({
      ...{ complete: true, readNow: 21, skipped: [] },
    });
  });
});

describe("of many ids", () => {
  test("each of 1,000 is found, though few have rows", async () => {
    const batch = fakeExecution(9, "", { data: webhookData({ body: { list: idsOf(1_000) } }) });
    const n8n = createFakeN8n([...fakeHistory(8), batch]);
    await traces.ask(n8n, { requestId: "r-1" });
    expect(
      [...traces.history.sql.exec("SELECT 1 FROM correlations WHERE execution_id = 9")].length,
    ).toBeLessThan(30);
    for (const index of [0, 500, 999]) {
      const found = await traces.ask(n8n, { requestId: `i-${index}` });
      expect(found).toMatchObject({ executions: [{ id: "9" }], coverage: { complete: true, skipped: [] } });
    }
    n8n.sent.length = 0;
    expect(await traces.ask(n8n, { requestId: "i-1000" })).toMatchObject({ found: false });
    expect(n8n.sent.length).toBeLessThan(2);
  });

  test("those that take n8n:data to be found are not read for whoever has it not", async () => {
    const chats = Array.from({ length: 100 }, (_one, index) => ({ chatId: `34600${100_000 + index}` }));
    const n8n = createFakeN8n([fakeExecution(9, "", { data: webhookData(...chats) })]);
    await traces.ask(n8n, { requestId: "r-1" });
    n8n.sent.length = 0;
    const requestId = "34600100099";
    expect(await traces.ask(n8n, { requestId, mayReadData: false })).toMatchObject({ found: false });
    expect(n8n.sent).toEqual([]);
    expect(await traces.ask(n8n, { requestId })).toMatchObject({ found: true });
  });

  test("the trigger's own and those of nodes that have few are chosen first", async () => {
    const runData = {
      Flood: [run(1, ...idsOf(3_000))],
      Webhook: [run(0, { requestId: "own" })],
      Again: [run(2, ...idsOf(3_000, "again"))],
      Last: [run(3, { requestId: "last" })],
    };
    const n8n = createFakeN8n([fakeExecution(9, "", runs(runData))]);
    await traces.ask(n8n, { requestId: "r-1" });
    n8n.sent.length = 0;
    for (const requestId of ["own", "last", "i-0", "again-0"])
      expect(await traces.ask(n8n, { requestId })).toMatchObject({ found: true, executions: [{ id: "9" }] });
    expect(n8n.sent).toEqual([]);
  });
});
