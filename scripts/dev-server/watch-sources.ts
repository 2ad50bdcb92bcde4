/** Notices changes of the files that the server is built from. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** An editor may write several files, and the same one several times. */
const CALM_MS = 150;

/**
 * @param paths files, and folders with all that is in them
 * @param onChange called after each change, and never again before it has finished
 * @returns a function that stops watching
 */
export function watchSources(paths: readonly string[], onChange: () => Promise<void>): () => void {
  let changes = 0;
  let isConclusive = false;
  const tell = async (): Promise<void> => {
    changes += 1;
    if (isConclusive) return;
    isConclusive = true;
    for (let told = 0; told !== changes; ) {
      told = changes;
      await sleep(CALM_MS, undefined, { ref: false });
      if (told === changes) await onChange();
    }
    isConclusive = false;
  };
  const watchers = paths.map((path) => watchPath(path, () => void tell()));
  for (const watcher of watchers)
    watcher.on("error", ({ message }) =>
      console.error(`Changes are no longer noticed (${message}). Restart the server after a change.`),
    );
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

/** For a file, watches its folder: editors replace files by others. */
function watchPath(path: string, tell: () => void): FSWatcher {
  if (statSync(path).isDirectory()) return watch(path, { recursive: true }, tell);
  return watch(dirname(path), (_event, name) => {
    if (name === basename(path)) tell();
  });
}
