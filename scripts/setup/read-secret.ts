/** Reads secrets that are not typed: from the environment, a file, or standard input. */

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { CommandError } from "../command-line/command-error.ts";
import type { SecretSource } from "./arguments.ts";

/** @throws CommandError when there is none */
export async function readSecret(
  { kind, name }: SecretSource,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const secret = (kind === "environment" ? (environment[name] ?? "") : await readFrom(name)).trim();
  if (secret !== "") return secret;
  const where = kind === "environment" ? `The environment variable ${name}` : placeOf(name);
  throw new CommandError(`${where} is empty.`);
}

const placeOf = (name: string): string => (name === "-" ? "Standard input" : `The file ${name}`);

async function readFrom(name: string): Promise<string> {
  try {
    return name === "-" ? await text(process.stdin) : await readFile(name, "utf8");
  } catch {
    throw new CommandError(`${placeOf(name)} cannot be read.`);
  }
}
