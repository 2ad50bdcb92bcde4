/**
 * `npm run tools bench:n8n`: what a trace costs on a real n8n with 2,000 executions.
 *
 * Promises: what is compared is measured by turns, in one run; an answer that is not the right one ends it; it
 * ends what it started. Exits 1 when a figure is not what it should be. With `--write` it also writes its part
 * of docs/benchmarks.md.
 */
import { bootN8n, type RunningN8n } from "../../test/real-n8n/boot.ts";
import { installN8n } from "../../test/real-n8n/install.ts";
import { type Scenario, sendScenarios } from "../../test/real-n8n/scenarios.ts";
import { seedWorkflows } from "../../test/real-n8n/seed.ts";
import { startUpstream } from "../../test/real-n8n/upstream.ts";
import { defaultN8nVersion } from "../../test/real-n8n/versions.ts";
import { writePart } from "../bench/benchmarks-file.ts";
import { machineInWords } from "../bench/machine.ts";
import { listAllExecutions } from "../bench/n8n-access.ts";
import { Report, toLines, toTable } from "../bench/report.ts";
import { buildHistory, newRequests } from "../bench-n8n/history.ts";
import { benchPageShapes } from "../bench-n8n/page-shapes.ts";
import { benchRealTraces, type RealHistory } from "../bench-n8n/real-traces.ts";

const EXECUTIONS = 2_000;
/** Ids that are sought over known history. */
const SOUGHT = 8;

const HOW = `n8n, the Worker (workerd), the client and the drain share the machine; n8n stores in SQLite. The history begins with the requests of the real lane, one of which has a payload of 20 MB; the ids sought are the oldest. Bare drain, Worker and engine take turns, five times; times are medians. The drain reads pages of 250, two at a time, from Node, knows all ids beforehand, and drops the bytes; the trace begins with 100, and reads as many as are about 8 MB. Answers are not compressed: that is how the Worker asks in workerd, and the others ask as it does. Each first trace is the first of a Worker whose history index is empty, and does not fill by itself; it has read 20 executions before, so that its code is compiled. Over the index that it filled, users who never asked take turns: \`get_execution\` of a small execution, a trace of an old request, and a trace of one that was sent a second before; all by MCP clients over HTTP. What n8n is asked for over known history is counted by a proxy, in a Worker of its own, so that it costs the others no time. One detail call per execution in series is measured once.

What they do not show: a network between n8n and the Worker, where waiting for answers weighs more and the work of the Worker less; a deployed Worker, whose processor is not shared with n8n; an n8n on PostgreSQL or with other work to do.`;

function toSought(scenarios: readonly Scenario[]): RealHistory["sought"] {
  // What runs or waits is asked for each time, since it may have changed.
  const ended = scenarios.filter(({ expected }) => expected.outcome === "success");
  const [first, ...others] = ended
    .slice(0, SOUGHT)
    .map(({ requestId, expected }) => ({ requestId, executionIds: expected.executionIds }));
  if (first === undefined) throw new Error("No request was sent.");
  return [first, ...others];
}

async function prepare(
  n8n: RunningN8n,
  upstream: Awaited<ReturnType<typeof startUpstream>>,
): Promise<RealHistory> {
  const scenarios = await sendScenarios(n8n, await seedWorkflows(n8n, upstream.url), upstream);
  await buildHistory(n8n, EXECUTIONS);
  const access = { baseUrl: n8n.baseUrl, apiKey: n8n.readKey };
  const executions = await listAllExecutions(access);
  return { n8n: access, executions, sought: toSought(scenarios), send: newRequests(n8n) };
}

async function bench(report: Report): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = resources.adopt(
    await bootN8n(await installN8n(defaultN8nVersion, console.log), { log: console.log }),
    async (running) => await running.stop(),
  );
  // Closed last: requests that are held there are what keeps executions running.
  const upstream = resources.adopt(await startUpstream(), async (server) => await server.close());
  console.log(`making ${EXECUTIONS} executions`);
  const history = await prepare(n8n, upstream);
  console.log("measuring");
  await benchRealTraces(report, history);
  await benchPageShapes(report, history);
}

const started = performance.now();
const report = new Report();
await bench(report);
console.log(toLines(report.rows));
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(`${report.missed.length} missed, ${seconds} s, n8n ${defaultN8nVersion} on ${machineInWords()}`);

if (process.argv.includes("--write")) {
  const where = `${machineInWords()}. n8n ${defaultN8nVersion}.`;
  await writePart("real", `${where}\n\n${toTable(report.rows)}\n\n${HOW}`);
  console.log("Wrote docs/benchmarks.md.");
}
process.exitCode = report.missed.length === 0 ? 0 : 1;
