/** Hits of a search by somebody with an n8n key of their own, of which n8n fails to confirm some. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { createHistoryQueries } from "../../src/wiring/history-calls.ts";
import { N8N } from "./mcp-call.ts";
import { onlyN8nOf } from "./only-n8n.ts";
import { type Account, n8nWithAccounts } from "./own-keys.ts";

const KEY = "n8n-key-of-ada-0123456789";
const MOST_CALLS = 30;

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

function searcher() {
  const accounts = new Map<string, Account>([[KEY, { workflows: null }]]);
  n8nWithAccounts(accounts);
  const settings = { ...env, ...N8N, N8N_KEYS: "personal", SERVICE_TOKENS: "" };
  const access = { kind: "own keys" as const, n8nKeys: { default: KEY } };
  const window = { workflowId: null, startedAfter: null, startedBefore: null };
  const search = async (userId: string, searchId?: string) =>
    await createHistoryQueries(
      settings,
      { userId, access, countBytes: () => {}, log: () => {} },
      onlyN8nOf(settings),
    ).search(
      { query: { text: "req" }, window, limit: 20, maxHits: 50, timeBudgetMs: 20_000, searchId },
      async () => {},
      async (value) => value,
    );
  return { accounts, search };
}

test("are told by the next call that goes on with the same searchId", async () => {
  const { accounts, search } = searcher();
  /** @returns the executions that all calls together have told @param failingCall the number of a call in which n8n fails */
  const toTheEnd = async (userId: string, failingCall: number | null): Promise<string[]> => {
    const first = await search(userId);
    const told = new Set(first.hits.map(({ executionId }) => executionId));
    let { complete } = first.coverage;
    for (let call = 1; call < MOST_CALLS && !complete; call += 1) {
      const isFailing = call === failingCall;
      if (isFailing) accounts.set(KEY, { workflows: null, status: 500 });
      const asked = search(userId, first.searchId);
      if (isFailing) await expect(asked).rejects.toMatchObject({ code: "N8N_UNREACHABLE" });
      else {
        const found = await asked;
        complete = found.coverage.complete;
        for (const { executionId } of found.hits) told.add(executionId);
      }
      accounts.set(KEY, { workflows: null });
    }
    expect(complete).toBe(true);
    return [...told].toSorted();
  };
  const all = await toTheEnd("bob", null);
  expect(all.length).toBeGreaterThan(20);
  expect(await toTheEnd("ada", 1)).toEqual(all);
});

test("do not end the search where n8n can never return one of them", async () => {
  const { accounts, search } = searcher();
  /** @returns what all calls together have told, and what they did not search @param failsAt what n8n fails to return */
  const toTheEnd = async (userId: string, failsAt?: string) => {
    accounts.set(KEY, { workflows: null, failsAt });
    const told = new Set<string>();
    const skipped = new Set<string>();
    let searchId: string | undefined;
    for (let call = 0; call < MOST_CALLS; call += 1) {
      const found = await search(userId, searchId);
      ({ searchId } = found);
      for (const { executionId } of found.hits) told.add(executionId);
      for (const { reason } of found.coverage.skipped) skipped.add(reason);
      if (found.coverage.complete || found.hits.length === 0) break;
    }
    return { told: [...told].toSorted(), skipped: [...skipped] };
  };
  const { told: all, skipped: none } = await toTheEnd("bob");
  const failing = all[1];
  const { told, skipped } = await toTheEnd("ada", failing);
  expect(told).toEqual(all.filter((id) => id !== failing));
  expect(none).toEqual([]);
  expect(skipped).toEqual([expect.stringContaining("n8n failed to return some by the caller's own key")]);
});
