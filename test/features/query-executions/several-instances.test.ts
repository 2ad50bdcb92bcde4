/** `query_executions` over several n8n instances: those that could be asked, and those that could not. */
import { expect, test } from "vitest";
import { createCaller } from "../../support/call-recorded.ts";
import { failure, fakeExecution } from "../../support/fake-n8n.ts";
import { createNamedN8ns } from "../../support/named-n8ns.ts";
import { countedIn } from "../failure-digest/known-n8n.ts";

const WINDOW = { startedAfter: "2026-01-01", startedBefore: "2026-01-03" };

test("an instance that could not be asked is in the data, with the reason", async () => {
  const n8ns = createNamedN8ns({ prod: [fakeExecution(1, "a")], dev: [fakeExecution(1, "z")] });
  const caller = createCaller({ settings: n8ns.settings, fetch: n8ns.fetch });
  n8ns.named("prod").intercept = () => failure(401);
  expect(await caller.call("query_executions", WINDOW)).toMatchObject({
    status: "success",
    data: { totals: { count: 1 }, instances: [{ instance: "prod", error: { code: expect.any(String) } }] },
  });
});

test("an instance without executions has no group of its own", async () => {
  const n8ns = createNamedN8ns({ prod: [fakeExecution(1, "a")], dev: [] });
  const caller = createCaller({ settings: n8ns.settings, fetch: n8ns.fetch });
  const answer = await caller.call("query_executions", { ...WINDOW, groupBy: ["status"] });
  expect(countedIn(answer).groups).toMatchObject([{ instance: "prod", status: "success", count: 1 }]);
});
