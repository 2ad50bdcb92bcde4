/** From when to when the index knows an n8n is told by executions that may be seen: the first and the last may be hidden. */
import { expect, test } from "vitest";
import { View } from "../../src/n8n/view.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";
import { createFakeN8n, fakeExecution } from "../support/fake-n8n.ts";
import { createLocalHistory } from "../support/local-history.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 2, 30);
/** Of an execution that began so long ago. */
const startOf = (hours: number): string => new Date(NOW - hours * HOUR_MS - 123).toISOString();
const [HIDDEN, SEEN] = [200, 150];

const n8n = createFakeN8n(
  [
    [400, "wfAlpha"],
    [HIDDEN, "wfAlpha"],
    [SEEN, "wfBeta"],
    [10, "wfBeta"],
    // n8n's clock is ahead of ours.
    [-5, "wfAlpha"],
  ].map(([hours, workflowId], place) =>
    fakeExecution(place + 1, "", { workflowId, startedAt: startOf(Number(hours)), stoppedAt: null }),
  ),
);
n8n.dates = "filtered";

const settings = settingsFor({ baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" });

/** What is read is read for everybody: somebody who sees all had it read so far back. */
async function digestFor(view: View): Promise<string> {
  const history = createLocalHistory();
  const callerWith = (other: View) =>
    createCaller({ settings, fetch: n8n.fetch, now: () => NOW, history, view: other });
  await callerWith(View.everything).call("trace_request", { requestId: "req-never-sent-0001", limit: 4 });
  return JSON.stringify(await callerWith(view).call("summarize_failures", { hours: 24 }));
}

test("what a digest knows is told since the oldest that may be seen", async () => {
  expect(await digestFor(View.everything)).toContain(startOf(HIDDEN));
  const answer = await digestFor(View.from({ seen: ["wfBeta"], data: ["wfBeta"] }));
  expect(answer).not.toContain(startOf(HIDDEN));
  expect(answer).toContain(startOf(SEEN));
});

test("a digest goes on after now as far as what may be seen", async () => {
  const hoursOf = async (view: View) =>
    /"runs":\[([^\]]*)\]/.exec(await digestFor(view))?.[1]?.split(",").length;
  expect(await hoursOf(View.everything)).toBe(24 + 5);
  expect(await hoursOf(View.from({ seen: ["wfBeta"], data: ["wfBeta"] }))).toBe(24);
});
