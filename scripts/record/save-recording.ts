/** Saves a recording of a real n8n without naming the machine on which it ran. */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname } from "node:path";
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { inProject } from "../project.ts";

/** Text that names this machine, and its replacement. */
export type Replacement = readonly [from: string, to: string];

/** @param services address of each server that n8n calls, by the port that replaces its own */
export function usualPlaces(
  { installation, baseUrl }: RunningN8n,
  services: Readonly<Record<number, string>>,
): Replacement[] {
  return [
    [`${installation.directory}/node_modules/n8n/`, "/usr/local/lib/node_modules/n8n/"],
    [`${installation.directory}/node_modules/`, "/usr/local/lib/node_modules/n8n/node_modules/"],
    ...Object.entries({ ...services, 5678: baseUrl }).map(
      ([port, url]): Replacement => [new URL(url).host, `127.0.0.1:${port}`],
    ),
  ];
}

/** One element a line, for readable diffs. */
export const toLines = (all: readonly unknown[]): string =>
  `[\n${all.map((each) => JSON.stringify(each)).join(",\n")}\n]`;

/** @throws Error if the recording would still name a path of this machine */
export async function saveRecording(
  path: string,
  recorded: string,
  replacements: readonly Replacement[],
): Promise<void> {
  const text = replacements.reduce((replaced, [from, to]) => replaced.replaceAll(from, to), recorded);
  const leaked = [homedir(), tmpdir(), inProject()].find((each) => each !== "/" && text.includes(`${each}/`));
  if (leaked !== undefined) throw new Error(`${path} names a path of this machine, below ${leaked}.`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${text}\n`);
  console.log(`Saved ${Math.round(text.length / 1024)} kB: ${path}`);
}
