/** Of several texts, only the one that is not valid JSON is named. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { findingOn } from "../../support/explain.ts";
import { throwing } from "../../support/failing-steps.ts";
import type { Step } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";

describe("in the JSON mode of Edit Fields, n8n serializes inserted values", () => {
  const edit: Step = {
    name: "Edit",
    type: `${BASE}set`,
    parameters: {
      mode: "raw",
      jsonOutput: '={\n  "customer": {{ $json.customer }},\n  "note": "{{ $json.note }}"\n}',
    },
    error: {
      name: "NodeOperationError",
      message: "The 'JSON Output' in item 0 contains invalid JSON",
      context: { itemIndex: 0 },
    },
  };

  test.each([
    ["an object", { id: 1 }],
    ["a list", [1, 2]],
    ["null", null],
  ])("so %s does not break it", (_what, customer) => {
    expect(findingOn(webhook({ customer, note: 'say "hi"' }), edit)).toMatchObject({
      cause: "not_json",
      field: "note",
    });
  });
});

test("an HTML response is not taken for a text that the node was given", () => {
  const upload: Step = {
    name: "Upload",
    type: `${BASE}microsoftOneDrive`,
    parameters: {
      operation: "upload",
      binaryData: true,
      fileName: "={{ $json.title }}",
      parentId: "={{ $json.folder }}",
    },
    error: { message: "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", stack: "SyntaxError: x" },
  };
  const finding = findingOn(webhook({ title: "Offer 7", folder: "01ABC" }), upload);
  expect(finding.node).toBe("Upload");
  expect(finding.field).toBeUndefined();
});

describe("an invalid JSON parameter is explained by its own values, not by another parameter's", () => {
  const failed = (label: string, parameters: object): Step => ({
    name: "Post",
    type: `${BASE}httpRequest`,
    parameters: { sendBody: true, specifyBody: "json", jsonBody: "={{ $json.payload }}", ...parameters },
    error: {
      name: "NodeOperationError",
      message: `The value in the "${label}" field is not valid JSON`,
      context: { itemIndex: 0 },
    },
  });
  const item = { payload: { id: 1 }, note: 'say "hi"' };

  test.each([
    ["JSON Headers", "jsonHeaders"],
    ["JSON Query Parameters", "jsonQuery"],
  ])("in %s", (label, parameter) => {
    const post = failed(label, { [parameter]: '={ "note": "{{ $json.note }}" }' });
    expect(findingOn(webhook(item), post)).toMatchObject({ cause: "not_json", field: "note" });
  });

  test("and an object is valid as the whole body, but not as all headers", () => {
    expect(findingOn(webhook(item), failed("JSON Body", {})).field).toBeUndefined();
    const post = failed("JSON Headers", { jsonHeaders: "={{ $json.payload }}" });
    expect(findingOn(webhook(item), post)).toMatchObject({ cause: "not_json", field: "payload" });
  });
});

describe("the invalid text is found although the error's excerpt is not in the known part of it", () => {
  const messageOf = (text: string): string => {
    try {
      return String(JSON.parse(text));
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };
  const reader = (parsed: string, message: string): Step =>
    throwing(`const data = JSON.parse(${parsed});\nreturn [{ json: data }];`, message, {
      name: "SyntaxError",
    });

  test("for a long text that is broken at its end", () => {
    const text = `{ "words": "${"word ".repeat(4_000)}", "count": many }`;
    const use = reader("$input.first().json.text", messageOf(text));
    expect(findingOn(webhook({ text }), use)).toMatchObject({ cause: "not_json", field: "text" });
  });

  test("for a text that the code changes before parsing it", () => {
    const text = '{ "words": "a",\n "count": many }';
    const use = reader("$input.first().json.text.replace(/\\n/g, ' ')", messageOf(text.replace("\n", " ")));
    expect(findingOn(webhook({ text }), use)).toMatchObject({ cause: "not_json", field: "text" });
  });
});
