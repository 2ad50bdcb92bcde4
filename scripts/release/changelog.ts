/** Updates CHANGELOG.md for a release. Pure. */
import { CommandError } from "../command-line/command-error.ts";

const UNRELEASED = "## Unreleased\n";

/**
 * Puts the unreleased changes under a heading with the version and date, below an empty "Unreleased".
 *
 * @param date YYYY-MM-DD, in UTC
 * @throws CommandError if there are no unreleased changes, or the version is released already
 */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const [before = "", after] = changelog.split(UNRELEASED, 2);
  if (after === undefined) throw new CommandError(`CHANGELOG.md has no line "${UNRELEASED.trim()}". Add it.`);
  const [changes = ""] = after.split(/^## /m, 1);
  if (changes.trim() === "")
    throw new CommandError("Nothing is unreleased: CHANGELOG.md has no line under Unreleased.");
  if (after.includes(`\n## ${version} (`)) throw new CommandError(`CHANGELOG.md has ${version} already.`);
  return `${before}${UNRELEASED}\n## ${version} (${date})\n${after}`;
}
