/** Right and wrong guesses at a secret cannot be distinguished, on a running Worker with the recorded n8n. */
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { canaries } from "../real-n8n/canaries.ts";
import { catchConsoleLines } from "../support/console-lines.ts";
import { toolCall } from "../support/mcp-post.ts";
import { askMcp } from "./mcp-call.ts";
import { PASSPHRASE, SERVICE_TOKEN } from "./secrets.ts";

const callLine = z.object({ event: z.literal("tool_call"), bytesRead: z.number() });

const lines = catchConsoleLines();

const isCallLine = (line: string): boolean => line.includes('"tool_call"');

/** The answer, and how many bytes n8n sent for it. */
async function ask(
  name: string,
  args: object,
  token: string = SERVICE_TOKEN.readAndData,
): Promise<{ text: string; bytesRead: number }> {
  lines.length = 0;
  const text = await (await askMcp(toolCall(name, args), { token })).text();
  await vi.waitFor(() => expect(lines.some(isCallLine)).toBe(true));
  const { bytesRead } = callLine.parse(JSON.parse(lines.find(isCallLine) ?? ""));
  return { text, bytesRead };
}

/** Without ids, times, the guess itself, and keep-alive comments, which depend on the machine's speed. */
const comparable = (text: string, guess: string): string =>
  text
    .replaceAll(/^: keepalive\n\n/gm, "")
    .replaceAll(/(search|trace)_[0-9a-z]{16}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(encodeURIComponent(guess), "<guess>")
    .replaceAll(guess, "<guess>");

const SECRET = canaries.bodyPassword;

test.each([
  ["a search", "search_executions", (text: string) => ({ text, maxHits: 1 })],
  ["a deep trace", "trace_request", (requestId: string) => ({ requestId, deep: true, limit: 100 })],
])(
  "%s of a secret gives the same answer for a right and a wrong guess",
  async (_name, tool, argsOf) => {
    // The first call fills the index.
    await ask(tool, argsOf("nothing-of-this-kind"));
    for (const right of [SECRET.slice(0, -4), SECRET]) {
      const wrong = `${right.slice(0, -1)}q`;
      const [ofRight, ofWrong] = [await ask(tool, argsOf(right)), await ask(tool, argsOf(wrong))];
      // Executions that the index rules out are not read, but n8n's lists are.
      expect(ofRight.bytesRead).toBeGreaterThan(10_000);
      expect(ofRight.bytesRead).toBe(ofWrong.bytesRead);
      expect(comparable(ofRight.text, right)).toBe(comparable(ofWrong.text, wrong));
    }
  },
  60_000,
);

describe("without n8n:data", () => {
  const asReader = async (requestId: string, more = {}) =>
    await ask("trace_request", { requestId, ...more }, SERVICE_TOKEN.readOnly);

  // Both are in bodies of recorded requests.
  test.each(["Cena", "Ana"])("%s is refused like a wrong guess, without asking n8n", async (right) => {
    const wrong = `${right.slice(0, -1)}q`;
    for (const more of [{}, { deep: true }]) {
      const [ofRight, ofWrong] = [await asReader(right, more), await asReader(wrong, more)];
      expect([ofRight.bytesRead, ofWrong.bytesRead]).toEqual([0, 0]);
      expect(ofRight.text).toContain("INSUFFICIENT_SCOPE");
      expect(comparable(ofRight.text, right)).toBe(comparable(ofWrong.text, wrong));
    }
  });

  test("a secret in the form of an id is not compared with secrets", async () => {
    const right = canaries.bodyPassword;
    const wrong = `${right.slice(0, -1)}q`;
    const [ofRight, ofWrong] = [await asReader(right), await asReader(wrong)];
    expect(ofRight.bytesRead).toBe(ofWrong.bytesRead);
    expect(comparable(ofRight.text, right)).toBe(comparable(ofWrong.text, wrong));
  });

  test("a request id is found as usual", async () => {
    expect((await asReader("req-deep-failure")).text).toContain('\\"outcome\\":\\"error\\"');
  });
});

/** The passphrase with one wrong letter; the sign-in page counts such guesses. */
const WRONG_PASSPHRASE = `${PASSPHRASE.slice(0, -1)}x`;

test.each([
  ["a trace", "trace_request", (requestId: string) => ({ requestId })],
  ["a trace of its Base64", "trace_request", (text: string) => ({ requestId: btoa(text) })],
  ["a search", "search_executions", (text: string) => ({ text, maxHits: 1 })],
  ["a node's name", "get_execution_by_node", (nodeName: string) => ({ id: "34", nodeName })],
  ["a workflow's name", "list_workflows", (name: string) => ({ name })],
  ["an unknown argument", "get_execution", (text: string) => ({ id: "34", [text]: text })],
  ["an unknown tool", "no_such_tool", (text: string) => ({ text })],
])("%s does not reveal whether the passphrase was guessed", async (_name, tool, argsOf) => {
  await ask(tool, argsOf(WRONG_PASSPHRASE));
  const answers = [];
  for (const guess of [WRONG_PASSPHRASE, PASSPHRASE]) {
    const { text } = await ask(tool, argsOf(guess));
    answers.push(comparable(comparable(text, guess), btoa(guess)));
  }
  expect(answers[1]).toBe(answers[0]);
  expect(answers[1]).not.toContain("own-secret");
});

test("an unknown argument's name does not unredact a secret in n8n's text", async () => {
  const guesses = { [`${PASSPHRASE} and many other guesses`]: null };
  const workflow = {
    ...{
      id: "w1",
      name: "W",
      active: true,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    },
    nodes: [
      {
        id: "n",
        name: `Ask about ${PASSPHRASE}`,
        type: "n8n-nodes-base.noOp",
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
    ],
    ...{ connections: {}, settings: {}, tags: [] },
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(workflow));
  const { text } = await ask("get_workflow", { workflowId: "w1", ...guesses }, SERVICE_TOKEN.readOnly);
  vi.restoreAllMocks();
  expect(text).toContain("Ask about [REDACTED:own-secret]");
  expect(text).not.toContain(PASSPHRASE);
});

test("no answer repeats the token of its request", async () => {
  const token = SERVICE_TOKEN.readAndData;
  const { text } = await ask("trace_request", { requestId: `asked with ${token}` });
  expect(text).toContain("asked with [REDACTED:own-secret]");
  expect(text).not.toContain(token);
});
