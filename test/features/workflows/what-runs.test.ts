/** A summary tells a disabled trigger from one that starts a workflow, and the draft from what runs. */
import { expect, test } from "vitest";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";

const node = (name: string, type: string, facts = {}) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${type}`,
  position: [0, 0],
  parameters: {},
  ...facts,
});
const webhook = node("Webhook", "webhook");
const workflow = {
  id: "w1",
  name: "orders",
  active: true,
  versionId: "v2",
  activeVersionId: "v2",
  nodes: [webhook, node("Every hour", "scheduleTrigger", { disabled: true })],
  connections: {},
  settings: {},
  createdAt: "2026-11-20T00:00:00.000Z",
  updatedAt: "2026-11-20T00:00:00.000Z",
};

async function summarize(facts: object) {
  const fake = createFakeN8n([]);
  const one = { ...workflow, ...facts };
  fake.intercept = ({ pathname }) =>
    pathname.endsWith("/w1") ? jsonAnswer(one) : jsonAnswer({ data: [one], nextCursor: null });
  return await createCaller({ fetch: fake.fetch }).call("get_workflow", { workflowId: "w1" });
}

test("a disabled trigger starts nothing", async () => {
  const { message, data } = await summarize({});
  expect(message).toContain('2 nodes, started by "Webhook". It is');
  expect(data).toMatchObject({ triggers: [{ name: "Webhook" }] });
  expect(JSON.stringify(data)).toContain("Every hour (disabled)");
});

test("of a workflow with unpublished changes, it says that another version runs", async () => {
  const activeVersion = { versionId: "v1", nodes: [webhook], connections: {} };
  const { message } = await summarize({ activeVersionId: "v1", activeVersion });
  expect(message).toContain(
    "These are the nodes of the draft. Another version is published and runs, and the calls below",
  );
});
