/** Why an execution of n8n 2.41 to 3.0 ended or waits: crashes of workers, parents that wait, agents that called, errors. */
import { describe, expect, test } from "vitest";
import { failureOf } from "../../src/executions/failure.ts";
import type { ExecutionWithData } from "../../src/n8n/schemas.ts";
import { explain } from "../support/explain.ts";
import { factsOf } from "../support/facts-of-executions.ts";
import {
  ENGINE_V2_ID,
  PARENT_AGENT_RUN,
  parentThatWaits,
  parentThatWaitsBefore,
  STALLED_ERROR,
  WAIT_INDEFINITELY,
} from "../support/newer-n8n.ts";
import { type Step, steppedExecution } from "../support/stepped-execution.ts";

const START: Step = { name: "Start", type: "n8n-nodes-base.webhook", sent: [[{ id: 1 }]] };
const NEXT: Step = { name: "Bill", type: "n8n-nodes-base.code" };
const NO_RUNS = { resultData: { runData: {} } };

const said = (execution: ExecutionWithData) => explain(execution).finding;

describe("a worker that died", () => {
  const stalled = { resultData: { error: STALLED_ERROR, runData: {} } };

  test.each([
    ["error, up to 2.41 (n8n 2.41.1, `errors/max-stalled-count.error`)", "error", stalled],
    ["crashed, with that error (n8n 2.42, #38853)", "crashed", stalled],
  ])("%s", (_name, status, data) => {
    const execution = steppedExecution([START, NEXT], { status, data });
    expect(said(execution)).toMatchObject({
      cause: "crashed",
      node: null,
      sentence: expect.stringContaining("The worker that ran it died"),
    });
    expect(failureOf(execution)).toMatchObject({
      nodeName: null,
      name: "MaxStalledCountError",
      message: expect.stringContaining("worker"),
    });
  });

  test("whoever throws these words in a node is not believed", () => {
    const throws: Step = { ...NEXT, error: STALLED_ERROR };
    expect(said(steppedExecution([START, throws])).cause).not.toBe("crashed");
  });

  test.each([
    ["data as last saved, and no error (n8n 2.42, queue recovery)", undefined, "Bill"],
    ["empty data (n8n 2.42, no progress was saved)", { data: NO_RUNS }, null],
    ["no data at all", { data: null }, null],
  ])("crashed with %s: what is known is told, and no more", (_name, facts, node) => {
    const execution = steppedExecution([START, NEXT], { status: "crashed", ...facts });
    const { cause, sentence, node: named } = said(execution);
    expect([cause, named]).toEqual(["crashed", node]);
    expect(sentence).toContain("the worker that ran it");
    expect(failureOf(execution)).not.toBeNull();
  });

  test("its facts count it as a failure of no node, and give no data as a reason", () => {
    const answer = { id: "5", workflowId: "w1", mode: "webhook", stoppedAt: "2026-01-01T00:00:01.000Z" };
    const facts = factsOf({ ...answer, status: "crashed", data: stalled }, [4_096]);
    expect(facts).toMatchObject({ failingNode: null, errorClass: "MaxStalledCountError", incomplete: null });
    expect(factsOf({ ...answer, status: "crashed", data: NO_RUNS }, [4_096])).toMatchObject({
      failingNode: null,
      errorClass: null,
      incomplete: "not_saved",
    });
  });
});

describe("a parent that waits for its sub-workflow", () => {
  const made = (one: object): ExecutionWithData => steppedExecution([], one as Record<string, unknown>);

  test("is told with the child, since 2.41 (n8n 2.41.1, n8n-workflow `constants`)", () => {
    const execution = made(parentThatWaits(8, "9", "r-8"));
    const finding = said(execution);
    expect(finding).toMatchObject({ cause: "waiting", node: "Call", executionId: "9" });
    expect(finding.sentence).toBe(
      `It waits at "Call", since ${execution.stoppedAt}, for the sub-workflow that it called (execution 9), and continues when that ends.`,
    );
  });

  test.each([
    ["with a child that is not visible", parentThatWaits(8, ENGINE_V2_ID, "r-8")],
    ["up to 2.40, by its node", parentThatWaitsBefore(8, "r-8")],
  ])("%s, is told without it", (_name, execution) => {
    const { sentence, executionId } = said(made(execution));
    expect(sentence).toContain("for the sub-workflow that it called, and continues");
    expect(executionId).toBeUndefined();
  });

  test("a Wait node without an end is still one", () => {
    const wait: Step = {
      name: "Wait",
      type: "n8n-nodes-base.wait",
      parameters: { resume: "webhook" },
      sent: [[]],
    };
    const facts = { status: "waiting", stoppedAt: null, waitTill: WAIT_INDEFINITELY };
    expect(said(steppedExecution([START, wait], facts)).sentence).not.toContain("sub-workflow");
  });
});

describe("a status that is not known", () => {
  test("has ended if `stoppedAt` says so, and nothing is said of how", () => {
    const { cause, sentence } = said(steppedExecution([START, NEXT], { status: "paused-by-policy" }));
    expect(cause).toBe("unknown_status");
    expect(sentence).toContain("It ended at 2026-01-01T00:00:01.000Z");
    expect(sentence).toContain("whether it succeeded is not known");
  });

  test("has not ended without it", () => {
    const execution = steppedExecution([START, NEXT], { status: "paused-by-policy", stoppedAt: null });
    expect(said(execution).sentence).toContain("It has not ended");
  });
});

test("an agent that called it is evidence (n8n 2.40.5, `modules/agents/tools/workflow-tool-factory`)", () => {
  const data = { ...NO_RUNS, parentAgentRun: PARENT_AGENT_RUN };
  const { evidence } = explain(steppedExecution([START, NEXT], { mode: "agent", status: "crashed", data }));
  expect(evidence.map(({ sentence }) => sentence).join()).toContain("(agent agent1, run run1)");
});

describe("errors of n8n 2.41 to 3.0", () => {
  const http: Step = { name: "Fetch", type: "n8n-nodes-base.httpRequest" };
  const unzip: Step = { name: "Unzip", type: "n8n-nodes-base.compression" };
  const code: Step = { name: "Long", type: "n8n-nodes-base.code", parameters: { jsCode: "while (true) {}" } };

  test.each<[string, Step, Record<string, unknown>, RegExp]>([
    [
      "SsrfBlockedIpError (n8n 2.41.1, `@n8n/backend-network` `ssrf-blocked-ip.error`)",
      http,
      {
        name: "SsrfBlockedIpError",
        message: "The request was blocked because it resolves to a restricted IP address",
        description: "The target planted is not allowed.",
      },
      /not allow|settings/,
    ],
    [
      "60 s of a Code node (n8n 2.41.1, `breaking-changes/rules/v3/task-runner-task-timeout.rule`)",
      code,
      { message: "Task execution timed out after 60 seconds" },
      /longer than the task runner allows/,
    ],
    [
      "256 MiB of Compression (n8n 2.41.1, nodes-base `Compression/decompress/DecompressedSizeExceededError`)",
      unzip,
      { message: "The decompressed output exceeds the maximum allowed size of 256 MB" },
      /limit|too large/,
    ],
    [
      "1,000 entries of Compression (n8n 2.41.1, nodes-base `Compression/decompress/BoundedUnzip`)",
      unzip,
      { message: "The archive contains more than 1000 entries" },
      /limit|too large/,
    ],
  ])("%s", (_name, step, error, says) => {
    const { sentence } = said(steppedExecution([START, { ...step, error }]));
    expect(sentence).toMatch(says);
    expect(sentence).not.toContain("planted");
  });

  test("a node that 3.0 has removed (n8n 2.41.1, n8n-core `unrecognized-node-type.error`)", () => {
    const old: Step = { name: "Old", type: "n8n-nodes-base.function" };
    const error = { level: "warning", tags: {}, message: "Unrecognized node type: n8n-nodes-base.function" };
    const data = { resultData: { error, runData: {} } };
    const finding = said(
      steppedExecution([{ name: "Start", type: START.type ?? "" }, old], { status: "error", data }),
    );
    expect(finding).toMatchObject({ cause: "node_not_installed", node: "Old" });
  });

  test("what n8n redacted is told by type and status only (n8n 2.40.5, `IRedactedErrorInfo`)", () => {
    const data = {
      ...NO_RUNS,
      resultData: { runData: {}, redactedError: { type: "NodeApiError", httpCode: "404" } },
      redactionInfo: { isRedacted: true, reason: "workflow_redaction_policy", canReveal: false },
    };
    const failure = failureOf(steppedExecution([START, NEXT], { status: "error", data }));
    expect(failure).toMatchObject({ name: "NodeApiError", httpCode: "404", hasOwnText: false });
  });
});
