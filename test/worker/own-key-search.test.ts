/** Search hits with a personal n8n key when n8n fails to confirm some of them. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createHistoryQueries } from "../../src/wiring/history-calls.ts";
import { N8N } from "./mcp-call.ts";
import { ALL_TIME, onlyN8nOf } from "./only-n8n.ts";
import { type Account, n8nWithAccounts } from "./own-keys.ts";
import { resetAfterEach } from "./reset.ts";

const KEY = "n8n-key-of-ada-0123456789";
const MOST_CALLS = 30;

resetAfterEach();

function searcher() {
  const accounts = new Map<string, Account>([[KEY, { workflows: null }]]);
  n8nWithAccounts(accounts);
  const settings = { ...env, ...N8N, N8N_KEYS: "personal", SERVICE_TOKENS: "" };
  const access = { kind: "own keys" as const, n8nKeys: { default: KEY } };
  const search = async (userId: string, searchId?: string) =>
    await createHistoryQueries(
      settings,
      { userId, access, countBytes: () => {} },
      onlyN8nOf(settings),
    ).search(
      { query: { text: "req" }, window: ALL_TIME, limit: 20, maxHits: 50, timeBudgetMs: 20_000, searchId },
      async () => {},
      async (value) => value,
    );
  return { accounts, search };
}

test("unconfirmed hits are returned by a later call with the same searchId", async () => {
  const { accounts, search } = searcher();
  /** All executions that the calls return together. @param failingCall the call in which n8n fails */
  const toTheEnd = async (userId: string, failingCall: number | null): Promise<string[]> => {
    const first = await search(userId);
    const returned = new Set(first.hits.map(({ executionId }) => executionId));
    let { complete } = first.coverage;
    for (let call = 1; call < MOST_CALLS && !complete; call += 1) {
      const isFailing = call === failingCall;
      if (isFailing) accounts.set(KEY, { workflows: null, status: 500 });
      const asked = search(userId, first.searchId);
      if (isFailing) await expect(asked).rejects.toMatchObject({ code: "N8N_UNREACHABLE" });
      else {
        const found = await asked;
        complete = found.coverage.complete;
        for (const { executionId } of found.hits) returned.add(executionId);
      }
      accounts.set(KEY, { workflows: null });
    }
    expect(complete).toBe(true);
    return [...returned].toSorted();
  };
  const all = await toTheEnd("bob", null);
  expect(all.length).toBeGreaterThan(20);
  expect(await toTheEnd("ada", 1)).toEqual(all);
});

test("a hit that n8n can never confirm does not end the search", async () => {
  const { accounts, search } = searcher();
  /** What all calls return together, and what they could not search. @param failsAt an execution n8n fails to return */
  const toTheEnd = async (userId: string, failsAt?: string) => {
    accounts.set(KEY, { workflows: null, failsAt });
    const returned = new Set<string>();
    const skipped = new Set<string>();
    let searchId: string | undefined;
    for (let call = 0; call < MOST_CALLS; call += 1) {
      const found = await search(userId, searchId);
      ({ searchId } = found);
      for (const { executionId } of found.hits) returned.add(executionId);
      for (const { reason } of found.coverage.skipped) skipped.add(reason);
      if (found.coverage.complete || found.hits.length === 0) break;
    }
    return { returned: [...returned].toSorted(), skipped: [...skipped] };
  };
  const { returned: all, skipped: none } = await toTheEnd("bob");
  const failing = all[1];
  const { returned, skipped } = await toTheEnd("ada", failing);
  expect(returned).toEqual(all.filter((id) => id !== failing));
  expect(none).toEqual([]);
  expect(skipped).toEqual([expect.stringContaining("n8n failed to return some with the caller's own key")]);
});
