/**
 * Whatever a run contains, the judgement neither throws nor reveals a value of its payload. Canaries stand in values and
 * in keys everywhere; none of them looks like an error code, and none is declared.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeRun } from "../../../../src/features/tool-contract/judgement/judge-run.ts";
import { mcpCallOf } from "../../../../src/features/tool-contract/judgement/mcp-call.ts";
import { callReport, toolReport } from "../../../../src/features/tool-contract/judgement/reports.ts";
import { executionListItem, executionWithData } from "../../../../src/n8n/schemas.ts";
import type { FakeExecution } from "../../../support/fake-n8n.ts";
import { inBothLanes, runs } from "../../../support/lane.ts";
import { answering, formsOf, mcpCall, readForms, toolRun } from "../../../support/tool-runs.ts";

/** Canaries in many forms: a name, an e-mail address, a sentence, a path. */
const canary = fc.constantFrom(
  "canary-1",
  "canary@example.com",
  "canary 42",
  "canary.deep[0]",
  "CANARY-KEY",
  "Canary_7",
  "\u202ecanary2",
  "-> canary",
);
const CANARY = /canary/i;

/** Mostly members that the code reads, so that canaries get into them. */
const key = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...["status", "data", "meta", "timestamp", "code", "details", "field", "fields", "path", "errors"],
      ...["issues", "missing", "error", "output", "response", "text", "content", "result", "message", "name"],
      ...["__proto__", "constructor", "…"],
    ),
  },
  { weight: 1, arbitrary: canary },
);
const leaf = fc.oneof(
  canary,
  fc.constantFrom("success", "error", "VALIDATION_ERROR", "2026-11-21T15:55:30.521Z", ""),
  fc.constantFrom(null, true, 7, Number.MAX_SAFE_INTEGER),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.dictionary(key, tie("value"), { maxKeys: 6 }),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("value").map((inner) => JSON.stringify(inner)),
  ),
}));

/** Mostly answers close to the standard output, so that the later steps are reached. */
const answer = fc.oneof(
  value,
  fc.record({ status: fc.constantFrom("success", "error", "ok"), data: value, meta: value }),
  fc.record({
    status: fc.constant("error"),
    data: fc.record({
      code: fc.oneof(fc.constant("VALIDATION_ERROR"), canary),
      details: value,
      errors: value,
      field: value,
    }),
  }),
);

const statuses = fc.constantFrom("success", "error", "crashed", "canceled");

function reportOf(execution: FakeExecution): string {
  const verdict = judgeRun(readForms(execution), [{ name: "user_id", type: "string", isRequired: true }]);
  const bare = judgeRun(readForms(execution), []);
  const item = executionListItem.parse(execution);
  return JSON.stringify([
    verdict,
    toolReport([
      { item, verdict },
      { item, verdict: bare },
    ]),
  ]);
}

test("no payload of an answer, or of its arguments, is in a report", inBothLanes, () => {
  let faulty = 0;
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 2 }), value, statuses, (items, given, status) => {
      const text = reportOf(answering(1, items, { status }, given));
      expect(text).not.toMatch(CANARY);
      if (text.includes('"problem"')) faulty += 1;
    }),
    { numRuns: runs(3_000) },
  );
  // Guards against a test that judges nothing.
  expect(faulty).toBeGreaterThan(runs(500));
});

test("no other payload of an execution is in a report", () => {
  fc.assert(
    fc.property(value, answer, statuses, (noise, sent, status) => {
      const run = toolRun(
        1,
        [
          { node: "Start", sends: [[sent], [noise]] },
          {
            node: "Fetch",
            from: ["Start"],
            sends: [[sent]],
            error: { message: "canary", description: "canary", context: noise },
          },
          { node: "Last", from: ["Start"], sends: [[], [noise]] },
        ],
        { status, data: { startData: noise, resumeToken: "canary", executionData: { contextData: noise } } },
      );
      expect(reportOf({ ...run, customData: { canary: noise } })).not.toMatch(CANARY);
    }),
  );
});

test("a run of any accepted shape is judged without a throw", inBothLanes, () => {
  const part = fc.constantFrom("data", "source", "error", "metadata", "executionIndex", "main", "json");
  const run = fc.dictionary(part, fc.oneof(value, fc.array(fc.dictionary(part, value))), { maxKeys: 5 });
  let judged = 0;
  fc.assert(
    fc.property(fc.array(run, { maxLength: 3 }), fc.string(), (nodeRuns, last) => {
      const resultData = { runData: { [last]: nodeRuns, canary: nodeRuns }, lastNodeExecuted: last };
      const execution = { ...answering(1, []), data: { resultData } };
      const { success, data } = executionWithData.safeParse(formsOf(execution));
      if (!success) return;
      judged += 1;
      expect(judgeRun(data, []).kind).toBeTypeOf("string");
    }),
    { numRuns: runs(2_000) },
  );
  expect(judged).toBeGreaterThan(runs(200));
});

test("no payload of a server's calls is in a report", inBothLanes, () => {
  const tools = new Map([
    [
      "tool.a",
      {
        node: "tool.a",
        inputs: [{ name: "user_id", type: "string", isRequired: true }],
        callsWorkflow: true,
      },
    ],
  ]);
  const node = fc.option(fc.oneof(canary, fc.constant("tool.a")), { nil: undefined });
  fc.assert(
    fc.property(canary, value, node, fc.boolean(), (toolName, given, asked, ran) => {
      const facts = {
        toolName,
        arguments: given,
        ...(asked === undefined ? {} : { node: asked }),
        ...(ran ? { run: {} } : {}),
      };
      const call = mcpCallOf(readForms(mcpCall(1, facts)), new Set(["Hub"]), tools);
      expect(JSON.stringify([call, callReport([{ executionId: "1", call }])])).not.toMatch(CANARY);
    }),
    { numRuns: runs(2_000) },
  );
});
