/** Repeats the version of package.json in the bundle, and in files that registries and apps read. */
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { inProject } from "../project.ts";

const packageFile = z.object({ version: z.string() });

export async function packageVersion(): Promise<string> {
  return packageFile.parse(JSON.parse(await readFile(inProject("package.json"), "utf8"))).version;
}

export const versionModule = (version: string): string =>
  `/** This server's version, from package.json by \`npm run generate\`. Do not edit. */\nexport const VERSION = "${version}";\n`;

/** The file's text, with its own `version` replaced. */
export async function withVersion(file: string, version: string): Promise<string> {
  const text = await readFile(inProject(file), "utf8");
  return text.replace(/("version": )"[^"]*"/, (_found, key: string) => `${key}"${version}"`);
}
