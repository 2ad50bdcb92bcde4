/** The workflows of a personal key are listed once a minute, and remembered for a limited number of ids. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { N8nClient } from "../../src/n8n/client.ts";
import { grantsOfKey } from "../../src/wiring/own-keys.ts";
import { createFakeN8n } from "../support/fake-n8n.ts";
import { onlyN8nOf } from "./only-n8n.ts";

const INSTANCE = onlyN8nOf(env);

afterEach(() => void vi.useRealTimers());

/** @returns a client whose key lists this many workflows, and how often it was asked for them */
function keyWith(count: number, tookMs = 0): { client: N8nClient; asked: () => number } {
  const { client } = createFakeN8n([]);
  let asked = 0;
  const workflows = Array.from({ length: count }, (_, index) => ({
    id: `w${index}`,
    ...{ name: `workflow ${index}`, tags: [], settings: {}, schedules: [] },
    ...{ projects: undefined, sharedWith: [], folder: undefined, savedAt: null },
  }));
  client.listWorkflowFacts = async () => {
    asked += 1;
    if (tookMs > 0) vi.setSystemTime(Date.now() + tookMs);
    return { workflows, unread: [], nextCursor: null };
  };
  return { client, asked: () => asked };
}

test("a key's workflows are listed once a minute, and the oldest lists are dropped above the limit", async () => {
  const [few, many, more] = [keyWith(3), keyWith(60_000), keyWith(60_000)];
  const ask = async ({ client }: ReturnType<typeof keyWith>, key: string) =>
    await grantsOfKey(client, key, INSTANCE);
  for (let round = 0; round < 2; round += 1) {
    expect(await ask(few, "key-of-few")).toEqual([
      { workflows: { ids: ["w0", "w1", "w2"] }, scopes: ["n8n:read", "n8n:data"] },
    ]);
    await ask(many, "key-of-many");
  }
  expect([few.asked(), many.asked()]).toEqual([1, 1]);
  await ask(more, "key-of-more");
  await ask(more, "key-of-more");
  await ask(many, "key-of-many");
  await ask(few, "key-of-few");
  expect([few.asked(), many.asked(), more.asked()]).toEqual([2, 2, 1]);
});

test("a list that takes over a minute is kept for twice as long as it took", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  const slow = keyWith(3, 70_000);
  const ask = async () => await grantsOfKey(slow.client, "key-of-slow", INSTANCE);
  await ask();
  await ask();
  vi.setSystemTime(Date.now() + 60_000);
  await ask();
  expect(slow.asked()).toBe(1);
  vi.setSystemTime(Date.now() + 20_000);
  await ask();
  expect(slow.asked()).toBe(2);
});
