/** A command with sub-commands: `npm run admin <name>`, `npm run tools <name>`. */
import { pathToFileURL } from "node:url";
import { inProject } from "../project.ts";
import { readArguments, WrongArguments } from "./arguments.ts";
import { runCommand } from "./command.ts";

export interface Script {
  readonly file: string;
  /** Arguments placed before the typed ones. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Subcommands {
  /** As it is typed: `npm run tools`. */
  readonly command: string;
  readonly about: string;
  readonly names: Readonly<Record<string, Script & { readonly about: string }>>;
}

function usageOf({ command, about, names }: Subcommands): string {
  const width = Math.max(...Object.keys(names).map((name) => name.length));
  const rows = Object.entries(names).map(([name, { about: its }]) => `  ${name.padEnd(width)}  ${its}`);
  return `${about}

  ${command} <name> -- [options]
  ${command} <name> -- --help

${rows.join("\n")}`;
}

/** Runs a script in this process, as if it had been started directly. */
export async function becomeScript(
  { file, args = [], env = {} }: Script,
  typed: readonly string[] = [],
): Promise<void> {
  const path = inProject(file);
  Object.assign(process.env, env);
  process.argv = [process.execPath, path, ...args, ...typed];
  await import(pathToFileURL(path).href);
}

/** Runs the script with the typed name. */
export async function runSubcommand(all: Subcommands): Promise<void> {
  const [name = "", ...typed] = process.argv.slice(2);
  const script = new Map(Object.entries(all.names)).get(name);
  if (script !== undefined) return await becomeScript(script, typed);
  const problem = name === "" ? "A name is missing." : "There is no such name.";
  const read = (args: readonly string[]) => readArguments(args, {}, () => refuse(problem));
  process.exitCode = await runCommand({ usage: usageOf(all), read, run: async () => undefined });
}

function refuse(problem: string): never {
  throw new WrongArguments(problem);
}
