/** `npm run tools judge:hold-out`: runs `explain_failure` on kinds that others recorded, and judges the answers. */
import { judgeHoldOut } from "../../test/kinds/hold-out-judge.ts";
import { recordedVersions } from "../../test/real-n8n/versions.ts";
import {
  type HoldOutKind,
  holdOutDirectory,
  readHoldOut,
  toRecordingOf,
} from "../../test/recorded-n8n/hold-out.ts";
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../test/support/call-recorded.ts";
import { flag, text } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";

const USAGE = `Asks explain_failure about each kind of a hold-out: what is not explained, and figures.

  npm run tools judge:hold-out -- [options]

  --directory <path>  of the recorded kinds; those of the repository by default
  --only <part>       only kinds whose name contains this
  --all               prints what is said of every kind
  --bare              asks without n8n:data`;

async function ask(kind: HoldOutKind, scopes: readonly string[]): Promise<unknown> {
  const version = recordedVersions.find((one) => one === kind.n8n) ?? "2.40.5";
  const n8n = await startRecordedN8n({ version, recording: await toRecordingOf(version, kind) });
  try {
    const caller = createCaller({ settings: settingsFor(n8n), scopes });
    return await caller.call("explain_failure", { executionId: kind.executionId });
  } finally {
    await n8n.close();
  }
}

const options = { directory: text, only: text, all: flag, bare: flag };
await runScript(USAGE, { options }, async ({ values }) => {
  const kinds = await readHoldOut(values.directory ?? holdOutDirectory("diagnosis"));
  const scopes = values.bare ? ["n8n:read"] : ["n8n:read", "n8n:data"];
  const counts = new Map<string, number>();
  for (const kind of kinds.filter(({ kind: name }) => name.includes(values.only ?? ""))) {
    const { verdict, why, sentences } = judgeHoldOut(kind, await ask(kind, scopes));
    counts.set(`${kind.expect} ${verdict}`, (counts.get(`${kind.expect} ${verdict}`) ?? 0) + 1);
    const isGood = verdict === "explained" || verdict === "calm";
    if (isGood && !values.all) continue;
    console.log(`${verdict}: ${kind.kind}: ${why}\n  truth: ${kind.truth}`);
    for (const line of sentences) console.log(`    ${line}`);
  }
  console.log(Object.fromEntries([...counts].sort()));
});
