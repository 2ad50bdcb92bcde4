/** Errors that a node sent in place of its data, and answers that only look like one. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const start = (...items: readonly object[]): Step => ({
  name: "Start",
  type: `${BASE}webhook`,
  sent: [items],
});
const told = (...steps: readonly Step[]) => explain(steppedExecution(steps)).finding;
const READS_NAME: Step = {
  name: "Use",
  type: `${BASE}code`,
  parameters: { jsCode: "return [{ json: { name: $input.first().json.user.name } }];" },
  error: {
    name: "WrappedExecutionError",
    message: "Cannot read properties of undefined (reading 'name') [line 1]",
    description: "TypeError",
    lineNumber: 1,
  },
};

describe("a node that lacks a field of its item had failed itself", () => {
  const get = (type: string, item: object): Step => ({
    name: "Get",
    type: `${BASE}${type}`,
    settings: { onError: "continueRegularOutput" },
    sent: [[item]],
  });

  test.each([false, {}, 0])("not if a service answered error: %j", (error) => {
    const sent = get("httpRequest", { error, data: [] });
    expect(told(start({}), sent, READS_NAME).sentence).not.toContain("had failed itself");
  });

  test("if its item holds nothing but an error", () => {
    const sent = get("slack", { error: "no" });
    expect(told(start({}), sent, READS_NAME).sentence).toContain("had failed itself");
  });

  test.each([
    ["postgres", { error: { level: "warning", name: "NodeOperationError", description: "planted" } }],
    ["mySql", { message: "planted", error: { level: "warning", name: "NodeOperationError", messages: [] } }],
  ])("if its item holds the members of an error, as %s writes them", (type, item) => {
    expect(told(start({}), get(type, item), READS_NAME).sentence).toContain("had failed itself");
  });
});

test("a node failed on one of the items that it was given, however many it made", () => {
  const refused = { page: 2, error: { message: "404", name: "AxiosError", status: 404 } };
  const made = Array.from({ length: 20 }, (_, id) => ({ id }));
  const get: Step = {
    name: "Get",
    type: `${BASE}httpRequest`,
    settings: { onError: "continueErrorOutput" },
    sent: [made, [refused]],
  };
  const tell: Step = { name: "Tell", type: `${BASE}noOp`, after: [["Get", 1]], sent: [[refused]] };
  const { sentence } = told(start({ page: 1 }, { page: 2 }, { page: 3 }), get, tell);
  expect(sentence).toContain("1 of 3 items");
});
