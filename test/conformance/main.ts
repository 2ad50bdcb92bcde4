/**
 * `npm run tools conformance`: runs the official conformance suite against this server, at each revision of the protocol.
 * Prints one line per scenario and ends with "N passed, N failed"; exits 1 if any has failed. With `--write` it
 * writes docs/conformance.md instead. A scenario that `scenarios.ts` does not list fails the run: after updating the
 * suite, list it there.
 */
import { writeFile } from "node:fs/promises";
import { flag } from "../../scripts/command-line/arguments.ts";
import { runScript } from "../../scripts/command-line/command.ts";
import { askAuthorizationServer } from "./authorization.ts";
import { DOCUMENT_FILE, renderDocument } from "./document.ts";
import { findDisagreements, judgeRun, type Listing, type Verdict } from "./judge.ts";
import { EXPECTATIONS, type Target } from "./scenarios.ts";
import { type Servers, startServers } from "./servers.ts";
import {
  listScenarios,
  REVISIONS,
  type Results,
  type Revision,
  runServerScenarios,
  suiteVersion,
} from "./suite.ts";

type Listings = Readonly<Record<keyof typeof EXPECTATIONS, Listing>>;

const readListings = async (): Promise<Listings> => ({
  server: await listScenarios("server"),
  authorization: await listScenarios("authorization"),
});

interface SuiteRun {
  readonly kind: keyof typeof EXPECTATIONS;
  readonly target: Target;
  readonly ask: (servers: Servers, revision: Revision) => Promise<Results>;
}

const RUNS: readonly SuiteRun[] = [
  {
    kind: "authorization",
    target: "worker",
    ask: ({ worker }, revision) => askAuthorizationServer(worker.origin, revision),
  },
  {
    kind: "server",
    target: "worker",
    ask: ({ mcpUrls }, revision) => runServerScenarios(mcpUrls.worker, revision),
  },
  {
    kind: "server",
    target: "fixtures",
    ask: ({ mcpUrls }, revision) => runServerScenarios(mcpUrls.fixtures, revision),
  },
];

const MARKS = { passed: "pass", failed: "FAIL" } as const;

function print({ scenario, outcome, problems }: Verdict): void {
  if (outcome !== "does not apply") console.log(`  ${MARKS[outcome]}  ${scenario}`);
  for (const problem of problems) console.log(`        ${problem}`);
}

async function judgeAll(servers: Servers, listings: Listings): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const revision of REVISIONS) {
    for (const { kind, target, ask } of RUNS) {
      console.log(`${revision}, ${kind} scenarios, asked of ${target}`);
      const results = await ask(servers, revision);
      const found = judgeRun({
        listing: listings[kind],
        expectations: EXPECTATIONS[kind],
        target,
        revision,
        results,
      });
      found.forEach(print);
      const idle = found.filter(({ outcome }) => outcome === "does not apply").length;
      if (idle > 0) console.log(`  ${idle} do not apply (docs/conformance.md)`);
      verdicts.push(...found);
    }
  }
  return verdicts;
}

async function conform(listings: Listings): Promise<number> {
  const disagreements = [
    ...findDisagreements(listings.server, EXPECTATIONS.server),
    ...findDisagreements(listings.authorization, EXPECTATIONS.authorization),
  ];
  for (const line of disagreements) console.log(`FAIL  ${line}`);
  const servers = await startServers();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void servers.stop().finally(() => process.exit(1)));
  }
  try {
    const verdicts = await judgeAll(servers, listings);
    const count = (of: Verdict["outcome"]) => verdicts.filter(({ outcome }) => outcome === of).length;
    const passed = count("passed");
    const failed = count("failed") + disagreements.length;
    console.log(`${passed} passed, ${failed} failed`);
    return failed > 0 ? 1 : 0;
  } finally {
    await servers.stop();
  }
}

const USAGE = `Runs the official conformance suite against this server, at each revision of the protocol.

  npm run tools conformance -- [options]

  --write  only writes docs/conformance.md`;

await runScript(USAGE, { options: { write: flag } }, async ({ values }) => {
  const listings = await readListings();
  if (!values.write) return await conform(listings);
  const document = { suiteVersion: await suiteVersion(), listings, expectations: EXPECTATIONS };
  await writeFile(DOCUMENT_FILE, renderDocument(document));
});
