/** The changelog of a release. */
import { expect, test } from "vitest";
import { releaseChangelog } from "../../scripts/release/changelog.ts";

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-11-23)\n\n- Old.\n";

test("unreleased changes get the version and date, below an empty Unreleased", () => {
  expect(releaseChangelog(CHANGELOG, "0.2.0", "2026-12-01")).toBe(
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- New.\n\n## 0.1.0 (2026-11-23)\n\n- Old.\n",
  );
});

test.each([
  ["no changes", CHANGELOG.replace("- New.\n\n", ""), "0.2.0", /Nothing is unreleased/],
  ["no Unreleased", CHANGELOG.replace("## Unreleased\n", ""), "0.2.0", /no line "## Unreleased"/],
  ["a version that is already listed", CHANGELOG, "0.1.0", /has 0\.1\.0 already/],
])("%s is refused", (_what, changelog, version, problem) => {
  expect(() => releaseChangelog(changelog, version, "2026-12-01")).toThrow(problem);
});
