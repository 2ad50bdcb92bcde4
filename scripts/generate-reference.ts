/**
 * Writes what is generated: docs/tools.md from the tool definitions, docs/audit-rules.md from the rules,
 * docs/redaction-forms.md from the tables of forms, docs/settings.md, .dev.vars.example and the bindings of package.json
 * from the table of settings, docs/privacy.md from what is stored, llms.txt, the digest of the redaction's sources, the page of the picture, the version wherever it
 * stands; and says what tools/list costs. With `--check` it writes nothing and exits 1 when a file is not up to date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { TOOLS } from "../src/features/index.ts";
import { flag } from "./command-line/arguments.ts";
import { runScript } from "./command-line/command.ts";
import { projectDirectory } from "./project.ts";
import { FORMS_FILE, formReference } from "./reference/form-reference.ts";
import { LLMS_FILE, llmsDocument } from "./reference/llms-document.ts";
import { PRIVACY_FILE, privacyDocument } from "./reference/privacy-document.ts";
import { redactionSources, SOURCES_FILE } from "./reference/redaction-sources.ts";
import { RULES_FILE, ruleReference } from "./reference/rule-reference.ts";
import {
  EXAMPLE_FILE,
  MANIFEST_FILE,
  manifestWithSettings,
  SETTINGS_FILE,
  settingsExample,
  settingsReference,
} from "./reference/settings-reference.ts";
import { REFERENCE_FILE, toolReference } from "./reference/tool-reference.ts";
import { listTools, measureTools } from "./reference/tools-list.ts";
import {
  packageVersion,
  VERSION_MODULE,
  VERSIONED_FILES,
  versionModule,
  withVersion,
} from "./reference/version-files.ts";
import { VIEW_PAGE_FILE, viewModule } from "./reference/view-page.ts";

interface Document {
  readonly file: string;
  readonly text: string;
  /** What it is made of. */
  readonly source: string;
}

const SETTINGS_SOURCE = "src/settings/settings-table.ts";

async function makeDocuments(): Promise<Document[]> {
  const version = await packageVersion();
  return [
    { file: REFERENCE_FILE, text: await toolReference(), source: "src/features" },
    { file: RULES_FILE, text: ruleReference(), source: "src/features/lint-workflow/rules" },
    { file: FORMS_FILE, text: formReference(), source: "src/redaction/forms" },
    { file: SETTINGS_FILE, text: settingsReference(), source: SETTINGS_SOURCE },
    { file: EXAMPLE_FILE, text: settingsExample(), source: SETTINGS_SOURCE },
    { file: MANIFEST_FILE, text: await manifestWithSettings(), source: SETTINGS_SOURCE },
    { file: SOURCES_FILE, text: redactionSources(), source: "src/redaction" },
    { file: VIEW_PAGE_FILE, text: await viewModule(), source: "src/views/waterfall" },
    { file: VERSION_MODULE, text: versionModule(version), source: "package.json" },
    ...(await Promise.all(
      VERSIONED_FILES.map(async (file) => ({
        file,
        text: await withVersion(file, version),
        source: "package.json",
      })),
    )),
    { file: PRIVACY_FILE, text: privacyDocument(), source: "src/privacy" },
    { file: LLMS_FILE, text: await llmsDocument(), source: "src/features and docs" },
  ];
}

async function isUpToDate({ file, text, source }: Document): Promise<boolean> {
  const name = relative(projectDirectory, file);
  const written = await readFile(file, "utf8").catch(() => "");
  if (written === text) console.log(`${name} is up to date.`);
  else console.error(`${name} is not what ${source} gives. Run npm run generate.`);
  return written === text;
}

async function write({ file, text }: Document): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(`Wrote ${relative(projectDirectory, file)}.`);
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
