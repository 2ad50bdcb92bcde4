/** What the documentation quotes as a message stands in the code, word for word. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";

const PAGES = ["docs/troubleshooting.md", "docs/private-network.md"];
/** Headings of the column with what somebody sees. */
const SEEN = /^\| (?:you see|message|what you see) \|/;

/** The code spans of the first column of a table of messages; `…` stands for what differs. */
function quotesOf(document: string): string[] {
  const lines = document.split("\n");
  return lines.flatMap((line, index) => {
    if (!line.startsWith("| ") || SEEN.test(line)) return [];
    const head = lines
      .slice(0, index)
      .findLast((each, at) => each.startsWith("| ") && !lines[at - 1]?.startsWith("|"));
    if (head === undefined || !SEEN.test(head)) return [];
    const [, seen = ""] = line.split(/(?<!\\)\|/);
    return [...seen.matchAll(/`([^`]+)`/g)].map(([, quote = ""]) => quote);
  });
}

const partsOf = (quote: string): string[] =>
  quote
    .replace(/\[n\]/g, "…")
    .split("…")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const files = globSync(["src/**/*.{ts,tsx}", "scripts/**/*.ts"], { cwd: inProject() });
const code = (await Promise.all(files.map((file) => readFile(inProject(file), "utf8")))).join("\n");

describe.each(PAGES)("%s", async (page) => {
  const quotes = quotesOf(await readFile(inProject(page), "utf8"));

  test("quotes messages", () => {
    expect(quotes.length).toBeGreaterThan(2);
  });

  test.each(quotes)("%s stands in the code", (quote) => {
    expect(partsOf(quote).filter((part) => !code.includes(part))).toEqual([]);
  });
});
