/** Collects verdicts on the runs of a tool's sub-workflow, or of an MCP server, and reports them together. */

import type { WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { calledTools, declaredInputs, type ToolSubject } from "./contract-subjects.ts";
import { type CallReport, callReport, type JudgedCall } from "./judgement/call-report.ts";
import { judgeRun } from "./judgement/judge-run.ts";
import { mcpCallOf } from "./judgement/mcp-call.ts";
import { type JudgedRun, type ToolReport, toolReport } from "./judgement/tool-report.ts";
import type { RunsToRead } from "./read-runs.ts";

export class ToolCheck implements RunsToRead {
  readonly workflowId: string;
  readonly subject: ToolSubject;
  readonly #runs: JudgedRun[] = [];
  #name: string | null;

  constructor(subject: ToolSubject, name: string | null) {
    this.workflowId = subject.workflowId;
    this.subject = subject;
    this.#name = name;
  }

  readonly judge: RunsToRead["judge"] = (item, execution) => {
    this.#name ??= execution.workflowData?.name ?? null;
    const verdict = judgeRun(execution, declaredInputs(execution, this.subject));
    this.#runs.push({ item, verdict });
    return verdict.kind === "unjudged" ? verdict.reason : undefined;
  };

  /** Sorts the runs, because they arrive in any order. */
  report(): ToolReport {
    return toolReport(this.#runs.toSorted((a, b) => Number(b.item.id) - Number(a.item.id)));
  }

  /** Taken from the runs if it was not known; null when there are none. */
  get workflowName(): string | null {
    return this.#name;
  }
}

export class CallCheck implements RunsToRead {
  readonly workflowId: string;
  readonly #triggers: ReadonlySet<string>;
  readonly #tools: ReturnType<typeof calledTools>;
  readonly #calls: JudgedCall[] = [];

  constructor(outline: WorkflowOutline) {
    this.workflowId = outline.id;
    this.#triggers = new Set(outline.triggers.map(({ node }) => node));
    this.#tools = calledTools(outline);
  }

  readonly judge: RunsToRead["judge"] = ({ id }, execution) => {
    const call = mcpCallOf(execution, this.#triggers, this.#tools);
    this.#calls.push({ executionId: id, call });
    return call.kind === "unjudged" ? call.reason : undefined;
  };

  report(): CallReport {
    return callReport(this.#calls.toSorted((a, b) => Number(b.executionId) - Number(a.executionId)));
  }
}
