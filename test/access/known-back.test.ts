/** The known range of an n8n is reported by the executions that a caller may see: its first and last may be hidden. */
import { expect, test } from "vitest";
import { View } from "../../src/n8n/view.ts";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, fakeExecution } from "../support/fake-n8n.ts";
import { createLocalHistory } from "../support/local-history.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 2, 30);
/** The start of an execution so many hours ago. */
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

/** What is read is read for everybody: a caller who sees all has it read that far back first. */
async function digestFor(view: View): Promise<string> {
  const history = createLocalHistory();
  const callerWith = (other: View) =>
    createCaller({ fetch: n8n.fetch, now: () => NOW, history, view: other });
  await callerWith(View.everything).call("trace_request", { requestId: "req-never-sent-0001", limit: 4 });
  return JSON.stringify(await callerWith(view).call("summarize_failures", { hours: 24 }));
}

test("a digest's known range starts with the oldest execution that the caller may see", async () => {
  expect(await digestFor(View.everything)).toContain(startOf(HIDDEN));
  const answer = await digestFor(View.from({ seen: ["wfBeta"], data: ["wfBeta"] }));
  expect(answer).not.toContain(startOf(HIDDEN));
  expect(answer).toContain(startOf(SEEN));
});

test("a digest extends beyond now only as far as executions that the caller may see", async () => {
  const hoursOf = async (view: View) =>
    /"runs":\[([^\]]*)\]/.exec(await digestFor(view))?.[1]?.split(",").length;
  expect(await hoursOf(View.everything)).toBe(24 + 5);
  expect(await hoursOf(View.from({ seen: ["wfBeta"], data: ["wfBeta"] }))).toBe(24);
});
