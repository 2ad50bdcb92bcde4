/** Addresses in n8n's editor, and the execution that an address names. Foreign addresses are refused, not quoted. */
import { describe, expect, test } from "vitest";
import { createN8nUrls } from "../../src/n8n/n8n-urls.ts";
import { problemOf } from "../support/setting-problems.ts";

const urls = createN8nUrls({
  baseUrl: "http://n8n.internal:5678",
  editorUrl: "https://automation.example.com/n8n",
});
const EDITOR = "https://automation.example.com/n8n";

test("links open in the editor, whatever characters an id has", () => {
  expect(urls.execution("w1", "4711")).toBe(`${EDITOR}/workflow/w1/executions/4711`);
  expect(urls.workflow("../x y?z#")).toBe(`${EDITOR}/workflow/..%2Fx%20y%3Fz%23`);
  expect(urls.templates.execution).toBe(`${EDITOR}/workflow/{workflowId}/executions/{executionId}`);
});

describe("an execution's address", () => {
  test.each([
    "/workflow/1XeIfz7HPI4BwIKP/executions/4711",
    "/workflow/1XeIfz7HPI4BwIKP/executions/4711/",
    "/workflow/1XeIfz7HPI4BwIKP/executions/4711/0f9d-node?tab=logs#x",
    "/workflow/1XeIfz7HPI4BwIKP/executions/debug/4711",
    "/workflow/1XeIfz7HPI4BwIKP/debug/4711",
    "/projects/VmwOO9HeTEj20kxM/workflow/w1/executions/4711",
    "/execution/4711",
    "/executions/4711",
    "/api/v1/executions/4711?includeData=true",
    "/rest/executions/4711",
    "/webhook-waiting/4711?signature=abc",
    "/form-waiting/4711/n8n-execution-status",
  ])("%s names the execution", (path) => {
    expect(urls.executionIdIn(EDITOR + path)).toBe("4711");
    expect(urls.executionIdIn(`http://n8n.internal:5678${path}`)).toBe("4711");
    expect(urls.executionIdIn(`HTTPS://Automation.Example.com:443/n8n${path}`)).toBe("4711");
  });

  test("is recognized when this server wrote it", () => {
    expect(urls.executionIdIn(urls.execution("w1", "9007199254740993"))).toBe("9007199254740993");
  });

  test.each(["req-100", "4711", "http", "ftp://automation.example.com/n8n/executions/1", "", "httpsx://a"])(
    "%j is no address",
    (text) => {
      expect(urls.executionIdIn(text)).toBeUndefined();
    },
  );
});

describe("an address is refused with the next step, without being quoted:", () => {
  test.each([
    ["of another n8n", "https://elsewhere.test/workflow/w1/executions/4711?s3cr3t"],
    ["beside the base path", "https://automation.example.com/workflow/w1/executions/4711?s3cr3t"],
    [
      "below another path with the same beginning",
      "https://automation.example.com/n8n2/executions/4711?s3cr3t",
    ],
    ["of another scheme", "http://automation.example.com/n8n/executions/4711?s3cr3t"],
    ["of another port", "https://automation.example.com:8443/n8n/executions/4711?s3cr3t"],
    [
      "with our host as its user",
      "https://automation.example.com%2Fn8n@elsewhere.test/n8n/executions/1?s3cr3t",
    ],
    ["leaving the base path", "https://automation.example.com/n8n/../executions/4711?s3cr3t"],
    ["that is invalid", "https://[s3cr3t/executions/4711"],
  ])("%s", (_what, text) => {
    const { code, details, message } = problemOf(() => urls.executionIdIn(text));
    expect({ code, field: details.field }).toEqual({ code: "VALIDATION_ERROR", field: "requestId" });
    expect(details.solution).toContain("N8N_EDITOR_URL");
    expect(message + JSON.stringify(details)).not.toContain("s3cr3t");
  });

  test.each([
    ["of a workflow", "/workflow/w1?s3cr3t", 'get_workflow_executions({"workflowId":"w1"})'],
    ["of its executions", "/workflow/w1/executions?s3cr3t", 'get_workflow_executions({"workflowId":"w1"})'],
    ["of a new workflow", "/workflow/new?s3cr3t", "get_workflow_executions({})"],
    ["of a list", "/home/executions?s3cr3t", "get_workflow_executions({})"],
    ["of no id", "/workflow/w1/executions/0?s3cr3t", 'get_workflow_executions({"workflowId":"w1"})'],
    ["of one too long", `/executions/${"9".repeat(20)}?s3cr3t`, "get_workflow_executions({})"],
    ["of nothing", "/?s3cr3t", "get_workflow_executions({})"],
  ])("%s", (_what, path, call) => {
    const { code, details, message } = problemOf(() => urls.executionIdIn(EDITOR + path));
    expect(code).toBe("VALIDATION_ERROR");
    expect(details.solution).toContain(call);
    expect(message + JSON.stringify(details)).not.toContain("s3cr3t");
  });
});
