/**
 * What n8n 2.41 to 3.0 answers is read without failing: unknown statuses, links to runs of engine v2, children that are
 * waited for; and data in a form that is not known is never read in half.
 */
import { describe, expect, test } from "vitest";
import { linksOf } from "../../src/executions/links.ts";
import { summarizeExecution } from "../../src/executions/summary.ts";
import { type ExecutionReader, ExecutionWalk, type WalkedExecution } from "../../src/n8n/execution-walk.ts";
import { OUTLINE } from "../../src/n8n/read-plans.ts";
import { executionWithData, UNKNOWN_FORM } from "../../src/n8n/schemas.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, webhookData } from "../support/fake-n8n.ts";
import { ENGINE_V2_ID, PARENT_AGENT_RUN, parentThatWaits } from "../support/newer-n8n.ts";

interface Walked {
  readonly read: readonly WalkedExecution[];
  readonly unreadable: readonly (readonly [string | null, string])[];
}

function walk(...executions: readonly unknown[]): Walked {
  const read: WalkedExecution[] = [];
  const unreadable: (readonly [string | null, string])[] = [];
  const reader: ExecutionReader = {
    wantsKey: () => true,
    value: () => {},
    roomForContainer: () => 0,
    container: () => {},
    onSkipped: () => {},
    execution: (walked) => read.push(walked),
    unreadable: (id, reason) => unreadable.push([id, reason]),
  };
  const walked = new ExecutionWalk("list", reader);
  walked.write(new TextEncoder().encode(JSON.stringify({ data: executions, nextCursor: null })));
  walked.end();
  return { read, unreadable };
}

const readOf = async (execution: FakeExecution) =>
  await createFakeN8n([execution]).client.readExecution(execution.id, OUTLINE);

describe("a status that is not known (n8n-workflow `execution-status` has eight; a later n8n may have more)", () => {
  const paused = fakeExecution(5, "r-5", { status: "paused-by-policy" });

  test("is unknown in a list, and costs no other execution", async () => {
    const n8n = createFakeN8n([paused, fakeExecution(6, "r-6")]);
    const { executions, unrecognizedIds } = await n8n.client.listExecutions({ limit: 10 });
    expect(executions.map(({ id, status }) => [id, status])).toEqual([
      ["6", "success"],
      ["5", "unknown"],
    ]);
    expect(unrecognizedIds).toEqual([]);
  });

  test("is unknown where its data is read", async () => {
    expect(walk(paused).read[0]?.item.status).toBe("unknown");
    expect((await readOf(paused)).status).toBe("unknown");
  });
});

describe("ids of engine v2 (n8n 2.41.1, `services/engine-v2-dispatcher.service`: UUIDs of version 7)", () => {
  const named = { executionId: ENGINE_V2_ID, workflowId: "w2" };
  const linked = fakeExecution(5, "r-5", {
    retryOf: ENGINE_V2_ID,
    retrySuccessId: ENGINE_V2_ID,
    data: { version: 1, ...(webhookData({}) as object), parentExecution: named },
  });

  test("in links cost no execution, and are not taken for ids that can be asked for", async () => {
    const { read, unreadable } = walk(linked);
    expect(unreadable).toEqual([]);
    expect(read[0]).toMatchObject({ parentId: null, item: { id: "5", retryOf: null, retrySuccessId: null } });
    const { executions } = await createFakeN8n([linked]).client.listExecutions({ limit: 10 });
    expect(executions).toMatchObject([{ id: "5", retryOf: null }]);
  });

  test("are shown as the parent of an execution", async () => {
    expect(linksOf(await readOf(linked)).parent).toEqual(named);
  });

  test("of listed executions leave out only these, and say so", async () => {
    const n8n = createFakeN8n([fakeExecution(4, "r-4"), { ...linked, id: ENGINE_V2_ID }]);
    const { executions, unrecognizedIds } = await n8n.client.listExecutions({ limit: 10 });
    expect(executions.map(({ id }) => id)).toEqual(["4"]);
    expect(unrecognizedIds).toEqual([null]);
    expect(walk({ ...linked, id: ENGINE_V2_ID }).unreadable).toEqual([[null, "its shape is unknown"]]);
  });

  test("`__UNKNOWN__`, a text or a nil UUID are no parents", async () => {
    for (const executionId of ["__UNKNOWN__", "planted", "00000000-0000-0000-0000-000000000000"]) {
      const execution = fakeExecution(5, "r", {
        data: { ...(webhookData({}) as object), parentExecution: { executionId, workflowId: "w" } },
      });
      expect(linksOf(await readOf(execution)).parent).toBeNull();
    }
  });
});

describe("`waitingChildExecutionIds` (n8n 2.41.1, n8n-core `base-execute-context`)", () => {
  test("is the link from a parent to the child that it waits for, streamed and read whole", async () => {
    const parent = parentThatWaits(8, "9", "r-8");
    expect(walk(parent).read[0]?.subExecutions).toEqual([{ executionId: "9", nodeName: "Call" }]);
    expect(linksOf(await readOf(parent)).subExecutions).toEqual([
      { executionId: "9", workflowId: null, nodeName: "Call" },
    ]);
  });

  test.each([[ENGINE_V2_ID], ["8"], ["planted"]])("%s in it is no child", (id) => {
    expect(walk(parentThatWaits(8, id, "r-8")).read[0]?.subExecutions).toEqual([]);
  });
});

describe("`parentAgentRun` (n8n 2.40.5, n8n-workflow `run-execution-data.v1` and `interfaces`)", () => {
  const withRun = (run: unknown) =>
    fakeExecution(5, "r", {
      mode: "agent",
      data: { ...(webhookData({}) as object), parentAgentRun: run },
    });

  test("names agent and run, and never the thread, which may be a person's number", async () => {
    const { links } = summarizeExecution(await readOf(withRun(PARENT_AGENT_RUN)));
    expect(links.agentRun).toEqual({ agentId: "agent1", runId: "run1" });
    expect(JSON.stringify(links)).not.toContain("planted");
  });

  test.each([[{ ...PARENT_AGENT_RUN, agentId: "planted text" }], [null], ["x"]])(
    "of another form (%o) counts as absent",
    async (run) => {
      expect(summarizeExecution(await readOf(withRun(run))).links.agentRun).toBeUndefined();
    },
  );

  test.each(["agent", "chat", "evaluation", "a mode of a later n8n"])("mode %s is read as it is", (mode) => {
    expect(walk(fakeExecution(5, "r", { mode })).read[0]?.item.mode).toBe(mode);
  });
});

describe("data in a form that is not known (n8n-workflow `run-execution-data`: version 0 or none, and 1)", () => {
  const withData = (data: unknown) => fakeExecution(5, "r-5", { data });
  const usual = webhookData({ requestId: "r-5" }) as object;

  test.each([
    ["version 2", { version: 2, ...usual }],
    ["version 2, after the data", { ...usual, version: 2 }],
    ["a version that is no number", { ...usual, version: "next" }],
    ["a text, as n8n stores it", '[{"resultData":"1"},{"runData":"2"},{}]'],
    ["a very long text", "x".repeat(3 * 1024 * 1024)],
    ["a number", 7],
  ])("%s is not read in half, and costs no other execution", async (_name, data) => {
    const { read, unreadable } = walk(withData(data), fakeExecution(4, "r-4"));
    expect(unreadable).toEqual([["5", UNKNOWN_FORM]]);
    expect(read.map(({ item }) => item.id)).toEqual(["4"]);
    await expect(readOf(withData(data))).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
  });

  test("the error says that this server may not know this version of n8n", async () => {
    const error = await readOf(withData({ version: 2 })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringContaining(UNKNOWN_FORM),
      details: { solution: expect.stringContaining("this version of n8n") },
    });
  });

  test.each([
    ["version 1", { version: 1, ...usual }],
    ["version 0", { version: 0, ...usual }],
    ["no version", usual],
    ["no data", null],
    ["members that are not known", { version: 1, ...usual, engine: { steps: [1] } }],
  ])("%s is read", async (_name, data) => {
    expect(walk(withData(data)).read).toHaveLength(1);
    expect((await readOf(withData(data))).id).toBe("5");
  });

  test("a number of that name in the payload changes nothing", () => {
    const data = webhookData({ version: 2, data: "text", body: { version: 9 } });
    expect(walk(withData(data)).unreadable).toEqual([]);
  });

  test("members, storage forms and node versions that are not known are read past", () => {
    const later = { storedAt: "r2", dataFormat: 7, tracingContext: { a: [1] }, crashCause: "stall" };
    const nodes = [{ name: "Webhook", type: "n8n-nodes-base.webhook", typeVersion: "9.x", engine: { v: 2 } }];
    const execution = fakeExecution(5, "r", {
      ...later,
      workflowData: { name: "orders", nodes, engineType: "v3" },
    });
    expect(walk(execution).unreadable).toEqual([]);
    expect(executionWithData.parse(execution).workflowData?.name).toBe("orders");
  });
});
