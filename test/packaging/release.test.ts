/** One version, wherever it stands; a licence; a changelog whose versions have dates and are in order. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { SOURCE_URL } from "../../src/platform/about.ts";
import { VERSION } from "../../src/platform/version.ts";

const versioned = z.looseObject({ version: z.string() });
const read = (file: string): string => readFileSync(file, "utf8");
const readJson = (file: string): unknown => JSON.parse(read(file));

const packageFile = z
  .object({
    version: z.string(),
    license: z.string(),
    description: z.string(),
    keywords: z.array(z.string()),
  })
  .parse(readJson("package.json"));

describe("the version", () => {
  test.each(["server.json", "plugin/.claude-plugin/plugin.json", "package-lock.json"])(
    "of package.json stands in %s",
    (file) => {
      expect(versioned.parse(readJson(file)).version).toBe(packageFile.version);
    },
  );

  test("is what the server says of itself, a semantic one", () => {
    expect(VERSION).toBe(packageFile.version);
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("stands nowhere else in the source", () => {
    expect(read("src/mcp/server.ts")).not.toContain(VERSION);
  });
});

describe("the changelog", () => {
  const headings = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
  const [first = "", ...released] = headings;

  test("begins with what is not released yet", () => {
    expect(first).toBe("Unreleased");
  });

  test("gives each version a date, the newest first: that of package.json", () => {
    const versions = released.map((heading) => /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading));
    expect(versions.every((found) => found !== null)).toBe(true);
    expect(versions[0]?.[1]).toBe(packageFile.version);
    const dates = versions.map((found) => found?.[2] ?? "");
    expect(dates).toEqual(dates.toSorted().reverse());
    for (const date of dates) expect(Number.isNaN(Date.parse(date))).toBe(false);
  });
});

test("the repository is the one that pages point to, wherever it stands", () => {
  for (const file of ["package.json", "server.json"]) expect(read(file)).toContain(SOURCE_URL);
  expect(read("server.json")).toContain(
    `"name": "io.github.${SOURCE_URL.replace("https://github.com/", "")}"`,
  );
});

test("the licence is MIT, in the text and in package.json", () => {
  expect(read("LICENSE")).toMatch(/^MIT License\n\nCopyright \(c\) \d{4} n8n-observer contributors\n/);
  expect(packageFile.license).toBe("MIT");
});
