/** The evaluation end to end: a scripted model answers one question through this server over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chooseModel, playByModel } from "../../eval/agent.ts";
import type { Arm } from "../../eval/arms/arm.ts";
import { startArm } from "../../eval/arms/index.ts";
import { judge } from "../../eval/judge.ts";
import { playByHand } from "../../eval/play.ts";
import { type Question, readQuestions } from "../../eval/question.ts";
import { type ScriptedModel, startScriptedModel } from "../real-n8n/scripted-model.ts";

const ANSWER = 'The database refused the password of the credential of "Read totals".';
const ask = (tool: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ tool, args }] });
const SCRIPTS = new Map([
  ["knows", [ask("explain_failure", { requestId: "rq-ibjfhbbfka" }), { text: ANSWER }]],
  [
    "reads",
    [
      ask("list_executions", { status: "error" }),
      ask("get", { what: "execution", id: "3224" }),
      { text: ANSWER },
    ],
  ],
]);

let model: ScriptedModel;
let question: Question;

beforeAll(async () => {
  model = await startScriptedModel(SCRIPTS);
  const found = (await readQuestions()).find(({ id }) => id === "id-database-login");
  if (found === undefined) throw new Error("The question is gone.");
  question = found;
});
afterAll(async () => await model.close());

async function play(arm: Arm, script: string) {
  const name = "openai:scripted";
  const environment = { OPENAI_API_KEY: "a-key" };
  const chosen = chooseModel({ model: name, baseUrl: model.urlOf(script), environment });
  return await playByModel(question, arm, { model: chosen, name });
}

describe("this server", () => {
  let arm: Arm;
  beforeAll(async () => {
    arm = await startArm({ arm: "this-server" });
  });
  afterAll(async () => await arm[Symbol.asyncDispose]());

  test("answers a model's call, and the transcript holds its cost", async () => {
    model.takeServed();
    const transcript = await play(arm, "knows");
    const { promptTokens, completionTokens } = model.takeServed();
    expect(transcript).toMatchObject({
      question: "id-database-login",
      arm: "this-server",
      model: "openai:scripted",
      calls: [{ tool: "explain_failure", arguments: { requestId: "rq-ibjfhbbfka" } }],
      answer: ANSWER,
      usage: { input: promptTokens, output: completionTokens },
    });
    expect(transcript.calls[0]?.answerTokens).toBeGreaterThan(100);
    expect(judge(question, transcript.answer)).toEqual({ outcome: "right" });
  });

  test("can be played by hand, line by line", async () => {
    const lines = [
      "tools",
      "nothing {}",
      "explain_failure {",
      'get_execution {"id":"3224"}',
      "answer It is the password.",
    ];
    const printed: string[] = [];
    async function* typed() {
      yield* lines;
    }
    const transcript = await playByHand(question, arm, typed(), (text) => printed.push(text));
    expect(transcript).toMatchObject({
      calls: [{ tool: "get_execution", arguments: { id: "3224" } }],
      answer: "It is the password.",
    });
    expect(printed.join("\n")).toMatch(/explain_failure: .*There is no tool nothing.*Execution 3224/s);
  });
});

test("the other arm is n8n's REST API alone", async () => {
  await using arm = await startArm({ arm: "rest" });
  const { calls } = await play(arm, "reads");
  expect(calls.map(({ tool }) => tool)).toEqual(["list_executions", "get"]);
  expect(await arm.call("get", { what: "execution", id: "3224" })).toContain(
    "password authentication failed",
  );
  expect(await arm.call("get", { what: "everything" })).toContain("what");
});

test("a model without a key or provider is refused", () => {
  expect(() => chooseModel({ model: "openai:gpt", environment: {} })).toThrow("OPENAI_API_KEY");
  expect(() => chooseModel({ model: "gpt", environment: {} })).toThrow("--model takes");
});
