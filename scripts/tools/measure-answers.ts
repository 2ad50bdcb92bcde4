/**
 * `npm run tools bench:answers`: counts the tokens of answers of the recorded n8n, with real tokenizers, and writes the
 * table of docs/text-answers.md. Ids and ports differ between runs, so that figures differ by a few tokens.
 */
import { readFile, writeFile } from "node:fs/promises";
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../test/support/call-recorded.ts";
import { ASKED, measureAnswer } from "../../test/support/recorded-answers.ts";
import { runScript } from "../command-line/command.ts";
import { inProject } from "../project.ts";

const FILE = inProject("docs", "text-answers.md");
const TABLE = /<!-- table -->[\s\S]*<!-- end -->/;

/** Tokens at commit 8056fa3, the last one whose text was the JSON. */
const BEFORE: Readonly<Record<string, number>> = {
  "trace of 4 executions": 860,
  "trace of 6 executions, failed": 1_181,
  "trace of 2 executions": 553,
  "trace, nothing found": 341,
  "search, 3 hits": 726,
  "summary of an execution": 388,
  "data of a node": 380,
  "details of an execution": 497,
  "list of 20 executions": 2_294,
  "list of 18 workflows": 1_764,
  "outline of a workflow": 374,
  "map of an MCP server": 561,
  "contract of a tool": 345,
  "check of the connection": 411,
  "an error": 92,
};

const USAGE = `What answers of the recorded n8n cost a model, in tokens. Writes the table of docs/text-answers.md.

  npm run tools bench:answers`;

await runScript(USAGE, {}, async () => {
  const n8n = await startRecordedN8n();
  try {
    const caller = createCaller({ settings: settingsFor(n8n) });
    const rows: string[] = [];
    for (const what of Object.keys(ASKED)) {
      const { json, text } = await measureAnswer(caller, what);
      rows.push(`| ${what} | ${BEFORE[what] ?? "–"} | ${json} | ${text} |`);
    }
    const table = ["| Answer | JSON and text before | JSON | text |", "|---|---|---|---|", ...rows].join(
      "\n",
    );
    const document = await readFile(FILE, "utf8");
    await writeFile(
      FILE,
      document.replace(TABLE, () => `<!-- table -->\n${table}\n<!-- end -->`),
    );
    console.log(table);
  } finally {
    await n8n.close();
  }
});
