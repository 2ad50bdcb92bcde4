/** Errors that a node sent in place of its data, and responses that only look like one. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { findingOn } from "../../support/explain.ts";
import { throwing } from "../../support/failing-steps.ts";
import type { Step } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const READS_NAME = throwing(
  "return [{ json: { name: $input.first().json.user.name } }];",
  "Cannot read properties of undefined (reading 'name')",
);

describe("the sender of an item that lacks a field is said to have failed", () => {
  const get = (type: string, item: object): Step => ({
    name: "Get",
    type: `${BASE}${type}`,
    settings: { onError: "continueRegularOutput" },
    sent: [[item]],
  });

  test.each([false, {}, 0])("not if a service answered with error: %j", (error) => {
    const sent = get("httpRequest", { error, data: [] });
    expect(findingOn(webhook({}), sent, READS_NAME).sentence).not.toContain("had failed itself");
  });

  test("if the item holds only an error", () => {
    const sent = get("slack", { error: "no" });
    expect(findingOn(webhook({}), sent, READS_NAME).sentence).toContain("had failed itself");
  });

  test.each([
    ["postgres", { error: { level: "warning", name: "NodeOperationError", description: "planted" } }],
    ["mySql", { message: "planted", error: { level: "warning", name: "NodeOperationError", messages: [] } }],
  ])("if the item holds an error as %s writes it", (type, item) => {
    expect(findingOn(webhook({}), get(type, item), READS_NAME).sentence).toContain("had failed itself");
  });
});

test("failed items are counted among those that the node was given, however many it sent", () => {
  const refused = { page: 2, error: { message: "404", name: "AxiosError", status: 404 } };
  const sentItems = Array.from({ length: 20 }, (_, id) => ({ id }));
  const get: Step = {
    name: "Get",
    type: `${BASE}httpRequest`,
    settings: { onError: "continueErrorOutput" },
    sent: [sentItems, [refused]],
  };
  const tell: Step = { name: "Tell", type: `${BASE}noOp`, after: [["Get", 1]], sent: [[refused]] };
  const { sentence } = findingOn(webhook({ page: 1 }, { page: 2 }, { page: 3 }), get, tell);
  expect(sentence).toContain("1 of 3 items");
});
