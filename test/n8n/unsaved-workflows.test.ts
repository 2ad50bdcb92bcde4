/** Which published workflows n8n does not save, and whether all were read. */
import { expect, test, vi } from "vitest";
import { InstanceHistory } from "../../src/history/instance-history.ts";
import {
  type KnownWorkflows,
  readPublishedWorkflows,
  unsavedWorkflows,
} from "../../src/n8n/unsaved-workflows.ts";
import { View } from "../../src/n8n/view.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import { clientOf } from "../support/fake-n8n.ts";
import { createLocalSql } from "../support/local-history.ts";

const workflow = (id: string, settings: unknown) => ({
  ...{ id, name: `Workflow ${id}`, active: true, nodes: [{ parameters: {} }], connections: {}, settings },
  tags: [{ id: "t", name: "sales" }, null],
  shared: [{ projectId: "p1", role: "workflow:owner", project: { name: "Sales" } }],
});

function n8nWith(data: readonly unknown[], nextCursor: string | null = null) {
  const asked: string[] = [];
  const fetch = async (url: URL | string): Promise<Response> => {
    asked.push(String(url));
    return Response.json({ data, nextCursor });
  };
  return { client: clientOf({ fetch }), asked };
}

const UNSAVED = [
  workflow("w1", { saveDataSuccessExecution: "none" }),
  workflow("w2", { saveDataErrorExecution: "none" }),
  workflow("w3", { saveDataErrorExecution: "none", saveDataSuccessExecution: "none" }),
  workflow("w4", { engineType: "v2" }),
  workflow("w5", { saveDataSuccessExecution: "all" }),
  workflow("w6", undefined),
];

test("each workflow is named with what n8n does not save", async () => {
  const { client, asked } = n8nWith(UNSAVED);
  const found = await unsavedWorkflows(View.everything, () => readPublishedWorkflows(client));
  expect(found?.named.map(({ workflowId, unsaved }) => [workflowId, unsaved])).toEqual([
    ["w1", "successful"],
    ["w2", "failed"],
    ["w3", "all"],
    ["w4", "engine_v2"],
  ]);
  expect(found?.sawAll).toBe(true);
  expect(asked).toHaveLength(1);
});

test("only names, tags, projects, settings and schedules are stored", async () => {
  const { workflows } = await readPublishedWorkflows(n8nWith([UNSAVED[0]]).client);
  expect(workflows).toEqual([
    {
      ...{ id: "w1", name: "Workflow w1", tags: ["sales"], projects: ["p1", "Sales"], folder: undefined },
      ...{ settings: { saveDataSuccessExecution: "none" }, sharedWith: [{ id: "p1", label: "Sales" }] },
      ...{ schedules: [], savedAt: null },
    },
  ]);
});

test.each([
  ["there is a further page", n8nWith(UNSAVED, "more")],
  ["one is of an unknown shape", n8nWith([...UNSAVED, { id: 1 }])],
])("when %s, not all workflows count as read", async (_case, { client }) => {
  const found = await unsavedWorkflows(View.everything, () => readPublishedWorkflows(client));
  expect(found?.named).toHaveLength(4);
  expect(found?.sawAll).toBe(false);
});

test("workflows are read once a minute for all callers", async () => {
  const { client, asked } = n8nWith(UNSAVED);
  const history = new InstanceHistory(createLocalSql());
  const ask = async (now: number) =>
    await history.publishedWorkflows(now, () => readPublishedWorkflows(client));
  await Promise.all([ask(0), ask(1), ask(60_000)]);
  expect(asked).toHaveLength(1);
  await ask(60_001);
  expect(asked).toHaveLength(2);
});

test("a list that takes longer than a call can wait is finished for the next call", async () => {
  vi.useFakeTimers();
  try {
    const history = new InstanceHistory(createLocalSql());
    const list = Promise.withResolvers<KnownWorkflows>();
    const read = vi.fn(async () => await list.promise);
    const ask = async (now: number) =>
      await history
        .allWorkflows(now, read)
        .catch((error: unknown) => (error instanceof ObserverError ? error.code : error));
    const first = ask(0);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await first).toBe("N8N_TIMEOUT");
    const next = ask(70_000);
    const whole = { workflows: [], areAll: true };
    list.resolve(whole);
    expect(await next).toBe(whole);
    expect(read).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

test("a failure of n8n gives an unknown result, and is not remembered", async () => {
  const history = new InstanceHistory(createLocalSql());
  const failing = clientOf({ fetch: async () => new Response("down", { status: 503 }) });
  const { client } = n8nWith(UNSAVED);
  const from = async (n8n: typeof client) =>
    await unsavedWorkflows(View.everything, () =>
      history.publishedWorkflows(0, () => readPublishedWorkflows(n8n)),
    );
  expect(await from(failing)).toBeNull();
  expect((await from(client))?.named).toHaveLength(4);
});
