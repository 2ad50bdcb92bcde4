/** Writes the report on tools' contracts as an answer, the worst tools first. */
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { sumOf } from "../../platform/sum-of.ts";
import { isServer, type WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { MOST_LISTED_EXECUTIONS } from "../execution-pages.ts";
import { withoutEmpty } from "../without-empty.ts";
import type { toolCheck } from "./contract-checks.ts";
import type { CallReport, ToolReport } from "./judgement/reports.ts";
import type { RunCoverage } from "./read-runs.ts";

interface Checked<Report> {
  readonly report: Report;
  readonly coverage: RunCoverage;
}

interface CheckedTool extends Checked<ToolReport> {
  readonly check: Pick<ReturnType<typeof toolCheck>, "workflowId" | "workflowName" | "tools">;
}

type CheckedCalls = Checked<CallReport>;

/** Sorts tools by how often they broke their contract, most often first. */
export function worstFirst(checked: readonly CheckedTool[]): CheckedTool[] {
  const broken = ({ report: { invalid, failed } }: CheckedTool): number => invalid + failed;
  return checked.toSorted(
    (a, b) =>
      broken(b) - broken(a) || b.report.errors - a.report.errors || b.report.slow.count - a.report.slow.count,
  );
}

type Entry = Readonly<Record<string, unknown>>;

export function toToolEntry({ check, report, coverage }: CheckedTool): Entry & { workflowId: string } {
  const { workflowId, workflowName, tools } = check;
  const { slow, ...rest } = report;
  return {
    workflowId,
    workflowName,
    ...withoutEmpty({
      toolNodes: tools.map(({ node }) => node),
      mcpNames: tools.map(({ mcpName }) => mcpName),
      ...rest,
      slow: withoutEmpty(slow),
      coverage: withoutEmpty(coverage),
    }),
  };
}

export const toCallEntry = ({ report, coverage }: CheckedCalls): Entry =>
  withoutEmpty({ ...report, coverage: withoutEmpty(coverage) });

/** How many calls ended before a tool ran. */
const unreached = ({ report }: CheckedCalls): number =>
  report.refused + report.unknownTool.count + sumOf(report.notRun, ({ count }) => count);

export function sentence(
  outline: WorkflowOutline,
  checked: readonly CheckedTool[],
  calls: CheckedCalls | undefined,
): string {
  const sum = (of: (report: ToolReport) => number): number => sumOf(checked, ({ report }) => of(report));
  const [runs, errors] = [sum((report) => report.runs), sum((report) => report.errors)];
  const skipped = sumOf(checked, ({ coverage }) => sumOf(coverage.skipped, ({ count }) => count));
  const notListed = (why: string): number =>
    checked.filter(({ coverage }) => coverage.notListed === why).length;
  const [outOfTime, tooMany] = [notListed("out_of_time"), notListed("too_many")];
  const notReached = calls === undefined ? 0 : unreached(calls);
  const tools = isServer(outline) ? `${counted(checked.length, "tool")}, ` : "";
  const none = outOfTime + tooMany === 0 ? " (there is none in this window, or n8n does not save them)" : "";
  const verdict =
    runs === 0
      ? ` to judge${none}`
      : `; ${sum((report) => report.kept)} kept the output format, ${sum((report) => report.invalid)} did not, ${sum((report) => report.failed)} failed`;
  return joinSentences(
    `${quoted(outline.name)}: ${tools}${counted(runs, "run")}${verdict}.`,
    errors > 0 && `${errors} answered an error, which n8n calls a success.`,
    notReached > 0 && `${counted(notReached, "call")} did not reach a tool.`,
    outOfTime > 0 &&
      `Time ran out before the runs of ${counted(outOfTime, "tool")} were listed: ask for each by its workflowId.`,
    tooMany > 0 &&
      `For ${counted(tooMany, "tool")}, only the newest ${MOST_LISTED_EXECUTIONS} executions were listed: there may be older runs.`,
    skipped > 0 && `${counted(skipped, "run")} could not be judged: see coverage.`,
  );
}
