/** The steps of `npm run check`, each with its fix. */
import { join } from "node:path";

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What to do when it fails, where its output does not say it. */
  readonly solution?: string;
  /** The part of its output to print when it passes. */
  readonly summarize?: (output: string) => string | undefined;
}

// Not a dependency: npm cannot lock its parser's packages for other platforms.
const KNIP = ["--yes", "knip@6.44.2", "--no-progress", "--no-config-hints"];

/** `temporary` is an empty folder for what the steps write. */
export function checkSteps(temporary: string): Step[] {
  return [
    {
      name: "format and lint",
      command: "biome",
      args: ["ci", "--colors=off", "."],
      solution: "npx biome check --write .",
    },
    { name: "types", command: "tsc", args: ["-b"] },
    { name: "nothing unused", command: "npx", args: KNIP },
    {
      name: "nothing in src for tests and scripts alone",
      command: "npx",
      args: [...KNIP, "--production", "--include=exports,files"],
    },
    {
      name: "worker-configuration.d.ts up to date",
      command: "wrangler",
      // No env file: the types must not depend on what somebody has in theirs.
      args: ["types", "--include-runtime=false", "--env-file=/dev/null", "--check"],
      solution: "npm run generate",
    },
    {
      name: "docs/tools.md, docs/audit-rules.md and what else is generated up to date",
      command: "node",
      args: [join("scripts", "generate-reference.ts"), "--check"],
      solution: "npm run generate",
    },
    {
      name: "links of the documentation",
      command: "node",
      args: [join("scripts", "check-links.ts")],
    },
    {
      name: "bundle",
      command: "wrangler",
      args: ["deploy", "--dry-run", "--outdir", join(temporary, "bundle")],
      summarize: bundleSize,
    },
    {
      name: "startup",
      command: "wrangler",
      args: ["check", "startup", "--outfile", join(temporary, "startup.cpuprofile")],
      summarize: startupTime,
    },
  ];
}

/** From wrangler's `Total Upload: 1230.20 KiB / gzip: 268.97 KiB`. */
export function bundleSize(output: string): string | undefined {
  const [, raw, gzip] = /Total Upload: ([\d.]+ \w+) \/ gzip: ([\d.]+ \w+)/.exec(output) ?? [];
  return raw === undefined ? undefined : `${raw}, ${gzip} gzip`;
}

/** From wrangler's `Active: 110.0 ms (including …)`. */
export function startupTime(output: string): string | undefined {
  const [, active] = /Active: ([\d.]+ ms)/.exec(output) ?? [];
  return active === undefined ? undefined : `${active} of CPU on this machine`;
}
