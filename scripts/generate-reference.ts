/**
 * Writes all generated files: documentation, modules, and files that repeat the version or the settings. Prints what
 * tools/list costs in tokens. With `--check`, writes nothing and exits 1 if a file is out of date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { TOOLS } from "../src/features/index.ts";
import { flag } from "./command-line/arguments.ts";
import { runScript } from "./command-line/command.ts";
import { inProject } from "./project.ts";
import { formReference } from "./reference/form-reference.ts";
import { llmsDocument } from "./reference/llms-document.ts";
import { privacyDocument } from "./reference/privacy-document.ts";
import { redactionSources } from "./reference/redaction-sources.ts";
import { ruleReference } from "./reference/rule-reference.ts";
import { manifestWithSettings, settingsExample, settingsReference } from "./reference/settings-reference.ts";
import { toolReference } from "./reference/tool-reference.ts";
import { listTools, measureTools } from "./reference/tools-list.ts";
import { packageVersion, versionModule, withVersion } from "./reference/version-files.ts";
import { viewModule } from "./reference/view-page.ts";

type Document = readonly [file: string, text: string, source: string];

async function makeDocuments(): Promise<Document[]> {
  const version = await packageVersion();
  const versioned = async (file: string): Promise<Document> => [
    file,
    await withVersion(file, version),
    "package.json",
  ];
  return [
    ["docs/tools.md", await toolReference(), "src/features"],
    ["docs/audit-rules.md", ruleReference(), "src/features/audit-workflow/rules"],
    ["docs/redaction-forms.md", formReference(), "src/redaction/forms"],
    ["docs/settings.md", settingsReference(), "src/settings/settings-table.ts"],
    [".dev.vars.example", settingsExample(), "src/settings/settings-table.ts"],
    ["package.json", await manifestWithSettings(), "src/settings/settings-table.ts"],
    ["src/redaction/sources-digest.ts", redactionSources(), "src/redaction"],
    ["src/views/waterfall-page.ts", await viewModule(), "src/views/waterfall"],
    ["src/platform/version.ts", versionModule(version), "package.json"],
    await versioned("server.json"),
    await versioned("plugin/.claude-plugin/plugin.json"),
    ["docs/privacy.md", privacyDocument(), "src/privacy"],
    ["llms.txt", await llmsDocument(), "src/features and docs"],
  ];
}

async function isUpToDate([file, text, source]: Document): Promise<boolean> {
  const written = await readFile(inProject(file), "utf8").catch(() => "");
  if (written === text) console.log(`${file} is up to date.`);
  else console.error(`${file} is not what ${source} gives. Run npm run generate.`);
  return written === text;
}

async function write([file, text]: Document): Promise<void> {
  await writeFile(inProject(file), text);
  console.log(`Wrote ${file}.`);
}

async function reportCost(): Promise<void> {
  const { total, tools } = measureTools(await listTools(TOOLS));
  for (const { name, tokens, inputTokens, outputTokens } of tools) {
    console.log(`${name.padEnd(24)} ${tokens} tokens (input ${inputTokens}, output ${outputTokens})`);
  }
  console.log(`All of tools/list: ${total} tokens.`);
}

const USAGE = `Writes the documentation and modules that are generated.

  npm run generate
  npm run generate -- --check    writes nothing, and fails when a file is not up to date`;

await runScript(USAGE, { options: { check: flag } }, async ({ values }) => {
  const documents = await makeDocuments();
  if (values.check) {
    const upToDate = await Promise.all(documents.map(isUpToDate));
    return upToDate.every(Boolean) ? 0 : 1;
  }
  for (const document of documents) await write(document);
  await reportCost();
});
