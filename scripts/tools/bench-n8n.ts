/**
 * `npm run tools bench:n8n`: what a trace costs on a real n8n with 2,000 executions.
 *
 * Promises: compared figures are measured alternately, in one run; a wrong answer aborts it; it ends the processes that
 * it started.
 */
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { type Scenario, sendScenarios } from "../../test/real-n8n/scenarios.ts";
import { seedWorkflows } from "../../test/real-n8n/seed.ts";
import { startUpstream } from "../../test/real-n8n/upstream.ts";
import { defaultN8nVersion } from "../../test/real-n8n/versions.ts";
import { listAllExecutions } from "../bench/n8n-access.ts";
import type { Report } from "../bench/report.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";
import { buildHistory, newRequests } from "../bench-n8n/history.ts";
import { benchPageShapes } from "../bench-n8n/page-shapes.ts";
import { benchRealTraces, type RealHistory } from "../bench-n8n/real-traces.ts";
import { onRealN8n } from "../record/on-real-n8n.ts";

const EXECUTIONS = 2_000;
/** Ids searched for in indexed history. */
const TRACED_REQUESTS = 8;

const HOW = `n8n, the Worker (workerd), the client and the drain share the machine; n8n stores in SQLite. The history begins with the requests of the real lane, one of which has a payload of 20 MB; the traced ids are the oldest. Bare drain, Worker and engine alternate, five times; times are medians. The drain reads pages of 250, two at a time, from Node, knows all ids beforehand, and discards the bytes; the trace begins with pages of 100, then of about 8 MB. Answers are not compressed: that is how the Worker asks in workerd, and the others ask as it does. Each first trace is the first of a Worker whose history index is empty and does not fill by itself; the Worker has read 20 executions before, so that its code is compiled. Then new users alternate on the filled index: \`get_execution\` of a small execution, a trace of an old request, and a trace of one that was sent a second before; all by MCP clients over HTTP. A proxy counts the requests to n8n over known history, in a separate Worker, so that it does not slow the others. The series of one detail call per execution is measured once.

The figures do not cover: a network between n8n and the Worker, where waiting for answers weighs more and the work of the Worker less; a deployed Worker, whose processor is not shared with n8n; an n8n on PostgreSQL or with other work to do.`;

function toExpected(scenarios: readonly Scenario[]): RealHistory["oldest"] {
  // Running and waiting executions are requested by every trace, since they may have changed.
  const ended = scenarios.filter(({ expected }) => expected.outcome === "success");
  const [first, ...others] = ended
    .slice(0, TRACED_REQUESTS)
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
  return { n8n: access, executions, oldest: toExpected(scenarios), send: newRequests(n8n) };
}

const bench = async (report: Report): Promise<void> =>
  await onRealN8n(defaultN8nVersion, async (n8n, keep) => {
    const upstream = await keep(startUpstream());
    console.log(`making ${EXECUTIONS} executions`);
    const history = await prepare(n8n, upstream);
    console.log("measuring");
    await benchRealTraces(report, history);
    await benchPageShapes(report, history);
  });

await runBenchmark({
  part: "real",
  usage: "What a trace costs on a real n8n with 2,000 executions. Installs n8n first.",
  how: HOW,
  n8n: async () => `n8n ${defaultN8nVersion}`,
  measure: bench,
});
