/** The payload that began an execution, and when a node ran, are told as n8n recorded them. */
import { expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../../support/call-recorded.ts";
import { compared, type Sent } from "../../support/compared-executions.ts";
import { createFakeN8n, type FakeExecution } from "../../support/fake-n8n.ts";

const ask = async (execution: FakeExecution, tool: string, args: object) =>
  await createCaller({ fetch: createFakeN8n([execution]).fetch }).call(tool, args);

const answered: Sent = {
  node: "HTTP Request",
  items: [[{ body: { order: 5 }, headers: { "x-a": "b" }, statusCode: 200, statusMessage: "OK" }]],
};

test("the answer of a service is not told as the payload of a schedule", async () => {
  const tick: Sent = { node: "Schedule", items: [[{ timestamp: "2026-01-01" }]] };
  const { data } = await ask(compared(1, [tick, answered]), "get_execution_details", { executionId: "1" });
  expect(data).toMatchObject({
    data: { startData: { nodeName: "Schedule", body: { timestamp: "2026-01-01" }, headers: null } },
  });
});

test("the request that resumed an execution is not told as the one that began it", async () => {
  const resumed: Sent = {
    node: "Wait",
    items: [[{ headers: {}, params: {}, query: {}, body: { ok: true } }]],
  };
  const form: Sent = { node: "Form", items: [[{ name: "Ada" }]] };
  const { data } = await ask(compared(1, [form, resumed]), "get_execution_details", { executionId: "1" });
  expect(data).toMatchObject({ data: { startData: { nodeName: "Form", body: { name: "Ada" } } } });
});

test("a sub-workflow that was given the answer of a service was given all of it", async () => {
  const { data } = await ask(compared(1, [{ ...answered, node: "Start" }]), "get_execution_details", {
    executionId: "1",
  });
  expect(data).toMatchObject({ data: { startData: { nodeName: "Start", body: { statusCode: 200 } } } });
});

test("the start of a node of a crashed execution, which n8n writes in seconds, is of its own year", async () => {
  const crashed = z
    .looseObject({
      id: z.string(),
      data: z.object({ resultData: z.object({ runData: z.record(z.string(), z.array(z.looseObject({}))) }) }),
    })
    .parse(compared(1, [{ node: "Webhook", items: [[{}]] }], { status: "crashed" }));
  const [run] = crashed.data.resultData.runData.Webhook ?? [];
  Object.assign(run ?? {}, { startTime: 1_790_000_000 });
  const { data } = await ask(crashed, "get_execution_by_node", { id: "1", nodeName: "Webhook" });
  expect(data).toMatchObject({ startTime: "2026-09-21T14:13:20.000Z" });
});

test("the request that began a crashed execution is not lost among the items that n8n recovers", async () => {
  const data = { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] };
  // n8n recovers the runs in the order of the workflow's nodes (execution-recovery.service.ts).
  const run = { startTime: 1_790_000_000, executionIndex: 0, executionTime: 3, source: [null], data };
  const request = { headers: {}, params: {}, query: {}, body: { order: 5 } };
  const executionData = {
    nodeExecutionStack: [{ node: { name: "Webhook" }, data: { main: [[{ json: request }]] } }],
  };
  const crashed = (facts: object) =>
    compared(1, [], {
      nodes: { Read: {}, Webhook: {} },
      status: "crashed",
      data: { resultData: { runData: { Read: [run], Webhook: [run] } }, ...facts },
    });
  const startOf = async (facts: object) =>
    (await ask(crashed(facts), "get_execution_details", { executionId: "1" })).data;
  expect(await startOf({ executionData })).toMatchObject({
    data: { startData: { nodeName: "Webhook", body: { order: 5 } } },
  });
  expect(await startOf({})).toMatchObject({ data: { startData: { nodeName: null, body: null } } });
});
