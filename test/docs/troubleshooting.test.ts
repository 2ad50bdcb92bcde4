/** Each message that the documentation quotes occurs word for word in the code. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";

const PAGES = ["docs/troubleshooting.md", "docs/private-network.md"];
/** Headings of the column with the messages that somebody sees. */
const SEEN = /^\| (?:you see|message|what you see) \|/;

/** The code spans in the first column of the tables of messages; `…` stands for a variable part. */
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

  test.each(quotes)("%s occurs in the code", (quote) => {
    expect(partsOf(quote).filter((part) => !code.includes(part))).toEqual([]);
  });
});
