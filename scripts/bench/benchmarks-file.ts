/** docs/benchmarks.md has a part for each benchmark; each writes its own. */
import { readFile, writeFile } from "node:fs/promises";
import { inProject } from "../project.ts";

const PATH = inProject("docs", "benchmarks.md");

const ALL_PARTS = ["calls", "recorded", "real", "index", "query", "audit", "load"] as const;
export type Part = (typeof ALL_PARTS)[number];

const TITLES: Readonly<Record<Part, string>> = {
  calls: "What a call costs",
  recorded: "On the recorded n8n",
  real: "On a real n8n",
  index: "The history index",
  query: "Questions to the history index",
  audit: "An audit of 300 workflows",
  load: "Fifty users at once",
};

const INTRODUCTION = `# Benchmarks

Written by \`npm run tools bench:calls -- --write\`, \`npm run tools bench -- --write\`, \`npm run tools bench:n8n -- --write\`, \`npm run tools bench:index -- --write\`, \`npm run tools bench:query -- --write\`, \`npm run tools bench:load -- --write\` and \`npm run tools bench:audit -- --write\`; do not edit by hand. Times are medians and depend on the machine. What is wanted are ratios, each of figures from one run.
`;

const begin = (part: Part): string => `<!-- begin: ${part} -->`;
const end = (part: Part): string => `<!-- end: ${part} -->`;

const framed = (part: Part, text: string): string =>
  `${begin(part)}\n## ${TITLES[part]}\n\n${text.trim()}\n${end(part)}`;

const empty = (): string =>
  [INTRODUCTION, ...ALL_PARTS.map((part) => `${framed(part, "Not measured yet.")}\n`)].join("\n");

/** The document with one part written anew. Pure. */
export function withPart(document: string, part: Part, text: string): string {
  const start = document.indexOf(begin(part));
  const stop = document.indexOf(end(part));
  if (start === -1 || stop < start) throw new Error(`The document has no part "${part}".`);
  return document.slice(0, start) + framed(part, text) + document.slice(stop + end(part).length);
}

export async function writePart(part: Part, text: string): Promise<void> {
  const document = await readFile(PATH, "utf8").catch(empty);
  await writeFile(PATH, withPart(document, part, text));
}
