/** A reading contains the facts of its execution, but nothing of the error's text. */
import { expect, test } from "vitest";
import { PageSize } from "../../../src/history/reading/page-size.ts";
import { readPage } from "../../../src/history/reading/read-executions.ts";
import type { Reading, ReadOptions } from "../../../src/history/reading/reading.ts";
import { takeTerms } from "../../../src/history/terms/term-reading.ts";
import { digest } from "../../support/facts-of-executions.ts";
import { createFakeN8n, type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";
import { createLocalIds } from "../../support/local-ids.ts";
import { createLocalTerms } from "../../support/local-terms.ts";

const SECRET = "ana@example.com";

const failed = (id: number, message: string): FakeExecution =>
  fakeExecution(id, "r-1", {
    status: "error",
    data: {
      resultData: {
        runData: { Send: [{ executionStatus: "error", error: { message, name: "TypeError" } }] },
        error: { message, name: "TypeError" },
        lastNodeExecuted: "Send",
      },
    },
    workflowData: { nodes: [{ name: "Send", type: "n8n-nodes-base.code" }] },
  });

/** An execution whose payload is nested too deep to be read. */
function tooDeep(id: number): FakeExecution {
  let json: unknown = {};
  for (let depth = 0; depth < 300; depth += 1) json = { deeper: json };
  return fakeExecution(id, "r-1", {
    data: { resultData: { runData: { Set: [{ data: { main: [[{ json }]] } }] } } },
  });
}

async function readings(executions: FakeExecution[]): Promise<Map<string, Reading>> {
  const n8n = createFakeN8n(executions);
  const options: ReadOptions = {
    client: n8n.client,
    paths: createLocalIds(),
    digest,
    redactLarge: async (value) => value,
    terms: takeTerms(createLocalTerms(), 0),
    search: null,
    clock: { now: Date.now, sleep: async () => {} },
    deadline: Date.now() + 60_000,
    pageSize: new PageSize(),
  };
  const read = new Map<string, Reading>();
  await readPage({ limit: 100 }, options, {
    read: (reading) => read.set(reading.execution.id, reading),
    unreadable: (id, reason) => expect.unreachable(`${id}: ${reason}`),
    vanished: (id) => expect.unreachable(id),
  });
  return read;
}

test("a failure's facts are its node, error class and a fingerprint equal for similar messages", async () => {
  const read = await readings([
    failed(3, `Order 4 of ${SECRET}`),
    failed(2, "Order 17 of bo@example.org"),
    failed(1, "no"),
  ]);
  const [third, second, first] = ["3", "2", "1"].map((id) => read.get(id)?.facts);
  expect(third).toMatchObject({
    failingNode: "Send",
    errorClass: "TypeError",
    nodes: 1,
    runs: 1,
    incomplete: null,
  });
  expect(second?.errorFingerprint).toBe(third?.errorFingerprint);
  expect(first?.errorFingerprint).not.toBe(third?.errorFingerprint);
  expect(JSON.stringify([third, second, first])).not.toMatch(/Order|example/);
});

test("an execution that was read in part, withheld or too large is marked incomplete", async () => {
  const withheld = fakeExecution(2, "r-1", { data: { redactionInfo: { isRedacted: true } } });
  const read = await readings([
    tooDeep(3),
    withheld,
    fakeExecution(1, "r-1", { dataTooLargeToDisplay: true }),
  ]);
  expect(["3", "2", "1"].map((id) => read.get(id)?.facts.incomplete)).toEqual([
    "partial",
    "withheld",
    "too_large",
  ]);
});
