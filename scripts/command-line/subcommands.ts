/** A command that is several: `npm run admin <name>`, `npm run tools <name>`. */
import { pathToFileURL } from "node:url";
import { inProject } from "../project.ts";

export interface Subcommand {
  readonly about: string;
  /** The script that does it. */
  readonly file: string;
  /** What stands before the arguments that were typed. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Subcommands {
  /** As it is typed: `npm run tools`. */
  readonly command: string;
  readonly about: string;
  readonly names: Readonly<Record<string, Subcommand>>;
}

const EXIT_USAGE = 2;

export function subcommandUsage({ command, about, names }: Subcommands): string {
  const width = Math.max(...Object.keys(names).map((name) => name.length));
  const rows = Object.entries(names).map(([name, { about: its }]) => `  ${name.padEnd(width)}  ${its}`);
  return `${about}

  ${command} <name> -- [options]
  ${command} <name> -- --help

${rows.join("\n")}`;
}

/** Runs the script of the name that was typed, in this process, as if it had been called itself. */
export async function runSubcommand(all: Subcommands): Promise<void> {
  const [node = "", , name, ...typed] = process.argv;
  const isHelp = name === "--help" || name === "-h";
  const chosen = name !== undefined && Object.hasOwn(all.names, name) ? all.names[name] : undefined;
  if (isHelp) return console.log(subcommandUsage(all));
  if (chosen === undefined) {
    const problem = name === undefined ? "A name is missing." : "There is no such name.";
    console.error(`${problem}\n\n${subcommandUsage(all)}`);
    process.exitCode = EXIT_USAGE;
    return;
  }
  const file = inProject(chosen.file);
  Object.assign(process.env, chosen.env);
  process.argv = [node, file, ...(chosen.args ?? []), ...typed];
  await import(pathToFileURL(file).href);
}
