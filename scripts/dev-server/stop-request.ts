/**
 * Stops a command that runs a server: at a signal, or when its parent process has ended. npm runs a command through a
 * shell, and a signal to npm may end only the shell: the command would keep running as an orphan.
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
