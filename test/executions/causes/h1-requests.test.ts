/** What a service refused, and why: its own words come before a guess. */
import { describe, expect, test } from "vitest";
import { meaningIn } from "../../../src/executions/causes/error-meanings.ts";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const start = (...items: readonly object[]): Step => ({
  name: "Start",
  type: `${BASE}webhook`,
  sent: [items],
});
const REPLACED: Readonly<Record<string, string>> = {
  "400": "Bad request - please check your parameters",
  "402": "Payment required - perhaps check your payment details",
  "404": "The resource you are requesting could not be found",
};
const refusal = (status: string, said: string, itemIndex = 0) => ({
  name: "NodeApiError",
  message: REPLACED[status],
  description: said,
  httpCode: status,
  messages: [`${status} - {"message":"${said}"}`],
  context: { itemIndex, request: { method: "POST", uri: "https://shop.example/orders" } },
});
const post = (parameters: object, more: Partial<Step>): Step => ({
  name: "Post",
  type: `${BASE}httpRequest`,
  parameters: { url: "https://shop.example/orders", ...parameters },
  ...more,
});

describe("a service that names what it refuses", () => {
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
  const refused = { error: refusal("400", "quantity must be positive") };

  test("is believed, though an optional field was filled the last time", () => {
    const before = steppedExecution(
      [start({ quantity: 2, coupon: "SUMMER", ref: "a" }), post(body, { sent: [[{ ok: true }]] })],
      { id: "6" },
    );
    const now = steppedExecution([start({ quantity: -2, ref: "b" }), post(body, refused)]);
    expect(explain(now, { successes: [viewOf(before)] }).finding.cause).toBe("http_status");
  });

  test("is believed, though another number is larger than JavaScript counts exactly", () => {
    const now = steppedExecution([
      start({ quantity: -2, coupon: "SUMMER", ref: 1.2345678901234567e19 }),
      post(body, refused),
    ]);
    expect(explain(now).finding.cause).toBe("http_status");
  });
});

test("an address that ends in an empty addition is not surely why nothing was found", () => {
  const parameters = { url: "=https://shop.example/orders/{{ $json.id }}{{ $json.query }}" };
  const get = post(parameters, { error: refusal("404", "Order 77 not found") });
  const { finding } = explain(steppedExecution([start({ id: 77, query: "" }), get]));
  expect([finding.cause, finding.confidence]).not.toEqual(["parameter_empty", "exact"]);
});

test("an error before a request was sent tells nothing of answers that nobody looked at", () => {
  const jsonBody = '={ "note": "{{ $json.note }}" }';
  const error = {
    name: "NodeOperationError",
    message: 'The value in the "JSON Body" field is not valid JSON',
    context: { itemIndex: 2 },
  };
  const execution = steppedExecution([
    start({ note: "a" }, { note: "b" }, { note: 'say "hi"' }, { note: "d" }),
    post({ sendBody: true, specifyBody: "json", jsonBody }, { error }),
  ]);
  const said = explain(execution)
    .evidence.map(({ sentence }) => sentence)
    .join("\n");
  expect(said).not.toContain("had been answered well");
  expect(said).not.toContain("whether those after it were done, only the service knows");
});

test("Google Sheets, which writes all rows at the end, had written none before an item that it refuses itself", () => {
  const error = {
    name: "NodeOperationError",
    message: "Unexpected fields in node input",
    description: "The input field 'note' doesn't match any column in the Sheet.",
    context: { itemIndex: 2 },
  };
  const append: Step = {
    name: "Append",
    type: `${BASE}googleSheets`,
    parameters: {
      operation: "append",
      columns: { mappingMode: "autoMapInputData", value: {} },
      options: { handlingExtraData: "error" },
    },
    error,
  };
  const execution = steppedExecution([start({ a: 1 }, { a: 2 }, { a: 3, note: "x" }, { a: 4 }), append]);
  expect(
    explain(execution)
      .evidence.map(({ sentence }) => sentence)
      .join("\n"),
  ).not.toContain("it had done items 1 to 2");
});

describe("the meaning of an answer", () => {
  test("402 does not say that a value came out empty", () => {
    const { finding } = explain(
      steppedExecution([start({}), post({}, { error: refusal("402", "Payment Required") })]),
    );
    expect(finding.sentence).not.toContain("came out empty");
  });

  test.each([
    ["quantity must be at least 1", "invalid_request.empty"],
    ["amount must contain at least 2 decimal places", "invalid_request.empty"],
    ["This coupon code has expired", "expired.token"],
    ["454 4.7.0 Too many login attempts, please try again later", "limit.size"],
    ["Missing Access", "invalid_request.empty"],
    ["The AWS Access Key Id you provided does not exist in our records.", "invalid_request.not_found"],
    ["Unable to parse range: Orders!A1:Z", "invalid_request.unreadable"],
    [
      "Re-engagement message: Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
      "limit.size",
    ],
    [
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      "invalid_request.form",
    ],
    ["query is too old and response timeout expired or query ID is invalid", "timeout.said"],
  ])("%s is not %s", (text, kind) => {
    expect(meaningIn([text])).not.toBe(kind);
  });

  test("a vector store is no provider of a model", () => {
    const store: Step = {
      name: "Store",
      type: "@n8n/n8n-nodes-langchain.vectorStoreQdrant",
      parameters: { mode: "load", prompt: "={{ $json.question }}" },
      error: { name: "NodeApiError", message: "Not Found", httpCode: "404", context: {} },
    };
    const { sentence } = explain(steppedExecution([start({ question: "How?" }), store])).finding;
    expect(sentence).not.toContain("model's provider");
  });
});
