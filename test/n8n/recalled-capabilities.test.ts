/** What is known of an n8n, remembered for many calls. */
import { expect, test } from "vitest";
import { NOTHING_KNOWN } from "../../src/n8n/capabilities/capabilities.ts";
import { KnownCapabilities, RECALLED_MS, RecalledCapabilities } from "../../src/n8n/capabilities/store.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../../src/n8n/schemas.ts";
import { createFakeN8n } from "../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../support/local-capabilities.ts";

function setUp() {
  const store = createLocalCapabilities(N8N_2);
  const clock = { time: 0, now: () => clock.time };
  let recalls = 0;
  const counting = {
    learn: store.learn,
    recall: async () => {
      recalls += 1;
      return await store.recall();
    },
  };
  return {
    store,
    clock,
    counting,
    recalls: () => recalls,
    recalled: new RecalledCapabilities(counting, clock),
  };
}

test("many calls recall once, until others may have learned something", async () => {
  const { store, clock, recalled, recalls } = setUp();
  await Promise.all([recalled.recall(), recalled.recall()]);
  clock.time = RECALLED_MS;
  store.known = { ...N8N_2, filtersDates: false };
  expect(await recalled.recall()).toEqual(N8N_2);
  expect(recalls()).toBe(1);
  clock.time += 1;
  expect(await recalled.recall()).toEqual(store.known);
});

test("what was recalled before the clock was set back is recalled again", async () => {
  const { store, clock, recalled } = setUp();
  clock.time = 60 * RECALLED_MS;
  await recalled.recall();
  store.known = { ...N8N_2, filtersDates: false };
  clock.time = 0;
  expect(await recalled.recall()).toEqual(store.known);
});

test("what is learned is known to later calls and to others", async () => {
  const { store, recalled } = setUp();
  await recalled.learn({ ...NOTHING_KNOWN, statuses: ["error"] });
  const expected = { ...NOTHING_KNOWN, statuses: ["error"] };
  expect(await recalled.recall()).toEqual(expected);
  expect(store.known).toEqual(expected);
});

test("n8n is asked once a minute whether it has changed, and anew after other news", async () => {
  const { clock, recalled, store } = setUp();
  const { client } = createFakeN8n([]);
  let statuses: ExecutionStatus[] = [...EXECUTION_STATUSES];
  let asked = 0;
  const ask = async (): Promise<ExecutionStatus[]> => {
    asked += 1;
    return statuses;
  };
  const hasChanged = async () => await new KnownCapabilities(recalled, ask).hasChanged(client);
  await recalled.recall();
  clock.time = RECALLED_MS / 2;
  expect([await hasChanged(), await hasChanged(), asked]).toEqual([false, false, 1]);
  // Another Worker has learned that n8n is older now, which this one recalls.
  statuses = ["error", "success"];
  store.known = { ...NOTHING_KNOWN, statuses };
  clock.time = RECALLED_MS + 1;
  expect([await hasChanged(), asked]).toEqual([false, 2]);
  expect(store.known.statuses).toEqual(statuses);
  const confirmedAt = clock.time;
  statuses = ["error"];
  clock.time = confirmedAt + RECALLED_MS;
  expect([await hasChanged(), asked]).toEqual([false, 2]);
  clock.time += 1;
  expect([await hasChanged(), asked]).toEqual([true, 3]);
  expect([await hasChanged(), asked]).toEqual([false, 3]);
});

test("asking for unknown statuses counts for that minute", async () => {
  const { recalled } = setUp();
  await recalled.learn(NOTHING_KNOWN);
  const { client } = createFakeN8n([]);
  let asked = 0;
  const ask = async (): Promise<ExecutionStatus[]> => {
    asked += 1;
    return ["error"];
  };
  await new KnownCapabilities(recalled, ask).withStatuses(client);
  expect(await new KnownCapabilities(recalled, ask).hasChanged(client)).toBe(false);
  expect(asked).toBe(1);
});

test("a failure is not remembered", async () => {
  const { counting, recalled } = setUp();
  const { recall } = counting;
  counting.recall = async () => {
    throw new Error("The object was reset.");
  };
  await expect(recalled.recall()).rejects.toThrow("reset");
  counting.recall = recall;
  expect(await recalled.recall()).toEqual(N8N_2);
});
