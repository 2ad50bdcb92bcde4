/** The alarm drops executions from the index during a search, though n8n still has them. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import { createFakeN8n, fakeExecution, fakeHistory, isDataPage } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

test.each(["whole", "dated"] as const)(
  "a complete search has searched what was dropped meanwhile: %s",
  async (kind) => {
    const traces = createTestTraces();
    const n8n = createFakeN8n(
      fakeHistory(1_500).map((one) =>
        [50, 1_490].includes(Number(one.id)) ? fakeExecution(Number(one.id), "wanted") : one,
      ),
    );
    await traces.ask(n8n, { requestId: "never" });
    let isDone = false;
    n8n.intercept = async (url) => {
      if (isDone || !isDataPage(url)) return undefined;
      isDone = true;
      // As the alarm does each minute in a full index.
      await traces.step(n8n, { maxExecutions: 1_300 });
      return undefined;
    };
    const window =
      kind === "whole"
        ? WINDOW
        : { ...WINDOW, startedAfter: new Date(Date.UTC(2026, 0, 1) + 40_000).toISOString() };
    const search = new ContinuedSearch({ traces, n8n }, { text: "ante" }, window);
    const answer = await search.call(2_000);
    expect(search.found.has("1490")).toBe(true);
    expect(isDone).toBe(true);
    expect(search.found.has("50") || answer?.coverage.complete === false).toBe(true);
  },
);
