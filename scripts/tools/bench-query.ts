/**
 * `npm run tools bench:query`: what a question of `query_executions` takes over 100,000 and over a million executions.
 *
 * Promises: each question reads the same rows, by the code that answers it; an impossible total aborts it.
 */
import { GroupTallies, type Ranking } from "../../src/history/query/group-tallies.ts";
import type { RowsAsked } from "../../src/history/query/grouped-rows.ts";
import { groupsOfIds, IDS_AT_ONCE } from "../../src/history/query/query-rows.ts";
import type { Sql } from "../../src/platform/sql.ts";
import { asCount, asMilliseconds, type Report } from "../bench/report.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";
import { median } from "../bench/statistics.ts";
import { BEGINS, ENDS, filledDatabase } from "../bench-query/filled-database.ts";

const SMALL = 100_000;
const LARGE = 1_000_000;
const ROUNDS = 3;

const HOW = `Processor of a Node process that asks SQLite (a file) and groups what it says, as the Durable Object does; median of ${ROUNDS}. The executions are spread over two weeks and 60 workflows, 8 % failed, 10 % asked a model. A question counts the last week and compares it with the week before, so that it reads all rows, unless it says otherwise.

The figures do not cover: looking for what is new in n8n; the names of workflows; workerd, whose SQLite reads through its own file system.`;

type Question = Pick<RowsAsked, "groupBy"> & Partial<RowsAsked> & Partial<Pick<Ranking, "sortBy">>;

const HALF = (BEGINS + ENDS) / 2;
const timeZone = "Europe/Berlin";
const QUESTIONS: readonly Question[] = [
  { groupBy: [] },
  { groupBy: ["workflow"] },
  { groupBy: ["workflow"], sortBy: "p95Ms" },
  { groupBy: ["workflow", "day"], timeZone },
  { groupBy: ["hour"], timeZone },
  { groupBy: ["weekday"], timeZone },
  { groupBy: ["weekday", "hourOfDay"], timeZone },
  { groupBy: ["status", "mode"] },
  { groupBy: ["node", "errorClass"] },
  { groupBy: ["host"] },
  { groupBy: ["httpStatus"], where: [{ by: "status", values: ["error", "crashed"] }] },
  { groupBy: ["model", "day"], timeZone },
];

const nameOf = ({ groupBy, sortBy, where = [] }: Question): string =>
  [
    groupBy.length === 0 ? "totals" : `by ${groupBy.join(" and ")}`,
    ...(sortBy === undefined ? [] : [`the highest ${sortBy}`]),
    ...where.map(({ by, values }) => `${by} ${values.join(" or ")}`),
  ].join(", ");

/** @returns milliseconds of the processor */
function ask(sql: Sql, executions: number, question: Question): number {
  const asked = {
    ...({ where: [], workflowIds: null, timeZone: "UTC", sortBy: "count", limit: 10, labels: {} } as const),
    ...{ window: { from: HALF, to: ENDS }, before: { from: BEGINS, to: HALF } },
    ...question,
  };
  const started = process.cpuUsage();
  const tallies = new GroupTallies(asked);
  const groupsFrom = groupsOfIds(sql, asked);
  for (let id = 1n; id <= BigInt(executions); id += IDS_AT_ONCE)
    for (const part of groupsFrom(id)) tallies.add(part);
  const { total } = tallies.ranked(true);
  const { user, system } = process.cpuUsage(started);
  const counted = (total.now.count ?? 0) + (total.before?.count ?? 0);
  if (counted === 0 || counted > executions) throw new Error(`${nameOf(question)} counts ${counted}.`);
  return (user + system) / 1_000;
}

async function measure(report: Report, executions: number, most: number): Promise<void> {
  await using database = await filledDatabase(executions);
  for (const question of QUESTIONS) {
    // The first compiles the code.
    const times = Array.from({ length: ROUNDS + 1 }, () => ask(database.sql, executions, question)).slice(1);
    report.check(`${nameOf(question)}: ${asCount(executions)}`, median(times), { most }, asMilliseconds);
  }
}

await runBenchmark({
  part: "query",
  usage: `What a question takes over 100,000 executions, and over a million.

  --executions <n>  another number than 1,000,000`,
  how: HOW,
  size: ["executions", LARGE],
  measure: async (report, large) => {
    await measure(report, SMALL, 300);
    await measure(report, large, 1_500);
  },
});
