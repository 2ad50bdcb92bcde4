/** An execution that wakes during the first scan is in no list at that moment. */
import { expect, test } from "vitest";
import {
  createFakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  isDataPage,
  isList,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

test.each([
  { id: 50, isCut: false },
  { id: 150, isCut: false },
  { id: 290, isCut: false },
  // n8n fails before the scan reaches the end of history.
  { id: 150, isCut: true },
])(
  "execution $id, running when it would have been listed, is found once it has ended (cut off: $isCut)",
  async ({ id, isCut }) => {
    const traces = createTestTraces();
    const sleeping = fakeExecution(id, "other", { status: "waiting" });
    const others = fakeHistory(300).filter((one) => one.id !== sleeping.id);
    const n8n = createFakeN8n([...others, sleeping]);
    const become = (facts: Record<string, unknown>): void => {
      n8n.executions = [...others, { ...sleeping, ...facts }];
    };
    n8n.intercept = (url) => {
      const isAskedForRunning = url.searchParams.get("status") === "running";
      if (!isAskedForRunning && (isList(url) || isDataPage(url)) && !url.searchParams.has("status"))
        become({ status: "running", stoppedAt: null });
      const isBelow = url.searchParams.has("cursor") && isList(url);
      return isCut && isBelow ? failure(500) : undefined;
    };
    const first = traces.ask(n8n, { requestId: "never" });
    if (isCut) await expect(first).rejects.toThrow("in front of it");
    else await first;
    n8n.intercept = () => undefined;
    become({ status: "success", data: webhookData({ body: { requestId: "after-its-sleep" } }) });
    traces.clock.time += 60_000;
    const answer = await traces.ask(n8n, { requestId: "after-its-sleep" });
    expect(answer).toMatchObject({ found: true });
  },
);
