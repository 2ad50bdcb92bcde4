/**
 * Makes a release: version, changelog, commit and tag. Pushes nothing.
 * Promises: a dry run does everything in a temporary clone.
 */
import { execFileSync } from "node:child_process";
import { mkdtempDisposable, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flag, WrongArguments } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";
import { CommandError } from "../command-line/command-error.ts";
import { inProject, projectDirectory } from "../project.ts";
import { releaseChangelog } from "../release/changelog.ts";

const USAGE = `Makes a release: writes the version into each file that names it, dates the changelog, commits and tags.
Pushes nothing.

  npm run tools release -- <major|minor|patch|1.2.3> [--dry-run]

  --dry-run   does the same in a temporary clone of the last commit, and shows what came of it`;

const VERSION = /^(?:major|minor|patch|\d+\.\d+\.\d+)$/;

type Run = (command: string, ...args: readonly string[]) => string;

/** @returns what the command prints @throws CommandError with what it printed */
const runIn =
  (directory: string): Run =>
  (command, ...args) => {
    try {
      return execFileSync(command, args, { cwd: directory, encoding: "utf8", stdio: "pipe" }).trim();
    } catch (error) {
      const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
      throw new CommandError(`${command} ${args.join(" ")} failed:\n${output.trim()}`);
    }
  };

/** @returns the tag */
async function release(directory: string, increment: string): Promise<string> {
  const run = runIn(directory);
  const tag = run("npm", "version", increment, "--no-git-tag-version", "--ignore-scripts");
  const changelog = join(directory, "CHANGELOG.md");
  const today = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
  await writeFile(changelog, releaseChangelog(await readFile(changelog, "utf8"), tag.slice(1), today));
  run("npm", "run", "generate");
  run("npx", "vitest", "run", "--project=unit", "test/packaging");
  run("git", "commit", "--all", "--message", `chore(release): ${tag.slice(1)}`);
  run("git", "tag", "--annotate", tag, "--message", tag);
  return tag;
}

/** The clone uses the node_modules of this project. */
async function tryInClone(increment: string): Promise<void> {
  await using clone = await mkdtempDisposable(join(tmpdir(), "release-"));
  runIn(projectDirectory)("git", "clone", "--quiet", "--local", projectDirectory, clone.path);
  await symlink(inProject("node_modules"), join(clone.path, "node_modules"), "junction");
  const tag = await release(clone.path, increment);
  const shown = runIn(clone.path)("git", "show", "--stat", tag);
  console.log(`${shown}\n\nNothing here has changed: this was a dry run.`);
}

await runScript(
  USAGE,
  { allowPositionals: true, options: { "dry-run": flag } },
  async ({ positionals: [increment = "", ...rest], values }) => {
    if (!VERSION.test(increment) || rest.length > 0)
      throw new WrongArguments("Say which release: major, minor, patch, or a version such as 1.2.3.");
    if (values["dry-run"] === true) {
      await tryInClone(increment);
      return undefined;
    }
    if (runIn(projectDirectory)("git", "status", "--porcelain") !== "")
      throw new CommandError("There are changes that are not committed. Commit or stash them first.");
    const tag = await release(projectDirectory, increment);
    console.log(`Committed and tagged ${tag}. Run .ci/run, then: git push origin HEAD ${tag}`);
    return undefined;
  },
);
