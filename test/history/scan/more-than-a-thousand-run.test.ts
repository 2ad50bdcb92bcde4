/** Running executions that a look did not see are not claimed by it. */
import { expect, test } from "vitest";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  listsOf,
} from "../../support/fake-n8n.ts";
import { tracesOf } from "./queue-set-up.ts";
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
  ["all others still run (the newest are listed once more)", false, 2],
  ["n8n kept no other (the look claims nothing unseen)", true, 1],
] as const)(
  "the oldest of 1,000 running executions, ended between two lists, is found when %s",
  async (_which, areOthersGone, lists) => {
    const traces = tracesOf(false);
    const n8n = createFakeN8n(fakeHistory(60));
    await traces.ask(n8n, { requestId: "never" });
    // Executions that began later have ended.
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
    // Enough that the first list of the next look ends where this look's claims may begin.
    for (let id = 1_071; id <= 1_086; id += 1) n8n.executions.push(fakeExecution(id, `r-${id}`));
    for (let looks = 0; looks < 15; looks += 1) {
      traces.clock.time += 60_000;
      await traces.ask(n8n, { requestId: "never" });
    }
    const answer = await traces.ask(n8n, { requestId: "wanted" });
    expect(answer.found || !answer.coverage.complete).toBe(true);
  },
);
