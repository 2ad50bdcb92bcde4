/**
 * `npm run tools judge:kinds [-- --write]`: asks `explain_failure` about every recorded kind, prints what was not explained
 * and the figures; `--write` puts the table into docs/explaining.md.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { judgeAll, shortcomingsOf, tallyOf } from "../../test/kinds/judge-all.ts";
import { startRecordedKinds } from "../../test/kinds/recorded-kinds.ts";
import { toTable, writeTable } from "../../test/kinds/table.ts";
import { defaultN8nVersion } from "../../test/real-n8n/versions.ts";
import { projectDirectory } from "../project.ts";

const { kinds, explain, n8n } = await startRecordedKinds(defaultN8nVersion);
try {
  const judged = await judgeAll(kinds, explain);
  for (const line of shortcomingsOf(judged)) console.log(line);
  console.log(tallyOf(judged));
  if (process.argv.includes("--write")) {
    const path = join(projectDirectory, "docs", "explaining.md");
    await writeFile(path, writeTable(await readFile(path, "utf8"), toTable(judged)));
    console.log("Wrote docs/explaining.md.");
  }
} finally {
  await n8n.close();
}
