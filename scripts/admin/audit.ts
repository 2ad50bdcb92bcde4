/** `npm run admin audit`: prints or exports the kept audit of a running server, for its operator. */
import type { KeptEntry } from "../../src/activity-log/entry.ts";
import { runCommand } from "../command-line/command.ts";
import {
  AUDIT_USAGE,
  type AuditOptions,
  type OutputForm,
  readAuditArguments,
} from "../operator/arguments.ts";
import { CSV_HEADER, toCsvLine } from "../operator/audit-csv.ts";
import { findOperatorServer, readAuditPages } from "../operator/operator-client.ts";
import { renderAudit } from "../operator/render.ts";

const FORMS: Readonly<Record<OutputForm, (entries: readonly KeptEntry[]) => string>> = {
  table: renderAudit,
  json: (entries) => entries.map((entry) => JSON.stringify(entry)).join("\n"),
  csv: (entries) => entries.map(toCsvLine).join("\r\n"),
};

async function printAudit({ query, form, ...choice }: AuditOptions): Promise<undefined> {
  const server = await findOperatorServer(choice);
  let count = 0;
  if (form === "csv") console.log(`${CSV_HEADER}\r`);
  for await (const entries of readAuditPages(server, query)) {
    count += entries.length;
    if (entries.length > 0) console.log(FORMS[form](entries) + (form === "csv" ? "\r" : ""));
  }
  if (count === 0) console.error("Nothing is kept for that.");
}

process.exitCode = await runCommand({
  usage: AUDIT_USAGE,
  read: (args) => readAuditArguments(args, Date.now()),
  run: printAudit,
});
