/** An execution explained in words, without asking n8n for another one. */
import { type ExplainContext, viewOf } from "../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../src/executions/causes/explain.ts";
import { type Finding, toFinding } from "../../src/executions/causes/wording/finding.ts";
import type { ExecutionWithData } from "../../src/n8n/schemas.ts";

interface Explanation {
  readonly finding: Finding;
  readonly evidence: readonly Finding[];
}

export function explain(execution: ExecutionWithData, context: ExplainContext = {}): Explanation {
  const { root, others } = factsOf(viewOf(execution, context));
  return { finding: toFinding(root), evidence: others.map(toFinding) };
}
