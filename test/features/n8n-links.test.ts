/** What an answer names can be opened in n8n; custom data and the project are shown to callers who may see them. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { readRecording } from "../recorded-n8n/recording.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { dataOf } from "../support/envelopes.ts";
import { createFakeN8n, fakeExecution } from "../support/fake-n8n.ts";

const EDITOR = "https://automation.example.com/n8n";
const { manifest } = await readRecording();
const n8n = await startRecordedN8n();
let caller: Caller;

afterAll(async () => await n8n.close());
beforeEach(() => {
  n8n.requests.length = 0;
  caller = createCaller({ settings: { ...settingsFor(n8n), N8N_EDITOR_URL: EDITOR } });
});

/** Each execution in these answers has its own URL. */
const named = z.looseObject({ id: z.string(), workflowId: z.string(), url: z.string() });
/** A trace gives one URL template for all. */
const traced = named.omit({ url: true });

const dataFor = async (tool: string, args: unknown): Promise<Record<string, unknown>> =>
  dataOf(await caller.call(tool, args), z.record(z.string(), z.unknown()));

const idsOf = ({ executions }: Record<string, unknown>): string[] =>
  z
    .array(traced)
    .parse(executions)
    .map(({ id }) => id);

describe("the editor's URL is given for", () => {
  test("executions of a list, and a single one", async () => {
    const { executions } = await dataFor("get_workflow_executions", { limit: 5 });
    const listed = z.array(named).parse(executions);
    expect(listed).toHaveLength(5);
    for (const { id, workflowId, url } of listed)
      expect(url).toBe(`${EDITOR}/workflow/${workflowId}/executions/${id}`);
    const [first] = listed;
    for (const [tool, args] of [
      ["get_execution", { id: first?.id }],
      ["get_execution_details", { executionId: first?.id }],
    ] as const)
      expect(await dataFor(tool, args)).toMatchObject({ url: first?.url });
  });

  test("workflows of a list, and a single one", async () => {
    const { workflows } = await dataFor("list_workflows", {});
    const [first] = z.array(z.looseObject({ id: z.string(), url: z.string() })).parse(workflows);
    expect(first?.url).toBe(`${EDITOR}/workflow/${first?.id}`);
    expect(await dataFor("get_workflow", { workflowId: first?.id })).toMatchObject({ url: first?.url });
  });

  test("executions of a trace, which finds the request by that URL again", async () => {
    const [scenario] = manifest.scenarios;
    const plain = await dataFor("trace_request", { requestId: scenario?.requestId });
    expect(plain.executionUrl).toBe(`${EDITOR}/workflow/{workflowId}/executions/{executionId}`);
    for (const { id, workflowId } of z.array(traced).parse(plain.executions)) {
      const url = `${EDITOR}/workflow/${workflowId}/executions/${id}`;
      const again = await dataFor("trace_request", { requestId: url });
      expect(again).toMatchObject({ requestId: `execution:${id}`, foundAs: "executionId" });
      expect(idsOf(again)).toEqual(idsOf(plain));
    }
  });

  test("no foreign address: a trace of one is rejected without a request to n8n", async () => {
    const answer = await caller.call("trace_request", {
      requestId: "https://elsewhere.test/workflow/w1/executions/1?s3cr3t",
    });
    expect(answer).toMatchObject({ status: "error", data: { code: "VALIDATION_ERROR" } });
    expect(JSON.stringify(answer)).not.toContain("s3cr3t");
    expect(n8n.requests).toEqual([]);
  });
});

describe("a project", () => {
  test("is named by its id and type, but not if it is a person's", async () => {
    const { workflows } = await dataFor("list_workflows", {});
    const [first] = z.array(z.looseObject({ id: z.string() })).parse(workflows);
    const answer = await caller.call("get_workflow", { workflowId: first?.id });
    expect(answer.data).toMatchObject({
      project: { id: expect.stringMatching(/^[A-Za-z0-9]{16}$/), type: "personal", name: null },
      folder: null,
    });
    expect(JSON.stringify(answer)).not.toMatch(/owner@example\.com|Test Owner/);
  });

  test.each(["list_workflows", "get_workflow_executions"])("is a filter of %s in n8n", async (tool) => {
    await caller.call(tool, { projectId: "VmwOO9HeTEj20kxM" });
    expect(n8n.requests.some(({ path }) => path.includes("projectId=VmwOO9HeTEj20kxM"))).toBe(true);
    expect(await caller.call(tool, { projectId: "../x" })).toMatchObject({
      data: { code: "VALIDATION_ERROR" },
    });
  });
});

describe("custom data", () => {
  const customData = { orderNumber: "C-20417", password: "grenadine", note: "x".repeat(300) };
  const ask = async (scopes: readonly string[]) => {
    const fake = createFakeN8n([fakeExecution(1, "r-1", { customData })]);
    return await createCaller({ fetch: fake.fetch, scopes }).call("get_execution", { id: "1" });
  };

  test("is shown with n8n:data, redacted and cut", async () => {
    const answer = await ask(["n8n:read", "n8n:data"]);
    expect(answer.data).toMatchObject({
      customData: { orderNumber: "C-20417", note: `${"x".repeat(100)}…` },
    });
    expect(JSON.stringify(answer)).not.toContain("grenadine");
  });

  test("is only counted without n8n:data", async () => {
    const answer = await ask(["n8n:read"]);
    expect(answer.data).toMatchObject({ customDataCount: 3 });
    expect(JSON.stringify(answer)).not.toMatch(/C-20417|grenadine|xxx|orderNumber|note/);
  });
});
