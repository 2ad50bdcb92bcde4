/**
 * A person, or an agent without a key, plays: reads the question, types `<tool> {json}` as often as needed, and ends
 * with `answer <text>`. `tools` lists the tools, `skip` goes on to the next question.
 */
import * as z from "zod";
import type { Arm } from "./arms/arm.ts";
import type { Question } from "./question.ts";
import { recordRun } from "./record-run.ts";
import type { Transcript } from "./transcript.ts";

const HELP = "Type <tool> {json}, tools, skip, or answer <text>.";
const toolArguments = z.record(z.string(), z.unknown());

/** @returns undefined for a question that is skipped, or when the lines end */
export async function playByHand(
  question: Question,
  arm: Arm,
  lines: AsyncIterator<string>,
  print: (text: string) => void,
): Promise<Transcript | undefined> {
  print(`\n[${question.id}] ${question.question}\n${HELP}`);
  const run = recordRun(question, arm);
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*)$/s.exec(line.value) ?? [];
    if (word === "answer") return run.end(rest.trim());
    if (word === "skip") return undefined;
    if (word === "tools") print(describe(arm));
    else if (word !== "") print(await callTyped(word, rest));
  }
  return undefined;

  async function callTyped(tool: string, typed: string): Promise<string> {
    if (!arm.tools.some(({ name }) => name === tool)) return `There is no tool ${tool}. ${HELP}`;
    try {
      const args = toolArguments.parse(JSON.parse(typed === "" ? "{}" : typed));
      return await run.call(tool, args);
    } catch (error) {
      return error instanceof SyntaxError || error instanceof z.ZodError ? HELP : Promise.reject(error);
    }
  }
}

function describe({ tools, instructions = "" }: Arm): string {
  const each = tools.map(
    ({ name, description, inputSchema }) => `${name}: ${description}\n  ${JSON.stringify(inputSchema)}`,
  );
  return [instructions, ...each].join("\n\n");
}
