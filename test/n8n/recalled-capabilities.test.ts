/** What is known of n8n, kept for many calls in one place. */
import { expect, test } from "vitest";
import { NOTHING_KNOWN } from "../../src/n8n/capabilities/capabilities.ts";
import { RECALLED_MS, RecalledCapabilities } from "../../src/n8n/capabilities/store.ts";
import type { ExecutionStatus } from "../../src/n8n/schemas.ts";
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

test("many calls recall once, until others may have learnt something", async () => {
  const { store, clock, recalled, recalls } = setUp();
  await Promise.all([recalled.recall(), recalled.recall()]);
  clock.time = RECALLED_MS;
  store.known = { ...N8N_2, filtersDates: false };
  expect(await recalled.recall()).toEqual(N8N_2);
  expect(recalls()).toBe(1);
  clock.time += 1;
  expect(await recalled.recall()).toEqual(store.known);
});

test("what one learns, the next knows, and so do others", async () => {
  const { store, recalled } = setUp();
  await recalled.learn({ ...NOTHING_KNOWN, statuses: ["error"] });
  const expected = { ...NOTHING_KNOWN, statuses: ["error"] };
  expect(await recalled.recall()).toEqual(expected);
  expect(store.known).toEqual(expected);
});

test("n8n is asked for its statuses once a minute, and anew after what was learnt otherwise", async () => {
  const { clock, recalled } = setUp();
  let asked = 0;
  const ask = async (): Promise<ExecutionStatus[]> => {
    asked += 1;
    return ["error"];
  };
  const askTwice = async () => {
    expect(await Promise.all([recalled.statuses(ask), recalled.statuses(ask)])).toEqual([
      ["error"],
      ["error"],
    ]);
    return asked;
  };
  expect(await askTwice()).toBe(1);
  clock.time = RECALLED_MS;
  expect(await askTwice()).toBe(1);
  for (const same of [{ filtersDates: true }, { statuses: ["error" as const] }]) {
    await recalled.learn(same);
    expect(await askTwice()).toBe(1);
  }
  await recalled.learn({ statuses: ["success"] });
  expect(await askTwice()).toBe(2);
  await recalled.learn(NOTHING_KNOWN);
  expect(await askTwice()).toBe(3);
  clock.time += RECALLED_MS + 1;
  expect(await askTwice()).toBe(4);
});

test("a failure is not kept", async () => {
  const { counting, recalled } = setUp();
  const { recall } = counting;
  counting.recall = async () => {
    throw new Error("The object was reset.");
  };
  await expect(recalled.recall()).rejects.toThrow("reset");
  counting.recall = recall;
  expect(await recalled.recall()).toEqual(N8N_2);
});
