/** An index that drops executions between two calls of a deep trace: n8n still has what the first call found. */
import { expect, test } from "vitest";
import { createFakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

const HELD = ["50", "51", "290"];

test("a continued deep trace finds dropped executions again, and names deleted ones once", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(
    fakeHistory(300).map((one) =>
      HELD.includes(String(one.id)) ? fakeExecution(Number(one.id), "wanted") : one,
    ),
  );
  const asked = { requestId: "wanted", window: WINDOW, deep: true };
  const { traceId } = await traces.ask(n8n, { ...asked, limit: 280 });
  await traces.step(n8n, { maxExecutions: 100 });
  expect([...traces.history.sql.exec("SELECT id FROM executions WHERE id = 50")]).toEqual([]);
  n8n.executions = n8n.executions.filter(({ id }) => id !== "51");
  const { executions, coverage } = await traces.ask(n8n, { traceId, limit: 280 });
  const found = executions.map(({ id }) => id);
  expect(found.toSorted()).toEqual(["290", "50"]);
  expect(coverage.skipped).toEqual([
    {
      executionId: "51",
      reason: "it holds the id, but n8n does not have it: it was deleted, or never saved",
    },
  ]);
  expect(coverage.complete).toBe(false);
  const again = await traces.ask(n8n, { traceId, limit: 280 });
  expect(again.coverage).toMatchObject({ complete: true, skipped: [] });
  expect(again.executions.map(({ id }) => id).toSorted()).toEqual(["290", "50"]);
});
