/** An execution that resumes during a scan of a window is only in the list of running ones, which came before. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  isDataPage,
  isList,
} from "../../support/fake-n8n.ts";
import { WINDOW } from "../../support/test-traces.ts";
import { tracesOf } from "./queue-set-up.ts";
import { iso } from "./set-up.ts";

const WINDOWS = {
  whole: WINDOW,
  workflow: { ...WINDOW, workflowId: "w1" },
  dates: { ...WINDOW, startedAfter: iso(20) },
};

function withSleeper(): FakeN8n {
  const n8n = createFakeN8n(fakeHistory(900));
  n8n.dates = "filtered";
  n8n.executions[99] = fakeExecution(100, "wanted", {
    status: "waiting",
    startedAt: iso(100),
    stoppedAt: iso(101),
    waitTill: iso(2_000),
  });
  let lists = 0;
  n8n.intercept = (url) => {
    if (isList(url)) lists += 1;
    // It resumes once the first page of the list has arrived.
    if (lists > 0 && isDataPage(url))
      n8n.executions = n8n.executions.map((one) =>
        one.id === "100"
          ? fakeExecution(100, "wanted", { status: "running", startedAt: iso(100), stoppedAt: null })
          : one,
      );
    return undefined;
  };
  return n8n;
}

test.each(["whole", "workflow", "dates"] as const)(
  "a trace of a window finds it or is incomplete: %s",
  async (kind) => {
    const traces = tracesOf(false);
    const answer = await traces.ask(withSleeper(), { requestId: "wanted", window: WINDOWS[kind] });
    expect(answer.found || !answer.coverage.complete).toBe(true);
  },
);

test.each(["whole", "workflow", "dates"] as const)(
  "a search of a window finds it or is incomplete: %s",
  async (kind) => {
    const traces = tracesOf(false);
    const n8n = withSleeper();
    const search = new ContinuedSearch({ traces, n8n }, { text: "ante" }, WINDOWS[kind]);
    const answer = await search.call(2_000);
    expect(search.found.has("100") || answer?.coverage.complete === false).toBe(true);
  },
);
