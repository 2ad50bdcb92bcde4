/** PostgreSQL assigns an id before the row is committed, so a later id may be visible first. */
import { describe, expect, test } from "vitest";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  N8N_1_123,
  queuedExecution,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";
import { tracesOf } from "./queue-set-up.ts";

const MOST_OPEN_MS = 10_000;

const queueing = (): TestTraces => tracesOf(true);
const knowingNothing = (): TestTraces => createTestTraces(undefined, createLocalCapabilities(NOTHING_KNOWN));

function letEnd(n8n: FakeN8n, id: number): void {
  n8n.executions = n8n.executions.map((one) => (one.id === String(id) ? fakeExecution(id, `q-${id}`) : one));
}

describe("an execution whose row was committed after a later one had ended", () => {
  test.each(["queued", "read while it is queued"] as const)(
    "is found once it has ended (%s)",
    async (kind) => {
      const traces = queueing();
      const n8n = createFakeN8n([...fakeHistory(30), fakeExecution(32, "r-32")]);
      await traces.ask(n8n, { requestId: "never" });
      traces.clock.time += 60_000;
      n8n.executions.push(queuedExecution(31, "q-31"));
      if (kind !== "queued")
        expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "queued" });
      for (const [from, to] of [
        [32, 400],
        [400, 403],
      ]) {
        n8n.executions.push(...fakeHistory(to ?? 0).slice(from));
        await traces.ask(n8n, { requestId: "never" });
        traces.clock.time += 60_000;
      }
      // It begins and ends between two looks, and so do others.
      letEnd(n8n, 31);
      n8n.executions.push(...fakeHistory(420).slice(403));
      expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "success" });
    },
  );

  test("is looked for until its transaction can no longer be open", async () => {
    const traces = queueing();
    const n8n = createFakeN8n([...fakeHistory(30), fakeExecution(32, "r-32")]);
    for (let look = 0; look < 5; look += 1) {
      await traces.ask(n8n, { requestId: "never" });
      traces.clock.time += MOST_OPEN_MS / 5 - 1;
    }
    n8n.executions.push(queuedExecution(31, "q-31"));
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "queued" });
  });

  test("is found where n8n 1.x lists no waiting executions", async () => {
    const traces = knowingNothing();
    const n8n = createFakeN8n([...fakeHistory(30), fakeExecution(32, "r-32")]);
    n8n.old = N8N_1_123;
    await traces.ask(n8n, { requestId: "never" });
    n8n.executions.push(fakeExecution(31, "q-31", { status: "waiting" }));
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "waiting" });
  });
});

test.each([
  ["in queue mode", queueing, null],
  ["of 1.x", knowingNothing, N8N_1_123],
])("an n8n %s is asked for a missing id only while it may still appear", async (_kind, create, old) => {
  const traces = create();
  const n8n = createFakeN8n([...fakeHistory(30), ...fakeHistory(34).slice(31)]);
  n8n.old = old;
  const isAsked: boolean[] = [];
  for (const later of [0, 1_000, MOST_OPEN_MS - 1_000, 1_000]) {
    traces.clock.time += later;
    forgetRequests(n8n);
    await traces.ask(n8n, { requestId: "never" });
    isAsked.push(singlesOf(n8n).includes("31"));
  }
  expect(isAsked).toEqual([true, true, true, false]);
});

test("ids that are missing for long are requested once, even on a first trace", async () => {
  const traces = queueing();
  const n8n = createFakeN8n(fakeHistory(60).filter(({ id }) => id !== "31"));
  await traces.ask(n8n, { requestId: "never" });
  expect(singlesOf(n8n)).toContain("31");
  forgetRequests(n8n);
  await traces.ask(n8n, { requestId: "never" });
  expect(singlesOf(n8n)).not.toContain("31");
});
