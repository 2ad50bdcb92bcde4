/** What strangers can do with posts to a webhook, in a running Worker and its Durable Object. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { InstanceHistory } from "../../src/history/instance-history.ts";
import { View } from "../../src/n8n/view.ts";
import { catchConsoleLines } from "../support/console-lines.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, fakeHistory, webhookData } from "../support/fake-n8n.ts";
import { readMessage, toolCall } from "../support/mcp-post.ts";
import { askMcp } from "./mcp-call.ts";
import { indexOf } from "./only-n8n.ts";
import { resetAfterEach } from "./reset.ts";
import { N8N_ORIGIN } from "./secrets.ts";

catchConsoleLines();

resetAfterEach();

function runningWith(...executions: Parameters<typeof createFakeN8n>[0]): FakeN8n {
  const n8n = createFakeN8n(executions);
  const elsewhere = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (!String(input).startsWith(N8N_ORIGIN)) return await elsewhere(input, init);
    const answer = await n8n.fetch(String(input), init ?? {});
    // workerd only reads bytes of a body that it has made itself.
    return new Response(await answer.text(), answer);
  });
  return n8n;
}

const envelope = z.object({
  status: z.literal("success"),
  message: z.string(),
  data: z.looseObject({
    executions: z
      .array(z.looseObject({ id: z.string(), role: z.string(), parentId: z.string().optional() }))
      .default([]),
    coverage: z.looseObject({ complete: z.boolean(), skipped: z.array(z.unknown()).default([]) }).optional(),
  }),
});
const reply = z.object({ result: z.object({ structuredContent: envelope }) });

async function ask(name: string, args: object): Promise<z.infer<typeof envelope>> {
  const message = await readMessage(await askMcp(toolCall(name, args), { settings: {} }));
  return reply.parse(message).result.structuredContent;
}

const trace = async (requestId: string) => await ask("trace_request", { requestId });

const inStorage = async <Value>(work: (sql: SqlStorage) => Value): Promise<Value> =>
  await runInDurableObject(indexOf(), (_object, { storage }) => work(storage.sql));

const idsOf = (count: number) =>
  Array.from({ length: count }, (_one, place) => ({ requestId: `i-${place}` }));
const nestedIn = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inside: unknown) => ({ inside }), { requestId: "in-the-deep" });

const POISON = {
  "1,001 ids": { list: idsOf(1_001) },
  "257 levels": { requestId: "its-own-1", deep: nestedIn(257) },
};

test.each(Object.entries(POISON))(
  "a body with %s is skipped with a reason, hides nothing else, and is gone when n8n deletes it",
  async (_what, body) => {
    const poison = fakeExecution(21, "", { data: webhookData({ body }) });
    const n8n = runningWith(...fakeHistory(20), poison, fakeExecution(22, "order-4711"));
    for (const requestId of ["r-7", "order-4711", "order-unknown-1"]) {
      const { coverage } = (await trace(requestId)).data;
      expect(coverage).toMatchObject({ complete: true, skipped: [{ executionId: "21" }] });
    }
    n8n.executions = n8n.executions.filter(({ id }) => id !== "21");
    expect((await trace("r-7")).data.coverage).toMatchObject({ complete: true, skipped: [] });
    expect(await inStorage((sql) => sql.exec("SELECT id FROM executions WHERE id = 21").toArray())).toEqual(
      [],
    );
  },
);

test("rows that an older version stored for it are replaced when this version opens them", async () => {
  const poison = fakeExecution(21, "", { data: webhookData({ body: POISON["1,001 ids"] }) });
  const n8n = runningWith(...fakeHistory(20), poison);
  await trace("r-7");
  n8n.executions = n8n.executions.filter(({ id }) => id !== "21");
  await inStorage((sql) => {
    // As in schema 9: a row for each id, and one of the execution that stays when n8n has deleted it.
    for (const table of ["executions", "correlations", "calls"]) sql.exec(`DROP TABLE ${table}`);
    sql.exec(
      "CREATE TABLE executions (id INTEGER PRIMARY KEY, problem TEXT, digests TEXT, is_deleted INTEGER)",
    );
    sql.exec("INSERT INTO executions VALUES (21, 'parts of it are too large, or its ids too many', '[]', 1)");
    sql.exec(
      "CREATE TABLE correlations (digest TEXT, execution_id INTEGER, PRIMARY KEY (digest, execution_id))",
    );
    for (let id = 0; id < 1_000; id += 1) sql.exec("INSERT INTO correlations VALUES (?, 21)", `d-${id}`);
    sql.exec("UPDATE facts SET value = '9' WHERE name = 'shape'");
  });
  await evictDurableObject(indexOf());
  expect((await trace("r-7")).data.coverage).toMatchObject({ complete: true, skipped: [] });
  const [left] = await inStorage((sql) => sql.exec("SELECT COUNT(*) AS rows FROM correlations").toArray());
  expect(left).toEqual({ rows: 20 });
});

test("a post takes at most 8 kB of the index, and each of its ids is found", async () => {
  const posts = 40;
  const list = (post: number) => idsOf(1_000).map(({ requestId }) => ({ requestId: `${requestId}-${post}` }));
  runningWith(
    ...Array.from({ length: posts }, (_one, post) =>
      fakeExecution(post + 1, "", { data: webhookData({ body: { list: list(post) } }) }),
    ),
  );
  await indexOf().wake();
  const before = await inStorage((sql) => sql.databaseSize);
  await runDurableObjectAlarm(indexOf());
  const after = await inStorage((sql) => sql.databaseSize);
  expect((after - before) / posts).toBeLessThan(8_192);
  expect((await trace("i-999-7")).data.executions).toMatchObject([{ id: "8" }]);
});

test("an index that is too large drops its oldest executions", async () => {
  const startedAt = (id: number) => new Date(Date.now() - (2_000 - id) * 1_000).toISOString();
  runningWith(...fakeHistory(1_500).map((one) => ({ ...one, startedAt: startedAt(Number(one.id)) })));
  await indexOf().wake();
  for (let steps = 0; steps < 3; steps += 1) await runDurableObjectAlarm(indexOf());
  const most = (await inStorage((sql) => sql.databaseSize)) * 0.6;
  const remaining = await inStorage((sql) => {
    const { store } = new InstanceHistory(sql, most);
    store.keepSize();
    return {
      bytes: sql.databaseSize,
      count: store.counts.all,
      newest: store.executions.newest?.id,
      oldest: store.visibleTo(View.everything).executions.withIds(["1", "1500"]),
    };
  });
  expect(remaining).toMatchObject({ newest: "1500", oldest: [{ id: "1500" }] });
  expect(remaining.bytes).toBeLessThanOrEqual(most);
  expect(remaining.count).toBeGreaterThan(500);
  // The index does not notice this test's changes to its storage.
  await evictDurableObject(indexOf());
  expect((await trace("r-3")).data.executions).toMatchObject([{ id: "3" }]);
});

test.each([
  [
    "an item of a chat",
    "@n8n/n8n-nodes-langchain.chatTrigger",
    (call: object) => ({ chatInput: "hi", ...call }),
  ],
  [
    "the body of a webhook",
    "n8n-nodes-base.webhook",
    (call: object) => ({ headers: {}, body: call, ...call }),
  ],
])("mcpToolCall, executionId and the like in %s join no tree", async (_what, type, toItem) => {
  const time = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  const victim = fakeExecution(5, "order-4711", { startedAt: time(1), stoppedAt: time(60) });
  const call = {
    mcpToolCall: { toolName: "t", arguments: { body: { requestId: "order-4711" } } },
    ...{ executionId: "5", execution: { id: "5" }, parentExecution: { executionId: "5", workflowId: "w1" } },
  };
  const stranger = fakeExecution(6, "", {
    ...{ workflowId: "w2", startedAt: time(10), stoppedAt: time(11) },
    data: webhookData(toItem(call)),
    workflowData: { name: "W", nodes: [{ name: "Webhook", type }] },
  });
  runningWith(victim, stranger, fakeExecution(4, "order-1234"));
  const { executions } = (await trace("order-4711")).data;
  expect(executions.map(({ id, role, parentId }) => [id, role, parentId])).toEqual([
    ["5", "entry", undefined],
    ["6", "entry", undefined],
  ]);
});

test("every tool says when a request id is also the number of an execution", async () => {
  runningWith(fakeExecution(6, "5"), fakeExecution(5, "order-4711"));
  expect((await trace("5")).message).toContain("Execution 5 is something else");
  const { message } = await ask("explain_failure", { requestId: "5" });
  expect(message).toMatch(/^Execution 6 .*Execution 5 is something else/);
  const search = await ask("search_executions", { path: "requestId", value: "5" });
  expect(search.message).toContain("Execution 5 is something else");
});
