/**
 * When a command that runs a server has to stop: at a signal, or once its parent has gone. npm runs a command through a
 * shell, and a signal to npm may end the shell alone; the command would go on, out of reach.
 */
import { setInterval } from "node:timers";

const CHECK_INTERVAL_MS = 200;

export function onStopRequest(stop: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
