import * as z from "zod";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { isServer, outlineOf } from "../../workflows/workflow-outline.ts";
import { requireWorkflowId } from "../find-workflow.ts";
import { countBeyond, pageLimit } from "../paging.ts";
import { isoDate, nextCall, toDateWindow, workflowId, workflowName } from "../params.ts";
import { TimeBudget } from "../request-limits.ts";
import type { ToolContext } from "../tool-context.ts";
import { withoutEmpty } from "../without-empty.ts";
import { sentence, toCallEntry, toToolEntry, worstFirst } from "./contract-answer.ts";
import { callCheck, subjectsOf, toolCheck, uncheckedTools } from "./contract-checks.ts";
import { readRuns } from "./read-runs.ts";

const MAX_SUBJECTS = 40;

const toolEntry = z.looseObject({ workflowId: z.string() });

export const checkToolContract = defineTool({
  name: "check_tool_contract",
  title: "Check a tool's contract",
  description:
    "Whether the last runs of a tool's sub-workflow, or of all tools of an MCP server, kept {status, data, meta.timestamp}: invalid answers, errors n8n calls success, slow runs, wrong arguments.",
  scope: "n8n:read",
  maxTokens: 8_000,
  audited: { workflowId: "workflowId" },
  input: z.strictObject({
    // Descriptions are short, because `tools/list` has little room.
    workflowId: workflowId.optional().describe("Sub-workflow, or MCP server"),
    workflowName: workflowName.optional().describe("Or its name"),
    limit: pageLimit(20).describe("Runs of each tool"),
    startedAfter: isoDate.optional().describe("ISO 8601"),
    startedBefore: isoDate.optional().describe("ISO 8601"),
  }),
  // The schema is shallow for the same reason; the report explains itself.
  output: z.looseObject({ executionUrl: z.string(), tools: z.array(z.unknown()) }),
  async run(input, context: ToolContext) {
    const { n8n, n8nUrls, clock, progress } = context;
    const window = toDateWindow(input.startedAfter, input.startedBefore);
    const client = n8n();
    const id = await requireWorkflowId(input, context);
    const outline = outlineOf(await client.readWorkflowWithNodes(id));
    const subjects = subjectsOf(outline);
    const checks = subjects
      .slice(0, MAX_SUBJECTS)
      .map((subject) => toolCheck(subject, subject.workflowId === outline.id ? outline.name : null));
    const calls = isServer(outline) ? [callCheck(outline)] : [];
    const budget = new TimeBudget(clock, TIME_BUDGET_MS.usual);
    const reading = { client, budget, window, limit: input.limit, progress };
    const coverages = await readRuns([...checks, ...calls], reading);
    const checked = coverages.flatMap((coverage, index) => {
      const check = checks[index];
      return check === undefined ? [] : [{ check, report: check.report(), coverage }];
    });
    const [called] = coverages
      .slice(checks.length)
      .flatMap((coverage) => calls.map((check) => ({ report: check.report(), coverage })));
    return {
      message: sentence(outline, checked, called),
      data: {
        executionUrl: n8nUrls().templates.execution,
        tools: worstFirst(checked).map(toToolEntry),
        ...withoutEmpty({
          calls: called && toCallEntry(called),
          notChecked: uncheckedTools(outline),
          toolsLeftOut: countBeyond(MAX_SUBJECTS, subjects),
        }),
      },
    };
  },
  rest: (input, shown, whole): Guidance => {
    const isNext = shown.tools.length < whole.tools.length;
    if (!isNext) {
      const limit = Math.max(1, Math.floor(input.limit / 2));
      return nextCall("Fewer runs make a shorter report.", "check_tool_contract", { ...input, limit });
    }
    const { workflowName: _name, ...others } = input;
    const { workflowId: next } = toolEntry.parse(whole.tools[shown.tools.length]);
    return nextCall("Checks the next tool by itself.", "check_tool_contract", {
      ...others,
      workflowId: next,
    });
  },
});
