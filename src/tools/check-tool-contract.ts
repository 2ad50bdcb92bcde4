import * as z from "zod";
import { ObserverError } from "../errors.ts";
import { defineTool, type Guidance } from "../mcp/define-tool.ts";
import { outlineOf } from "../workflows/workflow-outline.ts";
import { sentence, toCallEntry, toToolEntry, withoutEmpty, worstFirst } from "./contract-answer.ts";
import { CallCheck, ToolCheck } from "./contract-checks.ts";
import { isServer, subjectsOf, uncheckedTools } from "./contract-subjects.ts";
import { findWorkflowId, requireOneName } from "./find-workflow.ts";
import { isoDate, pageLimit, toDateWindow, workflowId, workflowName } from "./params.ts";
import { readRuns } from "./read-runs.ts";

const TIME_BUDGET_MS = 20_000;
/** Most sub-workflows that are read in one call. */
const MAX_SUBJECTS = 40;

export const checkToolContract = defineTool({
  name: "check_tool_contract",
  title: "Check a tool's contract",
  description:
    "Whether the last runs of a tool's sub-workflow, or of all tools of an MCP server, kept {status, data, meta.timestamp}: invalid answers, errors n8n calls success, slow runs, wrong arguments.",
  scope: "n8n:read",
  maxTokens: 8_000,
  audited: { workflowId: "workflowId" },
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
    const checked = checks.flatMap((check, index) => {
      const coverage = coverages[index];
      return coverage === undefined ? [] : [{ check, report: check.report(), coverage }];
    });
    const callCoverage = coverages[checks.length];
    const called =
      calls === undefined || callCoverage === undefined
        ? undefined
        : { report: calls.report(), coverage: callCoverage };
    return {
      message: sentence(outline, checked, called),
      data: {
        tools: worstFirst(checked).map(toToolEntry),
        ...(called === undefined ? {} : { calls: toCallEntry(called) }),
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
