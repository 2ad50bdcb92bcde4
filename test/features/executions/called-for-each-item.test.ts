/** A node that calls a workflow once for each item names each called execution at an item (ExecuteWorkflow.node.ts). */
import { expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { compared } from "../../support/compared-executions.ts";
import { createFakeN8n } from "../../support/fake-n8n.ts";

const run = (executionIndex: number, facts: object) => ({
  startTime: 1_790_000_000_000 + executionIndex,
  executionTime: 1,
  executionIndex,
  executionStatus: "success",
  source: [],
  ...facts,
});

/** Also the node after it sends the items, as n8n passes them on. */
function calling(count: number) {
  const items = Array.from({ length: count }, (_item, index) => ({
    json: { index },
    metadata: { subExecution: { executionId: String(100 + index), workflowId: "w2" } },
  }));
  const call = run(0, { metadata: { subExecutionsCount: count }, data: { main: [items] } });
  const runData = { Call: [call], Pass: [run(1, { data: { main: [items] } })] };
  const nodes = { Call: { type: "n8n-nodes-base.executeWorkflow", parameters: { mode: "each" } }, Pass: {} };
  return compared(5, [], { nodes, data: { resultData: { runData } } });
}

const summarize = async (count: number, view?: View) =>
  await createCaller({ fetch: createFakeN8n([calling(count)]).fetch, ...(view && { view }) }).call(
    "get_execution",
    { id: "5" },
  );

const link = (executionId: string) => ({ executionId, workflowId: "w2", nodeName: "Call" });

test("the summary links each of them", async () => {
  const { data } = await summarize(2);
  expect(data).toMatchObject({ links: { subExecutions: [link("100"), link("101")] } });
  expect(JSON.stringify(data)).not.toContain("subExecutionsInAll");
});

test("a call whose failure was caught is linked, at the node that made it alone", async () => {
  const metadata = { subExecution: { executionId: "100", workflowId: "w2" }, subExecutionsCount: 1 };
  const data = { main: [[], [{ json: { error: "no stock" }, metadata }]] };
  const nodes = { Call: { type: "n8n-nodes-base.executeWorkflow" }, Pass: {} };
  const runData = { Call: [run(0, { data })], Pass: [run(1, { data })] };
  const caller = compared(5, [], { nodes, data: { resultData: { runData } } });
  const { call } = createCaller({ fetch: createFakeN8n([caller]).fetch });
  expect((await call("get_execution", { id: "5" })).data).toMatchObject({
    links: { subExecutions: [link("100")] },
  });
});

test("of many, some are linked and all are counted", async () => {
  const { data } = await summarize(300);
  expect(data).toMatchObject({ links: { subExecutionsInAll: 300 } });
});

test("a caller who may not see each workflow is told their number alone", async () => {
  const { data } = await summarize(2, View.from({ seen: ["w1"], data: ["w1"] }));
  expect(data).toMatchObject({ links: { subExecutions: [], subExecutionsInAll: 2 } });
  expect(JSON.stringify(data)).not.toMatch(/"10[01]"|w2/);
});
