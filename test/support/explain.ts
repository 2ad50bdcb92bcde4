/** An execution explained in words, without asking n8n for another one. */
import { type ExplainContext, viewOf } from "../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../src/executions/causes/explain.ts";
import { type Finding, toFinding } from "../../src/executions/causes/wording/finding.ts";
import type { ExecutionWithData } from "../../src/n8n/schemas.ts";
import { type Step, steppedExecution } from "./stepped-execution.ts";

interface Explanation {
  readonly finding: Finding;
  readonly evidence: readonly Finding[];
}

export function explain(execution: ExecutionWithData, context: ExplainContext = {}): Explanation {
  const { root, others } = factsOf(viewOf(execution, context));
  return { finding: toFinding(root), evidence: others.map(toFinding) };
}

/** Whatever is said of a run of these steps, a sentence a line. @param before earlier successes, newest first */
export function told(steps: readonly Step[], ...before: (readonly Step[])[]): string {
  const successes = before.map((one, index) => viewOf(steppedExecution(one, { id: String(6 - index) })));
  const { finding, evidence } = explain(steppedExecution(steps), { successes });
  return [finding, ...evidence].map(({ confidence, sentence }) => `${confidence}: ${sentence}`).join("\n");
}

/** Among what is told is something that is called wrong. */
export const ACCUSES = /^(?:likely|exact)/m;
