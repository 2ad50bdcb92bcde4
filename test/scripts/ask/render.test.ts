import { describe, expect, test } from "vitest";
import { renderTrace, type TraceAnswer, traceAnswer } from "../../../scripts/ask/render.ts";

type Trace = Extract<TraceAnswer, { status: "success" }>["data"];

const meta = { timestamp: "2026-11-22T20:00:00Z" };

function render(more: Partial<Trace> = {}, message = "It succeeded."): string {
  const data = {
    requestId: "req-1",
    found: true,
    executions: [{ id: "1", workflowId: "w1", role: "entry", status: "success" }],
    coverage: { scannedExecutions: 3 },
    traceId: "trace_12345678",
    ...more,
  };
  return renderTrace(traceAnswer.parse({ status: "success", message, data, meta }));
}

describe("a trace in a terminal", () => {
  test("begins with the message, and has the tree", () => {
    const executions = [
      { id: "1", role: "entry", startOffsetMs: 0, durationMs: 100 },
      { id: "2", role: "sub_workflow", parentId: "1", startOffsetMs: 50, durationMs: 50 },
    ];
    const text = render({ executions }, "It failed.");
    expect(text).toMatch(/^It failed\.\n/);
    expect(text).toContain("\n  1|entry|0|100|============\n    2|sub_workflow|50|50|      ======\n");
  });

  test("says how to continue if and only if it is incomplete", () => {
    expect(render({ coverage: { stoppedBy: "limit" } })).toMatch(
      /\nTo go on: npm run ask -- --trace trace_12345678$/,
    );
    expect(render()).not.toContain("To go on");
    expect(render({ coverage: { stoppedBy: "complete" } })).not.toContain("To go on");
  });

  test("contains no control character of n8n, and no line that n8n began", () => {
    const evil = "\u001B[2J\u202Eevil\u0007\nnext";
    const text = render(
      {
        requestId: evil,
        failure: { executionId: evil, message: evil, ownText: { message: evil } },
        executions: [
          { id: evil, parentId: evil, workflowName: evil, role: evil, status: evil, evidence: evil },
          { id: "2", parentId: evil },
        ],
        [evil]: [evil, { [evil]: evil }],
        coverage: { stoppedBy: "limit", skipped: [{ executionId: evil, reason: evil }] },
        traceId: evil,
      },
      evil,
    );
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).not.toMatch(/^\s*(?:next|evil)/m);
  });
});

test("an error is shown with code, message, solution and candidates", () => {
  const answer = traceAnswer.parse({
    status: "error",
    data: {
      code: "WORKFLOW_NOT_FOUND",
      message: "No workflow has this name.",
      details: {
        candidates: ["orders.process", "orders\u001B[0m"],
        solution: "Use one of the candidates.",
      },
    },
    meta,
  });
  expect(renderTrace(answer)).toBe(
    [
      "WORKFLOW_NOT_FOUND: No workflow has this name.",
      "Fix: Use one of the candidates.",
      'candidates=[orders.process "orders\uFFFD[0m"]',
      "At 2026-11-22T20:00:00Z",
    ].join("\n"),
  );
});

test.each([[undefined], [{}], [{ status: "success", message: "x", data: {} }], [{ status: "odd" }]])(
  "%j is not accepted as an answer",
  (answer) => {
    expect(traceAnswer.safeParse(answer).success).toBe(false);
  },
);
