/** SECURITY.md names tests for each threat, and these tests exist under the titles it gives. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";

interface Threat {
  readonly threat: string;
  readonly proofs: readonly { readonly file: string; readonly title: string }[];
}

/** Rows of the tables that have a column for tests. */
function readThreats(document: string): Threat[] {
  const rows = [...document.matchAll(/^\| (?<threat>[^|]+) \| (?<defence>[^|]+) \| (?<tests>[^|]+) \|$/gm)];
  return rows
    .map(({ groups = {} }) => ({ threat: groups.threat ?? "", tests: groups.tests ?? "" }))
    .filter(({ tests }) => tests !== "test")
    .map(({ threat, tests }) => ({ threat, proofs: readProofs(tests) }));
}

/** `` `file`: "title", "title"; `file`: "title" `` */
function readProofs(cell: string): { file: string; title: string }[] {
  return [...cell.matchAll(/`(?<file>test\/[^`]+)`: (?<titles>"[^"]+"(?:, "[^"]+")*)(?:; |$)/g)].flatMap(
    ({ groups = {} }) =>
      [...(groups.titles ?? "").matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({
        file: groups.file ?? "",
        title,
      })),
  );
}

/** Whether a test or group with this title runs: `test("…`, `describe("…`, or after `.each(…)`. Skipped ones do not count. */
function hasTitle(source: string, title: string): boolean {
  const written = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:\\btest|\\bdescribe|\\))\\(\\s*(["'\`])${written}\\1\\s*,`).test(source);
}

const threats = readThreats(await readFile(inProject("SECURITY.md"), "utf8"));

test("each threat has a test", () => {
  expect(threats.length).toBeGreaterThan(30);
  expect(threats.filter(({ proofs }) => proofs.length === 0)).toEqual([]);
});

describe.each(threats)("$threat", ({ proofs }) => {
  test.each(proofs)("$file: $title", async ({ file, title }) => {
    const source = await readFile(inProject(file), "utf8");
    expect(hasTitle(source, title), `${file} has no test or group "${title}"`).toBe(true);
  });
});

describe("a title is found", () => {
  test.each([
    'test("a title", () => {',
    'describe("a title", { timeout: 1 }, () => {',
    'test.each([\n  ["a"],\n])("a title", (_) => {',
    'test.each([1])(\n    "a title",\n    async () => {',
  ])("in %j", (source) => {
    expect(hasTitle(source, "a title")).toBe(true);
  });

  test.each([
    'test.skip("a title", () => {',
    'test.todo("a title", () => {',
    'test("a title that goes on", () => {',
    'log("a title", 1)',
    '["a title", 1]',
    "// a title",
  ])("not in %j", (source) => {
    expect(hasTitle(source, "a title")).toBe(false);
  });
});
