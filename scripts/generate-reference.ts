/**
 * Writes docs/tools.md from the tool definitions, and says what tools/list costs. With `--check` it writes
 * nothing and exits 1 when the file is not up to date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { TOOLS } from "../src/tools/index.ts";
import { REFERENCE_FILE, toolReference } from "./reference/tool-reference.ts";
import { listTools, measureTools } from "./reference/tools-list.ts";

async function check(reference: string): Promise<void> {
  const written = await readFile(REFERENCE_FILE, "utf8").catch(() => "");
  if (written === reference) return console.log("docs/tools.md is up to date.");
  console.error("docs/tools.md is not what src/tools gives. Run npm run generate.");
  process.exitCode = 1;
}

async function write(reference: string): Promise<void> {
  await mkdir(dirname(REFERENCE_FILE), { recursive: true });
  await writeFile(REFERENCE_FILE, reference);
  const { total, tools } = measureTools(await listTools(TOOLS));
  for (const { name, tokens, inputTokens, outputTokens } of tools) {
    console.log(`${name.padEnd(24)} ${tokens} tokens (input ${inputTokens}, output ${outputTokens})`);
  }
  console.log(`Wrote docs/tools.md. All of tools/list: ${total} tokens.`);
}

const reference = await toolReference();
if (process.argv.includes("--check")) await check(reference);
else await write(reference);
