/** What the index says of its own work: whether it reads further back by itself, or why not. */
import { expect, test } from "vitest";
import type { BackgroundSettings } from "../../src/history/background-sync.ts";
import { View } from "../../src/n8n/view.ts";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, fakeHistory } from "../support/fake-n8n.ts";
import { BACKGROUND, createTestTraces, type TestTraces } from "../support/test-traces.ts";
import { passTurns } from "./scan/set-up.ts";

const ALL = 5_000;
const DAYS = 24 * 3_600_000;

/** After so many steps of the sync over executions of the first hour and a half of the year. */
async function after(steps: number, settings: Partial<BackgroundSettings>, daysLater = 1) {
  const traces = createTestTraces();
  traces.clock.time = Date.UTC(2026, 0, 1) + daysLater * DAYS;
  const n8n = createFakeN8n(fakeHistory(ALL));
  for (let step = 0; step < steps; step += 1) {
    await traces.step(n8n, settings);
    traces.clock.time += 60_000;
    // A scan that a step ends early ends a moment later.
    await passTurns(200);
  }
  return { traces, n8n };
}

const backgroundOf = async (
  { history, sourcesOf, clock }: TestTraces,
  settings: BackgroundSettings | null,
) => {
  const { capabilities } = sourcesOf(createFakeN8n([]));
  return (await history.instance.status(capabilities, View.everything, settings, clock.now())).background;
};

test.each<[string, number, Partial<BackgroundSettings>, number, string]>([
  ["while there is more to read", 1, {}, 1, "back"],
  ["at the end of the days that it reads", 6, { days: 30 }, 40, "new"],
  ["at the number of executions that it keeps", 8, { maxExecutions: 1_000 }, 1, "new"],
])("the sync reads %s", async (_when, steps, settings, daysLater, background) => {
  const { traces } = await after(steps, settings, daysLater);
  expect(await backgroundOf(traces, { ...BACKGROUND, ...settings })).toBe(background);
  expect(await backgroundOf(traces, null)).toBe("off");
});

test("check_connection does not say that it reads further back where it will not", async () => {
  const { traces, n8n } = await after(6, {}, 40);
  const { history, clock } = traces;
  const { data } = await createCaller({ fetch: n8n.fetch, history, now: clock.now }).call("check_connection");
  expect(JSON.stringify(data)).toContain(
    "reads no further back by itself (INDEX_DAYS, INDEX_MAX_EXECUTIONS)",
  );
});
