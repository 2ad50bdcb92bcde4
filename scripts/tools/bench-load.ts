/**
 * `npm run tools bench:load`: fifty users at once, for a minute, on the recorded n8n; then the same with one more, who
 * is greedy, with one who asks for the largest searches and explanations, and with one whose token is wrong.
 *
 * Promises: each run has a new Worker and a new n8n, and the users have a process of their own.
 */
import { loadavg } from "node:os";
import { readN8nLimits } from "../../src/settings/instances.ts";
import { type LoadOptions, type LoadOutcome, runLoad } from "../bench/load-run.ts";
import type { LoadCall, LoadTask } from "../bench/load-users.ts";
import { recordedN8n } from "../bench/n8n-access.ts";
import { asCount, asMilliseconds, asTimes, type Report } from "../bench/report.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";
import { percentile } from "../bench/statistics.ts";

const LOAD: Omit<LoadOptions, "greedyUsers" | "greedyCalls" | "milliseconds"> = {
  users: 50,
  greedyLoops: 20,
  pauseMs: 8_000,
  executions: 300,
  n8nMs: 15,
  where: "own process",
};

const HOW = `Users, Worker (workerd) and n8n share the machine. Each user has an MCP client and a service token; first all trace a request at the same time on an empty index, then another one on the filled index; then for a minute, each user calls 4 to 12 seconds after the previous answer: 60 % trace a request, 10 % one that was never sent, the rest read executions and lists. The history has ${LOAD.executions} executions; no user knows any of it at first. n8n takes ${LOAD.n8nMs} ms or more for each answer. The greedy user calls in ${LOAD.greedyLoops} loops without a pause, and continues at once when refused; so does the one with large questions, who asks for searches that no filter answers and for explanations, and the one whose token is wrong, whose calls are all refused (401). Times are those of the ordinary users, from call to answer.

The figures do not cover: a deployed Worker, which runs in as many instances as needed. In one workerd everything runs in one thread, so every call of the greedy user there takes time from the others.`;

const LIMITS = readN8nLimits({});

function reportCodes(report: Report, name: string, { calls }: LoadOutcome): void {
  const ordinary = calls.filter(({ kind }) => kind !== "greedy");
  const refused = (of: typeof calls) => of.filter(({ code }) => code === "RATE_LIMITED").length;
  report.tell(`calls, ${name}`, asCount(ordinary.length));
  report.tell(`of these RATE_LIMITED, ${name}`, asCount(refused(ordinary)));
  const greedy = calls.length - ordinary.length;
  if (greedy > 0) {
    report.tell(`calls of that one, ${name}`, asCount(greedy));
    report.tell(`of these RATE_LIMITED, of that one, ${name}`, asCount(refused(calls) - refused(ordinary)));
  }
  const other = calls.filter(({ code }) => code !== null && code !== "RATE_LIMITED");
  report.check(`other errors, ${name}`, other.length, { most: 0 }, asCount);
  for (const { tool, code } of other.slice(0, 5)) report.tell(`an error of ${tool}`, String(code));
}

function reportN8n(
  report: Report,
  name: string,
  outcome: LoadOutcome,
  greedyCalls: LoadTask["greedyCalls"],
): void {
  const { requests, highestConcurrency, mostInAMinute, pagesTwice } = outcome;
  report.tell(`requests to n8n, ${name}`, asCount(requests));
  report.check(
    `at the same time, at most, ${name}`,
    highestConcurrency,
    { most: LIMITS.maxConcurrent },
    asCount,
  );
  // A search that no filter answers reads pages again that a trace has read.
  if (greedyCalls !== "heavy")
    report.check(`pages with data requested twice, ${name}`, pagesTwice, { most: 0 }, asCount);
  report.check(`in any minute, ${name}`, mostInAMinute, { most: LIMITS.requestsPerMinute }, asCount);
}

/** Milliseconds of the calls of one kind that were answered. */
function timesOf({ calls }: LoadOutcome, selected: LoadCall["kind"]): number[] {
  return calls.flatMap(({ kind, code, milliseconds }) =>
    kind === selected && code === null ? [milliseconds] : [],
  );
}

async function benchLoad(report: Report, options: LoadOptions, name: string): Promise<number> {
  const outcome = await runLoad(options);
  reportCodes(report, name, outcome);
  reportN8n(report, name, outcome, options.greedyCalls);
  const first = percentile(timesOf(outcome, "first"), 95);
  report.tell(`p95 of the first traces, all at the same time, ${name}`, asMilliseconds(first));
  const warm = timesOf(outcome, "warm");
  report.tell(
    `p50 of traces over known history, all at the same time, ${name}`,
    asMilliseconds(percentile(warm, 50)),
  );
  // The greedy user has not begun by then: the figure of one run is enough.
  if (options.greedyUsers === 0)
    report.check(
      `p95 of traces over known history, all at the same time, ${name}`,
      percentile(warm, 95),
      { most: 500 },
      asMilliseconds,
    );
  const times = timesOf(outcome, "ordinary");
  report.tell(`p50, ${name}`, asMilliseconds(percentile(times, 50)));
  const p95 = percentile(times, 95);
  report.tell(`p95, ${name}`, asMilliseconds(p95));
  console.log(`${name}: done, load average ${loadavg()[0]?.toFixed(1)}`);
  return p95;
}

const GREEDY = {
  "50 users and a greedy one": "ordinary",
  "50 users and one with large questions": "heavy",
  "50 users and one with a wrong token": "wrong token",
} as const;

async function bench(report: Report, seconds: number): Promise<void> {
  const load = { ...LOAD, milliseconds: seconds * 1_000 };
  const without = await benchLoad(report, { ...load, greedyUsers: 0, greedyCalls: "ordinary" }, "50 users");
  for (const [name, greedyCalls] of Object.entries(GREEDY)) {
    const beside = await benchLoad(report, { ...load, greedyUsers: 1, greedyCalls }, name);
    const what = `p95, ${name} / 50 users`;
    // A flood of unauthenticated calls occupies the one thread; a deployed Worker is protected by the platform.
    if (greedyCalls === "wrong token") report.tell(what, asTimes(beside / without));
    else report.check(what, beside / without, { most: 1.3 }, asTimes);
  }
}

await runBenchmark({
  part: "load",
  usage: `Fifty users at once, for a minute, on the recorded n8n; then the same with one more, who is
greedy, with one who asks for the largest searches and explanations, and with one whose token is wrong.

  --seconds <n>  shorter or longer runs than of 60 s`,
  how: HOW,
  n8n: recordedN8n,
  size: ["seconds", 60],
  measure: bench,
});
