/** What a look did not see of the running executions is not settled by it. */
import { expect, test } from "vitest";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  listsOf,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces } from "../../support/test-traces.ts";
import { betweenTheLists } from "./set-up.ts";

const OLDEST = "61";

const endAll = (n8n: FakeN8n, isMeant: (id: string) => boolean): void => {
  n8n.executions = n8n.executions.map((one) =>
    one.status === "running" && isMeant(one.id)
      ? fakeExecution(Number(one.id), one.id === OLDEST ? "wanted" : `r-${one.id}`)
      : one,
  );
};

test.each([
  ["all others still run: then the newest are listed once more", false, 2],
  ["n8n kept none of the others: then that look does not claim what the one before did not see", true, 1],
] as const)(
  "the oldest of more than 1,000 that ran, which ends between the lists of the next look, is not missed for good, if %s",
  async (_which, areOthersGone, lists) => {
    const traces = createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: false }));
    const n8n = createFakeN8n(fakeHistory(60));
    await traces.ask(n8n, { requestId: "never" });
    // Those that began last have ended.
    for (let id = 61; id <= 1_061; id += 1)
      n8n.executions.push(
        fakeExecution(id, String(id) === OLDEST ? "wanted" : `r-${id}`, {
          status: "running",
          stoppedAt: null,
        }),
      );
    for (let id = 1_062; id <= 1_070; id += 1) n8n.executions.push(fakeExecution(id, `r-${id}`));
    traces.clock.time += 60_000;
    const first = await traces.ask(n8n, { requestId: "never" });
    expect(first.coverage.complete).toBe(false);
    traces.clock.time += 60_000;
    if (areOthersGone)
      n8n.executions = n8n.executions.filter(({ id, status }) => status !== "running" || id === OLDEST);
    betweenTheLists(n8n, () => endAll(n8n, (id) => id === OLDEST));
    forgetRequests(n8n);
    await traces.ask(n8n, { requestId: "never" });
    const firstLists = listsOf(n8n).filter((query) => !query.has("cursor"));
    expect(firstLists).toHaveLength(lists);
    n8n.intercept = () => undefined;
    endAll(n8n, () => true);
    // So many that the first list of the next look ends where the claims of this one may begin.
    for (let id = 1_071; id <= 1_086; id += 1) n8n.executions.push(fakeExecution(id, `r-${id}`));
    for (let looks = 0; looks < 15; looks += 1) {
      traces.clock.time += 60_000;
      await traces.ask(n8n, { requestId: "never" });
    }
    const answer = await traces.ask(n8n, { requestId: "wanted" });
    expect(answer.found || !answer.coverage.complete).toBe(true);
  },
);
