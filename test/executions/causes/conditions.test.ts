/** What the conditions of a decision compare. */
import { expect, test } from "vitest";
import { testsOf } from "../../../src/executions/causes/conditions.ts";

const conditionWith = (operator: object, rightValue: unknown) => ({
  name: "Approved?",
  type: "n8n-nodes-base.if",
  parameters: JSON.parse(
    JSON.stringify({ conditions: { conditions: [{ leftValue: "={{ $json.ok }}", operator, rightValue }] } }),
  ),
});

test("an operation without a second value compares with nothing, whatever n8n kept of an earlier one", () => {
  const isTrue = { type: "boolean", operation: "true", singleValue: true };
  expect(testsOf(conditionWith(isTrue, true))).toMatchObject([{ operation: "true", right: "" }]);
  const equals = { type: "boolean", operation: "equals" };
  expect(testsOf(conditionWith(equals, true))).toMatchObject([{ operation: "equals", right: "true" }]);
});
