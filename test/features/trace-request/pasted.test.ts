/** An id is found as people paste it: with what stood around it in a chat, a log or a letter. */
import { describe, expect, test } from "vitest";
import { failedEntry, traced } from "../../support/called-workflows.ts";
import { fakeExecution, webhookData } from "../../support/fake-n8n.ts";

const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

async function foundAs(kept: string, asked: string): Promise<readonly string[]> {
  const history = [fakeExecution(10, kept), fakeExecution(11, "req-other-1")];
  const { executions } = await traced(history, { requestId: asked });
  return executions.filter(({ role }) => role !== "related").map(({ id }) => id);
}

describe("found", () => {
  test.each([
    ["invisible characters", "req-100-a", "\u200breq-\u00ad100-a\u2060"],
    ["backticks", "req-100-a", "`req-100-a`"],
    ["double quotes", "req-100-a", '"req-100-a"'],
    ["quotes and a comma, as in JSON", "req-100-a", '"req-100-a",'],
    ["single quotes", "req-100-a", "'req-100-a'"],
    ["typographic quotes", "req-100-a", "“req-100-a”."],
    ["German quotes", "req-100-a", "„req-100-a“"],
    ["bold", "req-100-a", "**req-100-a**"],
    ["parentheses", "req-100-a", "(req-100-a)"],
    ["a full stop", "req-100-a", "req-100-a."],
    ["a question mark", UUID, `${UUID}?`],
    ["a full stop after digits", "4711", "4711."],
    ["its name in a log", "req-100-a", "x-request-id: req-100-a"],
    ["its name in a query", "req-100-a", "requestId=req-100-a"],
    ["its name in JSON", "req-100-a", '"requestId": "req-100-a",'],
    [
      "a longer name",
      "Root=1-67891233-abcdef012345678912345678",
      "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678",
    ],
    ["an execution in words", "-", "execution 10"],
    ["an execution with #", "-", "Execution #10."],
    ["the name of an execution's id", "-", "executionId: 10"],
    ["an execution's address in a text", "-", "<http://localhost:1/workflow/w1/executions/10>"],
    ["an address at the end of a sentence", "-", "http://localhost:1/workflow/w1/executions/10."],
  ])("with %s", async (_around, kept, asked) => {
    expect(await foundAs(kept, asked)).toEqual(["10"]);
  });

  test.each([
    ["a name that ends with a full stop", "Acme Trading Inc."],
    ["the id of an e-mail", "<CAF=100.a7@mail.example.com>"],
    ["a list in brackets", "[a] and [b]"],
    ["several quotes", '"a" or "b"'],
    ["a base64 id", "YWJjMTIzNDU2+/8="],
    ["a key that is called an id", "chat_id:55-a"],
    ["letters that are joined", "نامه\u200cها-100"],
  ])("as it is: %s", async (_what, kept) => {
    expect(await foundAs(kept, kept)).toEqual(["10"]);
  });

  test.each(["req-100-a.", "chat_id=55-a"])("verbatim in quotes: %s", async (kept) => {
    expect(await foundAs(kept, `"${kept}"`)).toEqual(["10"]);
  });

  test("by explain_failure, too", async () => {
    const { caller } = await traced([failedEntry(10, "req-100-a")], { requestId: "req-100-a" });
    const { message } = await caller.call("explain_failure", { requestId: "`req-100-a`" });
    expect(message).toContain("Execution 10 of");
  });
});

test.each(['""', "``", "\u200b", " ' ' "])("%j is not an empty id", async (asked) => {
  const answer = traced([fakeExecution(10, "-")], { requestId: asked });
  if (asked.includes("\u200b")) await expect(answer).rejects.toThrow("must not be empty");
  else expect((await answer).outcome).toBe("not_found");
});

describe("an id where nothing looks: a trace of all payload says so", () => {
  const file = { fileName: "ord-100-a.pdf", mimeType: "application/pdf", data: "filesystem-v2" };
  const run = { startTime: 1, executionTime: 1, executionIndex: 0, executionStatus: "success", source: [] };
  const inFile = { Webhook: [{ ...run, data: { main: [[{ json: {}, binary: { file } }]] } }] };

  test.each([
    ["the name of a field", webhookData({ "ord-100-a": { amount: 1 } })],
    ["the name of a file", { resultData: { runData: inFile } }],
    ["base64", webhookData({ data: btoa('{"requestId":"ord-100-a"}') })],
  ])("%s", async (_where, data) => {
    const one = fakeExecution(10, "-", { data });
    const { outcome, _guidance } = await traced([one], { requestId: "ord-100-a", deep: true });
    expect(outcome).toBe("not_found");
    expect(_guidance.message).toMatch(
      /^Names of fields, files and their names, and encoded text were not searched/,
    );
  });
});
