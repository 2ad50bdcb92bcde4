/** Anyone who can post to a webhook controls an execution's data, but not other answers or the size of the index. */
import { beforeEach, describe, expect, test } from "vitest";
import { familyOf } from "../../src/history/store/family.ts";
import { View } from "../../src/n8n/view.ts";
import {
  createFakeN8n,
  type FakeExecution,
  fakeExecution,
  fakeHistory,
  webhookData,
} from "../support/fake-n8n.ts";
import { createLocalHistory } from "../support/local-history.ts";
import { BACKGROUND, createTestTraces, type TestTraces } from "../support/test-traces.ts";

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

describe("an execution that cannot be read completely", () => {
  const CALLS = Object.fromEntries(
    Array.from({ length: 10_001 }, (_one, index) => [
      `Call ${index}`,
      [{ ...run(index), metadata: { subExecution: { executionId: `${index + 100}`, workflowId: "w" } } }],
    ]),
  );
  const POISON = {
    "with more ids than are read": { data: webhookData({ body: { list: idsOf(1_001) } }) },
    "with more levels than are read": {
      data: webhookData({ body: { requestId: "own", deep: nestedIn(257) } }),
    },
    "that is too large for n8n to display": { data: undefined, dataTooLargeToDisplay: true },
    "that called more executions than are stored": runs(CALLS),
  };
  const REASON = /or it has too many ids|too large for n8n to display|of which the index keeps/;
  const poisoned = (facts: Partial<FakeExecution>) =>
    createFakeN8n([...fakeHistory(20), fakeExecution(21, "", facts), fakeExecution(22, "r-22")]);

  describe.each(Object.entries(POISON))("%s", (_what, facts) => {
    test("is reported as skipped and hides no other execution", async () => {
      const n8n = poisoned(facts);
      for (const requestId of ["r-7", "r-22", "never"]) {
        const { coverage } = await traces.ask(n8n, { requestId });
        // n8n shows nothing of one that is too large, so it may hold any id.
        const complete = !("dataTooLargeToDisplay" in facts);
        expect(coverage).toMatchObject({ complete, scannedExecutions: 22, stoppedBy: "complete" });
        expect(coverage.skipped).toEqual([{ executionId: "21", reason: expect.stringMatching(REASON) }]);
      }
    });

    test("is not read again, and is forgotten once n8n has deleted it", async () => {
      const n8n = poisoned(facts);
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

  test("by n8n's redaction policy leaves coverage incomplete, since no stranger decides that", async () => {
    const n8n = poisoned({ data: { redactionInfo: { isRedacted: true }, resultData: { runData: {} } } });
    const { coverage } = await traces.ask(n8n, { requestId: "r-7" });
    expect(coverage).toMatchObject({ complete: false, skipped: [{ executionId: "21" }] });
  });

  test("is one entry in the answer, however many there are", async () => {
    const facts = POISON["with more ids than are read"];
    const n8n = createFakeN8n(fakeHistory(25).map((one) => ({ ...one, ...facts })));
    await traces.ask(n8n, { requestId: "never" });
    expect((await traces.ask(n8n, { requestId: "never" })).coverage).toMatchObject({
      complete: true,
      skipped: [{ executionId: "25", reason: expect.stringContaining("24 executions before it") }],
    });
  });

  test("stored by an older version is repaired by the upgrade", async () => {
    const n8n = poisoned(POISON["with more ids than are read"]);
    await traces.ask(n8n, { requestId: "r-7" });
    const { sql } = traces.history;
    // As version 9 left it: deleted in n8n and still counted as skipped.
    n8n.executions = n8n.executions.filter(({ id }) => id !== "21");
    for (const statement of [
      "UPDATE facts SET value = '9' WHERE name = 'shape'",
      "UPDATE executions SET problem = 'parts of it are too large', is_deleted = 1 WHERE id = 21",
    ])
      sql.exec(statement);
    const anew = createTestTraces(createLocalHistory(sql));
    expect((await anew.ask(n8n, { requestId: "r-7" })).coverage).toMatchObject({
      complete: true,
      readNow: 21,
      skipped: [],
    });
  });
});

describe("an execution with many ids", () => {
  test("is found by each of 1,000 ids, though few of them have rows", async () => {
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

  test("is not read for a caller without n8n:data if its ids need that scope", async () => {
    const chats = Array.from({ length: 100 }, (_one, index) => ({ chatId: `34600${100_000 + index}` }));
    const n8n = createFakeN8n([fakeExecution(9, "", { data: webhookData(...chats) })]);
    await traces.ask(n8n, { requestId: "r-1" });
    n8n.sent.length = 0;
    const requestId = "34600100099";
    expect(await traces.ask(n8n, { requestId, mayReadData: false })).toMatchObject({ found: false });
    expect(n8n.sent).toEqual([]);
    expect(await traces.ask(n8n, { requestId })).toMatchObject({ found: true });
  });

  test("stores the ids of the trigger and of nodes with few ids first", async () => {
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

describe("newer executions do not crowd out a failure", () => {
  const requestId = "order-4711";
  const postsOf = (count: number, status: FakeExecution["status"], data?: unknown): FakeExecution[] =>
    Array.from({ length: count }, (_one, index) =>
      fakeExecution(20 + index, data === undefined ? requestId : "", {
        ...{ status, workflowId: "w9", workflowData: { name: "public form", nodes: [] } },
        ...(data === undefined ? {} : { data }),
      }),
    );
  const failed = (facts: Partial<FakeExecution> = {}) =>
    fakeExecution(10, requestId, { status: "error", ...facts });

  test.each(["success", "waiting", "canceled", "error"])(
    "when 301 of them hold its id and end with %s",
    async (status) => {
      const n8n = createFakeN8n([failed(), ...postsOf(301, status)]);
      const answer = await traces.ask(n8n, { requestId });
      expect(answer).toMatchObject({ found: true, outcome: "error", coverage: { complete: false } });
      expect(answer.executions.map(({ id }) => id)).toContain("10");
      expect(answer.coverage.skipped).toContainEqual({
        executionId: null,
        reason: "there are more linked executions than could be followed",
      });
    },
  );

  test.each(["success", "error"])(
    "when 11 batches hold the id of its batch and end with %s",
    async (status) => {
      const batch = webhookData({ body: { list: [...idsOf(60, "order"), { requestId }] } });
      const posted = webhookData({ body: { list: [...idsOf(60, "x"), { requestId }] } });
      const n8n = createFakeN8n([failed({ data: batch }), ...postsOf(11, status, posted)]);
      await traces.ask(n8n, { requestId: "order-1" });
      const answer = await traces.ask(n8n, { requestId });
      expect(answer).toMatchObject({ outcome: "error", coverage: { complete: false } });
      expect(answer.executions.map(({ id }) => id)).toContain("10");
      expect(answer.coverage.skipped).toEqual([
        { executionId: null, reason: expect.stringContaining("failures were read first") },
      ]);
    },
  );
});

test("one execution that calls 300 others does not crowd out a failure", () => {
  const called = Array.from({ length: 300 }, (_one, index) => String(1_000 + index));
  const links = { isKnown: () => true, handlersOf: () => [], retriesOf: () => [], causeOf: () => null };
  const childrenOf = (id: string) => (id === "20" ? called : []);
  const { ids, isCut } = familyOf(["20", "10"], { ...links, childrenOf });
  expect([ids.includes("10"), isCut]).toEqual([true, true]);
});

describe("a stranger's payload cannot join another execution's tree", () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  const nodes = (...types: readonly (readonly [string, string])[]) => ({
    workflowData: { name: "W", nodes: types.map(([name, type]) => ({ name, type })) },
  });
  /** Still runs when the stranger's execution starts. */
  const victim = fakeExecution(5, "order-4711", { startedAt: at(1), stoppedAt: at(60), status: "error" });
  const call = { mcpToolCall: { toolName: "t", arguments: { body: { requestId: "order-4711" } } } };
  const CHAT = "@n8n/n8n-nodes-langchain.chatTrigger";
  const SERVER = "@n8n/n8n-nodes-langchain.mcpTrigger";

  test.each([
    ["a chat's item", CHAT, { chatInput: "hi", ...call }],
    ["a webhook's item", "n8n-nodes-base.webhook", call],
    ["a webhook's body", "n8n-nodes-base.webhook", { headers: {}, body: call }],
  ])("with an mcpToolCall in %s", async (_what, type, json) => {
    const stranger = {
      ...fakeExecution(6, "", { workflowId: "w2", startedAt: at(10), stoppedAt: at(11) }),
      ...runs({ Start: [run(0, json)] }),
      ...nodes(["Start", type], ["Server", SERVER]),
    };
    const { executions } = await traces.ask(createFakeN8n([stranger, victim]), { requestId: "order-4711" });
    expect(executions.map(({ id, role, parentId }) => [id, role, parentId])).toEqual([
      ["5", "entry", null],
      ["6", "entry", null],
    ]);
  });

  test("but a run of an MCP trigger is a call", async () => {
    const server = {
      ...fakeExecution(6, "", { workflowId: "w2", startedAt: at(10), stoppedAt: at(11) }),
      ...runs({ Server: [run(0, call)] }),
      ...nodes(["Server", SERVER]),
    };
    const { executions } = await traces.ask(createFakeN8n([server, victim]), { requestId: "order-4711" });
    expect(executions.map(({ id, role, parentId }) => [id, role, parentId])).toEqual([
      ["5", "entry", null],
      ["6", "sub_workflow", "5"],
    ]);
  });

  const LINKS = {
    executionId: "5",
    parentExecution: { executionId: "5", workflowId: "w1" },
    metadata: {
      subExecution: { executionId: "5", workflowId: "w1" },
      parentExecution: { executionId: "5", workflowId: "w1" },
    },
    execution: { id: "5" },
    error: { message: "failed", executionId: "5" },
    retryOf: "5",
  };

  test.each(["webhook", "chat", "error", "integrated", "trigger"])(
    "by links in a payload, in mode %s",
    async (mode) => {
      const stranger = {
        ...fakeExecution(6, "", { workflowId: "w2", mode }),
        ...runs({
          // A numeric key comes first in JSON.
          7: [run(1, { ...LINKS })],
          Start: [run(0, { requestId: "mine-123", body: LINKS, handler: mode === "error" })],
          Then: [run(2, { ...LINKS, headers: {}, body: LINKS })],
        }),
        ...nodes(["Start", "n8n-nodes-base.webhook"], ["7", "n8n-nodes-base.set"]),
      };
      const n8n = createFakeN8n([stranger, victim]);
      const { executions } = await traces.ask(n8n, { requestId: "mine-123" });
      expect(executions.map(({ id }) => id)).toEqual(["6"]);
      expect((await traces.ask(n8n, { requestId: "order-4711" })).executions.map(({ id }) => id)).toEqual([
        "5",
      ]);
    },
  );

  test("but an Error Trigger's own item names the failed execution", async () => {
    const handler = {
      ...fakeExecution(6, "", { workflowId: "w2", mode: "error" }),
      ...runs({
        7: [run(1, { execution: { id: "1" } })],
        "Error Trigger": [run(0, { execution: { id: "5" } })],
      }),
    };
    const { executions } = await traces.ask(createFakeN8n([handler, victim]), { requestId: "order-4711" });
    expect(executions.map(({ id, role }) => [id, role])).toEqual([
      ["5", "entry"],
      ["6", "error_handler"],
    ]);
  });

  test("an id that is also an execution's number is reported as both", async () => {
    const n8n = createFakeN8n([fakeExecution(6, "5"), victim]);
    const asRequest = await traces.ask(n8n, { requestId: "5" });
    expect(asRequest).toMatchObject({ foundAs: "requestId", executions: [{ id: "6" }] });
    expect(asRequest.sentence).toContain("Execution 5 is something else");
    const asExecution = await traces.ask(n8n, { requestId: "execution:5" });
    expect(asExecution).toMatchObject({ foundAs: "executionId", executions: [{ id: "5" }] });
  });
});

describe("the size of the index", () => {
  const words = (count: number, name: string) =>
    Array.from({ length: count }, (_one, index) => ({ [`${name}-${index}`]: `value-${name}-${index}` }));
  const LONG = "k".repeat(190);
  const FILLING = {
    "1,000 ids": { list: idsOf(1_000) },
    "3,000 ids": { list: idsOf(3_000) },
    "450 ids and their words": { list: idsOf(450) },
    "640 ids and their words": { list: idsOf(640) },
    "ids at long paths": { [LONG]: { [LONG]: { list: idsOf(1_000) } } },
    "as many words as fill a filter, and ids": { words: words(700, "w"), list: idsOf(400) },
    "more words than any filter has": { words: words(3_000, "w"), list: idsOf(400) },
  };

  test.each(Object.entries(FILLING))("grows by at most 8 kB for a post of %s", async (_what, body) => {
    const bytes = () => traces.history.sql.databaseSize;
    const before = bytes();
    const posts = 30;
    const n8n = createFakeN8n(
      Array.from({ length: posts }, (_one, index) =>
        fakeExecution(index + 1, "", {
          data: webhookData({ body: { ...body, own: words(50, `p${index}`) } }),
        }),
      ),
    );
    await traces.step(n8n);
    expect(traces.history.instance.store.counts.all).toBe(posts);
    expect((bytes() - before) / posts).toBeLessThan(8_192);
  });

  test("is bounded: the oldest are dropped, and older ones are not read", async () => {
    const most = 400_000;
    traces = createTestTraces(createLocalHistory(undefined, most));
    const { instance, sql } = traces.history;
    const n8n = createFakeN8n(fakeHistory(2_000));
    for (let steps = 0; steps < 10; steps += 1) await traces.step(n8n, { days: 3_650 });
    expect(sql.databaseSize).toBeLessThanOrEqual(most);
    const [{ lowest } = {}] = [...sql.exec("SELECT MIN(id) AS lowest FROM executions")];
    expect(Number(lowest)).toBeGreaterThan(100);
    expect(
      await instance.status(
        traces.sourcesOf(n8n).capabilities,
        View.everything,
        BACKGROUND,
        traces.clock.now(),
      ),
    ).toMatchObject({
      isFull: true,
    });
    n8n.sent.length = 0;
    await traces.step(n8n, { days: 3_650 });
    expect(n8n.sent).toEqual([]);
    // The bound also holds without background steps.
    n8n.executions = [
      ...Array.from({ length: 1_500 }, (_one, index) => fakeExecution(4_000 - index, "x")),
      ...n8n.executions,
    ];
    await traces.ask(n8n, { requestId: "r-1999", limit: 50_000 });
    await traces.ask(n8n, { requestId: "r-2000", limit: 10 });
    expect(sql.databaseSize).toBeLessThanOrEqual(most + 100_000);
    expect(instance.store.visibleTo(View.everything).executions.withIds(["4000"])).toHaveLength(1);
    expect((await traces.ask(n8n, { requestId: "r-7", limit: 50_000 })).executions).toMatchObject([
      { id: "7" },
    ]);
  });
});
