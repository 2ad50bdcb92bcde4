/** Which fields a service's answer names, and which values were empty in a request. */
import { describe, expect, test } from "vitest";
import { explain, sentencesOf } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const start = (...items: readonly object[]): Step => ({
  name: "Start",
  type: `${BASE}webhook`,
  sent: [items],
});
const REPLACED: Readonly<Record<string, string>> = {
  "400": "Bad request - please check your parameters",
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

describe("a word of the answer that only contains a field's name does not name the field", () => {
  test.each([
    ["name in username", "name", "username is already taken", "409"],
    ["date in update", "date", "Could not update the record: transition not allowed", "400"],
  ])("%s", (_what, empty, text, status) => {
    const rows = ["username", "status", empty].map((name) => ({ name, value: `={{ $json.${name} }}` }));
    const create = post(
      { sendBody: true, bodyParameters: { parameters: rows } },
      { error: refusal(status, text) },
    );
    const { finding } = explain(
      steppedExecution([start({ username: "ann", status: "new", [empty]: "" }), create]),
    );
    expect(finding.cause).toBe("http_status");
  });
});

test("a value with a default by $if is not called empty", () => {
  const value = "={{ $if($json.reference, $json.reference, 'none') }}";
  const create = post(
    { sendBody: true, bodyParameters: { parameters: [{ name: "reference", value }] } },
    { error: refusal("400", "Bad Request") },
  );
  const said = sentencesOf(explain(steppedExecution([start({ id: 1 }), create])));
  expect(said).not.toContain("which was empty");
  expect(said).not.toContain("did not send");
});
