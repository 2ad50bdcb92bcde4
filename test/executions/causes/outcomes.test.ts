/** What came of an execution, by its related executions in the index and by its own data. */

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

const BILL: Step = { name: "Bill", type: "n8n-nodes-base.slack", error: { message: "no" } };

function failedAt(type: string, parameters: object = {}): readonly string[] {
  const error = { name: "NodeApiError", message: "planted", httpCode: "500", context: { itemIndex: 2 } };
  const bill: Step = { name: "Bill", type, parameters, error };
  const { evidence } = explain(steppedExecution([START, bill], { status: "error" }));
  return evidence.map(({ sentence }) => sentence);
}

describe("before a failure at one of several items", () => {
  test.each([
    ["n8n-nodes-base.slack", {}, "it had done items 1 to 2, and not item 3"],
    ["n8n-nodes-base.httpRequest", {}, "items 1 to 2 had been answered well"],
    ["n8n-nodes-base.postgres", { options: { queryBatching: "transaction" } }, "none of them was done"],
  ])("the items done by %s %o are listed", (type, parameters, said) => {
    expect(failedAt(type, parameters).find((sentence) => sentence.includes("A retry in n8n"))).toContain(
      said,
    );
  });

  test.each([["n8n-nodes-base.code"], ["n8n-nodes-base.postgres"]])(
    "the items done by %s are not known",
    (type) => {
      expect(failedAt(type).join()).not.toContain("A retry in n8n");
    },
  );
});

describe("before a node rejected one of several items itself", () => {
  const said = (type: string, operation?: string): string => {
    const error = { name: "NodeOperationError", message: "planted", context: { itemIndex: 1 } };
    const bill: Step = { name: "Bill", type: `n8n-nodes-base.${type}`, parameters: { operation }, error };
    const { evidence } = explain(steppedExecution([START, bill], { status: "error" }));
    return evidence.map(({ sentence }) => sentence).join("\n");
  };

  test("HTTP Request had sent the earlier requests only", () => {
    expect(said("httpRequest")).toContain(
      "could not make that of item 2: those of item 1 had been sent, and none after it",
    );
  });

  test.each([
    ["googleSheets", "append"],
    ["googleSheets", "appendOrUpdate"],
    ["microsoftExcel", "upsert"],
    ["supabase", undefined],
  ])("%s %s had written nothing, as it writes all together", (type, operation) => {
    expect(said(type, operation)).toContain("none of them was written");
  });

  test.each([
    ["googleSheets", "clear"],
    ["supabase", "update"],
  ])("%s %s had done the earlier items, as it works one by one", (type, operation) => {
    expect(said(type, operation)).toContain("it had done item 1, and not item 2");
  });

  test.each(["mongoDb", "googleBigQuery"])(
    "the items written by %s, which writes in groups, are not known",
    (type) => {
      expect(said(type, "insert")).not.toContain("A retry in n8n");
    },
  );
});

describe("the outcome of a failure", () => {
  const said = (...relatives: Relative[]): readonly string[] =>
    explain(steppedExecution([START, BILL], { status: "error" }), { relatives }).evidence.map(
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
  ])("follows from a relative: %o", (one, sentence) => {
    expect(said(one).join("\n")).toContain(sentence);
  });
});

test("the failure of an error workflow is explained", () => {
  const fact = { kind: "code_threw", node: "Post", line: 3 } as const;
  const relatives = [relative({ role: "error_handler", status: "error", fact })];
  const { evidence } = explain(steppedExecution([START, BILL], { status: "error" }), { relatives });
  expect(evidence.map(({ sentence }) => sentence).join()).toContain(
    'nobody was told: "Post" failed because its own code threw an error (line 3).',
  );
});

describe("a sub-workflow that its caller did not wait for", () => {
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

  test("is reported if it failed unnoticed", () => {
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
  ])("raises no alarm with waiting %s and status %s", (waits, status) => {
    expect(explained(waits, status).cause).not.toBe("sub_workflow_unnoticed");
  });
});

describe("the circumstances of an execution", () => {
  const slack: Step = { name: "Tell", type: "n8n-nodes-base.slack", parameters: { operation: "post" } };
  const sent: Step = { ...slack, sent: [[{ ok: 1 }]] };
  const again = relative({ role: "again", id: "6", isLater: false });
  const explained = (steps: readonly Step[], relatives: Relative[], status = "success") => {
    const { finding, evidence } = explain(steppedExecution(steps, { status }), { relatives });
    return { finding, sentences: evidence.map(({ sentence }) => sentence).join("\n") };
  };

  test("include its callers, nearest first, but not as the headline", () => {
    const callers = ["9", "8"].map((id) => relative({ role: "caller", id, workflowName: `W${id}` }));
    const { finding, sentences } = explained([START, sent], callers);
    expect(finding.cause).toBe("nothing_found");
    expect(sentences).toContain(
      'It was called by "W9" (execution 9), which was called by "W8" (execution 8).',
    );
  });

  test.each([
    ["its caller", {}],
    ["what it retries", { retryOf: "9" }],
  ])("do not make %s the headline of a comparison with a success", (_what, more) => {
    const execution = steppedExecution([START, sent], more);
    const relatives = [relative({ role: "caller", id: "9", workflowName: "W9" })];
    const facts = factsOf(viewOf(execution, { relatives }));
    const success = steppedExecution([START, sent], { id: "6" });
    expect(comparedWith(execution, facts, { success, ordinary: [] })?.root.kind).toBe("nothing_found");
  });

  test("make a repeated request to a workflow that acts the headline", () => {
    const same = { ...again, workflowName: "Orders" };
    const acting = steppedExecution([START, sent]);
    const execution = { ...acting, workflowData: { ...acting.workflowData, name: "Orders" } };
    const { finding } = explain(execution, { relatives: [same] });
    expect(finding).toMatchObject({ cause: "outcome", confidence: "observed", executionId: "6" });
    expect(finding.sentence).toContain("may have been done twice");
    expect(explain(execution, { relatives: [again] }).finding.cause).toBe("nothing_found");
  });

  test("name nodes that had acted before the failure, but none that only read", () => {
    const { sentences } = explained([START, sent, BILL], [], "error");
    expect(sentences).toContain('Before it failed, "Tell" had succeeded');
    const read: Step = { ...sent, name: "Read", parameters: { operation: "get" } };
    expect(explained([START, read, BILL], [], "error").sentences).not.toContain("Before it failed");
  });

  test("name no node that failed on all its items and continued", () => {
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
    expect(explained([START, store, BILL], [], "error").sentences).not.toContain("Before it failed");
    const other = { ...store, sent: [[failed, { id: 2 }]] };
    expect(explained([START, other, BILL], [], "error").sentences).toContain("Before it failed");
  });

  test("name no node whose output was pinned in an editor run, the only kind that uses pinned data", () => {
    const { workflowData } = steppedExecution([START, sent, BILL]);
    const pinned = { status: "error", workflowData: { ...workflowData, pinData: { Tell: [{ json: {} }] } } };
    const said = (mode: string) =>
      JSON.stringify(explain(steppedExecution([START, sent, BILL], { ...pinned, mode })));
    expect(said("manual")).not.toContain("Before it failed");
    expect(said("webhook")).toContain("Before it failed");
  });
});
