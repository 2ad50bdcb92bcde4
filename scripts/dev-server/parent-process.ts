/**
 * npm runs a command through a shell, and a signal to npm may end the shell alone. Whoever was started by
 * it would go on, out of reach.
 */
import { setInterval } from "node:timers";

const CHECK_INTERVAL_MS = 200;

/** Tells once when the process that npm ran us through has gone. Does nothing when npm did not run us. */
export function onParentGone(tell: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    tell();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
