/** What answers cost a model, by real tokenizers. docs/text-answers.md has the figures. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../../support/call-recorded.ts";
import { ASKED, measureAnswer } from "../../support/recorded-answers.ts";

let n8n: RecordedN8n;
let caller: Caller;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  caller = createCaller({ settings: settingsFor(n8n) });
});
afterAll(async () => {
  await n8n.close();
});

test.each(Object.keys(ASKED))("%s: the text takes no more tokens than the JSON", async (what) => {
  const { answer, json, text } = await measureAnswer(caller, what);
  expect(answer.status).toBe(what === "an error" ? "error" : "success");
  expect(text).toBeLessThan(json);
});

test("a trace of four executions takes 450 tokens at most", async () => {
  const { answer, json, text } = await measureAnswer(caller, "trace of 4 executions");
  expect(answer.data).toMatchObject({ executions: [{}, {}, {}, {}] });
  expect(json).toBeLessThanOrEqual(450);
  expect(text).toBeLessThanOrEqual(450);
});
