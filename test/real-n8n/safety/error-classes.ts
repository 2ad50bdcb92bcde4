/**
 * A caller without `n8n:data` sees only errors in our tables: each class of error that n8n itself
 * throws where workflows run has to be in them, or it would be shown as `other`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ERROR_CLASSES } from "../../../src/executions/error-facts.ts";
import { demand, type SafetyLane } from "./lane.ts";

/** Packages of n8n in which nodes and workflows run. */
const PACKAGES = ["n8n-workflow", "n8n-core", "@n8n/errors", "@n8n/task-runner"];
const CLASS = /\bclass ([A-Z]\w*(?:Error|Exception)) extends \w/g;

export async function checkErrorClasses({ n8n }: SafetyLane): Promise<string> {
  const classes = new Set<string>();
  for (const name of PACKAGES)
    for (const each of await classesIn(join(n8n.installation.directory, "node_modules", name, "dist")))
      classes.add(each);
  demand(classes.size >= 40, "n8n's code has classes of errors", [...classes]);
  const unknown = [...classes].filter((name) => !ERROR_CLASSES.has(name));
  demand(unknown.length === 0, "each has a sentence of ours", unknown);
  return `${classes.size} classes`;
}

async function classesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  const sources = files.filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(sources.map(async (file) => await readFile(join(folder, file), "utf8")));
  return texts.flatMap((text) => [...text.matchAll(CLASS)].map(([, name = ""]) => name));
}
