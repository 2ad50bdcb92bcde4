/** What a run of a tool's sub-workflow answered, and what it lacks of the standard output. */
import { describe, expect, test } from "vitest";
import { judgeRun, type RunVerdict } from "../../../../src/features/tool-contract/judgement/judge-run.ts";
import type { FakeExecution } from "../../../support/fake-n8n.ts";
import {
  answering,
  errorAnswer,
  type RunFacts,
  readForms,
  standard,
  timestamp,
  toolRun,
} from "../../../support/tool-runs.ts";

const judge = (execution: FakeExecution, declared: Parameters<typeof judgeRun>[1] = []): RunVerdict =>
  judgeRun(readForms(execution), declared);
const judgeAnswer = (answer: unknown): RunVerdict => judge(answering(1, [answer]));

const faultsOf = (verdict: RunVerdict): string[] =>
  verdict.kind === "answered"
    ? verdict.faults.map(({ member, problem, found }) => `${member} ${problem} ${found}`)
    : [verdict.kind];

describe("the standard output is kept by", () => {
  test.each<[string, unknown]>([
    ["a success", standard()],
    ["an error", errorAnswer("USER_NOT_FOUND")],
    ["null data", standard(null)],
    ["data that is a list", standard([1, 2])],
    ["data that is a text", standard("{")],
    ["more members than it asks for", { ...standard(), message: "m", meta: { timestamp, request_id: "r" } }],
    ["a time with an offset", { ...standard(), meta: { timestamp: "2026-11-21T15:55:30.521+01:00" } }],
    ["an answer within the data", standard({ ...standard(), status: "broken" })],
  ])("%s", (_name, answer) => {
    expect(judgeAnswer(answer)).toMatchObject({ kind: "answered", faults: [] });
  });

  test("data of any size, of which little is read", () => {
    const rows = Array.from({ length: 300_000 }, (_one, id) => ({ id, deep: { deeper: ["x", id] } }));
    const first = { data: { rows, list: rows.map(({ id }) => id), text: "x".repeat(3_000_000) } };
    expect(judgeAnswer({ ...first, status: "success", meta: { timestamp } })).toMatchObject({
      kind: "answered",
      faults: [],
    });
  });
});

describe("a fault is reported for", () => {
  test.each<[string, unknown, string[]]>([
    ["no meta", { status: "success", data: {} }, ["meta missing nothing"]],
    ["meta that is text", { ...standard(), meta: "now" }, ["meta wrong_kind string"]],
    ["no timestamp", { ...standard(), meta: {} }, ["meta.timestamp missing nothing"]],
    [
      "a timestamp in ms",
      { ...standard(), meta: { timestamp: 1_795_276_530_521 } },
      ["meta.timestamp wrong_kind number"],
    ],
    [
      "a timestamp that is no date",
      { ...standard(), meta: { timestamp: "today" } },
      ["meta.timestamp wrong_value string"],
    ],
    [
      "a date that there is not",
      { ...standard(), meta: { timestamp: "2026-13-41" } },
      ["meta.timestamp wrong_value string"],
    ],
    ["no data", { status: "success", meta: { timestamp } }, ["data missing nothing"]],
    ["no status", { data: {}, meta: { timestamp } }, ["status missing nothing"]],
    ["another status", { ...standard(), status: "ok" }, ["status wrong_value string"]],
    ["a status in capitals", { ...standard(), status: "SUCCESS" }, ["status wrong_value string"]],
    ["a status that is a flag", { ...standard(), status: true }, ["status wrong_kind boolean"]],
    ["a status that is null", { ...standard(), status: null }, ["status wrong_kind null"]],
    ["a list", [standard()], ["answer wrapped array"]],
    ["a text", "done", ["answer wrong_kind string"]],
    ["null", null, ["answer wrong_kind null"]],
    ["an empty object", {}, ["status missing nothing", "data missing nothing", "meta missing nothing"]],
    [
      "a name that only objects have",
      { constructor: 1 },
      ["status missing nothing", "data missing nothing", "meta missing nothing"],
    ],
  ])("%s", (_name, answer, faults) => {
    expect(faultsOf(judgeAnswer(answer))).toEqual(faults);
  });

  test("no item", () => {
    expect(faultsOf(judge(answering(1, [])))).toEqual(["answer missing nothing"]);
  });

  test("several items, whatever they are", () => {
    expect(faultsOf(judge(answering(1, [standard(), standard()])))).toEqual(["answer several_items array"]);
    expect(faultsOf(judge(answering(1, [standard(), 1])))).toEqual(["answer several_items array"]);
  });

  test("ten thousand items and the first of them", () => {
    const many = Array.from({ length: 10_000 }, () => ({ status: "success", data: "x".repeat(2_000) }));
    expect(faultsOf(judge(answering(1, many)))).toEqual([
      "answer several_items array",
      "meta missing nothing",
    ]);
  });
});

describe("an answer that is not the item itself", () => {
  const text = JSON.stringify(standard());
  test.each<[string, unknown, string]>([
    ["in a member", { output: standard() }, "object"],
    ["as JSON in a text", { output: text }, "object"],
    ["as JSON in a text that is the item", text, "string"],
    [
      "as a list in a text, as MCP clients get it",
      { response: [{ type: "text", text: JSON.stringify([standard()]) }] },
      "object",
    ],
    ["as an MCP answer", { content: [{ type: "text", text }], isError: false }, "object"],
    ["under a status of its own", { status: "ok", data: standard() }, "object"],
  ])("is wrapped %s", (_name, answer, found) => {
    expect(faultsOf(judgeAnswer(answer))).toEqual([`answer wrapped ${found}`]);
  });

  test("is judged itself as well, and its error is counted", () => {
    const verdict = judgeAnswer({ output: JSON.stringify({ status: "error", data: { code: "NOT_FOUND" } }) });
    expect(faultsOf(verdict)).toEqual(["answer wrapped object", "meta missing nothing"]);
    expect(verdict).toMatchObject({ error: { code: "NOT_FOUND" } });
  });

  test.each(["customer@example.com", "user_1"])("is not searched in a payload member: %s", (name) => {
    expect(faultsOf(judgeAnswer({ [name]: standard() }))).toContain("status missing nothing");
  });

  test.each([
    "{",
    '{"status":"success"',
    "[".repeat(7_000),
    `${"[".repeat(3_000)}${"]".repeat(3_000)}`,
    "null",
    '"x"',
  ])("is not in text like %s", (output) => {
    expect(faultsOf(judgeAnswer({ output }))).toContain("status missing nothing");
  });
});

describe("the answer of a run", () => {
  const start = { node: "Start", sends: [[{}]] };

  test("are the items of the last node executed, even if another end answered correctly", () => {
    const verdict = judge(
      toolRun(1, [
        start,
        { node: "Good", from: ["Start"], sends: [[standard()]] },
        { node: "Last", from: ["Start"], sends: [[]] },
      ]),
    );
    expect(faultsOf(verdict)).toEqual(["answer missing nothing"]);
    expect(verdict).toMatchObject({
      path: { endNode: "Last", path: ["Start", "Last"], otherEnds: ["Good"], sentElsewhere: [] },
    });
  });

  test("are the items of its first output, not those of an open error output", () => {
    const verdict = judge(
      toolRun(1, [
        start,
        { node: "Fetch", from: ["Start"], sends: [[], [standard()]], type: "n8n-nodes-base.httpRequest" },
      ]),
    );
    expect(faultsOf(verdict)).toEqual(["answer missing nothing"]);
    expect(verdict).toMatchObject({
      path: { endNode: "Fetch", endType: "n8n-nodes-base.httpRequest", sentElsewhere: [1], otherEnds: [] },
    });
  });

  test("are the items of its last run", () => {
    const runs = toolRun(1, [
      start,
      { node: "Loop", from: ["Start"], sends: [[standard()]] },
      { node: "Loop", from: ["Loop:0:0"], sends: [[{ status: "success", data: 1 }]] },
    ]);
    const verdict = judge(runs);
    expect(faultsOf(verdict)).toEqual(["meta missing nothing"]);
    expect(verdict).toMatchObject({ path: { path: ["Start", "Loop"] } });
  });

  test("has a path of nodes in order, shortened in its middle", () => {
    const chain = Array.from({ length: 40 }, (_one, index) => ({
      node: `N${index}`,
      from: [index === 0 ? "Start" : `N${index - 1}`],
      sends: [[{}]],
    }));
    const aside = { node: "Aside", from: ["Start"], sends: [[{}]] };
    const verdict = judge(toolRun(1, [start, aside, ...chain]));
    expect(verdict).toMatchObject({
      path: {
        path: ["Start", "N0", "N1", "N31", "N32", "N33", "N34", "N35", "N36", "N37", "N38", "N39"],
        pathLeftOut: 29,
        otherEnds: ["Aside"],
      },
    });
  });

  test("has both branches of a merge in its path", () => {
    const verdict = judge(
      toolRun(1, [
        start,
        { node: "A", from: ["Start"], sends: [[{}]] },
        { node: "B", from: ["Start"], sends: [[{}]] },
        { node: "Merge", from: ["A", "B"], sends: [[{}]] },
      ]),
    );
    expect(verdict).toMatchObject({
      path: { path: ["Start", "A", "B", "Merge"], otherEnds: [], sentElsewhere: [] },
    });
  });
});

describe("errors that n8n calls a success", () => {
  const codeOf = (answer: unknown): string | undefined => {
    const verdict = judgeAnswer(answer);
    return verdict.kind === "answered" ? verdict.error?.code : undefined;
  };

  test.each<[string, unknown, string]>([
    ["the guide's", errorAnswer("USER_SERVICE_FAILED"), "USER_SERVICE_FAILED"],
    ["deeper in the data", { status: "error", data: { error: { code: "NOT_FOUND" } } }, "NOT_FOUND"],
    ["somebody's name in capitals", errorAnswer("JANE_ROE"), "other"],
    ["a name among words of codes", errorAnswer("USER_ROE_NOT_FOUND"), "other"],
    ["a PIN", errorAnswer("PIN_8531"), "other"],
    ["with the digits of a number", { status: "error", data: { code: "SSN078051120" } }, "other"],
    ["beside the data", { status: "error", error: { code: "RATE_LIMITED" }, data: {} }, "RATE_LIMITED"],
    ["at the top", { status: "error", code: "TIMEOUT" }, "TIMEOUT"],
    ["no code", { status: "error", data: {} }, "none"],
    ["null", errorAnswer(null), "none"],
    ["a number", errorAnswer(404), "other"],
    ["an object", errorAnswer({ a: 1 }), "other"],
    ["a sentence", errorAnswer("User ada@example.com not found"), "other"],
    ["small letters", errorAnswer("not_found"), "other"],
    ["far too long", errorAnswer("A".repeat(62)), "other"],
    ["a single letter", errorAnswer("A"), "other"],
    ["a code and a line", errorAnswer("NOT_FOUND\nsecret"), "other"],
  ])("have a code: %s", (_name, answer, code) => {
    expect(codeOf(answer)).toBe(code);
  });

  test("are not successes, whatever their data says", () => {
    expect(codeOf(standard({ code: "E_NONE", status: "error" }))).toBeUndefined();
  });
});

describe("arguments that agents get wrong", () => {
  const inputs = { user_id: "string", age: "number", tags: "array", payload: "object", note: "any" };
  const declared = Object.entries(inputs).map(([name, type]) => ({
    name,
    type,
    isRequired: name !== "note",
  }));
  const good = { user_id: "u", age: 5, tags: ["a"], payload: { a: 1 }, note: null };
  const wrong = (details: unknown, given: unknown = good, answer: unknown = undefined): unknown => {
    const execution = answering(1, [answer ?? errorAnswer("VALIDATION_ERROR", details)], { inputs }, given);
    const verdict = judge(execution, declared);
    return verdict.kind === "answered"
      ? verdict.error?.wrongInputs.map(({ field, problem }) => `${field} ${problem}`)
      : undefined;
  };

  test.each<[string, unknown]>([
    ["a field", { field: "user_id" }],
    ["a path", { path: "user_id" }],
    ["a list of fields", { fields: ["user_id"] }],
    ["errors with a field each", { errors: [{ field: "user_id", message: "is missing" }] }],
    ["zod's issues", { issues: [{ path: ["user_id"], code: "invalid_type" }] }],
    ["what is missing", { missing: ["user_id"] }],
    ["a list as the details", [{ field: "user_id" }]],
  ])("are named by the answer as %s", (_name, details) => {
    expect(wrong(details)).toEqual(["user_id refused"]);
  });

  test("are named beside the details", () => {
    const data = { code: "VALIDATION_ERROR", field: "age" };
    expect(wrong({}, good, { status: "error", data, meta: { timestamp } })).toEqual(["age refused"]);
    const errors = { code: "VALIDATION_ERROR", errors: ["tags", "age"] };
    expect(wrong({}, good, { status: "error", data: errors, meta: { timestamp } })).toEqual([
      "tags refused",
      "age refused",
    ]);
  });

  test("are reported with what is wrong with them, where that shows", () => {
    expect(wrong({ field: "user_id" }, { ...good, user_id: "" })).toEqual(["user_id empty"]);
    expect(wrong({ field: "user_id" }, { ...good, user_id: "", age: "5" })).toEqual(["user_id empty"]);
  });

  test('are declared inputs: a path counts for its input, an unknown name for "other"', () => {
    expect(wrong({ fields: ["payload.user.email", "tags[0]"] })).toEqual(["payload refused", "tags refused"]);
    expect(wrong({ fields: ["ada_lovelace", "hunter"] })).toEqual(["other refused"]);
  });

  test("are found among the given ones if the answer names none", () => {
    expect(wrong({})).toEqual([]);
    expect(wrong({}, { user_id: " ", age: "5", tags: {}, payload: null })).toEqual([
      "user_id empty",
      "age wrong_kind",
      "tags wrong_kind",
      "payload missing",
    ]);
  });

  test("are reported only for validation errors", () => {
    expect(wrong({}, {}, errorAnswer("USER_NOT_FOUND", { field: "user_id" }))).toEqual([]);
  });

  test('are "other" if the tool declares none', () => {
    const answer = errorAnswer("VALIDATION_ERROR", { fields: ["user_id", "a b"] });
    expect(judge(answering(1, [answer]))).toMatchObject({
      error: { wrongInputs: [{ field: "other", problem: "refused" }] },
    });
  });

  test("are missing even if every object has a member of that name", () => {
    const answer = errorAnswer("VALIDATION_ERROR");
    expect(
      judge(answering(1, [answer]), [{ name: "constructor", type: "any", isRequired: true }]),
    ).toMatchObject({
      error: { wrongInputs: [{ field: "constructor", problem: "missing" }] },
    });
  });
});

describe("a run without an answer", () => {
  const failing = (facts: RunFacts): FakeExecution =>
    toolRun(
      1,
      [
        { node: "Start", sends: [[{}]] },
        { node: "Odd", from: ["Start"], sends: [], error: { message: "boom" } },
      ],
      facts,
    );

  test.each(["error", "crashed", "canceled"])("is failed where n8n calls it %s", (status) => {
    expect(judge(failing({ status }))).toEqual({ kind: "failed", status, node: "Odd" });
  });

  test("is failed before its first node", () => {
    expect(judge({ ...failing({ status: "error" }), data: { resultData: { runData: {} } } })).toEqual({
      kind: "failed",
      status: "error",
      node: null,
    });
  });

  test("is not judged where n8n withholds its data", () => {
    const redactionInfo = { redactionInfo: { isRedacted: true } };
    const execution = answering(1, [{}], { data: redactionInfo });
    expect(judge(execution)).toEqual({ kind: "unjudged", reason: "withheld_by_n8n" });
    expect(judge(failing({ status: "error", data: redactionInfo }))).toMatchObject({
      kind: "failed",
      node: "Odd",
    });
  });

  test.each<[string, unknown]>([
    ["no data", null],
    ["no run", { resultData: { runData: {}, lastNodeExecuted: "Answer" } }],
    ["no last node", { resultData: { runData: {} } }],
    ["a last node that every object has", { resultData: { runData: {}, lastNodeExecuted: "constructor" } }],
  ])("is not judged where n8n kept %s", (_name, data) => {
    expect(judge({ ...answering(1, [standard()]), data })).toEqual({ kind: "unjudged", reason: "no_data" });
  });

  test("is not judged if it ended beyond what is read of an execution", () => {
    const steps = Array.from({ length: 2_500 }, () => ({
      node: "Loop",
      from: ["Start"],
      sends: [[standard()]],
    }));
    expect(judge(toolRun(1, [{ node: "Start", sends: [[{}]] }, ...steps]))).toEqual({
      kind: "unjudged",
      reason: "too_large",
    });
  });

  test("is not reported as faulty if a part may not have been read", () => {
    const status = `success${"x".repeat(20_000)}`;
    expect(judgeAnswer({ ...standard(), status })).toEqual({ kind: "unjudged", reason: "too_large" });
  });
});
