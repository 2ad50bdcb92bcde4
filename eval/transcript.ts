/**
 * Transcripts of runs, a file each: `<question>.json`, and `<question>.2.json`, … for further runs. The texts of tool
 * answers are not stored, only their numbers of tokens.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "../scripts/command-line/command-error.ts";
import { parseJson } from "../src/platform/parse-json.ts";

const count = z.int().nonnegative();

const transcript = z.strictObject({
  /** Id of the question. */
  question: z.string(),
  arm: z.string(),
  /** Without one, a person played. */
  model: z.string().exactOptional(),
  calls: z.array(
    z.strictObject({
      tool: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      answerTokens: count,
    }),
  ),
  /** Empty where none was given. */
  answer: z.string(),
  /** From the question to the answer; absent if not measured. */
  seconds: z.number().nonnegative().exactOptional(),
  /** Sums over all steps, as the model's provider reports them. */
  usage: z.strictObject({ input: count, output: count }).exactOptional(),
});
export type Transcript = z.infer<typeof transcript>;

/** @throws CommandError when there are none, or one is not a transcript */
export async function readTranscripts(directory: string): Promise<Transcript[]> {
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  if (files.length === 0) throw new CommandError(`${directory} holds no transcripts.`);
  return await Promise.all(files.map(async (name) => await readOne(join(directory, name))));
}

async function readOne(path: string): Promise<Transcript> {
  const parsed = transcript.safeParse(parseJson(await readFile(path, "utf8")));
  if (!parsed.success) throw new CommandError(`${path}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** @param run counts from 1 */
export async function writeTranscript(directory: string, run: number, written: Transcript): Promise<void> {
  await mkdir(directory, { recursive: true });
  const name = run === 1 ? written.question : `${written.question}.${run}`;
  await writeFile(join(directory, `${name}.json`), `${JSON.stringify(written, null, 2)}\n`);
}
