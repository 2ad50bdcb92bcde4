/** Saves what was recorded on a real n8n, one answer a line. */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname } from "node:path";

/**
 * @param replacements of what names this machine, the longer ones first
 * @throws Error when the recording would still name a path of this machine
 */
export async function saveRecording(
  path: string,
  recorded: readonly unknown[],
  replacements: readonly (readonly [string, string])[],
): Promise<void> {
  const lines = recorded.map((each) => JSON.stringify(each)).join(",\n");
  const text = replacements.reduce(
    (replaced, [from, to]) => replaced.replaceAll(from, to),
    `[\n${lines}\n]\n`,
  );
  const telling = [homedir(), tmpdir()].find((each) => each !== "/" && text.includes(`${each}/`));
  if (telling !== undefined) throw new Error(`The recording names a path of this machine, below ${telling}.`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(`Saved ${recorded.length} executions, ${Math.round(text.length / 1024)} kB`);
}
