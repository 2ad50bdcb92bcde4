/** Why a service rejected a request: its own words come before a guess. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { webhook } from "../../support/everyday-steps.ts";
import { explain } from "../../support/explain.ts";
import { rejection, shopRequest } from "../../support/failing-steps.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

describe("a service that names the rejected field", () => {
  const body = {
    sendBody: true,
    bodyParameters: {
      parameters: [
        { name: "quantity", value: "={{ $json.quantity }}" },
        { name: "coupon", value: "={{ $json.coupon }}" },
        { name: "ref", value: "={{ $json.ref }}" },
      ],
    },
  };
  const refused = { error: rejection("400", "quantity must be positive") };

  test("is believed, although an optional field was filled in the last success", () => {
    const before = steppedExecution(
      [webhook({ quantity: 2, coupon: "SUMMER", ref: "a" }), shopRequest(body, { sent: [[{ ok: true }]] })],
      { id: "6" },
    );
    const now = steppedExecution([webhook({ quantity: -2, ref: "b" }), shopRequest(body, refused)]);
    expect(explain(now, { successes: [viewOf(before)] }).finding.cause).toBe("http_status");
  });

  test("is believed, although another number exceeds what JavaScript holds exactly", () => {
    const now = steppedExecution([
      webhook({ quantity: -2, coupon: "SUMMER", ref: 1.2345678901234567e19 }),
      shopRequest(body, refused),
    ]);
    expect(explain(now).finding.cause).toBe("http_status");
  });
});

test("an empty optional end of a URL is not named as the exact reason of a 404", () => {
  const parameters = { url: "=https://shop.example/orders/{{ $json.id }}{{ $json.query }}" };
  const get = shopRequest(parameters, { error: rejection("404", "Order 77 not found") });
  const { finding } = explain(steppedExecution([webhook({ id: 77, query: "" }), get]));
  expect([finding.cause, finding.confidence]).not.toEqual(["parameter_empty", "exact"]);
});

test("'Payment required' is not taken for an empty value", () => {
  const { sentence } = explain(
    steppedExecution([webhook({}), shopRequest({}, { error: rejection("402", "Payment Required") })]),
  ).finding;
  expect(sentence).not.toContain("came out empty");
});

test("a vector store is not called a model's provider", () => {
  const store: Step = {
    name: "Store",
    type: "@n8n/n8n-nodes-langchain.vectorStoreQdrant",
    parameters: { mode: "load", prompt: "={{ $json.question }}" },
    error: { name: "NodeApiError", message: "Not Found", httpCode: "404", context: {} },
  };
  const { sentence } = explain(steppedExecution([webhook({ question: "How?" }), store])).finding;
  expect(sentence).not.toContain("model's provider");
});
