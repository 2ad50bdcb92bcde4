/** A trace reports what is only observed in a successful request as an observation, also after it was explained. */
import { expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { holdOutDirectory, readHoldOut, toRecordingOf } from "../../recorded-n8n/hold-out.ts";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";

const kinds = await readHoldOut(holdOutDirectory("threads"));

const messagesOf = async (name: string): Promise<readonly (string | undefined)[]> =>
  (await tracesOf(name)).map(({ message }) => message);
const guidanceOf = async (name: string): Promise<readonly string[]> =>
  (await tracesOf(name)).map(({ data }) => guided.parse(data)._guidance.example);

const guided = z.looseObject({ _guidance: z.object({ example: z.string() }) });

/** The trace before the request was explained, and after. */
async function tracesOf(name: string): Promise<readonly Envelope[]> {
  const kind = kinds.find((each) => each.kind === name);
  if (kind === undefined) throw new Error(`No kind ${name} is recorded.`);
  const n8n = await startRecordedN8n({ version: "2.40.5", recording: await toRecordingOf("2.40.5", kind) });
  try {
    const caller = createCaller({ settings: settingsFor(n8n), scopes: ["n8n:read", "n8n:data"] });
    const trace = async () => await caller.call("trace_request", { requestId: kind.requestId });
    const before = await trace();
    await caller.call("explain_failure", { executionId: kind.executionId });
    return [before, await trace()];
  } finally {
    await n8n.close();
  }
}

test.each([
  ["position-drops-one", '"Join" puts items together by their position: of 3 and 2 it made 2'],
  ["moved-and-read", '"Confirm" reads "id"'],
])("the observation of %s is in the trace, before and after an explanation", async (name, expected) => {
  for (const message of await messagesOf(name)) {
    expect(message).toContain(" succeeded in ");
    expect(message).toMatch(/ Observed in execution \d+ of "[^"]+", and perhaps intended: /);
    expect(message).toContain(expected);
  }
});

test('what an explanation found by comparison is a "But" from then on', async () => {
  const [before, after] = await messagesOf("next-link-unread");
  expect(before).toContain('perhaps intended: "Open invoices" read one page');
  expect(after).toMatch(/ But in execution .* may be wrong; its explanation says what is known/);
});

test('what is certainly wrong stays a "But"', async () => {
  for (const message of await messagesOf("quota-in-200")) {
    expect(message).toContain(" But in execution ");
    expect(message).not.toContain("Observed");
  }
});

test.each(kinds.filter(({ expect: expected }) => expected === "healthy"))(
  "no observation in $kind",
  async ({ kind }) => {
    for (const message of await messagesOf(kind)) expect(message).not.toMatch(/ (?:But|Observed) in /);
  },
);

test("the next step is the explanation, even once it has found nothing wrong", async () => {
  const healthy = kinds.find(({ expect: expected }) => expected === "healthy")?.kind ?? "";
  for (const kind of [healthy, "quota-in-200"])
    for (const example of await guidanceOf(kind))
      expect(example).toMatch(/^explain_failure\(\{"executionId":"\d+"\}\)$/);
});

test("a reason that the error text could imitate is worded as a suggestion", async () => {
  const [message] = await messagesOf("url-without-scheme");
  expect(message).toContain('Its data suggests: "Call back" failed because its URL is not valid');
});
