/** Summary and details of recorded executions, compared with n8n's data. */
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { dataOf, errorOf, suggestedCall } from "../../support/envelopes.ts";
import { casesOf, inBothLanes } from "../../support/lane.ts";
import { rawExecutionIds, readRawExecution } from "../../support/raw-executions.ts";

const link = z.looseObject({ executionId: z.string(), workflowId: z.string().nullable() });
const summary = z.object({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  status: z.string(),
  mode: z.string(),
  startedAt: z.iso.datetime().nullable(),
  stoppedAt: z.iso.datetime().nullable(),
  duration: z.number().nullable(),
  statistics: z.object({
    totalNodes: z.number(),
    executedNodes: z.number(),
    successfulNodes: z.number(),
    failedNodes: z.number(),
    totalItemsProcessed: z.number(),
  }),
  availableNodes: z.array(
    z.object({ nodeName: z.string(), nodeType: z.string().nullable(), status: z.string() }),
  ),
  error: z.looseObject({ nodeName: z.string().nullable(), message: z.string() }).nullable(),
  links: z.object({
    parent: link.nullable(),
    subExecutions: z.array(link),
    retryOf: z.string().nullable(),
    retrySuccessId: z.string().nullable(),
  }),
  _guidance: z.object({ message: z.string(), example: z.string() }),
});

const details = z.object({
  executionId: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  status: z.string(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  duration: z.number().nullable(),
  data: z.object({
    startData: z.object({
      nodeName: z.string().nullable(),
      body: z.unknown(),
      headers: z.unknown(),
      query: z.unknown(),
      params: z.unknown(),
    }),
    resultData: z.object({
      runData: z.record(
        z.string(),
        z.array(z.looseObject({ status: z.string(), source: z.array(z.unknown()), data: z.unknown() })),
      ),
      error: z.looseObject({ nodeName: z.string().nullable(), message: z.string() }).nullable(),
      lastNodeExecuted: z.string().nullable(),
    }),
  }),
  nodeTypes: z.record(z.string(), z.string()),
});

const n8n = await startRecordedN8n();
const caller = createCaller({ settings: settingsFor(n8n) });

afterAll(async () => await n8n.close());

const summarize = async (id: string) => dataOf(await caller.call("get_execution", { id }), summary);
const detail = async (executionId: string, args: object = {}) =>
  dataOf(await caller.call("get_execution_details", { executionId, ...args }), details);

describe("get_execution", () => {
  test("counts what n8n has, for every recorded execution", async () => {
    for (const id of await rawExecutionIds(n8n)) {
      const raw = await readRawExecution(n8n, id);
      const data = await summarize(id);
      const runs = Object.entries(raw.data.resultData.runData);
      const items = runs.flatMap(([, all]) =>
        all.flatMap((run) =>
          Object.values(run.data ?? {})
            .flat()
            .flatMap((output) => output ?? []),
        ),
      );
      expect(data).toMatchObject({ id, status: raw.status, workflowName: raw.workflowData.name });
      expect(data.statistics).toMatchObject({
        totalNodes: raw.workflowData.nodes.length,
        executedNodes: runs.length,
        totalItemsProcessed: items.length,
      });
      const types = new Map(raw.workflowData.nodes.map(({ name, type }) => [name, type]));
      expect(new Map(data.availableNodes.map(({ nodeName, nodeType }) => [nodeName, nodeType]))).toEqual(
        new Map(runs.map(([name]) => [name, types.get(name)])),
      );
    }
  });

  test("names the failed node and its error, and how to see more", async () => {
    const answer = await caller.call("get_execution", { id: "34" });
    const data = dataOf(answer, summary);
    expect(data).toMatchObject({
      workflowName: "SWF_Fetch_Rate",
      status: "error",
      mode: "integrated",
      duration: 29,
      statistics: { totalNodes: 2, executedNodes: 2, successfulNodes: 1, failedNodes: 1 },
      error: {
        nodeName: "Fetch Rate",
        message: expect.stringContaining("threw an error"),
        ownText: { message: 'Rate service refused sku "unknown" [line 1]' },
      },
      links: { parent: { executionId: "33" } },
    });
    expect(answer.message).toContain('"SWF_Fetch_Rate": error at node "Fetch Rate"');
    // The error's text is payload, which the message does not contain.
    expect(answer.message).not.toContain("refused");
    expect(data._guidance.example).toBe('explain_failure({"executionId":"34"})');
  });

  test("suggests a call that works", inBothLanes, async () => {
    for (const id of casesOf(await rawExecutionIds(n8n), 3)) {
      const { tool, args } = suggestedCall(await caller.call("get_execution", { id }));
      expect(await caller.call(tool, args)).toMatchObject({ status: "success" });
    }
  });

  test("has links in both directions", async () => {
    expect((await summarize("20")).links.subExecutions).toMatchObject([{ executionId: "21" }]);
    expect((await summarize("21")).links).toMatchObject({
      parent: { executionId: "20" },
      subExecutions: [{ executionId: "22" }],
    });
    expect((await summarize("13")).links.retryOf).toBe("10");
    expect((await summarize("10")).links.retrySuccessId).toBe("13");
    expect((await summarize("12")).links.parent).toMatchObject({ executionId: "10" });
    // n8n does not name the caller in the child of an MCP trigger; the caller names the child.
    expect((await summarize("50")).links.subExecutions).toMatchObject([{ executionId: "49" }]);
  });

  test("has no duration for a running or waiting execution", async () => {
    expect(await summarize("39")).toMatchObject({ status: "waiting", duration: null });
    expect(await summarize("41")).toMatchObject({ status: "running", duration: null, stoppedAt: null });
    expect(await summarize("42")).toMatchObject({ status: "running", availableNodes: [] });
  });

  test("is an error for an unknown execution", async () => {
    errorOf(await caller.call("get_execution", { id: "99999" }), "EXECUTION_NOT_FOUND");
  });
});

describe("get_execution_details", () => {
  test("shows the request id of every webhook request", async () => {
    let verified = 0;
    for (const { requestId, expected } of n8n.scenarios) {
      const [entryId = ""] = expected.entryIds;
      const { body, headers } = (await detail(entryId)).data.startData;
      if (["req-header", "req-custom"].includes(requestId) || expected.entryWorkflowName.startsWith("MCP"))
        continue;
      const known = z.looseObject({
        requestId: z.union([z.string(), z.number()]).optional(),
        context: z.looseObject({ requestId: z.string() }).optional(),
      });
      const sent = known.parse(body);
      expect(String(sent.context?.requestId ?? sent.requestId)).toBe(requestId);
      expect(headers).toMatchObject({ "content-type": "application/json" });
      verified += 1;
    }
    expect(verified).toBeGreaterThan(18);
  });

  test("shows a request id in the header", async () => {
    expect((await detail("43")).data.startData.headers).toMatchObject({ "x-request-id": "req-header" });
  });

  test("shows the arguments of an MCP tool call as the body", async () => {
    expect((await detail("50")).data.startData).toMatchObject({
      nodeName: "MCP Server Trigger",
      body: { Start: "2026-01-10", End: "2026-01-11", requestId: "req-mcp" },
      headers: null,
    });
  });

  test("shows the item with which a sub-workflow was called", async () => {
    expect((await detail("34")).data.startData).toMatchObject({
      nodeName: "Start",
      body: { requestId: "req-deep-failure", sku: "unknown" },
    });
  });

  test("lists the nodes in the order in which they ran, with their types", async () => {
    const data = await detail("1");
    const order = ["Webhook", "Normalize", "Valida Rango", "Check", "Create Event", "Respond"];
    expect(Object.keys(data.data.resultData.runData)).toEqual(order);
    expect(Object.keys(data.nodeTypes)).toEqual(order);
    expect(data.nodeTypes.Webhook).toBe("n8n-nodes-base.webhook");
    expect(data.data.resultData.lastNodeExecuted).toBe("Respond");
    expect(data.data.resultData.runData["Valida Rango"]?.[0]).toMatchObject({
      subExecution: { executionId: "2" },
    });
  });

  test("lists the nodes of a retry after those of the execution that it repeats", async () => {
    const order = ["Webhook", "Normalize", "Valida Rango", "Check", "Create Event", "Respond"];
    expect(Object.keys((await detail("13")).data.resultData.runData)).toEqual(order);
  });

  test("shows only the requested nodes, and still the payload", async () => {
    const data = await detail("1", { nodes: ["Check"] });
    expect(Object.keys(data.data.resultData.runData)).toEqual(["Check"]);
    expect(data.data.startData.body).toMatchObject({ context: { requestId: "req-100" } });
  });

  test("names the failed node", async () => {
    const { resultData } = (await detail("34")).data;
    expect(resultData.error).toMatchObject({ nodeName: "Fetch Rate" });
    expect(resultData.runData["Fetch Rate"]?.[0]?.status).toBe("error");
  });

  test("shows the first of many items, and their number", async () => {
    const { runData } = (await detail("48", { nodes: ["Generate"] })).data.resultData;
    expect(runData.Generate?.[0]?.data).toMatchObject({ main: [{ total: 60, items: [{}, {}, {}, {}, {}] }] });
  });

  test("suggests the nearest name for an unknown node", async () => {
    const error = errorOf(
      await caller.call("get_execution_details", { executionId: "1", nodes: ["Check", "webhok"] }),
      "NODE_NOT_FOUND",
    );
    expect(z.array(z.string()).parse(error.details.candidates)[0]).toBe("Webhook");
  });

  test("shows the payload of an execution that only started, which waits for the first node", async () => {
    expect((await detail("42")).data).toMatchObject({
      startData: { nodeName: "Webhook", body: { requestId: "req-running-start" } },
      resultData: { runData: {}, error: null, lastNodeExecuted: null },
    });
  });
});
