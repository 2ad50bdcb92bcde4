/** Waits for a server that is being started. */
import { setTimeout as sleep } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;
const ANSWER_TIMEOUT_MS = 5_000;

export interface WaitOptions {
  readonly timeoutMs: number;
  /** True once waiting is pointless. */
  readonly isOver: () => boolean;
}

async function answers(url: string): Promise<boolean> {
  try {
    // For an HTML page, the server would log what is wrong with its settings.
    const headers = { accept: "application/json" };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    await response.body?.cancel();
    return true;
  } catch {
    // Not listening yet.
    return false;
  }
}

/** True once the server answers at all; false after the timeout, or if the server has ended. */
export async function waitUntilAnswers(url: string, { timeoutMs, isOver }: WaitOptions): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!isOver() && Date.now() < deadline) {
    if (await answers(url)) return !isOver();
    await sleep(POLL_INTERVAL_MS);
  }
  return false;
}
