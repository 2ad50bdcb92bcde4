/** docs/settings.md tells every setting that the code reads, once, and no other. */

import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { SETTING_GROUPS } from "../../scripts/reference/settings-catalog.ts";

const told = SETTING_GROUPS.flatMap(({ settings }) => settings.map(({ name }) => name));

/** What `npm run deploy` says by itself is nobody's setting; the other is no setting at all. */
const NO_SETTINGS = new Set(["WORKER_NAME", "CONFIGURATION_ERROR"]);

/** Names in capitals that stand as literals in src/settings, other than error codes. */
async function namesInCode(): Promise<Set<string>> {
  const files = globSync("src/settings/*.ts", { cwd: inProject() });
  const sources = await Promise.all(files.map((file) => readFile(inProject(file), "utf8")));
  const literals = sources.join("\n").matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g);
  return new Set([...literals].map(([, name = ""]) => name).filter((name) => !NO_SETTINGS.has(name)));
}

test("each setting is told once", () => {
  expect(new Set(told).size).toBe(told.length);
});

test("every setting that src/settings reads by name is told", async () => {
  const names = await namesInCode();
  expect(names.size).toBeGreaterThan(25);
  expect([...names].filter((name) => !told.includes(name))).toEqual([]);
});

test("what is told is read: by name, or as one of the lists of people", async () => {
  const names = await namesInCode();
  const isList = (name: string): boolean =>
    /^(ALLOWED|DATA)_(EMAILS|EMAIL_DOMAINS|GROUPS|OBJECT_IDS)$/.test(name);
  expect(told.filter((name) => !names.has(name) && !isList(name))).toEqual([]);
});

describe("the example of settings", () => {
  test("has no setting that is not told", async () => {
    const example = await readFile(inProject(".dev.vars.example"), "utf8");
    const names = [...example.matchAll(/^(?:# )?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => name !== undefined && !told.includes(name))).toEqual([]);
  });
});
