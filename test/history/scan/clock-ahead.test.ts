/** A worker's clock is ahead: its executions seem to have begun later than all others. */
import { expect, test } from "vitest";
import { createFakeN8n, type FakeN8n, fakeExecution, isList } from "../../support/fake-n8n.ts";
import type { TestTraces } from "../../support/test-traces.ts";
import { tracesOf } from "./queue-set-up.ts";
import { atRequest, betweenTheLists } from "./set-up.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const iso = (time: number): string => new Date(time).toISOString();
const ended = (id: number, startedAt: number, requestId = `r-${id}`) =>
  fakeExecution(id, requestId, { startedAt: iso(startedAt), stoppedAt: iso(startedAt + 200) });
const running = (id: number, startedAt: number, requestId: string) =>
  fakeExecution(id, requestId, { status: "running", startedAt: iso(startedAt), stoppedAt: null });

/** Executions 1 to 60, the last of which began at noon. @param ahead the one whose clock was ahead */
function historyUntilNoon(ahead: number, aheadMs: number): { traces: TestTraces; n8n: FakeN8n } {
  const traces = tracesOf(false);
  const n8n = createFakeN8n([]);
  for (let id = 1; id <= 60; id += 1)
    n8n.executions.push(ended(id, NOON - (60 - id) * 10_000 + (id === ahead ? aheadMs : 0)));
  traces.clock.time = NOON + 1_000;
  return { traces, n8n };
}

const end61 = (n8n: FakeN8n): void => {
  const put = (one: FakeN8n["executions"][number]) =>
    one.id === "61" ? ended(61, Date.parse(String(one.startedAt)), "wanted") : one;
  n8n.executions = n8n.executions.map(put);
};

/** Ten minutes later, so many have begun that the first list of a look ends at 62. */
async function isMissedLater({ traces, n8n }: { traces: TestTraces; n8n: FakeN8n }): Promise<boolean> {
  n8n.intercept = () => undefined;
  for (let id = 63; id < 87; id += 1) n8n.executions.push(ended(id, NOON + 60_000 + id * 1_000));
  traces.clock.time = NOON + 600_000;
  const answer = await traces.ask(n8n, { requestId: "wanted" });
  return !answer.found && answer.coverage.complete;
}

test.each([0, 65_000, 3_600_000])(
  "an execution that ends between a look's lists is found though a clock was %d ms ahead",
  async (aheadMs) => {
    const { traces, n8n } = historyUntilNoon(60, aheadMs);
    await traces.ask(n8n, { requestId: "never" });
    traces.clock.time = NOON + 60_000;
    // Both began after that look; 61 runs for seconds, 62 for a moment.
    n8n.executions.push(running(61, NOON + 58_000, "wanted"), ended(62, NOON + 59_000));
    betweenTheLists(n8n, () => end61(n8n));
    await traces.ask(n8n, { requestId: "never" });
    expect(await isMissedLater({ traces, n8n })).toBe(false);
  },
);

test("an execution that begins between a first look's lists is found though a clock was ahead", async () => {
  const { traces, n8n } = historyUntilNoon(50, 3_600_000);
  atRequest(n8n, 1, isList, () =>
    n8n.executions.push(running(61, NOON + 900, "wanted"), ended(62, NOON + 950)),
  );
  await traces.ask(n8n, { requestId: "never" });
  end61(n8n);
  expect(await isMissedLater({ traces, n8n })).toBe(false);
});
