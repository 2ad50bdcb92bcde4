/** Among the values of a condition or an assignment, only the one of the wrong type is named. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { findingOn } from "../../support/explain.ts";
import type { Step } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const wrong = (value: string, item = 0) => ({
  name: "NodeOperationError",
  message: `Wrong type: '${value}' is a string but was expecting a number [condition 0, item ${item}]`,
  context: { itemIndex: item },
});
const condition = (leftValue: string, rightValue: unknown, type = "number") => ({
  options: { typeValidation: "strict", version: 2 },
  combinator: "and",
  conditions: [{ id: "c", leftValue, rightValue, operator: { type, operation: "equals" } }],
});

describe("a condition with strict types", () => {
  test("names the right-hand value if that has the wrong type", () => {
    const parameters = { conditions: condition("={{ $json.total }}", "={{ $json.limit }}") };
    const big: Step = { name: "Big?", type: `${BASE}if`, parameters, error: wrong("50") };
    expect(findingOn(webhook({ total: 70, limit: "50" }), big)).toMatchObject({
      cause: "wrong_type",
      field: "limit",
    });
  });

  test("is found in a later rule of Switch, where n8n counts each rule's conditions from 0", () => {
    const values = [
      { conditions: condition("={{ $json.kind }}", "vip", "string"), outputKey: "vip" },
      { conditions: condition("={{ $json.count }}", 3), outputKey: "three" },
    ];
    const route: Step = {
      name: "Route",
      type: `${BASE}switch`,
      parameters: { rules: { values } },
      error: wrong("many"),
    };
    expect(findingOn(webhook({ kind: "normal", count: "many" }), route)).toMatchObject({
      cause: "wrong_type",
      field: "count",
    });
  });
});

test("a comparison of two values of the wrong type names the first", () => {
  const parameters = { conditions: condition("={{ $json.total }}", "={{ $json.limit }}") };
  const error = {
    name: "NodeOperationError",
    message: "Comparison type expects a number but both fields are a string",
    context: { itemIndex: 0 },
  };
  const big: Step = { name: "Big?", type: `${BASE}if`, parameters, error };
  expect(findingOn(webhook({ total: "70", limit: "50" }), big)).toMatchObject({
    cause: "wrong_type",
    field: "total",
  });
});

describe("an assignment of Edit Fields", () => {
  const set = (value: string, got: string): Step => ({
    name: "Edit",
    type: `${BASE}set`,
    parameters: { assignments: { assignments: [{ id: "a", name: "total", value, type: "number" }] } },
    error: {
      name: "NodeOperationError",
      message: `'total' expects a number but we got '${got}'`,
      context: { itemIndex: 0 },
    },
  });

  test("that calculates a value names no factor that is a number", () => {
    const finding = findingOn(
      webhook({ qty: 2, price: "12,50" }),
      set("={{ $json.qty * $json.price }}", "NaN"),
    );
    expect(finding.sentence).toContain('for "total" from "price", which is a text');
  });

  test("that puts a number into a text is itself to blame", () => {
    const finding = findingOn(webhook({ price: 5 }), set("={{ $json.price }} EUR", "5 EUR"));
    expect(finding).toMatchObject({ cause: "wrong_type", node: "Edit", field: "total" });
  });
});

test("a parameter of the node itself is named as n8n names it, with the field that it is made from", () => {
  const wait: Step = {
    name: "Wait",
    type: `${BASE}wait`,
    parameters: { resume: "timeInterval", amount: "={{ $json.retryAfter }}", unit: "seconds" },
    error: {
      name: "ExpressionError",
      message: "Invalid input for 'Wait Amount' [item 0]",
      description: "'amount' expects a number but we got 'soon'",
    },
  };
  expect(findingOn(webhook({ retryAfter: "soon" }), wait)).toMatchObject({
    cause: "wrong_type",
    field: "retryAfter",
  });
  const fixed = { ...wait, parameters: { amount: "soon", unit: "={{ $json.unit }}" } };
  expect(findingOn(webhook({ unit: "s" }), fixed).field).not.toBe("unit");
});

test.each(["value", "name"])("the assignment of a field that is called %s is found by its name", (field) => {
  const edit: Step = {
    name: "Edit",
    type: `${BASE}set`,
    parameters: {
      assignments: {
        assignments: [
          { name: "={{ $json.title }}", value: "={{ $json.title }}", type: "string" },
          { name: field, value: "={{ $json.total }}", type: "number" },
        ],
      },
    },
    error: { name: "NodeOperationError", message: `'${field}' expects a number but we got 'soon' [item 0]` },
  };
  expect(findingOn(webhook({ title: "Call", total: "soon" }), edit).field).toBe("total");
});
