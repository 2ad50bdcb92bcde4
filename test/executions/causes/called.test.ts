/** What a sub-workflow's execution explains of its caller: what went wrong in it, its answer, and its input. */
import { describe, expect, test } from "vitest";
import { type ExecutionView, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { executionWithData } from "../../../src/n8n/schemas.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const CALLS = "n8n-nodes-base.executeWorkflow";
const STARTS = "n8n-nodes-base.executeWorkflowTrigger";
const set = (name: string, value: string, sent: object): Step => ({
  name,
  type: "n8n-nodes-base.set",
  parameters: { assignments: { assignments: [{ name: "total", value }] } },
  sent: [[sent]],
});

/** Adds what n8n records of sub-workflows: the node that ran last, and the id of the called execution. */
function execution(steps: readonly Step[], id: string, call = "") {
  const last = steps.at(-1)?.name;
  const text = JSON.stringify(steppedExecution(steps, { id, mode: "integrated" }))
    .replace('"runData":', `"lastNodeExecuted":${JSON.stringify(last)},"runData":`)
    .replace(/"Call":\[\{/, `$&"metadata":{"subExecution":{"executionId":"${call}","workflowId":"w2"}},`);
  return executionWithData.parse(JSON.parse(text));
}

interface Calls {
  readonly caller: readonly Step[];
  readonly now: readonly Step[];
  readonly before?: readonly Step[];
}

function explained({ caller, now, before }: Calls) {
  const successes: ExecutionView[] = before === undefined ? [] : [viewOf(execution(before, "6"))];
  const view = viewOf(execution(now, "8"), { successes });
  const called = [{ nodeName: "Call", view, fact: factsOf(view).root }];
  return explain(execution(caller, "7", "8"), { called }).finding;
}

const input = { order: "A", amount: 5, coupon: 20 };
const callerOf = (answer: object, value = "={{ $json.price * 2 }}", parameters: object = {}): Step[] => [
  { name: "Start", type: "n8n-nodes-base.webhook", sent: [[input]] },
  { name: "Call", type: CALLS, parameters, sent: [[answer]] },
  set("Order", value, { total: 0 }),
];
const starts = (sent: object): Step => ({ name: "Asked", type: STARTS, sent: [[sent]] });
const quote = (value: string, sent: object): Step => set("Quote", value, sent);
const log: Step = { name: "Log", type: "n8n-nodes-base.httpRequest", sent: [[{ logged: 1 }]] };

describe("an answer that lacks a field the caller reads", () => {
  const before = [starts(input), quote("=1", { price: 3 })];

  test("is explained by a node added after the one that used to answer", () => {
    const now = [...before, log];
    expect(explained({ caller: callerOf({ logged: 1 }), now, before })).toMatchObject({
      cause: "sub_workflow_answer",
      node: "Log",
      confidence: "likely",
      executionId: "8",
      sentence: expect.stringContaining(
        'not that of "Quote" as in execution 6: it lacks "price", which "Order" reads',
      ),
    });
  });

  test("is explained by an edit", () => {
    const now = [starts(input), quote("=2", { cost: 3 })];
    expect(explained({ caller: callerOf({ cost: 3 }), now, before })).toMatchObject({
      node: "Quote",
      sentence: expect.stringContaining('was edited since its execution 6: "Call" now gets no "price"'),
    });
  });

  test.each([
    ["nothing was edited", [starts(input), quote("=1", { cost: 3 })], callerOf({ cost: 3 })],
    ["nobody reads it", [...before, log], callerOf({ logged: 1 }, "={{ $json.logged }}")],
    [
      "nobody waits for it",
      [...before, log],
      callerOf(input, "={{ $json.price }}", { options: { waitForSubWorkflow: false } }),
    ],
  ])("raises no alarm if %s", (_why, now, caller) => {
    expect(explained({ caller, now, before }).cause).not.toBe("sub_workflow_answer");
  });
});

describe("a failure caused by an answer that lacks a field", () => {
  const before = [starts(input), quote("=1", { price: 3 })];
  const now = [starts(input), quote("=2", { cost: 3 })];
  const failedBy = (error: Readonly<Record<string, unknown>>) => {
    const [start, call, order] = callerOf({ cost: 3 });
    const { sent: _none, ...failing } = order ?? log;
    const caller = [start, call, { ...failing, error }].filter((step) => step !== undefined);
    return explained({ caller, now, before });
  };

  test("is explained by the edit of the sub-workflow", () => {
    expect(failedBy({ message: "Invalid input" })).toMatchObject({
      cause: "sub_workflow_answer",
      node: "Quote",
      failedNode: "Order",
    });
  });

  test("is not explained by the edit if the service is at fault", () => {
    expect(failedBy({ message: "down", httpCode: "503" }).cause).not.toBe("sub_workflow_answer");
  });
});

describe("an input that the sub-workflow's trigger drops", () => {
  const { coupon: _dropped, ...declared } = input;
  const reads = (sent: object): Step[] => [starts(sent), quote("={{ $json.coupon || 0 }}", { price: 3 })];
  const caller = callerOf({ price: 3 });

  test("is named with the node that reads it", () => {
    expect(explained({ caller, now: reads(declared), before: reads(input) })).toMatchObject({
      cause: "sub_workflow_input",
      node: "Asked",
      field: "coupon",
      sentence: expect.stringContaining(
        'not among its declared inputs (it came through before); "Quote" reads it',
      ),
    });
  });

  test.each([
    ["it always was", caller, reads(declared), reads(declared)],
    ["nothing reads it", caller, [starts(declared), quote("=1", { price: 3 })], reads(input)],
    [
      "the caller maps others",
      callerOf({ price: 3 }, "=1", { workflowInputs: { value: { order: "A" } } }),
      reads(declared),
      reads(input),
    ],
  ])("raises no alarm if %s", (_why, callingSteps, now, before) => {
    expect(explained({ caller: callingSteps, now, before }).cause).not.toBe("sub_workflow_input");
  });
});

describe("a fault in a called execution", () => {
  const post: Step = {
    name: "Post",
    type: "n8n-nodes-base.httpRequest",
    parameters: { method: "POST" },
    sent: [[{ data: "ERR 14;number already used" }]],
  };
  const now = [
    starts(input),
    post,
    set("Answer", "={{ $json.data }}", { answer: "ERR 14;number already used" }),
  ];

  test("is named as the root", () => {
    expect(explained({ caller: callerOf({ answer: "ERR 14" }, "=1"), now })).toMatchObject({
      cause: "sub_workflow_wrong",
      node: "Post",
      confidence: "likely",
      said: "ERR 14;number already used",
      sentence: expect.stringMatching(
        /^Something went wrong in "Orders" \(execution 8\), which "Call" called: "Post" is/,
      ),
    });
  });

  test("raises no alarm if the caller decides on the answer", () => {
    const [start, call] = callerOf({ answer: "ERR 14" });
    const decides: Step = { name: "Booked?", type: "n8n-nodes-base.if", sent: [[], [{}]] };
    const caller = [start, call, decides].filter((step) => step !== undefined);
    expect(explained({ caller, now })).not.toMatchObject({ confidence: "likely" });
  });
});

describe("the last node of a sub-workflow that ran several times", () => {
  /** Adds a run of the last node, with these items, after its own. */
  const again = (steps: readonly Step[], ...items: readonly object[]) => {
    const [last = ""] = [steps.at(-1)?.name];
    const called = execution(steps, "8");
    const [run] = (called.data?.resultData?.runData?.[last] ?? []) as object[];
    const more = { ...run, data: { main: [items.map((json) => ({ json }))] } };
    const text = JSON.stringify(called).replace(
      `"${last}":[${JSON.stringify(run)}`,
      `"${last}":[${JSON.stringify(run)},${JSON.stringify(more)}`,
    );
    return viewOf(executionWithData.parse(JSON.parse(text)));
  };
  const told = (view: ExecutionView, ...answer: readonly object[]) => {
    const [start, call] = callerOf({});
    const caller = [start, { ...call, name: "Call", sent: [answer] }].filter((step) => step !== undefined);
    const called = [{ nodeName: "Call", view, fact: factsOf(view).root }];
    return explain(execution(caller, "7", "8"), { called }).finding.sentence;
  };
  const now = again([starts(input), quote("=1", { no: 1 })], { no: 2 });

  test("is named if the caller got only the items of its last run", () => {
    expect(told(now, { no: 2 })).toBe(
      '"Quote", the last node of "Orders" (execution 8), ran 2 times, and "Call" got only what its last run sent: 1 of 2 items.',
    );
    expect(told(now, { no: 1 }, { no: 2 })).not.toContain("last run");
  });
});
