/** A property or method of a value, such as `.length`, is not a field of an item. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { explain, sentencesOf } from "../../support/explain.ts";
import { rejection, shopRequest } from "../../support/failing-steps.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const ORDER = {
  lines: [{ id: 1 }, { id: 2 }],
  email: "ann@shop.example",
  url: "shop.example/a",
  note: 'say "hi"',
};
const START = webhook(ORDER);
const NEXT: Step = { name: "Go", type: `${BASE}noOp` };
const explained = (...steps: readonly Step[]) => explain(steppedExecution([START, ...steps]));
const said = (...steps: readonly Step[]): string => sentencesOf(explained(...steps));
const condition = (leftValue: string, type: string) => ({
  conditions: { conditions: [{ leftValue, rightValue: 5, operator: { type, operation: "equals" } }] },
});

describe("a property that every list or text has", () => {
  test("is not called empty when Edit Fields sets it", () => {
    const rows = [{ id: "a", name: "count", value: "={{ $json.lines.length }}", type: "number" }];
    const set: Step = {
      name: "Count",
      type: `${BASE}set`,
      parameters: { assignments: { assignments: rows } },
      sent: [[{ count: 2 }]],
    };
    expect(explained(set).finding.cause).toBe("nothing_found");
  });

  test.each([
    ["={{ $json.lines.length }}", "number"],
    ["={{ $json.email.includes('@other') }}", "boolean"],
    ["={{ $json.email.toLowerCase() }}", "string"],
  ])("is not called missing when Filter tests it: %s", (leftValue, type) => {
    const parameters = condition(leftValue, type);
    const test: Step = { name: "Any?", type: `${BASE}filter`, parameters, sent: [[]] };
    expect(said(test, NEXT)).not.toContain("is in nothing that");
  });

  test("is not called empty when a rejected request sends it", () => {
    const parameters = {
      sendBody: true,
      bodyParameters: { parameters: [{ name: "count", value: "={{ $json.lines.length }}" }] },
    };
    const sentences = said(shopRequest(parameters, { error: rejection("400", "Bad Request") }));
    expect(sentences).not.toContain("did not send");
    expect(sentences).not.toContain("was empty");
    expect(sentences).not.toContain("came out empty");
  });

  test("is not called missing in an invalid URL", () => {
    const error = {
      name: "NodeOperationError",
      message: 'Invalid URL: shop.example/a. URL must start with "http" or "https".',
    };
    const parameters = { url: "={{ $json.url.trim() }}" };
    const sentences = said({ name: "Get", type: `${BASE}httpRequest`, parameters, error });
    expect(sentences).not.toContain("there is no");
  });

  test("is not named as what broke the JSON around it", () => {
    const error = {
      name: "NodeOperationError",
      message: 'The value in the "JSON Body" field is not valid JSON',
      context: { itemIndex: 0 },
    };
    const jsonBody = '={ "count": {{ $json.lines.length }}, "note": "{{ $json.note }}" }';
    const { finding } = explained({
      name: "Post",
      type: `${BASE}httpRequest`,
      parameters: { sendBody: true, specifyBody: "json", jsonBody },
      error,
    });
    expect(finding).toMatchObject({ cause: "not_json", field: "note" });
  });
});
