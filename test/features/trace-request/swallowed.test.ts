/** A request that succeeded although something in it failed: the trace says so, and reads one execution to know. */
import { describe, expect, test } from "vitest";
import { traceRequest } from "../../../src/features/trace-request/trace.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { readKinds } from "../../recorded-n8n/kinds.ts";
import { createCaller } from "../../support/call-recorded.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  forgetRequests,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { NOTHING_SEEN, queriesOf } from "../../support/local-history.ts";
import { createLocalIds } from "../../support/local-ids.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

const QUERY = {
  ...{ window: WINDOW, limit: 2_000, traceId: undefined, deep: false, timeBudgetMs: 20_000 },
  mayReadData: true,
};

/** What a trace says of the recorded execution of this kind, and the executions that it reads one by one. */
async function traceOf(kind: string): Promise<{ message: string | undefined; singles: string[] }> {
  const n8n = createFakeN8n([await executionOf(kind, "1")]);
  return { message: await messageOf(n8n), singles: singlesOf(n8n) };
}

async function executionOf(kind: string, id: string): Promise<FakeExecution> {
  const recorded = (await readKinds("2.40.5")).find((each) => each.kind === kind);
  if (recorded === undefined) throw new Error(`No execution of the kind ${kind} is recorded.`);
  return { ...recorded.answer, id };
}

async function messageOf(n8n: FakeN8n): Promise<string | undefined> {
  const caller = createCaller({ fetch: n8n.fetch });
  return (await caller.call("trace_request", { requestId: "kind-1" })).message;
}

test.each([
  [
    "caught-code",
    '"Stock": its output says that it failed on its item (its error says: what it was asked for',
  ],
  ["caught-http-output", '"Fetch": its output says that it failed on its item (404'],
  ["agent-3-1-failing-tool", '"get_stock" failed'],
])("the swallowed failure of %s is reported", async (kind, expected) => {
  const { message, singles } = await traceOf(kind);
  expect(message).toContain(" succeeded in ");
  expect(message).toContain(" But in execution ");
  expect(message).toContain(expected);
  expect(message).not.toContain("Stock of 17");
  expect(singles).toHaveLength(1);
});

test.each(["error-as-data", "agent-3-1"])("no failure is reported in %s, read once", async (kind) => {
  const { message, singles } = await traceOf(kind);
  expect(message).toContain(" succeeded in ");
  expect(message).not.toContain("But in");
  expect(singles).toHaveLength(1);
});

describe("a swallowed failure that n8n has deleted since", () => {
  async function deletedOf(executions: readonly FakeExecution[], goneId: string) {
    const n8n = createFakeN8n(executions);
    const caller = createCaller({ fetch: n8n.fetch });
    const trace = async (requestId = "kind-1") =>
      (await caller.call("trace_request", { requestId })).message ?? "";
    expect(await trace()).toContain(" But in execution ");
    n8n.executions = n8n.executions.filter(({ id }) => id !== goneId);
    await trace(`execution:${goneId}`);
    forgetRequests(n8n);
    return { message: await trace(), singles: singlesOf(n8n) };
  }

  test("is still reported, and not requested", async () => {
    const executions = [await executionOf("caught-code", "1"), fakeExecution(2, "another")];
    const { message, singles } = await deletedOf(executions, "1");
    expect(message).toMatch(/ But in execution 1 of ".*" something went wrong; it could not be read again\./);
    expect(singles).toEqual([]);
  });

  test("does not hide one that can be read", async () => {
    const executions = await Promise.all(["1", "2"].map((id) => executionOf("caught-code", id)));
    const { message, singles } = await deletedOf(executions, "2");
    expect(message).toContain(' But in execution 1 of "');
    expect(message).toContain("its output says that it failed on its item");
    expect(new Set(singles)).not.toContain("2");
  });
});

test("three executions are read at once", async () => {
  const executions = ["3", "2", "1"].map(async (id) => await executionOf("error-as-data", id));
  const n8n = createFakeN8n(await Promise.all(executions));
  const asked: number[] = [];
  n8n.intercept = async ({ pathname }) => {
    if (!/executions\/\d+$/.test(pathname)) return undefined;
    for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    asked.push(singlesOf(n8n).length);
    return undefined;
  };
  await messageOf(n8n);
  expect(asked).toEqual([3, 3, 3]);
});

test("an execution that n8n fails to return does not hide the swallowed failure of another", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n([fakeExecution(2, "r-1"), fakeExecution(1, "r-1")]);
  const { view } = traces;
  const caller = { userId: "anna", view, sources: traces.sourcesOf(n8n), newId: () => "one" };
  const lookCloser = async (id: string) => {
    if (id === "1") return { ...NOTHING_SEEN, reason: "It lost items." };
    throw new ObserverError("N8N_BAD_RESPONSE", "n8n failed.", { solution: "Call again." });
  };
  const answer = await traceRequest(
    { ...QUERY, requestId: "r-1" },
    {
      history: { ...queriesOf(traces.history, caller), lookCloser },
      paths: createLocalIds(),
      progress: async () => {},
    },
  );
  expect(answer.sentence).toContain(' But in execution 1 of "orders": It lost items.');
});
