/** Renders llms.txt: the tools, and each document by its title. */
import { readdir, readFile } from "node:fs/promises";
import { TOOLS } from "../../src/features/index.ts";
import { toLlmsText, toolLines } from "../../src/wiring/llms-text.ts";
import { inProject } from "../project.ts";

const FIRST = ["README.md", "SECURITY.md", "CHANGELOG.md"];

export async function llmsDocument(): Promise<string> {
  const documents = (await readdir(inProject("docs")))
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => `docs/${name}`);
  const links = await Promise.all([...FIRST, ...documents].map(linkTo));
  return toLlmsText([toolLines(TOOLS), ["## Documents", "", ...links]]);
}

async function linkTo(url: string): Promise<string> {
  const text = await readFile(inProject(...url.split("/")), "utf8");
  const title = /^# (.+)$/m.exec(text)?.[1] ?? url;
  return `- [${title}](${url})`;
}
