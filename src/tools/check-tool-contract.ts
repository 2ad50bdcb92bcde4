import * as z from "zod";
import { ObserverError } from "../errors.ts";
import { type CallReport, callReport, type JudgedCall } from "../executions/contract/call-report.ts";
import { judgeRun } from "../executions/contract/judge-run.ts";
import { mcpCallOf } from "../executions/contract/mcp-call.ts";
import { type JudgedRun, type ToolReport, toolReport } from "../executions/contract/tool-report.ts";
import { quoted } from "../executions/display-name.ts";
import { defineTool, type Guidance } from "../mcp/define-tool.ts";
import { outlineOf, type WorkflowOutline } from "../workflows/workflow-outline.ts";
import {
  calledTools,
  declaredInputs,
  isServer,
  subjectsOf,
  type ToolSubject,
  uncheckedTools,
} from "./contract-subjects.ts";
import { findWorkflowId, requireOneName } from "./find-workflow.ts";
import { isoDate, pageLimit, toDateWindow, workflowId, workflowName } from "./params.ts";
import { type RunCoverage, type RunsToRead, readRuns } from "./read-runs.ts";

const TIME_BUDGET_MS = 20_000;
/** Most sub-workflows that are read in one call. */
const MAX_SUBJECTS = 40;

/** Collects what the runs of one sub-workflow say. */
class ToolCheck implements RunsToRead {
  readonly workflowId: string;
  readonly subject: ToolSubject;
  readonly #runs: JudgedRun[] = [];
  #name: string | null;

  constructor(subject: ToolSubject, name: string | null) {
    this.workflowId = subject.workflowId;
    this.subject = subject;
    this.#name = name;
  }

  readonly look: RunsToRead["look"] = (item, execution) => {
    this.#name ??= execution.workflowData?.name ?? null;
    const verdict = judgeRun(execution, declaredInputs(execution, this.subject));
    this.#runs.push({ item, verdict });
    return verdict.kind === "unjudged" ? verdict.reason : undefined;
  };

  /** They arrive in any order. */
  report(): ToolReport {
    return toolReport(this.#runs.toSorted((a, b) => Number(b.item.id) - Number(a.item.id)));
  }

  get facts(): { readonly workflowId: string; readonly workflowName: string | null } {
    return { workflowId: this.workflowId, workflowName: this.#name };
  }
}

/** Collects what the runs of a server say of the calls that they were. */
class CallCheck implements RunsToRead {
  readonly workflowId: string;
  readonly #triggers: ReadonlySet<string>;
  readonly #tools: ReturnType<typeof calledTools>;
  readonly #calls: JudgedCall[] = [];

  constructor(outline: WorkflowOutline) {
    this.workflowId = outline.id;
    this.#triggers = new Set(outline.triggers.map(({ node }) => node));
    this.#tools = calledTools(outline);
  }

  readonly look: RunsToRead["look"] = ({ id }, execution) => {
    const call = mcpCallOf(execution, this.#triggers, this.#tools);
    this.#calls.push({ executionId: id, call });
    return call.kind === "unjudged" ? call.reason : undefined;
  };

  report(): CallReport {
    return callReport(this.#calls.toSorted((a, b) => Number(b.executionId) - Number(a.executionId)));
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** Lists that are empty say nothing. */
function withoutEmpty(entry: object): Entry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );
}

function toToolEntry(check: ToolCheck, report: ToolReport, coverage: RunCoverage): Entry {
  const { tools } = check.subject;
  const { slow, ...rest } = report;
  return withoutEmpty({
    ...check.facts,
    toolNodes: tools.map(({ node }) => node),
    mcpNames: tools.map(({ mcpName }) => mcpName),
    ...rest,
    slow: withoutEmpty(slow),
    coverage: withoutEmpty(coverage),
  });
}

interface CheckedTool {
  readonly check: ToolCheck;
  readonly report: ToolReport;
  readonly coverage: RunCoverage;
}

/** Those that broke their contract most often first. */
function worstFirst(checked: readonly CheckedTool[]): CheckedTool[] {
  const badness = ({ report: { invalid, failed, errors, slow } }: CheckedTool): readonly number[] => [
    invalid + failed,
    errors,
    slow.count,
  ];
  const compare = (a: CheckedTool, b: CheckedTool): number =>
    badness(a)
      .map((value, index) => (badness(b)[index] ?? 0) - value)
      .find((difference) => difference !== 0) ?? 0;
  return checked.toSorted(compare);
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function sentence(
  outline: WorkflowOutline,
  checked: readonly CheckedTool[],
  calls: CallReport | undefined,
): string {
  const sum = (of: (report: ToolReport) => number): number =>
    checked.reduce((total, { report }) => total + of(report), 0);
  const runs = sum((report) => report.runs);
  const [kept, invalid, failed, errors] = [
    sum((report) => report.kept),
    sum((report) => report.invalid),
    sum((report) => report.failed),
    sum((report) => report.errors),
  ];
  const skipped = checked.reduce(
    (total, { coverage }) => total + coverage.skipped.reduce((count, each) => count + each.count, 0),
    0,
  );
  const what = isServer(outline)
    ? `${quoted(outline.name)}: ${plural(checked.length, "tool")}, ${plural(runs, "run")}`
    : `${quoted(outline.name)}: ${plural(runs, "run")}`;
  const verdict =
    runs === 0
      ? ` to judge (n8n may not save them, or none lies in this window)`
      : `; ${kept} kept the output format, ${invalid} did not, ${failed} failed`;
  const notAnswered =
    calls === undefined
      ? 0
      : calls.refused + calls.unknownTool.count + calls.notRun.reduce((count, each) => count + each.count, 0);
  return [
    `${what}${verdict}.`,
    errors === 0 ? "" : `${errors} answered an error, which n8n calls a success.`,
    notAnswered === 0 ? "" : `${plural(notAnswered, "call")} did not reach a tool.`,
    skipped === 0 ? "" : `${plural(skipped, "run")} could not be judged: see coverage.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

export const checkToolContract = defineTool({
  name: "check_tool_contract",
  title: "Check a tool's contract",
  description:
    "Whether the last runs of a tool's sub-workflow, or of all tools of an MCP server, kept {status, data, meta.timestamp}: invalid answers, errors n8n calls success, slow runs, wrong arguments.",
  scope: "n8n:read",
  maxTokens: 8_000,
  input: z.strictObject({
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    limit: pageLimit(20),
    startedAfter: isoDate.optional(),
    startedBefore: isoDate.optional(),
  }),
  // Shallow: `tools/list` has little room, and the report explains itself.
  output: z.looseObject({ tools: z.array(z.looseObject({ workflowId: z.string() })) }),
  async run(input, { n8n, clock, progress }) {
    const window = toDateWindow(input.startedAfter, input.startedBefore);
    const client = n8n();
    requireOneName(input);
    const id = requireWorkflow(input.workflowId ?? (await findWorkflowId(client, input)));
    const outline = outlineOf(await client.readWorkflowWithNodes(id));
    const subjects = subjectsOf(outline);
    const checks = subjects
      .slice(0, MAX_SUBJECTS)
      .map((subject) => new ToolCheck(subject, subject.workflowId === outline.id ? outline.name : null));
    const calls = isServer(outline) ? new CallCheck(outline) : undefined;
    const deadline = clock.now() + TIME_BUDGET_MS;
    const reading = { client, clock, deadline, window, limit: input.limit, progress };
    const coverages = await readRuns([...checks, ...(calls === undefined ? [] : [calls])], reading);
    const checked = worstFirst(
      checks.flatMap((check, index) => {
        const coverage = coverages[index];
        return coverage === undefined ? [] : [{ check, report: check.report(), coverage }];
      }),
    );
    const report = calls?.report();
    const callCoverage = coverages[checks.length];
    return {
      message: sentence(outline, checked, report),
      data: {
        tools: checked.map(({ check, report: each, coverage }) => ({
          workflowId: check.workflowId,
          ...toToolEntry(check, each, coverage),
        })),
        ...(report === undefined || callCoverage === undefined
          ? {}
          : { calls: withoutEmpty({ ...report, coverage: withoutEmpty(callCoverage) }) }),
        ...withoutEmpty({ notChecked: uncheckedTools(outline) }),
        ...(subjects.length > checks.length ? { toolsLeftOut: subjects.length - checks.length } : {}),
      },
    };
  },
  rest: (input, shown, whole): Guidance => {
    const next = whole.tools[shown.tools.length] ?? whole.tools[0];
    const { workflowName: _name, ...others } = input;
    const isNext = shown.tools.length < whole.tools.length;
    const limit = isNext ? input.limit : Math.max(1, Math.floor(input.limit / 2));
    return {
      message: isNext ? "The next tool, by itself." : "Fewer runs have less to tell.",
      example: `check_tool_contract(${JSON.stringify({ ...others, workflowId: next?.workflowId, limit })})`,
    };
  },
});

/** @throws ObserverError `VALIDATION_ERROR` */
function requireWorkflow(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new ObserverError("VALIDATION_ERROR", "Neither workflowId nor workflowName is given.", {
    field: "workflowId",
    expected: "the workflow of an MCP server, or the sub-workflow of a tool",
    solution: "map_mcp_server lists servers and their tools; call again with one of them.",
  });
}
