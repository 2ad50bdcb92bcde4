/**
 * The questions, as people put them, and the truth about each.
 * Promises: ids are unique; every expression is one that JavaScript reads, and ignores upper and lower case.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { inProject } from "../scripts/project.ts";

const expression = z.string().transform((source) => new RegExp(source, "is"));

const question = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  /** What the agent is asked. */
  question: z.string(),
  /** For people who read the questions. */
  truth: z.string(),
  /** Each must be found in the final answer. */
  right: z.array(expression).min(1),
  /** None may be. */
  wrong: z.array(expression),
  /** n8n does not hold the answer: the right one says so. */
  abstain: z.boolean().default(false),
});
export type Question = z.infer<typeof question>;

const DIRECTORY = inProject("eval", "questions");

export async function readQuestions(): Promise<Question[]> {
  const files = (await readdir(DIRECTORY)).filter((name) => name.endsWith(".json")).sort();
  const texts = await Promise.all(files.map(async (name) => await readFile(join(DIRECTORY, name), "utf8")));
  const questions = texts.flatMap((text) => z.array(question).parse(JSON.parse(text)));
  const twice = questions.find(({ id }, at) => questions.findIndex((each) => each.id === id) !== at);
  if (twice !== undefined) throw new Error(`Two questions are called ${twice.id}.`);
  return questions;
}
