/** `npm run index`: prints how far the history index is, every few seconds, until it reads no farther back. */
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "./command-line/command.ts";
import { type IndexOptions, readIndexArguments, WATCH_USAGE } from "./operator/arguments.ts";
import { findOperatorServer, readIndexes } from "./operator/operator-client.ts";
import { type IndexSample, renderProgress } from "./operator/render-progress.ts";

const EVERY_MS = 5_000;

async function watch({ form, ...choice }: IndexOptions): Promise<undefined> {
  const server = await findOperatorServer(choice);
  const first = new Map<string, IndexSample>();
  for (;;) {
    const indexes = await readIndexes(server, true);
    const now = Date.now();
    const lines = indexes.map((index) => {
      const { instance } = index;
      const seen = first.get(instance) ?? { known: "error" in index ? 0 : index.known, at: now };
      first.set(instance, seen);
      const { text, isOver } = renderProgress(index, seen, now);
      if (form === "json") console.log(JSON.stringify(index));
      else console.log(indexes.length > 1 ? `${instance}: ${text}` : text);
      return isOver;
    });
    if (lines.every((isOver) => isOver)) return;
    await sleep(EVERY_MS);
  }
}

process.exitCode = await runCommand({ usage: WATCH_USAGE, read: readIndexArguments, run: watch });
