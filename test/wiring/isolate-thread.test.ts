/** To whose calls long work yields, and for how long. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENT_PATIENCE_MS } from "../../src/platform/time-limits.ts";
import { IsolateThread, MAX_PAUSES_MS, PRESENT_MS } from "../../src/wiring/isolate-thread.ts";

const WORKED_MS = 5;
const PAUSE_MS = 4 * WORKED_MS;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type GiveWay = () => Promise<void>;

/** Milliseconds for which each of these yields after working, all at the same time. */
async function pausesOf(...all: readonly GiveWay[]): Promise<number[]> {
  const pause = async (): Promise<number[]> => {
    const asked = Date.now();
    const given = Promise.all(all.map((giveWay) => giveWay().then(() => Date.now() - asked)));
    await vi.advanceTimersByTimeAsync(0);
    await vi.runAllTimersAsync();
    return await given;
  };
  // Working time counts from the last pause.
  await pause();
  vi.setSystemTime(Date.now() + WORKED_MS);
  return await pause();
}

describe("long work", () => {
  test("yields to another user's call, not to one of its own user", async () => {
    const thread = new IsolateThread();
    const { giveWay } = thread.begin("anna");
    thread.begin("anna");
    expect(await pausesOf(giveWay)).toEqual([0]);
    const { end } = thread.begin("bert");
    expect(await pausesOf(giveWay)).toEqual([PAUSE_MS]);
    end();
    expect(await pausesOf(giveWay)).toEqual([0]);
  });

  test("does not yield to a user whose work is also long, since neither would proceed", async () => {
    const thread = new IsolateThread();
    const [ofAnna, ofBert] = [thread.begin("anna"), thread.begin("bert")];
    // Bert's call that the work belongs to.
    thread.begin("bert");
    await pausesOf(ofAnna.giveWay, ofBert.giveWay);
    expect(await pausesOf(ofAnna.giveWay, ofBert.giveWay)).toEqual([0, 0]);
    ofBert.end();
    expect(await pausesOf(ofAnna.giveWay)).toEqual([PAUSE_MS]);
  });

  test("pauses in all its parts at the same time", async () => {
    const thread = new IsolateThread();
    const { giveWay } = thread.begin("anna");
    thread.begin("bert");
    await pausesOf(giveWay);
    vi.setSystemTime(Date.now() + WORKED_MS);
    const begun = Date.now();
    const first = giveWay();
    await vi.advanceTimersByTimeAsync(PAUSE_MS / 2);
    const second = giveWay();
    await vi.advanceTimersByTimeAsync(PAUSE_MS / 2);
    await Promise.all([first, second]);
    expect(Date.now() - begun).toBe(PAUSE_MS);
  });

  test("pauses for a second in all, so that it has time left", async () => {
    const thread = new IsolateThread();
    const { giveWay } = thread.begin("anna");
    thread.begin("bert");
    let paused = 0;
    for (let piece = 0; piece < 100; piece += 1) {
      const [milliseconds = 0] = await pausesOf(giveWay);
      paused += milliseconds;
    }
    expect(paused).toBe(MAX_PAUSES_MS);
    expect(await pausesOf(giveWay)).toEqual([0]);
  });

  test("does not yield to a user who left without ending their call", async () => {
    const thread = new IsolateThread();
    thread.begin("bert");
    const { giveWay } = thread.begin("anna");
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    expect(await pausesOf(giveWay)).toEqual([0]);
  });

  test("yields no longer after the clock was set back", async () => {
    const thread = new IsolateThread();
    thread.begin("bert");
    const { giveWay } = thread.begin("anna");
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await pausesOf(giveWay)).toEqual([PAUSE_MS]);
    await vi.advanceTimersByTimeAsync(CLIENT_PATIENCE_MS);
    expect(await pausesOf(giveWay)).toEqual([0]);
  });
});

describe("the thread", () => {
  test("is shared while another user calls, and for a while after", async () => {
    const thread = new IsolateThread();
    const ofAnna = thread.begin("anna");
    thread.begin("anna");
    expect(ofAnna.isShared).toBe(false);
    const { end } = thread.begin("bert");
    expect(ofAnna.isShared).toBe(true);
    end();
    await vi.advanceTimersByTimeAsync(PRESENT_MS - 1);
    end();
    expect(ofAnna.isShared).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(ofAnna.isShared).toBe(false);
  });

  test("is shared no longer after the clock was set back", async () => {
    const thread = new IsolateThread();
    const ofAnna = thread.begin("anna");
    thread.begin("bert").end();
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(ofAnna.isShared).toBe(true);
    await vi.advanceTimersByTimeAsync(PRESENT_MS);
    expect(ofAnna.isShared).toBe(false);
  });
});
