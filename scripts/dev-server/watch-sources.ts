/** Notices changes of the files that the server is built from. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** An editor may write several files, and one file several times. */
const DEBOUNCE_MS = 150;

/**
 * @param paths files, and folders with all that is in them
 * @param onChange called after changes; never called again before it has finished
 * @returns a function that stops watching
 */
export function watchSources(paths: readonly string[], onChange: () => Promise<void>): () => void {
  let changes = 0;
  let isRunning = false;
  const notify = async (): Promise<void> => {
    changes += 1;
    if (isRunning) return;
    isRunning = true;
    for (let handled = 0; handled !== changes; ) {
      handled = changes;
      await sleep(DEBOUNCE_MS, undefined, { ref: false });
      if (handled === changes) await onChange();
    }
    isRunning = false;
  };
  const watchers = paths.map((path) => watchPath(path, () => void notify()));
  for (const watcher of watchers)
    watcher.on("error", ({ message }) =>
      console.error(`Changes are no longer noticed (${message}). Restart the server after a change.`),
    );
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

/** Watches a file through its folder: editors replace a file instead of writing into it. */
function watchPath(path: string, notify: () => void): FSWatcher {
  if (statSync(path).isDirectory()) return watch(path, { recursive: true }, notify);
  return watch(dirname(path), (_event, name) => {
    if (name === basename(path)) notify();
  });
}
