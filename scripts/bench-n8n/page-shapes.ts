/** The bare drain with pages of several sizes, and in another order. For the choices that the engine makes. */
import { MAX_PAGE_SIZE } from "../../src/history/reading/page-size.ts";
import { pagesWithData } from "../bench/drain.ts";
import { inTurns, measure } from "../bench/measure.ts";
import { asMilliseconds, type Report } from "../bench/report.ts";
import { median } from "../bench/statistics.ts";
import { results } from "../bench/tasks.ts";
import { idsOf, type RealHistory } from "./real-traces.ts";
import { pagesByWorkflow } from "./workflow-pages.ts";

const REPETITIONS = 3;
const PAGE_SIZES = [50, 100, 250];
const CONCURRENT_PAGES = 2;

interface Shape {
  readonly what: string;
  readonly paths: readonly string[];
  readonly times: number[];
}

const shape = (what: string, paths: readonly string[]): Shape => ({
  what: `${what} (${paths.length} pages)`,
  paths,
  times: [],
});

export async function benchPageShapes(report: Report, { n8n, executions }: RealHistory): Promise<void> {
  const ids = idsOf(executions);
  const { entry, others } = await pagesByWorkflow(n8n, executions, MAX_PAGE_SIZE);
  const shapes = [
    ...PAGE_SIZES.map((size) =>
      shape(`bare drain, pages of ${size}, newest first`, pagesWithData(ids, size)),
    ),
    shape(`bare drain, pages of ${MAX_PAGE_SIZE} by workflow, entry workflows first`, [...entry, ...others]),
    shape("of these, the entry workflows alone", entry),
  ];
  const drains = shapes.map(({ paths, times }) => async () => {
    const asked = { kind: "drain", n8n, paths, concurrency: CONCURRENT_PAGES } as const;
    times.push((await measure(asked, results.drain)).milliseconds);
  });
  await inTurns(REPETITIONS, ...drains);
  for (const { what, times } of shapes) report.tell(what, asMilliseconds(median(times)));
}
