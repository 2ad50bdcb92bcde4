/** get_workflow on the recorded n8n: its summary, and its text for version control. */
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { estimateTokens } from "../../../src/mcp/token-estimate.ts";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { dataOf, errorOf } from "../../support/envelopes.ts";
import { createFakeN8n, jsonAnswer } from "../../support/fake-n8n.ts";
import { rawWorkflow } from "../../support/workflow-builder.ts";

const n8n = await startRecordedN8n();
const caller = createCaller({ settings: settingsFor(n8n), scopes: ["n8n:read"] });
const list = z.object({ workflows: z.array(z.object({ id: z.string(), name: z.string() })) });
const listed = async (active: boolean) =>
  dataOf(await caller.call("list_workflows", { active }), list).workflows;
const ids = new Map([...(await listed(true)), ...(await listed(false))].map(({ id, name }) => [name, id]));

afterAll(async () => {
  expect(n8n.requests.every(({ method }) => method === "GET")).toBe(true);
  await n8n.close();
});

const summary = z.looseObject({
  name: z.string(),
  active: z.boolean(),
  tags: z.array(z.string()),
  counts: z.object({ nodes: z.number(), disabled: z.number(), connections: z.number() }),
  triggers: z.array(z.object({ name: z.string(), type: z.string() })),
  flow: z.array(z.string()),
  settings: z.record(z.string(), z.unknown()),
});
const git = z.looseObject({
  text: z.string(),
  offset: z.number(),
  nextOffset: z.number().nullable(),
  length: z.number(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const call = async (name: string, args: object = {}) =>
  await caller.call("get_workflow", { workflowId: ids.get(name), ...args });

describe("the summary", () => {
  test("says what the workflow consists of", async () => {
    const envelope = await call("calendar.create");
    const data = dataOf(envelope, summary);
    expect(envelope.message).toBe(
      '"calendar.create": active, 6 nodes, started by "Webhook". It is called by no workflow, and calls "SWF_Valida_Rango_Fechas" (node "Valida Rango"), "Global Error Handler" (error workflow).',
    );
    expect(data).toMatchObject({
      tags: expect.arrayContaining(["production", "familyhub"]),
      counts: { nodes: 6, disabled: 0, connections: 5 },
      triggers: [{ name: "Webhook", type: "n8n-nodes-base.webhook" }],
      settings: { executionOrder: "v1" },
    });
    expect(data.flow[0]).toBe("Webhook ⟶ Normalize");
    expect(JSON.stringify(data)).not.toContain("REDACTED");
  });

  test("shows no part of a secret where the description is cut", async () => {
    const n8n = createFakeN8n([]);
    const workflow = rawWorkflow(
      [],
      {},
      { description: `${"word ".repeat(58)}AKIAZ7VRSQWERT5LMNO2 and more` },
    );
    n8n.intercept = ({ pathname }) =>
      pathname.endsWith("/workflows/w1")
        ? jsonAnswer(workflow)
        : pathname.endsWith("/workflows")
          ? jsonAnswer({ data: [workflow], nextCursor: null })
          : undefined;
    const asked = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch });
    const envelope = await asked.call("get_workflow", { workflowId: "w1" });
    const { description } = dataOf(envelope, z.looseObject({ description: z.string() }));
    expect(description).toBe(`${"word ".repeat(58)}…`);
  });

  test("is short for each workflow", async () => {
    for (const name of ids.keys()) {
      const envelope = await call(name);
      dataOf(envelope, summary);
      expect(estimateTokens(JSON.stringify(envelope)), name).toBeLessThanOrEqual(2_000);
    }
  });
});

describe("the git format", () => {
  test("has the same bytes every time, without what changes by itself", async () => {
    for (const name of ids.keys()) {
      const first = dataOf(await call(name, { format: "git" }), git);
      expect(dataOf(await call(name, { format: "git" }), git)).toEqual(first);
      expect(first.nextOffset).toBeNull();
      expect(first.text.length).toBe(first.length);
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(first.text));
      expect(Buffer.from(digest).toString("hex")).toBe(first.sha256);
      const workflow = z.record(z.string(), z.unknown()).parse(JSON.parse(first.text));
      expect(Object.keys(workflow)).toEqual(["connections", "name", "nodes", "settings"]);
      expect(workflow.name).toBe(name);
      expect(first.text.endsWith("\n}\n")).toBe(true);
    }
  });

  test("hides secrets in parameters, and keeps all else", async () => {
    const { text } = dataOf(await call("calendar.create", { format: "git" }), git);
    expect(text).toContain('"value": "visible-header"');
    expect(text.match(/\[REDACTED:[a-z-]+\]/g)?.length).toBeGreaterThanOrEqual(2);
    expect(text).not.toMatch(/\[REDACTED:[a-z-]+#/);
    expect(text).not.toMatch(/canary/i);
  });

  test("starts at an offset", async () => {
    const whole = dataOf(await call("calendar.create", { format: "git" }), git);
    const rest = dataOf(await call("calendar.create", { format: "git", offset: 1_234 }), git);
    expect(rest.text).toBe(whole.text.slice(1_234));
    expect(dataOf(await call("calendar.create", { format: "git", offset: 10 ** 9 }), git).text).toBe("");
  });
});

describe("a workflow by its name", () => {
  test("is the same as by its id, in both formats", async () => {
    for (const format of ["summary", "git"]) {
      const byName = await caller.call("get_workflow", { workflowName: "Calendar.CREATE", format });
      const byId = await call("calendar.create", { format });
      expect(byName).toEqual({ ...byId, meta: expect.anything() });
    }
  });

  test("is answered with the nearest names if none has it", async () => {
    const answer = await caller.call("get_workflow", { workflowName: "calendar.creates" });
    const { candidates } = errorOf(answer, "WORKFLOW_NOT_FOUND").details;
    expect(z.array(z.string()).parse(candidates)[0]).toBe("calendar.create");
  });

  test("needs either the name or the id", async () => {
    const both = { workflowId: ids.get("calendar.create"), workflowName: "calendar.create" };
    const two = errorOf(await caller.call("get_workflow", both), "VALIDATION_ERROR");
    expect(two.details.field).toBe("workflowName");
    const none = errorOf(await caller.call("get_workflow", {}), "VALIDATION_ERROR");
    expect(none.details).toMatchObject({
      field: "workflowId",
      solution: expect.stringContaining("list_workflows"),
    });
  });
});

test("an unknown workflow is an error", async () => {
  errorOf(await caller.call("get_workflow", { workflowId: "doesNotExist" }), "WORKFLOW_NOT_FOUND");
  errorOf(await caller.call("get_workflow", { workflowId: "x", format: "git" }), "WORKFLOW_NOT_FOUND");
});
