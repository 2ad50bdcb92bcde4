/** The table of tools in the documentation lists every tool with its scope. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { TOOLS } from "../../src/features/index.ts";

test("docs/tools-overview.md has one row for each tool, with its scope", async () => {
  const page = await readFile(inProject("docs", "tools-overview.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| `(n8n:\w+)`[^|]*\|$/gm)].map(([, name, scope]) => ({
    name,
    scope,
  }));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    (a.name ?? "").localeCompare(b.name ?? "");
  expect(rows.sort(byName)).toEqual(TOOLS.map(({ name, scope }) => ({ name, scope })).sort(byName));
});
