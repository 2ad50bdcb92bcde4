/** What came of an execution: as its relatives in the index and its own data tell it. */

import { describe, expect, test } from "vitest";
import { comparedWith } from "../../../src/executions/causes/compared-with.ts";
import { type Relative, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const START: Step = {
  name: "Start",
  type: "n8n-nodes-base.webhook",
  sent: [[{ id: 1 }, { id: 2 }, { id: 3 }]],
};
const relative = (facts: Partial<Relative>): Relative => ({
  role: "retry",
  id: "20",
  workflowName: "Alert",
  status: "success",
  isLater: true,
  ...facts,
});

function failedAt(type: string, parameters: object = {}): readonly string[] {
  const error = { name: "NodeApiError", message: "planted", httpCode: "500", context: { itemIndex: 2 } };
  const bill: Step = { name: "Bill", type, parameters, error };
  const { evidence } = explain(steppedExecution([START, bill], { status: "error" }));
  return evidence.map(({ sentence }) => sentence);
}

describe("which items were done", () => {
  test.each([
    ["n8n-nodes-base.slack", {}, "it had done items 1 to 2, and not item 3"],
    ["n8n-nodes-base.httpRequest", {}, "items 1 to 2 had been answered well"],
    ["n8n-nodes-base.postgres", { options: { queryBatching: "transaction" } }, "none of them was done"],
  ])("%s %o", (type, parameters, said) => {
    expect(failedAt(type, parameters).find((sentence) => sentence.includes("A retry in n8n"))).toContain(
      said,
    );
  });

  test.each([["n8n-nodes-base.code"], ["n8n-nodes-base.postgres"]])("is not told of %s", (type) => {
    expect(failedAt(type).join()).not.toContain("A retry in n8n");
  });
});

describe("which items were done, if the node refused one itself", () => {
  const told = (type: string, operation?: string): string => {
    const error = { name: "NodeOperationError", message: "planted", context: { itemIndex: 1 } };
    const bill: Step = { name: "Bill", type: `n8n-nodes-base.${type}`, parameters: { operation }, error };
    const { evidence } = explain(steppedExecution([START, bill], { status: "error" }));
    return evidence.map(({ sentence }) => sentence).join("\n");
  };

  test("HTTP Request had sent the requests before it, and none after it", () => {
    expect(told("httpRequest")).toContain(
      "could not make that of item 2: those of item 1 had been sent, and none after it",
    );
  });

  test.each([
    ["googleSheets", "append"],
    ["googleSheets", "appendOrUpdate"],
    ["microsoftExcel", "upsert"],
    ["supabase", undefined],
  ])("%s %s writes all together, so none was written", (type, operation) => {
    expect(told(type, operation)).toContain("none of them was written");
  });

  test.each([
    ["googleSheets", "clear"],
    ["supabase", "update"],
  ])("%s %s works on one after the other", (type, operation) => {
    expect(told(type, operation)).toContain("it had done item 1, and not item 2");
  });

  test.each(["mongoDb", "googleBigQuery"])("nothing is told of %s, which writes in groups", (type) => {
    expect(told(type, "insert")).not.toContain("A retry in n8n");
  });
});

describe("what came of it", () => {
  const steps: readonly Step[] = [
    START,
    { name: "Bill", type: "n8n-nodes-base.slack", error: { message: "no" } },
  ];
  const told = (...relatives: Relative[]): readonly string[] =>
    explain(steppedExecution(steps, { status: "error" }), { relatives }).evidence.map(
      ({ sentence }) => sentence,
    );

  test.each([
    [relative({ role: "error_handler" }), 'Its error workflow "Alert" (execution 20) ran and succeeded.'],
    [relative({ role: "error_handler", status: "error" }), "failed itself, so perhaps nobody was told"],
    [relative({}), "It was retried, and the retry (execution 20) succeeded."],
    [relative({ role: "again" }), "The same request came again afterwards (execution 20) and succeeded."],
    [
      relative({ role: "again", isLater: false, status: "error" }),
      "had come before (execution 20) and failed.",
    ],
    [
      relative({ role: "sub_workflow", status: "running" }),
      'It started "Alert" (execution 20), which has not ended.',
    ],
  ])("%o", (one, sentence) => {
    expect(told(one).join("\n")).toContain(sentence);
  });
});

test("an error workflow that failed itself says why", () => {
  const steps: readonly Step[] = [
    START,
    { name: "Bill", type: "n8n-nodes-base.slack", error: { message: "no" } },
  ];
  const fact = { kind: "code_threw", node: "Post", line: 3 } as const;
  const relatives = [relative({ role: "error_handler", status: "error", fact })];
  const { evidence } = explain(steppedExecution(steps, { status: "error" }), { relatives });
  expect(evidence.map(({ sentence }) => sentence).join()).toContain(
    'nobody was told: "Post" failed because its own code threw an error (line 3).',
  );
});

describe("a sub-workflow that nobody waited for", () => {
  const call = (waits: boolean): Step => ({
    name: "Notify",
    type: "n8n-nodes-base.executeWorkflow",
    parameters: { options: { waitForSubWorkflow: waits } },
    sent: [[{ id: 1 }]],
  });
  const explained = (waits: boolean, status: string) => {
    const ended = status === "error" ? { error: { message: "no" } } : { sent: [[{ id: 1 }]] };
    const below: Step = { name: "Post", type: "n8n-nodes-base.code", ...ended };
    const view = viewOf(steppedExecution([START, below], { id: "20", status, mode: "integrated" }));
    return explain(steppedExecution([START, call(waits)]), {
      called: [{ nodeName: "Notify", view, fact: factsOf(view).root }],
      relatives: [relative({ role: "sub_workflow", status })],
    }).finding;
  };

  test("failed, and nothing in the execution shows it", () => {
    expect(explained(false, "error")).toMatchObject({
      cause: "sub_workflow_unnoticed",
      node: "Notify",
      confidence: "exact",
      executionId: "20",
      sentence: expect.stringContaining('nothing in this execution shows it: "Post" failed'),
    });
  });

  test.each([
    [false, "success"],
    [true, "error"],
  ])("waits %s, %s: is no alarm", (waits, status) => {
    expect(explained(waits, status).cause).not.toBe("sub_workflow_unnoticed");
  });
});

describe("what is true around an execution", () => {
  const slack: Step = { name: "Tell", type: "n8n-nodes-base.slack", parameters: { operation: "post" } };
  const sent: Step = { ...slack, sent: [[{ ok: 1 }]] };
  const again = relative({ role: "again", id: "6", isLater: false });
  const told = (steps: readonly Step[], relatives: Relative[], status = "success") => {
    const { finding, evidence } = explain(steppedExecution(steps, { status }), { relatives });
    return { finding, sentences: evidence.map(({ sentence }) => sentence).join("\n") };
  };

  test("its callers, nearest first, are no headline", () => {
    const callers = ["9", "8"].map((id) => relative({ role: "caller", id, workflowName: `W${id}` }));
    const { finding, sentences } = told([START, sent], callers);
    expect(finding.cause).toBe("nothing_found");
    expect(sentences).toContain(
      'It was called by "W9" (execution 9), which was called by "W8" (execution 8).',
    );
  });

  test.each([
    ["its caller", {}],
    ["what it retries", { retryOf: "9" }],
  ])("%s is no headline when the execution is compared with a success", (_what, more) => {
    const execution = steppedExecution([START, sent], more);
    const relatives = [relative({ role: "caller", id: "9", workflowName: "W9" })];
    const facts = factsOf(viewOf(execution, { relatives }));
    const success = steppedExecution([START, sent], { id: "6" });
    expect(comparedWith(execution, facts, { success, ordinary: [] })?.root.kind).toBe("nothing_found");
  });

  test("a request that came twice to a workflow that acts is the headline", () => {
    const same = { ...again, workflowName: "Orders" };
    const acting = steppedExecution([START, sent]);
    const execution = { ...acting, workflowData: { ...acting.workflowData, name: "Orders" } };
    const { finding } = explain(execution, { relatives: [same] });
    expect(finding).toMatchObject({ cause: "outcome", confidence: "observed", executionId: "6" });
    expect(finding.sentence).toContain("may have been done twice");
    expect(explain(execution, { relatives: [again] }).finding.cause).toBe("nothing_found");
  });

  test("nodes that had acted before the failure, and none that only read", () => {
    const bill: Step = { name: "Bill", type: "n8n-nodes-base.slack", error: { message: "no" } };
    const { sentences } = told([START, sent, bill], [], "error");
    expect(sentences).toContain('Before it failed, "Tell" had succeeded');
    const read: Step = { ...sent, name: "Read", parameters: { operation: "get" } };
    expect(told([START, read, bill], [], "error").sentences).not.toContain("Before it failed");
  });

  test("a node that failed on all its items and went on has not acted", () => {
    const failed = {
      error: { name: "NodeOperationError", description: "planted", context: { itemIndex: 0 } },
    };
    const store: Step = {
      name: "Store",
      type: "n8n-nodes-base.postgres",
      parameters: { operation: "insert" },
      settings: { onError: "continueRegularOutput" },
      sent: [[failed]],
    };
    const bill: Step = { name: "Bill", type: "n8n-nodes-base.slack", error: { message: "no" } };
    expect(told([START, store, bill], [], "error").sentences).not.toContain("Before it failed");
    const other = { ...store, sent: [[failed, { id: 2 }]] };
    expect(told([START, other, bill], [], "error").sentences).toContain("Before it failed");
  });

  test("a node whose output is pinned has not acted in the editor; pinned data counts nowhere else", () => {
    const bill: Step = { name: "Bill", type: "n8n-nodes-base.slack", error: { message: "no" } };
    const { workflowData } = steppedExecution([START, sent, bill]);
    const pinned = { status: "error", workflowData: { ...workflowData, pinData: { Tell: [{ json: {} }] } } };
    const said = (mode: string) =>
      JSON.stringify(explain(steppedExecution([START, sent, bill], { ...pinned, mode })));
    expect(said("manual")).not.toContain("Before it failed");
    expect(said("webhook")).toContain("Before it failed");
  });
});
