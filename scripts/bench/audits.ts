/** What it costs to audit a whole instance, beyond reading the same answers of its n8n. */
import { inTurns, measure, measureDrain, peakGrowth } from "./measure.ts";
import { asCount, asMebibytes, asMegabytes, asMilliseconds, type Report } from "./report.ts";
import { startWorkflowServer } from "./servers.ts";
import { medianOf, milliseconds } from "./statistics.ts";
import { type ResultOf, results } from "./tasks.ts";

const WORKFLOWS = 300;
const REPETITIONS = 5;
const SAMPLE_EVERY_BYTES = 256 * 1024;

export async function benchAudits(report: Report): Promise<void> {
  await using server = await startWorkflowServer(WORKFLOWS);
  const { n8n } = server;
  const audits: ResultOf<"audit">[] = [];
  const drains: ResultOf<"drain">[] = [];
  await inTurns(REPETITIONS, async () => {
    const audit = await measure({ kind: "audit", n8n }, results.audit);
    audits.push(audit);
    drains.push(await measureDrain(n8n, audit.paths, 1));
  });
  const [first] = audits;
  if (first === undefined) throw new Error("Nothing was measured.");
  const [audit, drain] = [medianOf(audits, milliseconds), medianOf(drains, milliseconds)];
  report.tell(`${WORKFLOWS} workflows, read twice`, asMegabytes(drains[0]?.bytes ?? 0));
  report.tell("findings", asCount(first.findings));
  report.tell("bare drain of the same answers", asMilliseconds(drain));
  report.tell("audit of the whole instance, first page", asMilliseconds(audit));
  report.check("audit beyond the bare drain", audit - drain, { most: 3_000 }, asMilliseconds);
  report.check("tokens of the largest page", first.largestPageTokens, { most: 20_000 }, asCount);
  report.tell("pages with all findings", asCount(first.pages));
  const held = await peakGrowth({
    n8n,
    holder: { what: "audit" },
    samples: "live",
    everyBytes: SAMPLE_EVERY_BYTES,
  });
  report.check("peak heap growth of an audit", held, { most: 32 * 2 ** 20 }, asMebibytes);
}
