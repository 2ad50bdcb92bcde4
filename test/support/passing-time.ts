/** Fake time, which passes only while a call is awaited. */
import { vi } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { createTestTraces, type TestTraces } from "./test-traces.ts";

const STEP_MS = 100;

/** Traces with a clock that does not advance by itself; `vi.useRealTimers` ends it. */
export function tracesInPassingTime(): TestTraces {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: Date.UTC(2026, 0, 2) });
  const traces = createTestTraces();
  Object.assign(traces.clock, systemClock);
  return traces;
}

/** Lets time pass until the call has ended. @returns also its duration in fake milliseconds */
export async function passing<Result>(call: Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const began = Date.now();
  let endedAt: number | null = null;
  const end = (): void => {
    endedAt = Date.now();
  };
  call.then(end, end);
  while (endedAt === null) {
    await vi.advanceTimersByTimeAsync(STEP_MS);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { result: await call, tookMs: endedAt - began };
}

export const sleep = async (milliseconds: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @returns the call's result with its duration in milliseconds */
export async function timed<Result extends object>(
  call: () => Promise<Result>,
): Promise<Result & { readonly tookMs: number }> {
  const began = Date.now();
  const result = await call();
  return { ...result, tookMs: Date.now() - began };
}
