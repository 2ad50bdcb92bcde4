/** `npm run tools judge:kinds`: runs `explain_failure` on every recorded kind and lists those not explained. */
import { readFile, writeFile } from "node:fs/promises";
import { judgeAll, shortcomingsOf, tallyOf } from "../../test/kinds/judge-all.ts";
import { startRecordedKinds } from "../../test/kinds/recorded-kinds.ts";
import { toTable, writeTable } from "../../test/kinds/table.ts";
import { defaultN8nVersion } from "../../test/real-n8n/versions.ts";
import { flag } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";
import { inProject } from "../project.ts";

const USAGE = `Asks explain_failure about every recorded kind of failure: what was not explained, and figures.

  npm run tools judge:kinds -- [options]

  --write  writes the table of docs/explaining.md`;

await runScript(USAGE, { options: { write: flag } }, async ({ values }) => {
  const { kinds, explain, n8n } = await startRecordedKinds(defaultN8nVersion);
  try {
    const judged = await judgeAll(kinds, explain);
    for (const line of shortcomingsOf(judged)) console.log(line);
    console.log(tallyOf(judged));
    if (!values.write) return;
    const path = inProject("docs", "explaining.md");
    await writeFile(path, writeTable(await readFile(path, "utf8"), toTable(judged)));
    console.log("Wrote docs/explaining.md.");
  } finally {
    await n8n.close();
  }
});
