/** Steps that look wrong but are intended: upserts by several columns, lists with a failed row, expected findings. */
import { describe, expect, test } from "vitest";
import { conclusionOf } from "../../../src/executions/causes/explain.ts";
import { SET, webhook } from "../../support/everyday-steps.ts";
import { explain, findings } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

describe("an upsert by two columns", () => {
  const upsert = (lines: readonly object[], matchingColumns: string[]): Step[] => [
    { name: "Webhook", type: "n8n-nodes-base.webhook", parameters: { path: "p" }, sent: [lines] },
    {
      name: "Store lines",
      type: "n8n-nodes-base.postgres",
      settings: { typeVersion: 2.6 },
      parameters: {
        operation: "upsert",
        table: { __rl: true, value: "order_lines", mode: "list" },
        columns: { mappingMode: "autoMapInputData", value: {}, matchingColumns },
      },
      sent: [lines],
    },
  ];
  const lines = ["a", "b", "c"].map((sku) => ({ order_no: 7, sku, count: 1 }));

  test("overwrites no other line of the same order", () => {
    expect(findings(upsert(lines, ["order_no", "sku"]))).not.toContain("overwrote");
    const single = upsert([{ order_no: 6, sku: "a", count: 1 }], ["order_no", "sku"]);
    expect(findings(upsert(lines, ["order_no", "sku"]), single)).not.toMatch(/^likely/m);
  });

  test("does overwrite if it is by one column (control)", () => {
    expect(findings(upsert(lines, ["order_no"]))).toContain("overwrote");
  });
});

describe("the explanation of a webhook that was never answered", () => {
  test("names the decision before Respond to Webhook, not the last decision", () => {
    const json = { id: 1 };
    const steps: Step[] = [
      {
        name: "Webhook",
        type: "n8n-nodes-base.webhook",
        parameters: { httpMethod: "POST", path: "p", responseMode: "responseNode", options: {} },
        sent: [[json]],
      },
      { name: "Valid?", type: "n8n-nodes-base.if", parameters: {}, after: ["Webhook"], sent: [[], [json]] },
      { name: "Respond", type: "n8n-nodes-base.respondToWebhook", parameters: {}, after: [["Valid?", 0]] },
      { name: "Is big?", type: "n8n-nodes-base.if", parameters: {}, after: ["Webhook"], sent: [[json], []] },
      { name: "Log", type: SET, parameters: {}, after: [["Is big?", 0]], sent: [[json]] },
    ];
    const { finding } = explain(steppedExecution(steps));
    expect(finding.sentence).toContain("got no answer");
    expect(finding.sentence).toContain('"Valid?"');
    expect(finding.sentence).not.toContain('"Is big?"');
  });

  const hook = (json: object): Step => ({
    ...webhook(json),
    parameters: { httpMethod: "POST", path: "p", responseMode: "responseNode", options: {} },
  });
  const respond = { name: "Respond", type: "n8n-nodes-base.respondToWebhook", parameters: {} };

  test("names the decision even if another node stands between the two", () => {
    const json = { id: 1 };
    const steps: Step[] = [
      hook(json),
      { name: "Valid?", type: "n8n-nodes-base.if", parameters: {}, sent: [[], [json]] },
      { name: "Prepare", type: SET, parameters: {}, after: [["Valid?", 0]] },
      { ...respond, after: ["Prepare"] },
      { name: "Log", type: SET, parameters: {}, after: [["Valid?", 1]], sent: [[json]] },
    ];
    expect(findings(steps)).toContain('"Valid?" took its output 2 of 2');
  });

  test("names the node that failed and continued by its error output", () => {
    const failed = { name: "Ask", type: "n8n-nodes-base.httpRequest", parameters: {} };
    const steps: Step[] = [
      hook({ id: 1 }),
      { ...failed, settings: { onError: "continueErrorOutput" }, sent: [[], [{ error: "503" }]] },
      { ...respond, after: [["Ask", 0]] },
      { name: "Log", type: SET, parameters: {}, after: [["Ask", 1]], sent: [[{ id: 1 }]] },
    ];
    expect(findings(steps)).toContain('"Ask" took its error output');
  });
});

test("a usual finding does not hide a new one", () => {
  const made = (date: string): Step[] => [
    webhook({ id: 1, when: "x" }),
    {
      name: "Mail",
      type: SET,
      settings: { typeVersion: 3.4 },
      parameters: {
        assignments: {
          assignments: [
            { id: "1", name: "template", value: "Hello {{name}}, see you on {{date}}", type: "string" },
            { id: "2", name: "date", value: "={{ new Date($json.when).toString() }}", type: "string" },
          ],
        },
      },
      sent: [[{ template: "Hello {{name}}, see you on {{date}}", date }]],
    },
  ];
  expect(findings(made("Invalid Date"))).toContain("Invalid Date");
  expect(findings(made("Invalid Date"), made("Mon Sep 21 2026"))).toContain("Invalid Date");
});

test("a CSV file with renamed columns that begins with PK-100 is not taken for a ZIP file", () => {
  const read = (row: object): Step[] => [
    webhook({}),
    { name: "Read csv", type: "n8n-nodes-base.extractFromFile", parameters: {}, sent: [[row]] },
    {
      name: "Edit Fields",
      type: SET,
      parameters: { assignments: { assignments: [{ name: "no", value: "={{ $json.sku }}" }] } },
      sent: [[{ ...row, no: null }]],
    },
  ];
  const before = read({ sku: "PK-99", price: 2 });
  expect(findings(read({ Artikel: "PK-100", Preis: 2 }), before, before)).not.toContain("ZIP");
});

test("a list of jobs with one that failed is not taken for an error response", () => {
  const jobs = [
    { id: 1, status: "success", message: "" },
    { id: 2, status: "error", message: "disk full" },
    { id: 3, status: "success", message: "" },
  ];
  const steps: Step[] = [
    { name: "Schedule", type: "n8n-nodes-base.scheduleTrigger", parameters: {}, sent: [[{}]] },
    {
      name: "Jobs of today",
      type: "n8n-nodes-base.executeWorkflow",
      parameters: { workflowId: { __rl: true, value: "w2" } },
      sent: [jobs],
    },
    {
      name: "Table",
      type: "n8n-nodes-base.html",
      parameters: { operation: "convertToHtmlTable" },
      sent: [[{ table: "<table></table>" }]],
    },
  ];
  expect(conclusionOf(steppedExecution(steps, { mode: "trigger" })).reason).toBeNull();
});
