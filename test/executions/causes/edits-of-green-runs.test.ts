/** Comparing a success with the last one: an edit without effect on this run is not the headline. */
import { describe, expect, test } from "vitest";
import { comparedWith } from "../../../src/executions/causes/compared-with.ts";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { toFinding } from "../../../src/executions/causes/wording/finding.ts";
import { runsByNode } from "../../../src/executions/node-runs.ts";
import type { ExecutionWithData } from "../../../src/n8n/schemas.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const HTTP = "n8n-nodes-base.httpRequest";
const SET = "n8n-nodes-base.set";
const IF = "n8n-nodes-base.if";

const start = (name = "Webhook"): Step => ({
  name,
  type: "n8n-nodes-base.webhook",
  parameters: { httpMethod: "POST", path: "orders", options: {} },
  settings: { id: "n1", typeVersion: 2 },
  sent: [[{ id: 1 }]],
});

/** The sentences of the comparison, the headline first. */
function compared(now: ExecutionWithData, success: ExecutionWithData): string[] {
  const own = factsOf(viewOf(now, { successes: [viewOf(success)] }));
  const facts = comparedWith(now, own, { success, ordinary: [] });
  return facts === null ? [] : [facts.root, ...facts.others].map((fact) => toFinding(fact).sentence);
}

function headlineOf(now: readonly Step[], before: readonly Step[]): string {
  const [headline = ""] = compared(steppedExecution(now), steppedExecution(before, { id: "6" }));
  return headline;
}

describe("it is not the headline of a success", () => {
  test("that a node was edited that did not run", () => {
    const steps = (url: string): Step[] => [
      start(),
      { name: "Paid?", type: IF, parameters: {}, settings: { id: "n2" }, sent: [[{ id: 1 }], []] },
      {
        name: "Ship",
        type: HTTP,
        parameters: { url: "https://ship" },
        settings: { id: "n3" },
        after: [["Paid?", 0]],
        sent: [[{ ok: true }]],
      },
      { name: "Remind", type: HTTP, parameters: { url }, settings: { id: "n4" }, after: [["Paid?", 1]] },
    ];
    expect(headlineOf(steps("https://new"), steps("https://old"))).not.toContain('"Remind"');
  });

  test("that a node reads a renamed node by its new name", () => {
    const steps = (name: string): Step[] => [
      start(name),
      {
        name: "Edit Fields",
        type: SET,
        settings: { id: "n2" },
        parameters: {
          assignments: {
            assignments: [{ id: "a", name: "no", value: `={{ $('${name}').item.json.id }}`, type: "number" }],
          },
        },
        sent: [[{ no: 1 }]],
      },
    ];
    expect(headlineOf(steps("New order"), steps("Webhook"))).not.toContain('"Edit Fields" was edited');
  });

  test("that n8n's editor cached another name of the same sheet", () => {
    const steps = (cachedResultName: string): Step[] => [
      start(),
      {
        name: "Append row",
        type: "n8n-nodes-base.googleSheets",
        settings: { id: "n2", typeVersion: 4.5 },
        parameters: {
          operation: "append",
          documentId: {
            __rl: true,
            value: "1AbC",
            mode: "list",
            cachedResultName,
            cachedResultUrl: "https://docs.google.com/x",
          },
        },
        sent: [[{ id: 1 }]],
      },
    ];
    expect(headlineOf(steps("Orders 2027"), steps("Orders 2026"))).not.toContain("edited");
  });

  test("that a credential was renamed", () => {
    const steps = (name: string): Step[] => [
      start(),
      {
        name: "Ship",
        type: HTTP,
        parameters: { url: "https://ship" },
        settings: { id: "n2", credentials: { httpHeaderAuth: { id: "c1", name } } },
        sent: [[{ ok: true }]],
      },
    ];
    expect(headlineOf(steps("Shop (production)"), steps("Shop"))).not.toContain("edited");
  });
});

test("it is the headline of a success that a node was edited that ran (control)", () => {
  const steps = (url: string): Step[] => [
    start(),
    { name: "Ship", type: HTTP, parameters: { url }, settings: { id: "n2" }, sent: [[{ ok: true }]] },
  ];
  expect(headlineOf(steps("https://new"), steps("https://old"))).toContain('"Ship"');
});

test("a changed caller policy is not the headline, as it does not affect a run", () => {
  const steps: Step[] = [
    start(),
    {
      name: "Edit Fields",
      type: SET,
      parameters: { assignments: { assignments: [] } },
      sent: [[{ id: 1 }]],
    },
  ];
  const plain = steppedExecution(steps);
  const withSettings = (id: string, settings: object) =>
    steppedExecution(steps, { id, workflowData: { ...plain.workflowData, settings } });
  const now = withSettings("7", {
    executionOrder: "v1",
    callerPolicy: "workflowsFromSameOwner",
    saveManualExecutions: true,
  });
  const success = withSettings("6", { executionOrder: "v1" });
  expect(compared(now, success)[0] ?? "").not.toContain("callerPolicy");
});

test("an empty item (Always Output Data) does not lead to a field without a name", () => {
  const steps = (rows: unknown[]): Step[] => [
    start(),
    {
      name: "Find",
      type: "n8n-nodes-base.postgres",
      parameters: { operation: "select" },
      settings: { alwaysOutputData: true },
      sent: [rows],
    },
    {
      name: "New?",
      type: "n8n-nodes-base.if",
      parameters: {
        conditions: {
          conditions: [
            {
              leftValue: "={{ $json }}",
              rightValue: "",
              operator: { type: "object", operation: "empty", singleValue: true },
            },
          ],
        },
      },
      sent: [rows, []],
    },
  ];
  const now = steppedExecution(steps([{}]));
  const success = steppedExecution(steps([{ id: 4 }]), { id: "6" });
  expect(compared(now, success).join("\n")).not.toContain('""');
});

test("an edit of the node that was running when the execution was canceled is reported", () => {
  const steps = (query: string, sent?: unknown[][]): Step[] => [
    start(),
    {
      name: "Query",
      type: "n8n-nodes-base.postgres",
      settings: { id: "n2" },
      parameters: { operation: "executeQuery", query },
      ...(sent === undefined ? {} : { sent }),
    },
  ];
  const facts = { status: "canceled", stoppedAt: "2026-01-01T00:05:00.000Z" };
  const now = steppedExecution(steps("select * from a, b"), facts);
  const success = steppedExecution(steps("select 1", [[{ id: 1 }]]), { id: "6" });
  expect(compared(now, success).join("\n")).toContain('"Query" was edited');
});

describe("a success that took far longer than the last one", () => {
  const steps = (name: string, executionTime: number): ExecutionWithData => {
    const execution = steppedExecution(
      [start(), { name: "Book courier", type: HTTP, parameters: {}, sent: [[{ ok: true }]] }],
      { id: name },
    );
    for (const run of runsByNode(execution).get("Book courier") ?? []) Object.assign(run, { executionTime });
    return execution;
  };

  test("names the node that was slow, and that nothing else is seen", () => {
    expect(compared(steps("7", 4_012), steps("6", 140))).toEqual([
      '"Book courier" took 4012 ms; in the last success (execution 6) it took 140 ms.',
      expect.stringMatching(/^Otherwise no problem is visible/),
    ]);
  });

  test("says nothing of a quicker node, nor of an ordinary difference", () => {
    const said = [compared(steps("7", 140), steps("6", 4_012)), compared(steps("7", 900), steps("6", 140))];
    expect(said.flat().filter((sentence) => sentence.includes("took"))).toEqual([]);
  });
});
