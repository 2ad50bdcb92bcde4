/** An answer whose redaction would take too much work says what is withheld, and how to get it. */
import { expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "../../src/mcp/define-tool.ts";
import { createCaller } from "../support/call-recorded.ts";

const answering = (rows: readonly string[]) =>
  defineTool({
    name: "answer_rows",
    title: "Rows",
    description: "Answers rows.",
    scope: "n8n:read",
    maxTokens: 5_000,
    audited: {},
    input: z.strictObject({}),
    output: z.looseObject({ rows: z.array(z.string()), nextOffset: z.number() }),
    run: async () => ({ message: "There are rows.", data: { rows, nextOffset: 3 } }),
  });

const settings = {
  N8N_BASE_URL: "http://127.0.0.1:9",
  N8N_API_KEY: "key-of-these-tests",
  ACCESS_PASSPHRASE: "a passphrase for tests",
};
const answerOf = async (rows: readonly string[]) =>
  await createCaller({ settings, tools: [answering(rows)] }).call("answer_rows");

test("a text too complex for redaction is withheld, and the rest is shown", async () => {
  const { status, data, meta } = await answerOf(["plain words", `x ${'["a"]'.repeat(20_000)}`]);
  expect({ status, data }).toEqual({
    status: "success",
    data: { rows: ["plain words", "[REDACTED:too-complex]"], nextOffset: 3 },
  });
  expect(meta.withheld).toEqual({
    values: 1,
    solution:
      "Redacting this answer took too much work, so 1 value is withheld. Ask for less at once: one node, fewer items.",
  });
});

test("an answer too large for redaction keeps its shape, and shows no secret", async () => {
  const rows = Array.from({ length: 20 }, () => "the order was sent. ".repeat(50_000));
  const { status, data, meta } = await answerOf([...rows, "token=abc123def456"]);
  expect(status).toBe("success");
  expect(data).toMatchObject({ nextOffset: 3 });
  expect(JSON.stringify(data)).not.toContain("abc123def456");
  expect(meta.withheld).toMatchObject({ values: expect.any(Number) });
});

test("an ordinary answer does not mention withholding", async () => {
  expect((await answerOf(["token=abc123def456"])).meta).not.toHaveProperty("withheld");
});
