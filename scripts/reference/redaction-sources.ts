/**
 * A digest of redaction's code. The search terms of the history index hold only what redaction leaves: when redaction
 * changes, existing terms may reveal too much.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDirectory } from "../project.ts";

const FOLDER = join(projectDirectory, "src/redaction");
const NAME = "sources-digest.ts";
const CHARACTERS = 22;
function digestOfSources(): string {
  const hash = createHash("sha256");
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && file !== NAME)
    .sort();
  for (const file of files) hash.update(`${file}\n${readFileSync(join(FOLDER, file), "utf8")}\n`);
  return hash.digest("base64url").slice(0, CHARACTERS);
}

/** A module of its own, since a Worker cannot read its sources. */
export const redactionSources =
  (): string => `/** Made by \`npm run generate\`: whatever is changed in this folder, terms of the history index are made anew. */
export const SOURCES_DIGEST = "${digestOfSources()}";
`;
