/** What the tests of the scan share. */
import { expect } from "vitest";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import { type FakeExecution, type FakeN8n, fakeExecution, isList } from "../../support/fake-n8n.ts";

/** When the execution of a fake history began, ISO 8601. */
export const iso = (id: number): string => new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString();

/** Where pages begin, and how many executions they ask for. */
export const placesOf = (queries: readonly URLSearchParams[]): string[] =>
  queries.map((query) => {
    const cursor = readExecutionCursor(query.get("cursor") ?? "");
    return cursor === undefined ? "newest" : `below ${cursor.lastId}: ${cursor.limit}`;
  });

/** Lets all that can go on without an answer of n8n go on. */
export async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Each execution's data was sent at most once. */
export function expectNothingTwice(n8n: FakeN8n): void {
  expect(n8n.sent).toHaveLength(new Set(n8n.sent).size);
}

/** Does something before the n-th request of a kind, counted from 1. */
export function atRequest(
  n8n: FakeN8n,
  count: number,
  isOfKind: (url: URL) => boolean,
  act: () => void,
): void {
  let seen = 0;
  n8n.intercept = (url) => {
    if (isOfKind(url)) seen += 1;
    if (isOfKind(url) && seen === count) act();
    return undefined;
  };
}

/** Does something between the lists of a look: when the newest were listed, and what runs is going to be. */
export function betweenTheLists(n8n: FakeN8n, act: () => void): void {
  let isListed = false;
  n8n.intercept = async (url) => {
    if (isList(url)) isListed = true;
    if (url.searchParams.get("status") !== "running") return undefined;
    for (let turn = 0; turn < 200 && !isListed; turn += 1) await passTurns(1);
    act();
    return undefined;
  };
}

/** As n8n stores it when it begins: no run, and what its trigger was given. */
export function runningExecution(
  id: number,
  requestId: string,
  facts: Record<string, unknown> = {},
): FakeExecution {
  const entry = { node: { name: "Webhook" }, data: { main: [[{ json: { body: { requestId } } }]] } };
  return fakeExecution(id, requestId, {
    status: "running",
    stoppedAt: null,
    data: { resultData: { runData: {} }, executionData: { nodeExecutionStack: [entry] } },
    ...facts,
  });
}
