/** What the comparison with the last success says of a green run: an edit that changes nothing there is no headline. */
import { describe, expect, test } from "vitest";
import { comparedWith } from "../../../src/executions/causes/compared-with.ts";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { toFinding } from "../../../src/executions/causes/wording/finding.ts";
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

/** The first sentence, and all of them. */
function said(now: readonly Step[], before: readonly Step[]): string {
  const [own, success] = [steppedExecution(now), steppedExecution(before, { id: "6" })];
  const facts = comparedWith(own, factsOf(viewOf(own, { successes: [viewOf(success)] })), {
    success,
    ordinary: [],
  });
  return facts === null ? "" : toFinding(facts.root).sentence;
}

describe("of a green run it is no headline", () => {
  test("that a node was edited which did not run in it", () => {
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
    expect(said(steps("https://new"), steps("https://old"))).not.toContain('"Remind"');
  });

  test("that a node reads another one by its new name", () => {
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
    expect(said(steps("New order"), steps("Webhook"))).not.toContain('"Edit Fields" was edited');
  });

  test("that n8n keeps another name of the same sheet for its editor", () => {
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
    expect(said(steps("Orders 2027"), steps("Orders 2026"))).not.toContain("edited");
  });

  test("that its credential has another name", () => {
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
    expect(said(steps("Shop (production)"), steps("Shop"))).not.toContain("edited");
  });
});

describe("of a green run it is a headline", () => {
  test("control: that a node was edited which ran in it", () => {
    const steps = (url: string): Step[] => [
      start(),
      { name: "Ship", type: HTTP, parameters: { url }, settings: { id: "n2" }, sent: [[{ ok: true }]] },
    ];
    expect(said(steps("https://new"), steps("https://old"))).toContain('"Ship"');
  });
});

test("who may call the workflow is no headline, since it changes nothing of what a run does", () => {
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
  const facts = comparedWith(now, factsOf(viewOf(now, { successes: [viewOf(success)] })), {
    success,
    ordinary: [],
  });
  expect(facts === null ? "" : toFinding(facts.root).sentence).not.toContain("callerPolicy");
});

test("an empty item (Always Output Data) is not told of a field without a name", () => {
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
  const facts = comparedWith(now, factsOf(viewOf(now, { successes: [viewOf(success)] })), {
    success,
    ordinary: [],
  });
  const said = facts === null ? [] : [facts.root, ...facts.others].map((fact) => toFinding(fact).sentence);
  expect(said.join("\n")).not.toContain('""');
});

test("an edit of the node that was running when an execution was ended is told, though it has no run", () => {
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
  const own = factsOf(viewOf(now, { successes: [viewOf(success)] }));
  const all = comparedWith(now, own, { success, ordinary: [] });
  const said = all === null ? [] : [all.root, ...all.others].map((fact) => toFinding(fact).sentence);
  expect(said.join("\n")).toContain('"Query" was edited');
});
