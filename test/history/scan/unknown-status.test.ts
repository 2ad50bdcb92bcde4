/**
 * A newer n8n may use an unknown status. A look requests none of the executions that have stopped with it, but reads
 * those that a list shows as changed, and those that are asked for.
 */
import { expect, test } from "vitest";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const ENDED = 30;
const SKIPPED = 150;

const skipped = (id: number) => fakeExecution(id, `s-${id}`, { status: "skipped" });

const withSkipped = (): FakeN8n =>
  createFakeN8n([
    ...fakeHistory(ENDED),
    ...Array.from({ length: SKIPPED }, (_one, index) => skipped(ENDED + 1 + index)),
  ]);

test("executions that stopped with an unknown status are not requested by each look", async () => {
  const traces = createTestTraces();
  const n8n = withSkipped();
  await traces.ask(n8n, { requestId: "never" });
  forgetRequests(n8n);
  expect(await traces.ask(n8n, { requestId: "r-7" })).toMatchObject({
    outcome: "success",
    coverage: { complete: true, skipped: [] },
  });
  expect(n8n.requests.toSorted()).toEqual([
    "/api/v1/executions?limit=25",
    "/api/v1/executions?status=running&limit=250",
  ]);
});

test("an execution of unknown status is read again when asked for, or when a list shows a change", async () => {
  const traces = createTestTraces();
  const n8n = withSkipped();
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions = n8n.executions.map((one) =>
    one.id === "40" || one.id === "175" ? fakeExecution(Number(one.id), `s-${one.id}`) : one,
  );
  forgetRequests(n8n);
  expect(await traces.ask(n8n, { requestId: "s-40" })).toMatchObject({ outcome: "success" });
  expect(singlesOf(n8n)).toEqual(["40"]);
  expect(await traces.ask(n8n, { requestId: "s-175" })).toMatchObject({ outcome: "success" });
  expect(singlesOf(n8n)).toEqual(["40"]);
});

test("a deep trace searches each of them and finishes", async () => {
  const traces = createTestTraces();
  const n8n = withSkipped();
  await traces.ask(n8n, { requestId: "never" });
  const args = { requestId: "s-100", deep: true, limit: 1_000 };
  expect(await traces.ask(n8n, args)).toMatchObject({
    outcome: "unknown",
    coverage: { complete: true, skipped: [], scannedExecutions: 180, searchedForMentions: 180 },
  });
});

test("deleted ones are recognized as deleted", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n([
    ...fakeHistory(ENDED),
    ...Array.from({ length: 10 }, (_one, index) => skipped(31 + index)),
  ]);
  const alive = (): unknown[] => [
    ...traces.history.sql.exec("SELECT id FROM executions WHERE status = 'unknown' AND is_deleted = 0"),
  ];
  await traces.ask(n8n, { requestId: "never" });
  expect(alive()).toHaveLength(10);
  n8n.executions = n8n.executions.filter(({ id }) => Number(id) <= ENDED);
  expect(await traces.ask(n8n, { requestId: "never" })).toMatchObject({
    coverage: { scannedExecutions: ENDED, complete: true },
  });
  expect(alive()).toEqual([]);
});
