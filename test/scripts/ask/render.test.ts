import { describe, expect, test } from "vitest";
import { type Trace, type TracedExecution, traceAnswer } from "../../../scripts/ask/answer.ts";
import { formatDuration, renderAnswer } from "../../../scripts/ask/render.ts";

function execution(
  id: string,
  parentId: string | null,
  more: Partial<TracedExecution> = {},
): TracedExecution {
  return {
    id,
    workflowId: `w${id}`,
    workflowName: `Workflow ${id}`,
    role: parentId === null ? "entry" : "sub_workflow",
    parentId,
    status: "success",
    durationMs: 12,
    evidence: parentId === null ? "holds the request id" : `parentExecution ${parentId}`,
    ...more,
  };
}

function trace(more: Partial<Trace> = {}): Trace {
  return {
    requestId: "req-1",
    found: true,
    failure: null,
    executions: [execution("1", null)],
    timeline: [],
    coverage: {
      scannedExecutions: 3,
      from: "2026-11-20T08:00:00.000Z",
      to: "2026-11-20T09:00:00.000Z",
      stoppedBy: "complete",
      skipped: [],
    },
    traceId: "trace_12345678",
    ...more,
  };
}

const render = (more: Partial<Trace> = {}, message = "It succeeded."): string =>
  renderAnswer({ status: "success", message, data: trace(more) });

describe("rendering a trace", () => {
  test("a failure deep down, in full", () => {
    const text = render(
      {
        failure: {
          executionId: "3",
          workflowName: "Workflow 3",
          nodeName: "Fetch",
          message: "The service refused.",
          ownText: { message: "no such sku", description: "sku is unknown" },
        },
        executions: [
          execution("1", null, { status: "error", durationMs: 1_229 }),
          execution("2", "1", { status: "error" }),
          execution("3", "2", { status: "error", durationMs: null }),
          execution("4", "2", { role: "error_handler" }),
          execution("5", "1"),
        ],
        timeline: [
          { offsetMs: 0, executionId: "1", event: "entry started" },
          { offsetMs: 1_229, executionId: "1", event: "ended: error" },
        ],
      },
      'Request "req-1" failed.',
    );
    expect(text).toBe(
      `
Request "req-1" failed.

Executions
  entry              error    Workflow 1  execution 1  1.2 s  holds the request id
  ├ sub_workflow     error    Workflow 2  execution 2  12 ms  parentExecution 1
  │ ├ sub_workflow   error    Workflow 3  execution 3  –      parentExecution 2
  │ └ error_handler  success  Workflow 4  execution 4  12 ms  parentExecution 2
  └ sub_workflow     success  Workflow 5  execution 5  12 ms  parentExecution 1

Failure
  node "Fetch" of "Workflow 3", execution 3
  The service refused.
  It says: no such sku
  It says: sku is unknown

Timeline
   +0 ms  execution 1 entry started
  +1.2 s  execution 1 ended: error

Coverage
  3 executions read, from 2026-11-20T08:00:00.000Z to 2026-11-20T09:00:00.000Z; that is the whole window

Next
  an agent would call get_execution_by_node {"id":"3","nodeName":"Fetch"}
`.trim(),
    );
  });

  test("an error's own text that is not shown is told of", () => {
    const failure = { executionId: "3", workflowName: null, nodeName: null, message: "m", hasOwnText: true };
    expect(render({ failure })).toContain("needs n8n:data");
  });

  test("nothing found: the sentence and the coverage", () => {
    expect(render({ found: false, executions: [] }, "Not found.")).toBe(
      "Not found.\n\nCoverage\n  3 executions read, from 2026-11-20T08:00:00.000Z to 2026-11-20T09:00:00.000Z; that is the whole window",
    );
  });

  test("a scan that did not reach the end says how to go on", () => {
    const skipped = [
      { executionId: "7", reason: "too large" },
      { executionId: null, reason: "more links" },
    ];
    const text = render({ coverage: { ...trace().coverage, stoppedBy: "limit", skipped } });
    expect(text).toContain("there are older ones");
    expect(text).toContain("skipped execution 7: too large");
    expect(text).toContain("skipped: more links");
    expect(text).toContain("npm run ask -- --trace trace_12345678");
  });

  test("of several n8ns each is told, and the next call names its own", () => {
    const text = render({
      instance: "prod",
      coverage: { ...trace().coverage, stoppedBy: "n8n" },
      instances: [
        { instance: "prod", outcome: "success", scannedExecutions: 2 },
        { instance: "staging", error: { code: "N8N_UNAUTHORIZED", solution: "Set apiKey of staging." } },
        {
          instance: "dev",
          outcome: "success",
          scannedExecutions: 1,
          url: "https://dev.test/workflow/w/executions/9",
        },
      ],
    });
    expect(text).toContain(
      [
        "Instances",
        "  prod: success, 2 executions read",
        "  staging: N8N_UNAUTHORIZED",
        "    Set apiKey of staging.",
        "  dev: success, 1 execution read",
        "    https://dev.test/workflow/w/executions/9",
      ].join("\n"),
    );
    expect(text).toContain('an agent would call get_execution {"instance":"prod","id":"1"}');
    expect(render()).not.toContain("Instances");
  });

  test("after a retry, the retry is what to look at", () => {
    const executions = [execution("1", null, { status: "error" }), execution("2", "1", { role: "retry" })];
    expect(render({ executions })).toContain('get_execution {"id":"2"}');
  });

  test("long lists are cut, and say so", () => {
    const timeline = Array.from({ length: 40 }, (_, index) => ({
      offsetMs: index,
      executionId: "1",
      event: "e",
    }));
    const skipped = Array.from({ length: 9 }, (_, index) => ({ executionId: `${index}`, reason: "r" }));
    const text = render({ timeline, coverage: { ...trace().coverage, skipped } });
    expect(text).toContain("and 28 more");
    expect(text).toContain("and 4 more skipped");
  });

  test("unknown and circular parents are roots, and nothing is lost", () => {
    const executions = [execution("1", "9"), execution("2", "3"), execution("3", "2"), execution("4", "4")];
    const text = render({ executions });
    for (const { id } of executions) expect(text.split(`execution ${id} `)).toHaveLength(2);
  });

  test("no control character of n8n reaches the terminal", () => {
    const evil = "\u001B[2J\u202Eevil\u0007\nnext";
    const text = render(
      {
        failure: {
          executionId: evil,
          workflowName: evil,
          nodeName: evil,
          message: evil,
          ownText: { message: evil, description: evil },
        },
        executions: [execution(evil, evil, { workflowName: evil, role: evil, status: evil, evidence: evil })],
        timeline: [{ offsetMs: 1, executionId: evil, event: evil }],
        coverage: {
          scannedExecutions: 1,
          from: evil,
          to: evil,
          stoppedBy: "limit",
          skipped: [{ executionId: evil, reason: evil }],
        },
        traceId: evil,
      },
      evil,
    );
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).not.toMatch(/^next/m);
  });
});

describe("rendering an error", () => {
  test("code, message, nearest names, solution", () => {
    const text = renderAnswer({
      status: "error",
      data: {
        code: "WORKFLOW_NOT_FOUND",
        message: "No workflow has this name.",
        details: {
          candidates: ["orders.process", "orders\u001B[0m"],
          solution: "Use one of the candidates.",
        },
      },
    });
    expect(text).toBe(
      "WORKFLOW_NOT_FOUND: No workflow has this name.\n  Nearest: orders.process, orders\uFFFD[0m\n  Use one of the candidates.",
    );
  });
});

describe("an answer from outside", () => {
  test.each([[undefined], [{}], [{ status: "success", message: "x", data: {} }], [{ status: "odd" }]])(
    "%j is refused",
    (answer) => {
      expect(traceAnswer.safeParse(answer).success).toBe(false);
    },
  );
});

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [119_000, "119.0 s"],
  [3_600_000, "60 min"],
  [null, "–"],
])("%j ms reads %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
