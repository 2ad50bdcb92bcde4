/** A request that succeeded although something in it failed: the trace says so, and reads one execution for it. */
import { expect, test } from "vitest";
import { readKinds } from "../../recorded-n8n/kinds.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, singlesOf } from "../../support/fake-n8n.ts";

/** What a trace says of the recorded execution of this kind, and which executions are read alone for it. */
async function traceOf(kind: string): Promise<{ message: string | undefined; singles: string[] }> {
  const recorded = (await readKinds("2.40.5")).find((each) => each.kind === kind);
  if (recorded === undefined) throw new Error(`No execution of the kind ${kind} is recorded.`);
  const execution: FakeExecution = { ...recorded.answer, id: String(recorded.answer.id) };
  const n8n = createFakeN8n([execution]);
  const settings = settingsFor({ baseUrl: "http://localhost:1", apiKey: "a-key-for-these-tests" });
  const caller = createCaller({ settings, fetch: n8n.fetch });
  const { message } = await caller.call("trace_request", { requestId: "kind-1" });
  return { message, singles: singlesOf(n8n) };
}

test.each([
  [
    "caught-code",
    '"Stock": its output says that it failed on its item (its error says: what it was asked for',
  ],
  ["caught-http-output", '"Fetch": its output says that it failed on its item (404'],
  ["agent-3-1-failing-tool", '"get_stock" failed'],
])("%s is told of", async (kind, told) => {
  const { message, singles } = await traceOf(kind);
  expect(message).toContain(" succeeded in ");
  expect(message).toContain(" But in execution ");
  expect(message).toContain(told);
  expect(message).not.toContain("Stock of 17");
  expect(singles).toHaveLength(1);
});

test.each(["error-as-data", "agent-3-1"])("%s is not, and is looked at once", async (kind) => {
  const { message, singles } = await traceOf(kind);
  expect(message).toContain(" succeeded in ");
  expect(message).not.toContain("But in");
  expect(singles).toHaveLength(1);
});

test("two are looked at together", async () => {
  const recorded = (await readKinds("2.40.5")).find(({ kind }) => kind === "error-as-data");
  if (recorded === undefined) throw new Error("It is not recorded.");
  const n8n = createFakeN8n(["2", "1"].map((id): FakeExecution => ({ ...recorded.answer, id })));
  const asked: number[] = [];
  n8n.intercept = async ({ pathname }) => {
    if (!/executions\/\d+$/.test(pathname)) return undefined;
    for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    asked.push(singlesOf(n8n).length);
    return undefined;
  };
  const settings = settingsFor({ baseUrl: "http://localhost:1", apiKey: "a-key-for-these-tests" });
  await createCaller({ settings, fetch: n8n.fetch }).call("trace_request", { requestId: "kind-1" });
  expect(asked).toEqual([2, 2]);
});
