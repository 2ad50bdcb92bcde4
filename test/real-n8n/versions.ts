/**
 * The n8n versions that the lane knows, and how a command says which one it wants.
 * Each has a manifest and a lock file under `n8n/<version>/`. Pure.
 */

/** The first is what every command takes that was told nothing. */
export const n8nVersions = ["2.40.5", "1.123.81", "1.100.1"] as const;
export type N8nVersion = (typeof n8nVersions)[number];

export const defaultN8nVersion: N8nVersion = n8nVersions[0];

/** @throws with the known versions, when this is none of them */
export function toN8nVersion(text: string): N8nVersion {
  const found = n8nVersions.find((version) => version === text);
  if (found === undefined) {
    throw new Error(`n8n ${text || "(no version)"} is not known here. Known are: ${n8nVersions.join(", ")}.`);
  }
  return found;
}

/**
 * Reads `--version <version>` or `--version=<version>`, which is all that these commands take.
 * @param commandLine without the program and the script
 * @throws for an unknown version, and for any other argument
 */
export function readN8nVersion(commandLine: readonly string[]): N8nVersion {
  const [first, second, ...rest] = commandLine.flatMap((argument) =>
    argument.startsWith("--version=") ? ["--version", argument.slice("--version=".length)] : [argument],
  );
  if (first === undefined) return defaultN8nVersion;
  if (first !== "--version" || rest.length > 0) {
    throw new Error(`Only --version <version> is taken here, not: ${commandLine.join(" ")}`);
  }
  return toN8nVersion(second ?? "");
}

/**
 * Parts of the lane that can be run alone: `safety`; `requests`, what became of each request over known history;
 * `missing`, requests of
 * which something is missing; `kinds`, why executions failed or did nothing; `agents`, what agents did; `clients`, n8n's own nodes as clients.
 */
export const laneSections = ["safety", "requests", "missing", "kinds", "agents", "clients"] as const;
export type LaneSection = (typeof laneSections)[number];

export interface LaneArguments {
  version: N8nVersion;
  /** Whether to write the version's column of docs/versions.md. */
  write: boolean;
  /** Installs n8n, and asks it nothing. */
  install: boolean;
  /** Without it, all of the lane. */
  only?: LaneSection;
}

/**
 * What the lane is told, besides the version: `--install`, `--write`, or `--only <section>`.
 * @throws for anything else, and for two of them: a part of the lane knows a part of the column
 */
export function readLaneArguments(commandLine: readonly string[]): LaneArguments {
  const at = commandLine.indexOf("--only");
  const name = at === -1 ? undefined : (commandLine[at + 1] ?? "");
  const only = laneSections.find((section) => section === name);
  if (name !== undefined && only === undefined)
    throw new Error(`--only takes one of: ${laneSections.join(", ")}.`);
  const told = commandLine.filter((_argument, index) => at === -1 || (index !== at && index !== at + 1));
  const flags = ["--write", "--install"].filter((flag) => told.includes(flag));
  const others = told.filter((argument) => !flags.includes(argument));
  if (flags.length + (only === undefined ? 0 : 1) > 1)
    throw new Error("Only one of --install, --write and --only is taken at a time.");
  return {
    version: readN8nVersion(others),
    write: flags.includes("--write"),
    install: flags.includes("--install"),
    ...(only === undefined ? {} : { only }),
  };
}
