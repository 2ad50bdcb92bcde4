/** The facts of real failures and agent runs, as three versions of n8n recorded them, and what they must never hold. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { ERROR_CLASSES } from "../../src/executions/error-facts.ts";
import {
  type ExecutionFacts,
  executionFacts,
  INCOMPLETE_REASONS,
  toExecutionFacts,
} from "../../src/executions/execution-facts.ts";
import { failureOf } from "../../src/executions/failure.ts";
import { summarizeExecution } from "../../src/executions/summary.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { recordedVersions } from "../real-n8n/versions.ts";
import { readKinds } from "../recorded-n8n/kinds.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { digest, factsOf, NO_FACTS, outcomeOf } from "../support/facts-of-executions.ts";

interface Recorded {
  readonly kind: string;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly facts: ExecutionFacts;
}

const all: Recorded[] = [];
/** The facts of each execution of this kind, across all versions. */
const ofKind = (kind: string): ExecutionFacts[] =>
  all.filter((each) => each.kind === kind).map(({ facts }) => facts);

beforeAll(async () => {
  for (const version of recordedVersions) {
    const { executions, snapshots } = await readRecording(version);
    const scenarios = executions.map(({ answer, snapshot, status }) => ({
      kind: `recorded ${status}`,
      answer: { ...answer, workflowData: snapshots[snapshot] },
    }));
    for (const { kind, answer } of [...(await readKinds(version)), ...scenarios])
      all.push({ kind, answer, facts: factsOf(answer, [4_096]) });
  }
});

const FAILED = { incomplete: null, nodes: 2, runs: 2, items: 1, handledErrors: 0 };

describe("real failures, on each version", () => {
  test.each<[string, Partial<ExecutionFacts>]>([
    ["throws", { ...FAILED, failingNode: "Send", failedAtCall: 0, httpStatus: null }],
    ["http-404", { ...FAILED, failingNode: "Fetch", errorClass: "NodeApiError", httpStatus: 404 }],
    ["http-429", { ...FAILED, failingNode: "Fetch", errorClass: "NodeApiError", httpStatus: 429 }],
    ["refused", { ...FAILED, failingNode: "Fetch", errorClass: "NodeApiError", httpStatus: null }],
    ["timed-out", { ...FAILED, failingNode: "Fetch", errorClass: "NodeApiError", httpStatus: null }],
    ["stopped", { ...FAILED, failingNode: "Stop", errorClass: "NodeOperationError" }],
    ["no-such-sub-workflow", { ...FAILED, failingNode: "Call", failedAtCall: 1, errorClass: null }],
    ["expression", { ...FAILED, failingNode: "Set", errorClass: "NodeOperationError" }],
    ["late-failure", { ...FAILED, failingNode: "Last", nodes: 3, runs: 3, items: 2, handledErrors: 1 }],
  ])("%s", (kind, expected) => {
    const found = ofKind(kind);
    expect(found.length).toBeGreaterThanOrEqual(recordedVersions.length);
    for (const facts of found) {
      expect(facts).toMatchObject(expected);
      expect(facts.errorFingerprint).toMatch(/^[\w-]{22}$/);
    }
  });

  test("the same error of two requests has one fingerprint, and different errors have different ones", () => {
    for (const version of recordedVersions.keys()) {
      const prints = (kind: string) => {
        const found = ofKind(kind);
        const share = found.length / recordedVersions.length;
        return found.slice(version * share, (version + 1) * share).map((facts) => facts.errorFingerprint);
      };
      const twice = [...prints("throws"), ...prints("http-404")];
      expect(twice).toHaveLength(4);
      expect(new Set(twice).size).toBe(2);
      const single = ["http-429", "refused", "timed-out", "stopped", "no-such-sub-workflow", "expression"];
      expect(new Set([...twice, ...single.flatMap(prints)]).size).toBe(2 + single.length);
    }
  });

  test("a canceled execution failed at no node", () => {
    const canceled = ofKind("recorded canceled");
    expect(canceled).toHaveLength(recordedVersions.length);
    expect(canceled[0]).toMatchObject({ failingNode: null, errorFingerprint: null });
    // The older two versions do not store the reason.
    expect(canceled.map(({ errorClass }) => errorClass)).toEqual([
      "ManualExecutionCancelledError",
      "ExecutionCancelledError",
      "ExecutionCancelledError",
    ]);
  });
});

describe("successes, on each version", () => {
  test.each([
    ["caught-code", 1],
    ["caught-code-output", 1],
    ["caught-http", 1],
    ["caught-http-output", 1],
    ["caught-item", 1],
    ["error-as-data", 0],
    ["recorded success", 0],
  ])("%s: handled errors", (kind, handledErrors) => {
    const found = ofKind(kind);
    expect(found.length).toBeGreaterThanOrEqual(recordedVersions.length);
    for (const facts of found)
      expect(facts).toMatchObject({
        failingNode: null,
        errorClass: null,
        httpStatus: null,
        errorFingerprint: null,
        handledErrors,
      });
  });
});

describe("agents of each generation, on each version", () => {
  const USED = { llmCalls: 2, toolCalls: 1, nodes: 4, runs: 5, failingNode: null, incomplete: null };
  /** Three agent generations in three versions, less one that n8n 1.100 does not have. */
  const HOW_MANY = 8;
  const agents = (suffix: string): ExecutionFacts[] => {
    const found = all.filter(
      ({ kind }) => /^agent-/.test(kind) && kind.replace(/^agent-[\d-]*\d/, "") === suffix,
    );
    expect(found).toHaveLength(HOW_MANY);
    return found.map(({ facts }) => facts);
  };

  test("calls of models and tools are counted, and tokens are the provider's", () => {
    for (const facts of agents(""))
      expect(facts).toMatchObject({
        ...USED,
        handledErrors: 0,
        promptTokens: 40,
        completionTokens: 20,
        estimatedPromptTokens: 0,
        estimatedCompletionTokens: 0,
      });
  });

  test("tokens that n8n estimated are counted separately", () => {
    for (const facts of agents("-uncounted")) {
      expect(facts).toMatchObject({
        ...USED,
        promptTokens: 0,
        completionTokens: 0,
        estimatedCompletionTokens: 5,
      });
      expect(facts.estimatedPromptTokens).toBeGreaterThan(20);
    }
  });

  test("a failed tool is counted, however the agent learns of it", () => {
    for (const facts of agents("-failing-tool")) expect(facts).toMatchObject({ ...USED, handledErrors: 1 });
  });

  test("a model that refuses counts as one call without tokens", () => {
    for (const facts of agents("-limited")) {
      expect(facts).toMatchObject({ llmCalls: 1, toolCalls: 0, promptTokens: 0, handledErrors: 0 });
      expect(["Agent", "Model"]).toContain(facts.failingNode);
    }
  });

  test("a tool called by an MCP server is counted", () => {
    const withTools = all.filter(({ kind, facts }) => kind === "recorded success" && facts.toolCalls > 0);
    expect(withTools).toHaveLength(recordedVersions.length);
  });
});

describe("every recorded execution", () => {
  test("has the failing node, status and counts of its summary, except items that its retry takes over", () => {
    let failed = 0;
    for (const { answer, facts } of all) {
      const execution = executionWithData.parse(answer);
      const { statistics } = summarizeExecution(execution);
      const failure = failureOf(execution);
      if (failure !== null) failed += 1;
      const { failingNode, httpStatus, nodes, items } = facts;
      expect({ failingNode, httpStatus, nodes, items }).toEqual({
        failingNode: failure?.nodeName ?? null,
        httpStatus: failure?.httpCode ? Number(failure.httpCode) : null,
        nodes: statistics.executedNodes,
        items: statistics.earlierNodes === undefined ? statistics.totalItemsProcessed : items,
      });
      if (failure !== null) expect(facts.errorClass).toBe(failure.name);
    }
    expect(failed).toBeGreaterThan(40);
  });

  test("has facts that survive storage unchanged, in under 100 characters", () => {
    for (const {
      facts: { models: _models, ...facts },
    } of all) {
      expect(executionFacts.parse(JSON.parse(JSON.stringify(facts)))).toEqual(facts);
      const values = Object.values(facts).map((value) => (value === null ? "" : String(value)));
      expect(values.join("").length).toBeLessThan(100);
    }
  });

  test("has no payload in its facts", () => {
    expect(all.length).toBeGreaterThan(250);
    for (const { answer, facts } of all) {
      const { failingNode, errorClass, errorFingerprint, errorHost, version, incomplete, models, ...counts } =
        facts;
      const { nodes } = z
        .object({ nodes: z.array(z.object({ name: z.string() })) })
        .parse(answer.workflowData);
      if (failingNode !== null) expect(nodes.map(({ name }) => name)).toContain(failingNode);
      expect([null, "other", ...ERROR_CLASSES.keys()]).toContain(errorClass);
      expect([null, ...INCOMPLETE_REASONS]).toContain(incomplete);
      expect(errorHost ?? "h".repeat(10)).toMatch(/^[\w-]{10}$/);
      expect(version ?? "v".repeat(8)).toMatch(/^[\da-f-]{8}$|^v{8}$/);
      for (const value of Object.values(counts))
        expect(typeof value === "number" || value === null).toBe(true);
      for (const { model } of models ?? [])
        expect(["gpt-4o-mini", "gpt-4.1-mini", "gpt-4-32k"]).toContain(model);
      expect(Object.keys(facts).filter((name) => name !== "models")).toEqual(Object.keys(NO_FACTS));
      for (const text of payloadTexts(answer)) expect(errorFingerprint ?? "").not.toContain(text);
      expect(JSON.stringify(facts)).not.toMatch(canaryPattern);
    }
  });
});

/** Every text that a run produced, errors included. Shorter ones could match by chance. */
function payloadTexts({ data }: Recorded["answer"]): string[] {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string" && value.length >= 5) texts.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  visit(data);
  return texts;
}

describe("facts are incomplete for a stated reason", () => {
  const context = {
    status: "success",
    hasEnded: true,
    isWithheld: false,
    isTooLarge: false,
    isPartial: false,
  } as const;
  const withRuns = (runData: unknown, more: object = {}) =>
    outcomeOf(
      JSON.stringify({
        id: "7",
        workflowId: "w",
        mode: "webhook",
        data: { resultData: { runData, ...more } },
      }),
    );
  const ran = () => withRuns({ Webhook: [{}] });

  test.each([
    [null, {}],
    ["withheld", { isWithheld: true, isTooLarge: true, isPartial: true }],
    ["too_large", { isTooLarge: true, isPartial: true }],
    ["partial", { isPartial: true }],
  ])("%s: %j", (incomplete, more) => {
    expect(toExecutionFacts(ran(), { ...context, ...more }, digest).incomplete).toBe(incomplete);
  });

  test("an execution that ended without a run was not saved, unless it failed before its first node", () => {
    const incomplete = (outcome: ReturnType<typeof ran>, more: object = {}) =>
      toExecutionFacts(outcome, { ...context, ...more }, digest).incomplete;
    expect(incomplete(withRuns({}))).toBe("not_saved");
    expect(incomplete(withRuns({}), { status: "running", hasEnded: false })).toBeNull();
    expect(incomplete(withRuns({}, { error: { message: "no trigger" } }), { status: "error" })).toBeNull();
  });

  const failedWith = (error: object, nodes: object[] = [{ name: "Fetch", type: "t" }], more: object = {}) =>
    factsOf({
      id: "7",
      workflowId: "w",
      mode: "webhook",
      status: "error",
      data: { resultData: { runData: { Fetch: [{ error }] }, error, lastNodeExecuted: "Fetch", ...more } },
      workflowData: { nodes },
    });

  test("an error that n8n withholds still has its class and status", () => {
    const facts = factsOf({
      id: "7",
      workflowId: "w",
      mode: "webhook",
      status: "error",
      data: {
        redactionInfo: { isRedacted: true },
        resultData: {
          lastNodeExecuted: "Fetch",
          redactedError: { type: "NodeApiError", httpCode: "503" },
          runData: {
            Fetch: [{ executionStatus: "error", redactedError: { type: "NodeApiError", httpCode: "503" } }],
          },
        },
      },
    });
    expect(facts).toMatchObject({
      failingNode: "Fetch",
      errorClass: "NodeApiError",
      httpStatus: 503,
      incomplete: "withheld",
    });
  });

  test("a crash is reported with its own class, at the node that crashed", () => {
    const run = { executionStatus: "crashed", error: { name: "NodeCrashedError", message: "Node crashed" } };
    const error = { name: "WorkflowCrashedError", message: "Workflow did not finish" };
    const answer = { id: "7", workflowId: "w", mode: "webhook", status: "crashed" };
    const facts = factsOf({ ...answer, data: { resultData: { error, runData: { Wait: [run] } } } });
    expect(facts).toMatchObject({
      failingNode: "Wait",
      errorClass: "WorkflowCrashedError",
      handledErrors: 0,
    });
  });

  test("an error cannot set the facts' node, class or status by its own words", () => {
    const error = { message: "x", name: "Ana's own", node: { name: "Ana" }, httpCode: "Ana", code: "4711" };
    expect(failedWith(error)).toMatchObject({ failingNode: "Fetch", errorClass: "other", httpStatus: null });
  });

  test("a long node name is cut to 256 characters", () => {
    const name = "n".repeat(400);
    const facts = failedWith({ message: "x", node: { name } }, [{ name, type: "t" }]);
    expect(facts.failingNode).toBe(`${"n".repeat(255)}…`);
  });

  test("the same message from another node type, class or status is another error", () => {
    const print = (error: object, type = "t") =>
      failedWith({ message: "late", ...error }, [{ name: "Fetch", type }]).errorFingerprint;
    const prints = [print({}), print({}, "u"), print({ httpCode: 500 }), print({ name: "TypeError" })];
    expect(new Set([...prints, print({ description: "down" }), print({ code: "E_OWN" })]).size).toBe(6);
    expect(print({})).toBe(print({ stack: "elsewhere", lineNumber: 7 }));
  });
});
