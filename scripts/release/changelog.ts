/** Updates CHANGELOG.md for a release. Pure. */
import { CommandError } from "../command-line/command-error.ts";

const UNRELEASED = "## Unreleased\n";

/**
 * Gives what is unreleased its version and date, and puts an empty "Unreleased" above it.
 *
 * @param date YYYY-MM-DD, in UTC
 * @throws CommandError where nothing is unreleased, or the version has been released
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
