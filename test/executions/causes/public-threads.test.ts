/** What users told of in public threads, each played on a real n8n first; beside each, what looks like it and is meant so. */
import { describe, expect, test } from "vitest";
import { modelFactsOf } from "../../../src/executions/agent-run/model-call.ts";
import { meaningIn } from "../../../src/executions/causes/error-meanings.ts";
import { apiError } from "../../kinds/others/case.ts";
import { code, deciding, HTTP, posting, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, told } from "../../support/explain.ts";
import type { Step } from "../../support/stepped-execution.ts";

const asking = (sent: unknown[], more: Partial<Step> = {}): Step => ({
  ...{ name: "Ask", type: HTTP, parameters: { url: "https://a/list" }, sent: [sent] },
  ...more,
});
const calling = (error: object, parameters: object, settings = {}): Step => ({
  ...{ name: "Call", type: HTTP, parameters: { method: "POST", url: "https://a", ...parameters } },
  ...{ settings, error: { ...error } },
});

describe("a refused request", () => {
  const media = apiError("415", "Your request is invalid", { description: "Unsupported Media Type" });

  test("of a kind that the service does not take says as what the node is set to send it", () => {
    const sends = (contentType?: string): string =>
      told([webhook({ id: 1 }), calling(media, { contentType })]);
    expect(sends("form-urlencoded")).toContain("the node is set to send a form");
    expect(sends()).not.toContain("the node is set to send");
  });

  test("that is in conflict may be so with an earlier try of its own", () => {
    const conflict = apiError("409", "The resource already exists");
    const tries = { retryOnFail: true, maxTries: 2 };
    const saying = (error: object, settings: object, method = "POST"): string =>
      told([webhook({ id: 1 }), calling(error, { method }, settings)]);
    expect(saying(conflict, tries)).toContain("an earlier one may have been carried out");
    expect(saying(conflict, {})).not.toContain("an earlier one");
    expect(saying(conflict, tries, "GET")).not.toContain("an earlier one");
    expect(saying(apiError("500", "Broken"), tries)).not.toContain("an earlier one");
  });

  test.each([
    "Keys for idempotent requests can only be used with the same parameters they were first used with",
    "The Idempotency-Key has already been used with a different payload",
    "idempotency key reused",
  ])("says that its idempotency key was used before: %s", (text) => {
    expect(meaningIn([text])).toBe("invalid_request.key_used");
  });

  test("without an idempotency key was not refused because of another one", () => {
    expect(meaningIn(["Idempotency-Key header is required"])).not.toBe("invalid_request.key_used");
  });

  test.each([
    "registry.ollama.ai/library/gemma2:9b does not support tools",
    "This model does not support function calling.",
    "Tool use is not supported for this model",
  ])("says that the model cannot call tools: %s", (description) => {
    const call = { nodeRun: { error: apiError("400", "Bad request", { description }) } };
    expect(modelFactsOf(Object(call)).trouble).toBe("no_tools");
  });
});

test("a model's JSON in a Markdown fence is said to stand in one", () => {
  const parse: Step = {
    ...code("return { json: JSON.parse($json.text) }", []),
    sent: [],
    error: {
      name: "Error",
      message: "Unexpected token '`', \"```json [line 1]",
      lineNumber: 1,
      description: "SyntaxError",
    },
  };
  expect(told([webhook({ text: '```json\n{"a": 1}\n```' }), parse])).toContain("in a Markdown code fence");
  expect(told([webhook({ text: "{a" }), parse])).toContain("is not valid JSON");
});

test("a stop on purpose says what the decision before it tested, and whose item that was", () => {
  const answer = asking([{ status: "maintenance" }]);
  const stop: Step = {
    ...{ name: "Give up", type: "n8n-nodes-base.stopAndError", after: [["If", 1]] },
    error: { name: "NodeOperationError", message: "Check the API key", context: {} },
  };
  const steps = (left: string): Step[] => [
    webhook({ id: 1 }),
    answer,
    deciding(left, "equals", "accepted", [[], [{ status: "maintenance" }]]),
    stop,
  ];
  expect(told(steps("={{ $json.status }}"))).toContain(
    'after "If", which tests whether "status" equals "accepted" (case-sensitive) in what "Ask" sent, had taken its output 2',
  );
  expect(told(steps("={{ $json.status + $json.more }}"))).toContain('after "If" had taken its output 2');
});

describe("a change that reached no row", () => {
  const changing = (answer: object, before: object): string => {
    const steps = (sent: object): Step[] => [
      webhook({ id: 1 }),
      { ...posting([sent], "Change"), parameters: { method: "PATCH", url: "https://a" } },
      posting([{ queued: true }], "Tell"),
    ];
    return told(steps(answer), steps(before));
  };
  const DONE = { acknowledged: true, matchedCount: 1, modifiedCount: 1 };

  test("is an observation, since there may be nothing to change", () => {
    const said = changing({ acknowledged: true, matchedCount: 0, modifiedCount: 0 }, DONE);
    expect(said).toContain('"Change" does not say that all went well ("matchedCount")');
    expect(said).not.toMatch(ACCUSES);
    expect(changing({ affectedRows: 0 }, { affectedRows: 1 })).toContain('("affectedRows")');
  });

  test.each([
    ["was added", { matchedCount: 0, modifiedCount: 0, upsertedCount: 1 }],
    ["was so already", { matchedCount: 1, modifiedCount: 0 }],
  ])("is none if the row %s", (_what, answer) => {
    expect(changing(answer, DONE)).not.toContain("all went well");
  });
});
