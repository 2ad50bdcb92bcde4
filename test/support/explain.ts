/** Explains an execution in words, without reading another one from n8n. */
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

/** The first finding on a run of these steps. */
export const findingOn = (...steps: readonly Step[]): Finding => explain(steppedExecution(steps)).finding;

/** Every sentence of an explanation, one per line. */
export const sentencesOf = ({ finding, evidence }: Explanation): string =>
  [finding, ...evidence].map(({ sentence }) => sentence).join("\n");

/** The findings on a run of these steps, one per line. @param before earlier successes, newest first */
export function findings(steps: readonly Step[], ...before: (readonly Step[])[]): string {
  const successes = before.map((one, index) => viewOf(steppedExecution(one, { id: String(6 - index) })));
  const { finding, evidence } = explain(steppedExecution(steps), { successes });
  return [finding, ...evidence].map(({ confidence, sentence }) => `${confidence}: ${sentence}`).join("\n");
}

/** Matches findings that call something wrong. */
export const ACCUSES = /^(?:likely|exact)/m;
