/** What a search finds beside texts and numbers of items, and what it says that it does not search. */
import { expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { createFakeN8n, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { createLocalHistory } from "../../support/local-history.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };

/** As n8n keeps a refused request: the message is n8n's, the description is the service's. */
const REFUSED = {
  ...{ name: "NodeApiError", message: "Bad request - please check your parameters", httpCode: "400" },
  ...{ description: 'Customer K-998877 has no address {"requestId":"req-5"}', node: { name: "Call" } },
};
const run = { startTime: 1, executionTime: 1, executionIndex: 0, executionStatus: "error", source: [] };
const FILE = { data: { fileName: "invoice-4711-x.pdf", mimeType: "application/pdf", data: "AAAA" } };

const n8n = createFakeN8n([
  fakeExecution(5, "r-5", { data: webhookData({ order: { paid: null, total: 19.9 } }) }),
  fakeExecution(4, "r-4", { data: webhookData({ order: { paid: true } }) }),
  fakeExecution(3, "r-3", { data: webhookData({ body: JSON.stringify({ order: { paid: false } }) }) }),
  fakeExecution(2, "r-2", {
    ...{ status: "error" },
    data: { resultData: { runData: { Call: [{ ...run, error: REFUSED }] }, error: REFUSED } },
  }),
  fakeExecution(1, "r-1", {
    data: {
      resultData: { runData: { Mail: [{ ...run, data: { main: [[{ json: { a: 1 }, binary: FILE }]] } }] } },
    },
  }),
]);
const history = createLocalHistory();
const ask = async (tool: string, args: Record<string, unknown>) =>
  await createCaller({ settings: SETTINGS, fetch: n8n.fetch, history }).call(tool, args);

const answer = z.looseObject({ hits: z.array(z.looseObject({ executionId: z.string() })) });
async function search(args: Record<string, unknown>) {
  const envelope = await ask("search_executions", args);
  const { hits } = dataOf(envelope, answer);
  return { ids: hits.map(({ executionId }) => executionId), message: String(envelope.message) };
}

test.each([
  ["true", ["4"]],
  ["false", ["3"]],
  ["null", ["5"]],
])("a value at a path may be %s, also in JSON in a text", async (value, ids) => {
  const found = await search({ path: "order.paid", value });
  expect(found.ids).toEqual(ids);
  expect(found.message).toContain("each by reading it: the index does not know true, false and null");
});

test("that a number was not found with a zero at its end says how numbers are written", async () => {
  const { ids, message } = await search({ path: "order.total", value: "19.90" });
  expect(ids).toEqual([]);
  expect(message).toContain("As a JSON number, n8n keeps it as 19.9.");
  expect((await search({ path: "order.total", value: "19.9" })).ids).toEqual(["5"]);
});

test("words are found in what a service answered to a request that it refused", async () => {
  expect((await search({ words: "K-998877" })).ids).toEqual(["2"]);
  expect((await search({ words: "customer K-998877" })).ids).toEqual([]);
});

test("an id in a service's answer is none of the request's", async () => {
  expect(await ask("trace_request", { requestId: "req-5" })).toMatchObject({
    data: { outcome: expect.not.stringMatching("error") },
  });
});

test("that nothing was found says what was not searched", async () => {
  const { ids, message } = await search({ words: "invoice-4711-x" });
  expect(ids).toEqual([]);
  expect(message).toContain(
    "the whole window was read. Files, names of files and fields, and what an error holds beside its message and description are not searched.",
  );
});
