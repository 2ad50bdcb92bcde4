/** Steps of everyday workflows, with nodes as n8n's editor makes them. */
import type { Step } from "./stepped-execution.ts";

export const HTTP = "n8n-nodes-base.httpRequest";
export const SET = "n8n-nodes-base.set";

export const webhook = (...jsons: unknown[]): Step => ({
  name: "Webhook",
  type: "n8n-nodes-base.webhook",
  parameters: { httpMethod: "POST", path: "orders", options: {} },
  sent: [jsons],
});

/** An HTTP request that posts each item. */
export const posting = (sent: unknown[], name = "Book"): Step => ({
  ...{ name, type: HTTP, parameters: { method: "POST", url: "=https://a/{{ $json.id }}" } },
  sent: [sent],
});

/** Edit Fields with one field. */
export const setting = (name: string, value: string, sent: unknown[], type = "string"): Step => ({
  name: "Edit Fields",
  type: SET,
  settings: { typeVersion: 3.4 },
  parameters: {
    assignments: { assignments: [{ id: "a1", name, value, type }] },
    includeOtherFields: true,
    options: {},
  },
  sent: [sent],
});

/** An item to which Edit Fields adds one field. */
export const made = (json: object, value: string, now: unknown, type = "string"): Step[] => [
  webhook(json),
  setting("made", value, [{ ...json, made: now }], type),
];

export const code = (jsCode: string, sent: unknown[], parameters: object = {}): Step => ({
  name: "Code",
  type: "n8n-nodes-base.code",
  settings: { typeVersion: 2 },
  parameters: { jsCode, ...parameters },
  sent: [sent],
});

/** An If with one condition. */
export const deciding = (
  leftValue: string,
  operation: string,
  rightValue: unknown,
  sent: unknown[][],
  after?: Step["after"],
): Step => ({
  name: "If",
  type: "n8n-nodes-base.if",
  settings: { typeVersion: 2.2 },
  parameters: {
    conditions: {
      options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
      combinator: "and",
      conditions: [{ id: "c", leftValue, rightValue, operator: { type: "string", operation } }],
    },
    options: {},
  },
  ...(after === undefined ? {} : { after }),
  sent,
});

export const listing = (name: string, items: unknown[], after: string): Step => ({
  ...{ name, type: HTTP, parameters: { url: "https://a" }, after: [after] },
  sent: [items],
});
