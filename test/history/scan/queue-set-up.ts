/** Shared set-up of the tests of n8n's queue. */
import { expect } from "vitest";
import { type FakeExecution, type FakeN8n, fakeExecution, queuedExecution } from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";

/** @param queues whether n8n is known to queue; null if that is not known */
export const tracesOf = (queues: boolean | null): TestTraces =>
  createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues }));

export const each = <Made>(from: number, to: number, make: (id: number) => Made): Made[] =>
  Array.from({ length: to - from + 1 }, (_one, index) => make(from + index));

/** Ended executions, each with the request id `r-<id>`. */
export const ended = (from: number, to: number): FakeExecution[] =>
  each(from, to, (id) => fakeExecution(id, `r-${id}`));

/** An execution that ran for this long, from a time in milliseconds on. */
export function ranFrom(
  startedAt: number,
  id: number,
  requestId: string,
  { ms = 100, ...facts }: { readonly ms?: number; readonly [fact: string]: unknown } = {},
): FakeExecution {
  const iso = (time: number): string => new Date(time).toISOString();
  return fakeExecution(id, requestId, {
    startedAt: iso(startedAt),
    stoppedAt: iso(startedAt + ms),
    ...facts,
  });
}

/** Queued executions, each with the request id `q-<id>`. */
export const queued = (from: number, to: number): FakeExecution[] =>
  each(from, to, (id) => queuedExecution(id, `q-${id}`));

/** Adds executions, or replaces those with the same ids. */
export function put(n8n: FakeN8n, ...changed: readonly FakeExecution[]): void {
  const ids = new Set(changed.map(({ id }) => id));
  n8n.executions = [...n8n.executions.filter(({ id }) => !ids.has(id)), ...changed];
}

interface Answer {
  readonly found: boolean;
  readonly coverage: { readonly complete: boolean };
}

/** The execution was found, or the answer says that not everything was read. */
export const expectNoWrongClaim = ({ found, coverage }: Answer): void =>
  expect({ found, complete: coverage.complete }).not.toEqual({ found: false, complete: true });
