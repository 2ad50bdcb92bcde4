/** A copy of this project for a test that writes into it: enough to run its scripts, without settings. */
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProject } from "../../scripts/project.ts";

const CONFIGURATION = [
  "package.json",
  "package-lock.json",
  "wrangler.toml",
  "tsconfig.json",
  "tsconfig.base.json",
];
const PARTS = ["scripts", "src", ...CONFIGURATION];

export interface ProjectCopy {
  readonly directory: string;
  readonly inCopy: (...path: string[]) => string;
  readonly remove: () => Promise<void>;
}

export async function copyProject(): Promise<ProjectCopy> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-copy-"));
  const inCopy = (...path: string[]): string => join(directory, ...path);
  for (const part of PARTS) await cp(inProject(part), inCopy(part), { recursive: true });
  await symlink(inProject("node_modules"), inCopy("node_modules"));
  return { directory, inCopy, remove: async () => await rm(directory, { recursive: true, force: true }) };
}
