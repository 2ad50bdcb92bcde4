/** Shared set-up of the scan tests. */
import { expect } from "vitest";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import { type FakeExecution, type FakeN8n, fakeExecution, isList } from "../../support/fake-n8n.ts";
import type { TestTraces } from "../../support/test-traces.ts";

/** Start time of an execution of the fake history, ISO 8601. */
export const iso = (id: number): string => new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString();

/** Where each requested page begins, and its size. */
export const placesOf = (queries: readonly URLSearchParams[]): string[] =>
  queries.map((query) => {
    const cursor = readExecutionCursor(query.get("cursor") ?? "");
    return cursor === undefined ? "newest" : `below ${cursor.lastId}: ${cursor.limit}`;
  });

/** Lets everything proceed that needs no answer of n8n. */
export async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Expects that the data of each execution was sent at most once. */
export function expectNothingTwice(n8n: FakeN8n): void {
  expect(n8n.sent).toHaveLength(new Set(n8n.sent).size);
}

/** True when the request is for a single execution. */
export const isSingle = (url: URL): boolean => /\/executions\/\d+$/.test(url.pathname);

/** Lets each answer to requests of a kind take this long. */
export function letAnswersTake(
  n8n: FakeN8n,
  { clock }: TestTraces,
  milliseconds: number,
  isOfKind: (url: URL) => boolean = () => true,
): void {
  n8n.intercept = (url) => {
    if (isOfKind(url)) clock.time += milliseconds;
    return undefined;
  };
}

/** Answers the first request of a kind in n8n's place. @returns how many it has answered */
export function answerOnce(
  n8n: FakeN8n,
  isOfKind: (url: URL) => boolean,
  answer: (url: URL) => Response,
): () => number {
  let answered = 0;
  n8n.intercept = (url) => {
    if (answered > 0 || !isOfKind(url)) return undefined;
    answered += 1;
    return answer(url);
  };
  return () => answered;
}

/** Holds back the first request of a kind until it is let go; `answer` is made when the request arrives. */
export function holdFirst(
  n8n: FakeN8n,
  isOfKind: (url: URL) => boolean,
  answer: () => Response | undefined = () => undefined,
) {
  const { promise: held, resolve: noteHeld } = Promise.withResolvers<void>();
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  let isHeld = false;
  n8n.intercept = async (url) => {
    if (isHeld || !isOfKind(url)) return undefined;
    isHeld = true;
    const made = answer();
    noteHeld();
    await gate;
    return made;
  };
  return { held, letGo };
}

/** Acts before the n-th request of a kind, counted from 1. */
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

/** Acts between the lists of a look: after the newest were listed, before the running ones are. */
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

/** As n8n stores it when it begins: no run yet, only its trigger's input. */
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
